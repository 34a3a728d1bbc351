"""`shutthebox verify`: whether the throws of matches are those of a tournament, or of two linked boxes."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from shutthebox.cli.parser import Subparsers
from shutthebox.config.profiles import builtin
from shutthebox.errors import quoted
from shutthebox.files import read_text, shown_path
from shutthebox.rules import equal_dice, record
from shutthebox.rules.equal_dice import TournamentError, tournament_from_text, unequal
from shutthebox.rules.linked_dice import why_unproven
from shutthebox.rules.record import Record, RecordError, parse

_MAX_BYTES = 1024 * 1024


def add_parser(subparsers: Subparsers) -> None:
    """Adds the command."""
    parser = subparsers.add_parser(
        "verify",
        help="check the throws of linked boxes, or of a tournament, offline",
        description="Checks all throws of every record. Records of two linked boxes need nothing else: their "
        "throws must follow from what both boxes revealed. If the first file is that of a tournament of "
        "equal dice, it prints the tournament's commitment, and throws must follow from the tournament's "
        "seed. Needs no network. Exits with 1 if a throw is wrong.",
        example="shutthebox verify cup.txt final.record",
    )
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="the tournament's file, with its seed, or a record"
    )
    parser.add_argument("records", metavar="RECORD", type=Path, nargs="*", help="records of matches")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Says of each record whether all its throws are the right ones; 1 if some aren't."""
    text = read_text(args.file, TournamentError, "a tournament or a record", _MAX_BYTES)
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    if first == record.FIRST_LINE:
        return _check([args.file, *args.records], _why_unlinked, "every throw follows from the links")
    if first == equal_dice.FIRST_LINE:
        tournament = tournament_from_text(text, str(args.file))
        print(f"commitment {tournament.commitment}")
        return _check(
            args.records, lambda played: unequal(played, tournament), "every throw follows from the seed"
        )
    allowed = f"{equal_dice.FIRST_LINE!r} and {record.FIRST_LINE!r}"
    raise TournamentError(f"{shown_path(args.file)}: begins with {quoted(first)}; use {allowed}")


def _why_unlinked(played: Record) -> str | None:
    proof = played.conditions.linked if played.conditions else None
    if proof is None:
        return "not a match on two linked boxes; for equal dice, give the tournament's file first"
    return why_unproven(played, proof)


def _check(paths: Sequence[Path], why_wrong: Callable[[Record], str | None], right: str) -> int:
    wrong = 0
    for path in paths:
        said = why_wrong(parse(read_text(path, RecordError, "a record", _MAX_BYTES), str(path), builtin))
        wrong += said is not None
        print(f"{path}: {said or right}")
    return 1 if wrong else 0
