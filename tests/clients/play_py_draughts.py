#!/usr/bin/env python3
"""Complete games through py-draughts' HubEngine, with both colours, by time and by depth.

    play_py_draughts.py target/release/manoury

The opponent plays at random. This client loses the second of two lines that
arrive together and then waits for ever, so that it ends at all is a test.
"""

import random
import sys

from draughts import StandardBoard
from draughts.engines.hub import HubEngine
from draughts.models import Color

LEVELS = [dict(time_limit=0.05), dict(time_limit=0.1), dict(depth_limit=1), dict(depth_limit=5)]
MOST_PLIES = 240


def play(engine, colour):
    """Plays a game and returns how it went."""
    engine.new_game()
    board = StandardBoard()
    plies = 0
    while not board.game_over and plies < MOST_PLIES:
        if board.turn == colour:
            move, score = engine.get_best_move(board, with_evaluation=True)
            if not -100 <= score <= 100:
                sys.exit(f"a score of {score}")
        else:
            move = random.choice(board.legal_moves)
        board.push(move)
        plies += 1
    return plies, board.result


def main():
    random.seed(2)
    for level in LEVELS:
        for colour, loss in ((Color.WHITE, "0-1"), (Color.BLACK, "1-0")):
            with HubEngine(sys.argv[1], **level) as engine:
                if engine.info.name != "Manoury" or engine.params["threads"].min_val != "1":
                    sys.exit(f"read {engine.info} and {engine.params}")
                plies, result = play(engine, colour)
                if not engine.ping():
                    sys.exit("no pong")
                process = engine.process
            print(f"{level} as {colour.name.lower()}: {result} after {plies} plies", flush=True)
            if process.wait(timeout=2) != 0:
                sys.exit(f"exit code {process.returncode}")
            if result == loss:
                sys.exit("lost against a random player")


if __name__ == "__main__":
    main()
