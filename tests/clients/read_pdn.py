"""Reads a PDN file with an installed draughts package, a game a line.

usage: read_pdn.py pydraughts|py-draughts FILE

Every move is played on the package's own board. A line has the moves, a bar,
the result and a bar, and the men and kings of the last position, White's
first. Exits 1 if the file cannot be read or a move is refused.
"""

import sys


def pieces(fen):
    """The squares of both sides, sorted, from a FEN of either package."""
    fields = {field[0]: field[1:].split(",") for field in fen.strip(".").split(":")[1:]}
    return " ".join(f"{side}:{','.join(sorted(fields[side]))}" for side in "WB")


def with_pydraughts(path):
    from draughts import Board, Move
    from draughts.PDN import PDNReader

    for game in PDNReader(filename=path).games:
        fen = game.tags.get("FEN", "startpos")
        board = Board("standard", fen)
        # The package gives Black's first move of a set-up twice, its own too.
        for text in game.moves[1:] if fen.startswith("B") else game.moves:
            board.push(Move(board, pdn_move=text))
        moves = [move.pdn_move for move in board.move_stack]
        yield moves, game.game_ending, board.fen


def with_py_draughts(path):
    from draughts import StandardBoard

    with open(path, encoding="utf-8") as file:
        text = file.read()
    # The package reads one game; ours are parted by the tag that each begins with.
    for game in text.split("[Event ")[1:]:
        board = StandardBoard.from_pdn("[Event " + game)
        result = game.split('[Result "')[1].split('"')[0]
        yield [str(move) for move in board._moves_stack], result, board.fen.split('"')[1]


def main():
    package, path = sys.argv[1:]
    read = {"pydraughts": with_pydraughts, "py-draughts": with_py_draughts}[package]
    for moves, result, fen in read(path):
        print(" ".join(moves), result, pieces(fen), sep="|")


if __name__ == "__main__":
    try:
        main()
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
