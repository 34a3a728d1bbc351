"""`shutthebox backup` and `shutthebox restore`: the box's memory, copied while it plays."""

import argparse
import time
from pathlib import Path

from shutthebox.adapters.store.backup import back_up, note_save, put_beside
from shutthebox.adapters.store.reading import open_reading
from shutthebox.cli.parser import Subparsers
from shutthebox.cli.progress import working
from shutthebox.cli.stats import add_options, store_folder
from shutthebox.files import shown_path


def add_parser(subparsers: Subparsers) -> None:
    """Adds both commands."""
    backup = subparsers.add_parser(
        "backup",
        help="copy the box's memory into a file, while it plays",
        description="Copies what the box remembers into a new file, as it is at one instant; the box plays "
        "on. Only its owner can read the file; nothing is written over, and no link followed.",
        example="sudo shutthebox backup box.sqlite3",
    )
    backup.add_argument("file", metavar="FILE", type=Path, help="a new file")
    backup.set_defaults(run=run_backup)
    restore = subparsers.add_parser(
        "restore",
        help="let the box take over a copy at its next start",
        description="Checks a back-up, or a store that the box has set aside, and lets the box take it over "
        "at its next start; of a damaged one, what is good. The box keeps the one it has under another name.",
        example="sudo shutthebox restore box.sqlite3",
    )
    restore.add_argument("file", metavar="FILE", type=Path, help="a back-up, or a store that was set aside")
    restore.set_defaults(run=run_restore)
    for parser in (backup, restore):
        add_options(parser)


def run_backup(args: argparse.Namespace) -> int:
    """Copies the store."""
    with open_reading(store_folder(args)) as store, working(lambda: "checking and copying the store"):
        store.verify()
        size = back_up(store.db, args.file)
    note_save(store_folder(args), time.time())
    print(f"{shown_path(args.file)}: {size / 1024:.0f} KiB")
    return 0


def run_restore(args: argparse.Namespace) -> int:
    """Puts the copy where the box finds it."""
    with working(lambda: "checking the copy"):
        waiting = put_beside(args.file, store_folder(args))
    if waiting.damage:
        print(f"{waiting.damage}; the box takes over {waiting.good}, at its next start")
    else:
        name = shown_path(args.file)
        print(f"{name}: good, {waiting.matches} matches; the box takes it over at its next start")
    return 0
