"""``shutthebox puzzles``: finds positions whose best answer is not the obvious one."""

import argparse
import json
from collections.abc import Sequence
from random import Random

from shutthebox.cli.parser import Subparsers
from shutthebox.cli.progress import working
from shutthebox.config.profiles import find
from shutthebox.config.schema import box_config
from shutthebox.config.settings_loader import rules_folder
from shutthebox.errors import ShutTheBoxError
from shutthebox.odds.puzzle_mining import MARGIN, mine, missed_by
from shutthebox.odds.puzzles import Puzzle
from shutthebox.rules.tiles import to_numbers

GAMES = ("traditional", "add-or-subtract", "digits", "knipsen")
"""The games of the puzzles that are shipped: each asks for another kind of thought."""

COUNT = 500
SEED = 1

_MOST = 100_000


def add_parser(subparsers: Subparsers) -> None:
    """Adds the command."""
    parser = subparsers.add_parser(
        "puzzles",
        help="find positions whose best answer is not the obvious one",
        description="Finds positions and throws whose best answer clearly beats the second, and where "
        "shutting the highest tiles is not the best. One line each: the game, the open tiles, the throw, the "
        "level (how many of five simple rules miss it), and every answer with the points that it costs. "
        "Without options, these are the puzzles that the box comes with.",
        example="shutthebox puzzles knipsen --count 10 --seed 7",
    )
    parser.add_argument(
        "profiles",
        nargs="*",
        metavar="ID|FILE",
        help=f"built-in profiles or files; default: {', '.join(GAMES)}",
    )
    parser.add_argument(
        "--count", type=int, default=COUNT, metavar="N", help=f"puzzles, as many of each game ({COUNT})"
    )
    parser.add_argument("--seed", type=int, default=SEED, metavar="N", help=f"where the lots start ({SEED})")
    parser.add_argument(
        "--margin",
        type=float,
        default=100 * MARGIN,
        metavar="PERCENT",
        help=f"of a turn's expected score that the second answer costs at least ({100 * MARGIN:g})",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Runs the command.

    Raises:
        ShutTheBoxError: for an unknown game, one without puzzles, or an option that is not allowed.
    """
    if not 1 <= args.count <= _MOST:
        raise ShutTheBoxError(f"--count: {args.count} is not allowed; allowed are 1 to {_MOST}")
    if not 0 <= args.margin <= 100:
        raise ShutTheBoxError(f"--margin: {args.margin:g} is not allowed; allowed are 0 to 100 per cent")
    with working(lambda: "looking for puzzles"):
        puzzles = puzzles_of(args.profiles or GAMES, args.count, args.seed, args.margin / 100)
    if args.json:
        document = {
            "seed": args.seed,
            "margin": args.margin,
            "puzzles": [_document(each) for each in puzzles],
        }
        print(json.dumps(document))
    else:
        print("\n".join(puzzle.to_text() for puzzle in puzzles))
    return 0


def puzzles_of(names: Sequence[str], count: int, seed: int, margin: float) -> list[Puzzle]:
    """So many puzzles of these games, in an order that is chosen by lot.

    Raises:
        ShutTheBoxError: for a game that is unknown or has no puzzles.
    """
    folder, rng = rules_folder(box_config()), Random(seed)
    puzzles: list[Puzzle] = []
    for number, name in enumerate(names):
        share = (count * (number + 1)) // len(names) - (count * number) // len(names)
        puzzles += mine(find(name, folder), share, rng, margin)
    rng.shuffle(puzzles)
    return puzzles


def _document(puzzle: Puzzle) -> dict[str, object]:
    answers = [answer.tiles for answer in puzzle.answers]
    return {
        "profile": puzzle.profile.name,
        "open": list(to_numbers(puzzle.open)),
        "throw": list(puzzle.throw),
        "level": puzzle.level,
        "missed_by": sorted(missed_by(puzzle.profile, puzzle.open, answers)),
        "answers": [{"tiles": list(to_numbers(each.tiles)), "cost": each.cost} for each in puzzle.answers],
    }
