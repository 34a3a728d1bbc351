"""`shutthebox card`: applies what the owner wrote onto the card. The card's image runs it at startup."""

import argparse
from pathlib import Path

from shutthebox.cli.parser import Subparsers


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox card`, which a card runs on the owner's files at each start."""
    parser = subparsers.add_parser(
        "card",
        help="read the owner's files from the card's first partition, or from a stick",
        description="A card runs this when it starts. Uses the owner's files that have "
        "changed, if all of them are good. Otherwise it leaves the mistakes for "
        "the box to show, and exits with 2.",
        example="sudo shutthebox card /boot/card --to /data",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="the folder with the owner's files")
    parser.add_argument(
        "--to", metavar="FOLDER", type=Path, required=True, help="the partition for the box's own data"
    )
    parser.add_argument(
        "--stick",
        action="store_true",
        help="the folder is a stick's: its files replace the box's, and everything else stays",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Applies the files, or says what's wrong with them.

    Raises:
        CardError: if a folder can't be read or written.
    """
    from shutthebox.owner.card import take_over_card, take_over_stick_folder

    mistakes = (take_over_stick_folder if args.stick else take_over_card)(args.folder, args.to)
    for mistake in mistakes:
        print(mistake)
    return 2 if mistakes else 0
