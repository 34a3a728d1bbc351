"""`shutthebox update`: another version of the card's system."""

import argparse

from shutthebox.cli.parser import Subparsers


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox update`."""
    parser = subparsers.add_parser(
        "update",
        help="put another version on the card and start it",
        description="Checks a signed update, writes it beside the running system, and "
        "restarts the machine. If the new version doesn't start, the old one "
        "comes back. Only works on a card's image.",
        example="sudo shutthebox update shutthebox-2.0.0.raucb",
    )
    parser.add_argument("bundle", metavar="FILE|URL", help="a signed update, shutthebox-VERSION.raucb")
    parser.add_argument(
        "--downgrade", action="store_true", help="go back to an earlier version, and lose what it can't read"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Checks the update, writes it to the other system partition, and restarts the machine."""
    from shutthebox.owner.update import update

    update(args.bundle, downgrade=args.downgrade)
    return 0
