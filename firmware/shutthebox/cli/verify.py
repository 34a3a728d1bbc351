"""`shutthebox verify`: whether matches were played with the throws of a tournament of equal dice."""

import argparse
from pathlib import Path

from shutthebox.cli.parser import Subparsers
from shutthebox.config.profiles import builtin
from shutthebox.files import read_text
from shutthebox.rules.equal_dice import TournamentError, tournament_from_text, unequal
from shutthebox.rules.record import RecordError, parse

_MAX_RECORD_BYTES = 1024 * 1024


def add_parser(subparsers: Subparsers) -> None:
    """Adds the command."""
    parser = subparsers.add_parser(
        "verify",
        help="check the throws of a tournament of equal dice, offline",
        description="Prints the commitment of a tournament of equal dice, and says for every "
        "record whether all its throws follow from the tournament's seed. Needs "
        "no network. Exits with 1 if some don't.",
        example="shutthebox verify cup.txt final.record",
    )
    parser.add_argument(
        "tournament", metavar="TOURNAMENT", type=Path, help="the tournament's file, with its seed"
    )
    parser.add_argument("records", metavar="RECORD", type=Path, nargs="*", help="records of matches")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the commitment, and of each record whether all its throws are the seed's; 1 if some are not."""
    text = read_text(args.tournament, TournamentError, "a tournament")
    tournament = tournament_from_text(text, str(args.tournament))
    print(f"commitment {tournament.commitment}")
    wrong = 0
    for path in args.records:
        record = parse(read_text(path, RecordError, "a record", _MAX_RECORD_BYTES), str(path), builtin)
        said = unequal(record, tournament)
        wrong += said is not None
        print(f"{path}: {said or 'every throw follows from the seed'}")
    return 1 if wrong else 0
