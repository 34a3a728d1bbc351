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
    """Adds `shutthebox backup` and `shutthebox restore`."""
    backup = subparsers.add_parser(
        "backup",
        help="copy the box's memory into a file, while it plays",
        description="Copies everything the box remembers at this instant into a new file, "
        "while it plays on. Only you can read the file. It overwrites nothing "
        "and follows no links.",
        example="sudo shutthebox backup box.sqlite3",
    )
    backup.add_argument("file", metavar="FILE", type=Path, help="a new file")
    backup.set_defaults(run=run_backup)
    restore = subparsers.add_parser(
        "restore",
        help="restore a backup at the box's next start",
        description="Checks a backup, or a memory the box has set aside, and restores it at "
        "the box's next start; if it is damaged, whatever is still good. The box "
        "keeps its former memory under another name.",
        example="sudo shutthebox restore box.sqlite3",
    )
    restore.add_argument("file", metavar="FILE", type=Path, help="a backup, or a memory that was set aside")
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
        print(f"{waiting.damage}; the box restores {waiting.good}, at its next start")
    else:
        name = shown_path(args.file)
        print(f"{name}: good, {waiting.matches} matches; the box restores it at its next start")
    return 0
