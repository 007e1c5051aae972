#!/usr/bin/env python3
"""How long `stop`, the end of the input and a pause between lines take.

    stop_latency.py target/release/manoury [--stops 500] [--threads 1] [--most 20]

Fails if the 99th percentile from `stop` to `done` is above --most
milliseconds, or if two lines come less than 50 microseconds apart.
"""

import argparse
import os
import random
import subprocess
import sys
import time

from hub_client import Engine

START = "W" + 20 * "b" + 10 * "e" + 20 * "w"
ENDING = "WWW" + 20 * "e" + "B" + 27 * "e"  # a few kings: depth after depth in no time
MIDDLE = "B" + 13 * "b" + "ebbebebeebweeebwewewwe" + 15 * "w"


def show(title, samples, unit=1e3, name="ms"):
    samples = sorted(samples)
    at = lambda share: unit * samples[min(len(samples) - 1, int(share * len(samples)))]
    print(
        f"{title:<22} n {len(samples):<5} median {at(0.5):7.3f}  p90 {at(0.9):7.3f}  "
        f"p99 {at(0.99):7.3f}  worst {at(1):7.3f} {name}"
    )
    return at(0.99)


def stops(engine, count):
    """Seconds from `stop` to `done`, and between two lines."""
    latencies, gaps = [], []
    for number in range(count):
        position = (START, MIDDLE, ENDING)[number % 3]
        purpose = random.choice(("think", "analyze", "ponder"))
        engine.send(f"pos pos={position}", "level infinite", f"go {purpose}")
        time.sleep(random.uniform(0, 0.06))
        begin = time.perf_counter()
        engine.send("stop")
        lines = engine.read_to("done")
        latencies.append(lines[-1][0] - begin)
        gaps += [b[0] - a[0] for a, b in zip(lines, lines[1:])]
    return latencies, gaps


def write_gaps(path):
    """Seconds between two lines, read with one system call each as fast as we can."""
    process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    process.stdin.write(b"ping\n" * 2000)
    process.stdin.close()
    times = []
    together = 0
    while text := os.read(process.stdout.fileno(), 65536):
        times.append(time.perf_counter())
        together += text.count(b"\n") - 1
    process.wait()
    return [b - a for a, b in zip(times, times[1:])], together


def exits(path, count):
    """Seconds from the end of the input, in the middle of a search, to the exit."""
    latencies = []
    for _ in range(count):
        process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdin.write(f"init\npos pos={START}\nlevel infinite\ngo think\n".encode())
        process.stdin.flush()
        time.sleep(random.uniform(0, 1))
        begin = time.perf_counter()
        process.stdin.close()
        code = process.wait(timeout=10)
        latencies.append(time.perf_counter() - begin)
        if code != 0:
            sys.exit(f"exit code {code}")
        process.stdout.close()
    return latencies


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine")
    parser.add_argument("--stops", type=int, default=500)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--most", type=float, default=20)
    options = parser.parse_args()
    engine = Engine([options.engine, "hub"])
    engine.start(threads=options.threads)
    latencies, gaps = stops(engine, options.stops)
    engine.quit()
    p99 = show("stop to done", latencies)
    show("line to line", gaps, 1e6, "us")
    between, together = write_gaps(options.engine)
    show("line to line, flood", between, 1e6, "us")
    print(f"smallest gap {1e6 * min(between):.0f} us; {together} lines found together with another")
    show("end of input to exit", exits(options.engine, 30))
    if p99 > options.most:
        sys.exit(f"p99 from stop to done is {p99:.1f} ms")


if __name__ == "__main__":
    main()
