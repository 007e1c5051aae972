#!/usr/bin/env python3
"""Plays a complete game of DamExchange: pydraughts' client against manoury.

    play_dxp.py PATH-OF-MANOURY

The client asks for the game and plays legal moves from a fixed random
sequence. Every move of ours must be legal for pydraughts; the game must be
ended by us with a reason that fits. Exits 1 on any fault.
"""

import os
import random
import re
import subprocess
import sys
import threading
import time

import draughts
from draughts.engine import DXPEngine

MOST_PLIES = 400
TIME_LIMIT = 90


SERVERS = []


def fail(why):
    for server in SERVERS:
        server.kill()
    print(f"FAULT: {why}", flush=True)
    os._exit(1)


def wait_for(condition, what, seconds=20):
    """Waits for what pydraughts itself would wait for, for ever."""
    deadline = time.time() + seconds
    while not condition():
        if time.time() > deadline:
            fail(f"no {what} within {seconds} s")
        time.sleep(0.002)


def start_server(binary):
    command = [binary, "dxp", "--listen", "127.0.0.1:0", "--once",
               "--move-time", "0.02", "--tt-size", "16"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    SERVERS.append(server)
    line = server.stderr.readline()
    found = re.search(r"listening on \S+:(\d+)", line)
    if not found:
        fail(f"no address in {line!r}")
    return server, found.group(1)


def play(engine, chance):
    """Plays until manoury ends the game; returns the board."""
    receiver = engine.receiver
    board = draughts.Board(fen="startpos")
    engine._start(board, 60)
    ours = engine.sender.current
    wait_for(lambda: receiver.accepted is not None, "answer to the request")
    if not receiver.accepted or ours.engineName != "Manoury":
        fail(f"accepted {receiver.accepted} by {ours.engineName!r}")
    for _ in range(MOST_PLIES):
        wait_for(lambda: receiver.last_move_changed or not ours.started, "move")
        if not ours.started:
            return ours.pos
        replies = ours.pos.legal_moves()
        if not replies:
            # The side to move ends the game: that is the client.
            engine.sender.socket.send("E10")
            receiver.gameend_sent = True
            return ours.pos
        engine.sender.send_move(chance.choice(replies))
    fail(f"no end after {MOST_PLIES} plies")


def main():
    binary = os.path.abspath(sys.argv[1])
    threading.Thread(target=lambda: (time.sleep(TIME_LIMIT), fail("too slow")),
                     daemon=True).start()
    server, port = start_server(binary)
    engine = DXPEngine(options={"ip": "127.0.0.1", "port": port}, initial_time=60)
    board = play(engine, random.Random(1787))
    # The client's receiver does not notice the end of a connection by itself.
    time.sleep(0.3)
    engine.sender.socket.sock.shutdown(2)
    try:
        output, errors = server.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        fail("the program does not end with the connection")
    print(output, end="")
    if errors:
        print(errors, end="")
    if server.returncode != 0:
        fail(f"exit code {server.returncode}")
    plies = len(board.move_stack)
    pattern = rf"game 1: white Manoury, black DXP Client: (2-0|1-1|0-2) \(.*, {plies} plies\)"
    if not re.search(pattern, output):
        fail(f"the report does not fit {plies} plies")
    print(f"ok: {plies} plies", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
