#!/usr/bin/env python3
"""Complete games through pydraughts' HubEngine, with both colours and all levels.

    play_pydraughts.py target/release/manoury

The opponent plays at random. pydraughts is the client and the rules oracle for
moves, not for draws: it resets the 16- and 5-move counts where the rules do not.
"""

import os
import random
import sys

from draughts import BLACK, WHITE, Board
from draughts.engine import HubEngine, Limit

LIMITS = {
    "0.05 s a move": dict(movetime=0.05),
    "depth 5": dict(depth=5),
    "3000 nodes": dict(nodes=3000),
    "a clock of 3 s": dict(time=3),
    "a clock of 0.5 s + 0.6 s": dict(time=0.5, inc=0.6),
}
MOST_PLIES = 240


def play(engine, colour, limit):
    """Plays a game and returns how it went."""
    engine.send("new-game")
    board = Board()
    plies = 0
    while not board.is_over() and plies < MOST_PLIES:
        if board.turn == colour:
            result = engine.play(board, Limit(**limit), ponder=False)
            move = result.move
            for key in ("depth", "mean-depth", "score", "nodes", "time", "nps", "pv"):
                if key not in result.info:
                    sys.exit(f"no {key} before {move.hub_move}: {result.info}")
            legal = [legal.hub_move for legal in board.legal_moves()]
            if move.hub_move not in legal:
                sys.exit(f"{move.hub_move} is not legal in {board.fen}: {legal}")
        else:
            move = random.choice(board.legal_moves())
        board.push(move)
        plies += 1
    winner = board.winner() if board.is_over() else "unfinished"
    return plies, {WHITE: "white wins", BLACK: "black wins", 0: "draw"}.get(winner, winner)


def main():
    random.seed(1)
    engine = HubEngine([os.path.abspath(sys.argv[1]), "hub"])
    if engine.id.get("name") != "Manoury" or engine.variants != {"normal", "standard"}:
        sys.exit(f"read {engine.id} and {engine.variants}")
    engine.configure({"variant": "standard", "ponder": False, "threads": "2", "book-ply": "0"})
    engine.init()
    engine.ping()
    for name, limit in LIMITS.items():
        for colour in (WHITE, BLACK):
            plies, result = play(engine, colour, limit)
            side = "white" if colour == WHITE else "black"
            print(f"{name:<24} as {side}: {result} after {plies} plies", flush=True)
            if "wins" in result and side not in result:
                sys.exit("lost against a random player")
    ponder(engine)
    engine.quit()
    if engine.p.wait(timeout=2) != 0:
        sys.exit(f"exit code {engine.p.returncode}")


def ponder(engine):
    """`go ponder` answers after `ponder-hit`, and after `stop`."""
    import threading

    for release in (engine.ponderhit, engine.stop):
        timer = threading.Timer(0.3, release)
        timer.start()
        result = engine.play(Board(), Limit(movetime=0.1), ponder=True)
        timer.join()
        print(f"pondered: {result.move.hub_move}, then {result.ponder.hub_move}")


if __name__ == "__main__":
    main()
