"""`shutthebox stats` and `shutthebox export`: what the box remembers, for people and for programs."""

import argparse
import contextlib
import dataclasses
import json
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shutthebox import config as configuration
from shutthebox.files import check_folder, reason, shown_path
from shutthebox.platform import statistics
from shutthebox.platform.schema import TABLES, VERSION, version_of
from shutthebox.platform.store import FILE_NAME, StoreError, kept_match
from shutthebox.rules.record import Record, write

SERVICE_FOLDER = Path("/var/lib/shutthebox")
"""Where systemd keeps the state of the service, which only the daemon is told."""


def add_parser(subparsers: Any) -> None:  # noqa: ANN401  (argparse does not name its type)
    """Adds both commands."""
    stats = subparsers.add_parser("stats", help="hall of fame, matches, dice fairness, lever health")
    stats.add_argument("--json", action="store_true", help="one JSON document")
    stats.set_defaults(run=run_stats)
    export = subparsers.add_parser("export", help="everything the box remembers, as JSON Lines")
    export.add_argument(
        "--record", metavar="N", type=int, nargs="?", const=0, help="only match N (the latest), as a record"
    )
    export.set_defaults(run=run_export)
    for parser in (stats, export):
        add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds what says which store is meant."""
    parser.add_argument("--config", metavar="F", type=Path, help="a config file; default: the box's own")
    parser.add_argument("--state", metavar="DIR", type=Path, help="the store's folder")


def run_stats(args: argparse.Namespace) -> int:
    """Prints the statistics."""
    with open_store(args) as db:
        found = statistics.read(db)
    if args.json:
        print(json.dumps(_document(found), ensure_ascii=False))
        return 0
    print(f"matches   {found.finished} finished of {found.matches} begun")
    print(f"throws    {found.throws}")
    for entry in found.dice:
        what = f"die {entry.die}" if entry.die else "total"
        verdict = f"p = {entry.fairness.p_value:.3f}" if entry.fairness.enough else "too few to tell"
        print(f"\n{entry.dice}d{entry.sides} {what}: {sum(entry.counts.values())} throws, {verdict}")
        most = max(entry.counts.values())
        for value, count in sorted(entry.counts.items()):
            print(f"  {value:3} {count:7} {'#' * round(40 * count / most)}")
    print("\nhall of fame" if found.fame else "\nhall of fame: nobody has signed yet")
    for famous in found.fame:
        date = _date(famous.began_s, "%Y-%m-%d")
        score = "–" if famous.score is None else famous.score
        print(f"  {famous.initials}  {score:>6}  {famous.profile:16} {date}")
    print("\nlever health (edges while settling: many a press foretell a dying switch)")
    for switch, health in found.switches.items():
        name = "button" if switch == 0 else f"lever {switch}"
        out = "  out of play" if switch in found.out_of_play else ""
        print(f"  {name:9} {health.presses:8} presses {health.chatter:8} edges{out}")
    for lever in sorted({*found.out_of_play} - {*found.switches}):
        print(f"  lever {lever:<3} out of play")
    print("\nfaults" if found.faults else "\nfaults: none")
    for fault in found.faults:
        date = _date(fault.at_s, "%Y-%m-%d %H:%M")
        print(f"  {date}  {fault.kind}: {fault.text}")
    return 0


def _document(found: statistics.Statistics) -> dict[str, Any]:
    document = dataclasses.asdict(found)
    for entry in document["dice"]:
        entry["p_value"] = entry.pop("fairness")["p_value"]
    return document


def run_export(args: argparse.Namespace) -> int:
    """Prints every row of the store, an object a line, each with its table's name; or one record."""
    with open_store(args) as db:
        if args.record is not None:
            number = args.record or db.execute("select max(id) from match").fetchone()[0] or 0
            beginning, actions = kept_match(db, number, "--record")
            print(write(Record(beginning.profile, beginning.players, beginning.rounds, actions)), end="")
            return 0
        db.row_factory = sqlite3.Row
        for table in TABLES:
            for row in db.execute(f"select * from {table}"):
                print(json.dumps({"table": table, **dict(row)}, ensure_ascii=False))
    return 0


def store_folder(args: argparse.Namespace) -> Path:
    """Where the store lies that is meant: as said, as configured, or the service's.

    Raises:
        ShutTheBoxError: if that can be no folder.
        ConfigError: if the config file cannot be used.
    """
    if args.state is not None:
        check_folder(args.state, "--state")
        return Path(args.state)
    config = configuration.read(args.config) if args.config else configuration.usual()
    if not config.store.folder and os.path.lexists(SERVICE_FOLDER):
        return SERVICE_FOLDER
    return config.state_folder


@contextlib.contextmanager
def open_store(args: argparse.Namespace) -> Iterator[sqlite3.Connection]:
    """The store, for reading only; a running box is not disturbed.

    Raises:
        StoreError: if there is none, it cannot be read, or what it holds makes no sense.
    """
    path = store_folder(args) / FILE_NAME
    try:
        db = statistics.open_to_read(path)
    except FileNotFoundError as error:
        raise StoreError(str(error)) from None
    except PermissionError:
        raise StoreError(f"{path}: belongs to the service; say sudo shutthebox ...") from None
    except OSError as error:
        raise StoreError(f"{shown_path(path)}: {reason(error)}") from None
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}") from None
    with contextlib.closing(db):
        try:
            if version_of(db) < VERSION:
                raise StoreError(
                    f"{path}: of an earlier version; a box brings it up to date at its next start"
                )
            yield db
        except (sqlite3.Error, ValueError, TypeError, LookupError, ArithmeticError) as error:
            raise StoreError(f"{path}: {' '.join(str(error).split())}") from None


def _date(at_s: int, form: str) -> str:
    try:
        return time.strftime(form, time.localtime(at_s))
    except (ValueError, OverflowError, OSError):  # no year that a calendar has
        return "?"
