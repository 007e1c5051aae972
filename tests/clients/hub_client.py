"""A plain Hub client: starts an engine, talks to it, and notices what is wrong.

It knows the protocol and the clock, but neither the rules nor who should win.
"""

import queue
import subprocess
import threading
import time


class Failure(Exception):
    """The engine did what no engine may do."""


class Engine:
    """A running engine. Every line that it writes is read, with its time."""

    def __init__(self, command, hang=20.0):
        self.name = command[0].rsplit("/", 1)[-1]
        self.hang = hang
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.lines.put((time.perf_counter(), line.rstrip("\n")))
        self.lines.put((time.perf_counter(), None))

    def send(self, *lines):
        """Sends lines, each with a write of its own."""
        for line in lines:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()

    def read(self):
        """The next line and when it came; an error line is a failure."""
        try:
            when, line = self.lines.get(timeout=self.hang)
        except queue.Empty:
            raise Failure(f"{self.name} hangs") from None
        if line is None:
            raise Failure(f"{self.name} has gone")
        if line.startswith("error"):
            raise Failure(f"{self.name} says: {line}")
        return when, line

    def read_to(self, word):
        """All lines up to the first that begins with `word`."""
        lines = [self.read()]
        while lines[-1][1].split(" ", 1)[0] != word:
            lines.append(self.read())
        return lines

    def start(self, **parameters):
        """The handshake."""
        self.send("hub")
        self.read_to("wait")
        for name, value in parameters.items():
            self.send(f"set-param name={name.replace('_', '-')} value={value}")
        self.send("init")
        self.read_to("ready")

    def search(self, *commands):
        """Sends commands that end with a `go`.

        Returns the arguments of `done`, the seconds that it took as seen from
        here, and the infos.
        """
        begin = time.perf_counter()
        self.send(*commands)
        lines = self.read_to("done")
        end, done = lines.pop()
        arguments = dict(word.split("=", 1) for word in done.split()[1:])
        return arguments, end - begin, [line for _, line in lines]

    def quit(self):
        """Says good-bye; an engine that does not go is a failure."""
        try:
            self.send("quit")
            self.process.wait(timeout=2)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            raise Failure(f"{self.name} does not quit") from None
