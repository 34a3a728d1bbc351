"""`shutthebox backup` and `shutthebox restore`: the box's memory, copied while it plays."""

import argparse
from pathlib import Path
from typing import Any

from shutthebox.adapters.store.backup import back_up, put_beside
from shutthebox.adapters.store.reading import reading
from shutthebox.cli.stats import add_options, store_folder
from shutthebox.files import shown_path


def add_parser(subparsers: Any) -> None:  # noqa: ANN401  (argparse does not name its type)
    """Adds both commands."""
    backup = subparsers.add_parser("backup", help="copy the box's memory into a file, while it plays")
    backup.add_argument("file", metavar="FILE", type=Path, help="a new file")
    backup.set_defaults(run=run_backup)
    restore = subparsers.add_parser("restore", help="let the box take over a copy at its next start")
    restore.add_argument("file", metavar="FILE", type=Path, help="a back-up, or a store that was set aside")
    restore.set_defaults(run=run_restore)
    for parser in (backup, restore):
        add_options(parser)


def run_backup(args: argparse.Namespace) -> int:
    """Copies the store."""
    with reading(store_folder(args)) as store:
        store.verify()
        size = back_up(store.db, args.file)
    print(f"{shown_path(args.file)}: {size / 1024:.0f} KiB")
    return 0


def run_restore(args: argparse.Namespace) -> int:
    """Puts the copy where the box finds it."""
    matches = put_beside(args.file, store_folder(args))
    print(f"{shown_path(args.file)}: good, {matches} matches; the box takes it over at its next start")
    return 0
