#!/usr/bin/env python3
"""A match against `dame hub`, judged by neither player.

    match_dame.py target/release/manoury [--games 10] [--move-time 0.1]
    match_dame.py target/release/manoury --clock 10+0.1

Colours alternate over openings of two plies. Moves are checked against
`dame.Board` and our `legal`, which must list the same ones; `legal` says when
the game is over, since dame counts the 16 and 5 moves another way.

It fails on an illegal move, an error line, a hang, and if our engine takes
longer than it may, by the watch here or by the time in its last `info`. With
--clock the increment is by turns included in `time` and, as some clients do,
subtracted from it.
"""

import argparse
import os
import random
import subprocess
import sys

import dame

from hub_client import Engine, Failure

START = "W" + 20 * "b" + 10 * "e" + 20 * "w"
MOST_PLIES = 1000


class Referee:
    """The state of a game, by `manoury legal` and `dame.Board`."""

    def __init__(self, program):
        self.program = program
        self.moves = []
        self.board = dame.Board()
        self._ask()

    def _ask(self):
        command = [self.program, "legal", "--fen", START, "--moves", " ".join(self.moves)]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
        self.state = next(line for line in lines if line.startswith("state: "))[len("state: ") :]
        self.legal = sorted(line.split()[1] for line in lines if line and line[0].isdigit())
        # Once a game is over for dame, it lists no moves.
        if not self.board.is_game_over():
            theirs = sorted(move.hub() for move in self.board.legal_moves)
            if theirs != self.legal:
                raise Failure(f"after {self.moves}: {self.legal} here, {theirs} for dame")

    def play(self, move):
        if move not in self.legal:
            raise Failure(f"illegal move {move} after {' '.join(self.moves)}: {self.legal}")
        if not self.board.is_game_over():
            self.board.push(move)
        self.moves.append(move)
        self._ask()

    @property
    def in_play(self):
        return self.state == "in play" and len(self.moves) < MOST_PLIES


class Clock:
    """What a side is told of its time, and what it may take."""

    def __init__(self, options, subtract):
        self.move_time = options.move_time
        self.left, self.increment = options.clock or (None, None)
        self.subtract = subtract

    def level(self):
        if self.left is None:
            return f"level move-time={self.move_time}"
        shown = self.left - self.increment if self.subtract else self.left
        return f"level time={shown:.3f} inc={self.increment}"

    def allowed(self):
        return self.move_time if self.left is None else self.left

    def spend(self, seconds):
        if self.left is not None:
            self.left = max(0.01, self.left - seconds) + self.increment


def openings(seed):
    """All pairs of a first move and a reply, in an order of their own."""
    pairs = []
    for first in dame.Board().legal_moves:
        board = dame.Board()
        board.push(first)
        pairs += [(first.hub(), reply.hub()) for reply in board.legal_moves]
    random.Random(seed).shuffle(pairs)
    return pairs


def overrun(clock, seconds, infos):
    """By how much our engine was late, by the watch here or its own."""
    reported = float(infos[-1].split(" time=")[1].split()[0])
    return max(seconds, reported) - clock.allowed()


def game(number, ours, theirs, opening, options):
    """Plays a game; returns our points of 2, the plies and the worst overrun."""
    we_are = number % 2  # 0 is White
    engines = (ours, theirs) if we_are == 0 else (theirs, ours)
    clocks = [Clock(options, subtract=number // 2 % 2 == 1) for _ in range(2)]
    referee = Referee(options.engine)
    for engine in engines:
        engine.send("new-game")
    for move in opening:
        referee.play(move)
    worst = float("-inf")
    while referee.in_play:
        side = len(referee.moves) % 2
        engine, clock = engines[side], clocks[side]
        moves = " ".join(referee.moves)
        position = f'pos pos={START} moves="{moves}"'
        done, seconds, infos = engine.search(position, clock.level(), "go think")
        if engine is ours:
            late = overrun(clock, seconds, infos)
            worst = max(worst, late)
            if late > options.grace:
                raise Failure(f"{late:.3f} s too long after {moves}")
        clock.spend(seconds)
        if "move" not in done:
            raise Failure(f"{engine.name} has no move after {moves}: {referee.state}")
        referee.play(done["move"])
    points = {"white wins": (2, 0), "black wins": (0, 2)}.get(referee.state.split(" (")[0], (1, 1))
    print(
        f"game {number + 1:>3} {' '.join(opening)} as {('white', 'black')[we_are]}: "
        f"{referee.state} after {len(referee.moves)} plies, at most {1e3 * worst:+.1f} ms late",
        flush=True,
    )
    return points[we_are], len(referee.moves), worst


def parse_arguments():
    clock = lambda text: tuple(float(part) for part in text.split("+"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine")
    parser.add_argument("--opponent", default=os.path.join(sys.prefix, "bin", "dame"))
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--move-time", type=float, default=0.1)
    parser.add_argument("--clock", type=clock, help="seconds+increment instead of a move time")
    parser.add_argument("--grace", type=float, default=0.05, help="seconds that may be lost outside")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.engine = os.path.abspath(options.engine)
    return options


def main():
    options = parse_arguments()
    ours = Engine([options.engine, "hub"])
    theirs = Engine([options.opponent, "hub"])
    results = []
    try:
        ours.start()
        theirs.start()
        pairs = openings(options.seed)
        for number in range(options.games):
            opening = pairs[number // 2 % len(pairs)]
            results.append(game(number, ours, theirs, opening, options))
        ours.quit()
        theirs.quit()
    except Failure as failure:
        sys.exit(f"game {len(results) + 1}: {failure}")
    points = [points for points, _, _ in results]
    wins, draws, losses = (points.count(value) for value in (2, 1, 0))
    worst = max(worst for _, _, worst in results)
    print(f"{wins} won, {draws} drawn, {losses} lost; worst overrun {1e3 * worst:+.1f} ms")


if __name__ == "__main__":
    main()
