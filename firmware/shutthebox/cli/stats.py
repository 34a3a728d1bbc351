"""`shutthebox stats` and `shutthebox export`: the statistics of the box, for people and for programs."""

import argparse
import contextlib
import dataclasses
import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shutthebox.adapters.store import queries
from shutthebox.adapters.store.database import STORE_FILE
from shutthebox.adapters.store.reading import Reading, open_good_part
from shutthebox.adapters.store.records import kept_match
from shutthebox.adapters.store.schema import COLUMNS
from shutthebox.cli.own_config import add_config_option, load_config
from shutthebox.cli.parser import Subparsers
from shutthebox.cli.progress import working
from shutthebox.errors import one_line
from shutthebox.files import check_folder, shown_path
from shutthebox.game.switches.switch import BUTTONS, switch
from shutthebox.rules.record import write


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox stats` and `shutthebox export`."""
    stats = subparsers.add_parser(
        "stats",
        help="show the hall of fame, matches, dice fairness and lever health",
        description="Shows matches, the hall of fame, whether the dice are fair, how much "
        "each lever chatters, and the latest faults. If the memory is damaged, "
        "it prints what is good, says so in one line and exits with 1.",
        example="sudo shutthebox stats",
    )
    stats.add_argument("--json", action="store_true", help="one JSON document")
    stats.set_defaults(run=run_stats)
    export = subparsers.add_parser(
        "export",
        help="print everything the box remembers, as JSON Lines",
        description="Prints everything the box remembers, one item on a line. If the memory "
        "is damaged, it prints what is good, says so in one line and exits with "
        "1.",
        example="sudo shutthebox export > box.jsonl",
    )
    export.add_argument(
        "--record",
        metavar="N",
        type=int,
        nargs="?",
        const=0,
        help="only match N (default: the latest finished one), as a record that replay can play",
    )
    export.set_defaults(run=run_export)
    for parser in (stats, export):
        add_options(parser, "the memory's folder, or the file of a memory that was set aside")


def add_options(parser: argparse.ArgumentParser, state: str = "the memory's folder") -> None:
    """Adds the options that name a store; `state` says what `--state` can name."""
    add_config_option(parser)
    parser.add_argument("--state", metavar="DIR", type=Path, help=state)


def run_stats(args: argparse.Namespace) -> int:
    """Prints the statistics, then an error if the store is damaged."""
    _name_simulator(args)
    with _good_part(args) as store:
        with working(lambda: "adding up the matches"):
            found = queries.read(store.db)
        if args.json:
            print(json.dumps(_document(found)))
        else:
            _print(found)
    return 0


@contextlib.contextmanager
def _good_part(args: argparse.Namespace) -> Iterator[Reading]:
    """Opens the store; if it's damaged, reports that after its good part has been printed."""
    file = store_file(args)
    with contextlib.ExitStack() as stack:
        with working(lambda: "checking the store"):
            store = stack.enter_context(open_good_part(file))
        yield store


def store_file(args: argparse.Namespace) -> Path:
    """The store's file: the one named, or the one in the chosen folder."""
    with contextlib.suppress(OSError):  # a name that is too long is refused as a folder
        if args.state is not None and args.state.is_file():
            return Path(args.state)
    return store_folder(args) / STORE_FILE


def _name_simulator(args: argparse.Namespace) -> None:
    """Says where the simulated box's memory is, if there's one and no store was named."""
    if args.state is not None:
        return
    folder = load_config(args.config).simulator_folder
    if os.path.lexists(folder / STORE_FILE) and folder != store_folder(args):
        where = shown_path(folder)
        print(f"The simulated box has its own memory: shutthebox stats --state {where}", file=sys.stderr)


def _print(found: queries.Statistics) -> None:
    print(f"matches   {found.finished} finished of {found.matches} begun, {found.given_up} given up")
    print(f"          {found.real_dice} with real dice, {found.with_computer} with the computer, ", end="")
    print(f"{found.without_levers} with levers out of play")
    if found.with_gaps:
        print(f"          {found.with_gaps} with facts lost to damage, which don't rank")
    print(f"played on {', '.join(map(one_line, found.versions)) or 'an unknown version'}")
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
        date = date_text(famous.began_s, "%Y-%m-%d")
        unproven = f"  ({', '.join(famous.unproven)})" if famous.unproven else ""
        score = "–" if famous.score is None else famous.score
        initials, profile = one_line(famous.initials), one_line(famous.profile)
        print(f"  {initials}  {score:>6}  {profile:16} {date}{unproven}")
    if found.linked:
        print("\nlinked matches, with this box's commitment for `shutthebox verify --mine`")
    for match in found.linked:
        date, names = date_text(match.began_s, "%Y-%m-%d"), " and ".join(map(one_line, match.names))
        print(f"  {date}  {names}: {one_line(match.ending)}\n    {match.commitment}")
    print("\nlever health (edges while settling: many per press mean a worn switch)")
    for number, health in found.switches.items():
        name = switch(number).name if number >= min(BUTTONS) else f"switch {number}"
        out = "  out of play" if number in found.out_of_play else ""
        print(f"  {name:11} {health.presses:8} presses {health.chatter:8} edges{out}")
    for lever in sorted({*found.out_of_play} - {*found.switches}):
        print(f"  lever {lever:<5} out of play")
    print("\nfaults" if found.faults else "\nfaults: none")
    for fault in found.faults:
        date = date_text(fault.at_s, "%Y-%m-%d %H:%M")
        print(f"  {date}  {one_line(f'{fault.kind}: {fault.text}')}")


def _document(found: queries.Statistics) -> dict[str, Any]:
    document = dataclasses.asdict(found)
    for entry in document["dice"]:
        entry["p_value"] = entry.pop("fairness")["p_value"]
    if not found.linked:
        del document["linked"]  # most boxes are never linked
    return document


def run_export(args: argparse.Namespace) -> int:
    """Prints every row of the store, one object per line with its table's name; or one record.

    An error follows if the store is damaged.
    """
    with _good_part(args) as store:
        if args.record is not None:
            number = args.record or queries.latest_finished(store.db)
            print(write(kept_match(store.db, number, "--record")), end="")
        else:
            store.db.row_factory = sqlite3.Row
            for table in COLUMNS:
                for row in store.db.execute(f"select * from {table}"):
                    print(json.dumps({"table": table, **dict(row)}))
    return 0


def store_folder(args: argparse.Namespace) -> Path:
    """The folder of the store: as given, or as the configuration has it.

    Raises:
        ShutTheBoxError: that can't be a folder.
        ConfigError: if the config file can't be used.
    """
    if args.state is not None:
        check_folder(args.state, "--state")
        return Path(args.state)
    return load_config(args.config).memory_folder


def date_text(at_s: int, form: str) -> str:
    """A time of day for people; a question mark for an impossible date."""
    try:
        return time.strftime(form, time.localtime(at_s))
    except (ValueError, OverflowError, OSError):  # beyond the calendar
        return "?"
