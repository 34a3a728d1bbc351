"""The `shutthebox-league` command. Ends with 0 if all is well, 1 for a fault, 2 for wrong use."""

import argparse
import json
import logging
import os
import secrets
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from shutthebox.adapters.systemd import Systemd, passed_socket
from shutthebox.errors import ShutTheBoxError, one_line, quoted
from shutthebox.files import new_file
from shutthebox.rules.equal_dice import Tournament, tournament_from_text
from shutthebox_league import __version__, players
from shutthebox_league.authority import Authority, Settings
from shutthebox_league.backup import back_up, keep_backups, restore
from shutthebox_league.categories import usual_category
from shutthebox_league.checking import night_of
from shutthebox_league.copying import copy_league
from shutthebox_league.database import empty_log, in_a_line, in_transaction, migrate, open_database
from shutthebox_league.enrolment import enrol, new_owner_token, reconcile, revoke
from shutthebox_league.errors import LeagueError
from shutthebox_league.events import GRACE_H, make_event
from shutthebox_league.formats import Format
from shutthebox_league.initials import digest_of, read_initials
from shutthebox_league.ledger import Ledger
from shutthebox_league.listing import LISTS, list_lines, list_rows
from shutthebox_league.names import read_name, read_new_name
from shutthebox_league.reviewer import Reviewer
from shutthebox_league.tournaments import add_tournament
from shutthebox_league.voiding import (
    note_voidings,
    of_entrant,
    of_key,
    of_match,
    undo,
    undo_all,
    void_entrant,
    void_key,
    void_match,
)
from shutthebox_league.workers import Workers

FOLDER = Path("/var/lib/shutthebox-league")

_MAX_VISITORS = 200
_MAX_BOXES = 1000
"""Connections of a worker: a web server in front makes one for each request."""

_SERVER: dict[str, Any] = {
    "proxy_headers": False, "ws": "none", "log_level": "warning", "server_header": False
}  # fmt: skip

_log = logging.getLogger(__name__)


class League:
    """A league's folder and database, opened for one command.

    Args:
        folder: of the league.
    """

    def __init__(self, folder: Path) -> None:
        self.authority = Authority(folder)
        self._lock = self.authority.lock_shared()
        self.settings = self.authority.settings
        self.zone = zone_of(self.settings.zone)
        self.engine: Engine = open_database(self.settings.database or f"sqlite:///{folder}/league.sqlite3")

    def close(self) -> None:
        """Closes the database, and lets other programs move the league."""
        self.engine.dispose()
        os.close(self._lock)

    def lock_exclusive(self) -> None:
        """Claims the league for this command alone until it is closed.

        Raises:
            LeagueError: if another command or a service has it, too.
        """
        self.authority.lock_exclusive(self._lock)


def zone_of(name: str) -> ZoneInfo:
    """The time zone of this name.

    Raises:
        LeagueError: if there is none.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise LeagueError(f"--zone: {quoted(name)} is not known; use a name such as Europe/London") from None


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command of `shutthebox-league`; returns its exit code."""
    args = _parser().parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    # Alembic logs what it does at every start.
    logging.getLogger("alembic").setLevel(logging.WARNING)
    try:
        if args.run is _found:
            _found(args)
        else:
            with closing(League(args.folder)) as league:
                args.run(args, league)
        return 0
    except ShutTheBoxError as error:
        print(f"shutthebox-league: {one_line(str(error))}", file=sys.stderr)
        return error.exit_code
    except SQLAlchemyError as error:
        print(f"shutthebox-league: the database: {in_a_line(error)}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="shutthebox-league", description="A league of Shut the Box.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.add_argument(
        "--folder", metavar="DIR", type=Path, default=FOLDER, help=f"the league's folder; default: {FOLDER}"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    found = commands.add_parser("found", help="make a league: its key and its database")
    found.add_argument(
        "--url", required=True, help="the address by which boxes reach it, such as https://league.example"
    )
    found.add_argument("--name", default="Shut the Box league", help="the league's name, as people see it")
    found.add_argument("--zone", default="UTC", help="time zone of its nights, such as Europe/London")
    found.add_argument(
        "--database", metavar="URL", default="", help="the database; default: SQLite in the league's folder"
    )
    found.add_argument(
        "--ca",
        metavar="NAME",
        default="",
        help="the file that boxes get beside league.toml, if no public authority signs the certificate",
    )
    found.set_defaults(run=_found)

    enrol_ = commands.add_parser("enrol", help="enrol a box, and print the file for its card")
    enrol_.add_argument("box", metavar="BOX", help="up to 40 of a-z, 0-9 and -")
    enrol_.add_argument("--pub", required=True, help="the pub it stands in")
    enrol_.add_argument(
        "--to",
        metavar="FILE",
        type=Path,
        help="write a new file that only you can read, instead of printing it",
    )
    enrol_.set_defaults(run=_enrol)

    revoke_ = commands.add_parser("revoke", help="revoke a box's key, for example after a theft")
    revoke_.add_argument("key", metavar="KEY", help="such as red-lion.1")
    revoke_.add_argument(
        "--from",
        dest="since",
        type=_date,
        metavar="DATE",
        help="also void everything that came under it since then, whatever time it claims",
    )
    revoke_.set_defaults(run=_revoke)

    void = commands.add_parser(
        "void", help="take matches out of standings, events and ratings, or put them back"
    )
    void.add_argument(
        "what",
        metavar="MATCH | KEY | EVENT ABC",
        nargs="*",
        help="a match, the matches of a key, or an entrant's matches in an event",
    )
    void.add_argument(
        "--from", dest="since", type=_date, metavar="DATE", help="of a key: only matches that came since"
    )
    void.add_argument(
        "--undo",
        type=int,
        nargs="?",
        const=0,
        metavar="NUMBER",
        help="put these matches back, or those of the voiding with this number",
    )
    void.set_defaults(run=_void)

    list_ = commands.add_parser("list", help=f"list {', '.join(LISTS)}")
    list_.add_argument("what", choices=list(LISTS), nargs="?", metavar="WHAT", help="default: all of them")
    list_.add_argument("--json", action="store_true", help="print one JSON document")
    list_.set_defaults(run=_list)

    owner = commands.add_parser("owner", help="print a new key to a pub's owner's page, and end the old one")
    owner.add_argument("pub", metavar="PUB")
    owner.set_defaults(run=_owner)

    take = commands.add_parser("take", help="take the boxes' matches, in a process for each core")
    take.add_argument(
        "--port",
        type=_port,
        default=None,
        help="take them on this port of 127.0.0.1; default: the socket that systemd passes",
    )
    take.set_defaults(run=_take)

    review = commands.add_parser("review", help="count, rate and review the matches")
    review.set_defaults(run=_review)

    serve = commands.add_parser("serve", help="serve the page")
    serve.add_argument(
        "--port",
        type=_port,
        default=None,
        help="serve it on this port of 127.0.0.1; default: the socket that systemd passes",
    )
    serve.set_defaults(run=_serve)

    event = commands.add_parser("event", help="start an event, whose page names the next pairings")
    event.add_argument("name", metavar="NAME")
    event.add_argument("--format", required=True, help=", ".join(Format))
    event.add_argument("--game", default="traditional", help="default: traditional")
    event.add_argument("--tiles", type=int, help="tiles on the boxes; default: as in its rule sheet")
    event.add_argument("--rounds", type=int, help="rounds in a match; default: as in its rule sheet")
    event.add_argument(
        "--entrants", required=True, metavar="ANN,BOB,…", help="initials, the best seeded first"
    )
    event.add_argument("--first-night", type=_date, metavar="DATE", help="default: tonight")
    event.add_argument("--last-night", type=_date, metavar="DATE", help="default: the first night")
    event.add_argument(
        "--boxes",
        metavar="BOX,…",
        default="",
        help="boxes whose matches count at once; at others, each entrant must confirm",
    )
    event.add_argument(
        "--grace",
        type=int,
        metavar="HOURS",
        default=GRACE_H,
        help=f"how long after the last night matches may arrive; default: {GRACE_H}",
    )
    event.set_defaults(run=_event)

    tournament = commands.add_parser(
        "tournament", help="start a tournament of equal dice, and print the boxes' file"
    )
    tournament.add_argument("name", metavar="NAME")
    tournament.add_argument(
        "--closes", required=True, type=_date, help="the day on which the seed is published"
    )
    tournament.set_defaults(run=_tournament)

    for name, run, text in (
        ("protect", _protect, "make matches signed with these initials wait for a landlord, in every pub"),
        ("free", _free, "stop protecting these initials in every pub"),
        ("forget", _forget, "delete these initials everywhere"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("initials", metavar="ABC", nargs="+")
        command.set_defaults(run=run)

    export = commands.add_parser("export", help="print what is stored about a player, as JSON")
    export.add_argument("initials", metavar="ABC")
    export.set_defaults(run=_export)

    backup = commands.add_parser("backup", help="copy the database while the league runs, and check the copy")
    backup.add_argument("file", metavar="FILE", type=Path, help="a new file; with --keep, a folder")
    backup.add_argument(
        "--keep",
        type=_count,
        metavar="COUNT",
        help="keep this many copies in the folder, and delete the oldest",
    )
    backup.set_defaults(run=_backup)

    restore_ = commands.add_parser("restore", help="put a copy in the database's place while the league runs")
    restore_.add_argument("file", metavar="FILE", type=Path)
    restore_.set_defaults(run=_restore)

    move = commands.add_parser(
        "move", help="move the league to another database, SQLite or PostgreSQL, and check what arrives"
    )
    move.add_argument("database", metavar="URL", help="an empty database, such as postgresql:///league")
    move.set_defaults(run=_move)
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not allowed; use 1 to 65535")
    return int(text)


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not allowed; use 1 to 10000")
    return int(text)


def _date(text: str) -> date:
    """A date with room before and after it: nights, graces and time zones are added to it."""
    try:
        found = date.fromisoformat(text)
        if not 2000 <= found.year <= 2999:
            raise ValueError("another age")
        return found
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is not allowed; use a date such as 2026-12-31"
        ) from None


def _found(args: argparse.Namespace) -> None:
    zone_of(args.zone)
    settings = Settings(args.url, read_name(args.name, "--name"), args.zone, args.database, args.ca)
    if args.database:
        database = open_database(args.database)
        try:
            migrate(database)
        finally:
            database.dispose()
    authority = Authority(args.folder)
    authority.found(settings)
    with closing(League(args.folder)) as league:
        migrate(league.engine)
    print(f"The league is in {args.folder}.")


def _enrol(args: argparse.Namespace, league: League) -> None:
    migrate(league.engine)
    if args.to:
        # Found out first: the box's key is made only once.
        if os.path.lexists(args.to):
            raise LeagueError(f"--to: {args.to}: exists; use a new file")
        if not os.access(args.to.parent, os.W_OK | os.X_OK):
            raise LeagueError(f"--to: {args.to.parent}: can't be written; use a folder that you can write to")
    found = enrol(league.engine, league.authority, args.box, args.pub)
    if args.to:
        new_file(args.to, found.text.encode())
        print(f"{args.to}: give it to the box as league.toml, and delete it here.", file=sys.stderr)
    else:
        print(found.text, end="")
        print(
            "Save this as league.toml on the first partition of the box's card. It is shown once.",
            file=sys.stderr,
        )
    if found.former_pub is not None:
        print(
            f"The box {args.box} moves from {found.former_pub} to {args.pub}; its earlier matches stay with "
            f"{found.former_pub}. If you meant another box, enrol it under another name, and this one again "
            f"with --pub {quoted(found.former_pub)}.",
            file=sys.stderr,
        )
    if found.owner_token is not None:
        print(f"The key of {args.pub} for the page /owner: {found.owner_token}", file=sys.stderr)


def _revoke(args: argparse.Namespace, league: League) -> None:
    revoke(league.engine, league.authority, args.key)
    print(f"{args.key} is revoked. `enrol` gives the box a new key.")
    if args.since is not None:
        try:
            _void_key(args.key, args.since, league)
        except LeagueError:
            print(f"No match came under it since {args.since}, so none was voided.")


def _void(args: argparse.Namespace, league: League) -> None:
    now_s = int(time.time())
    tonight = night_of(now_s, league.zone)
    match args.undo, args.since, args.what:
        case int(number), None, [] if 0 < number < 2**63:
            _undo_and_print(league, lambda db: undo(db, number, None, now_s))
        case 0, None, [str(key)] if not key.isdecimal():
            _undo_and_print(league, lambda db: undo_all(db, of_key(key), now_s))
        case 0, None, [str(text)]:
            _undo_and_print(league, lambda db: undo_all(db, of_match(_number(text)), now_s))
        case ((None | 0), None, [str(event), str(text)]):
            number, (initials,) = _number(event), read_initials(text)
            if args.undo is None:
                _void_and_print(league, lambda db: void_entrant(db, number, initials, now_s, tonight))
            else:
                _undo_and_print(league, lambda db: undo_all(db, of_entrant(db, number, initials), now_s))
        case None, _, [str(key)] if not key.isdecimal():
            _void_key(key, args.since, league)
        case None, None, [str(text)]:
            _void_and_print(league, lambda db: void_match(db, _number(text), now_s, tonight))
        case _:
            raise LeagueError(
                "void: use MATCH, KEY [--from DATE] or EVENT ABC, each with --undo; or --undo NUMBER"
            )


def _undo_and_print(league: League, do: Callable[[Connection], int]) -> None:
    count = in_transaction(league.engine, do)
    note_voidings(league.engine, league.authority)
    print(f"{count} matches count again, unless something else voids them.")


def _number(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text[:20]) < 2**63:
        raise LeagueError(f"{quoted(text)} is not allowed; use the number of a match or an event")
    return int(text)


def _void_key(key: str, since: date | None, league: League) -> None:
    now_s, from_s = int(time.time()), None
    if since is not None:
        from_s = int(datetime(since.year, since.month, since.day, tzinfo=league.zone).timestamp())
    _void_and_print(league, lambda db: void_key(db, key, from_s, now_s, night_of(now_s, league.zone), since))


def _void_and_print(league: League, do: Callable[[Connection], tuple[int, int]]) -> None:
    number, count = in_transaction(league.engine, do)
    note_voidings(league.engine, league.authority)
    print(f"Voiding {number}: {count} matches no longer count. `void --undo {number}` puts them back.")


def _list(args: argparse.Namespace, league: League) -> None:
    with league.engine.connect().execution_options(reads=True) as db:
        if args.json:
            found = {what: list_rows(db, what) for what in LISTS if args.what in (None, what)}
            print(json.dumps(found[args.what] if args.what else found, default=str, ensure_ascii=False))
            return
        for what in [args.what] if args.what else LISTS:
            if args.what is None:
                print(f"{what}:")
            for line in list_lines(db, what, league.zone):
                print(line)


def _owner(args: argparse.Namespace, league: League) -> None:
    token = new_owner_token(league.engine, args.pub)
    print(f"The key of {args.pub} for the page /owner: {token}")


def _take(args: argparse.Namespace, league: League) -> None:
    listener = _listening_socket(args, "take")
    migrate(league.engine)
    for said in reconcile(league.engine, league.authority):
        _log.warning("%s", said)
    # A fork must share no connection to the database.
    league.engine.dispose()
    workers = Workers(partial(_serve_door, args.folder), listener, len(os.sched_getaffinity(0)))
    with _service(workers.stop) as beat:
        workers.run(beat)


def _serve_door(folder: Path, listener: socket.socket, beat: Callable[[], None]) -> None:
    import uvicorn

    from shutthebox_league.door import application

    with closing(League(folder)) as league:
        ledger = Ledger(league.engine, league.zone)
        app = application(league.engine, ledger, league.authority.receipts_key, beat)
        config = uvicorn.Config(
            app,
            **_SERVER,
            http="h11",
            lifespan="on",
            limit_concurrency=_MAX_BOXES,
            timeout_keep_alive=60,
            timeout_graceful_shutdown=10,
        )
        uvicorn.Server(config).run([listener])


def _listening_socket(args: argparse.Namespace, command: str) -> socket.socket:
    if (passed := passed_socket()) is not None:
        return passed
    if args.port is None:
        raise LeagueError(f"{command}: no socket was passed; use --port, or a start by systemd")
    try:
        listener = socket.create_server(("127.0.0.1", args.port), backlog=512)
        # Connections inherit it; asyncio sets it for sockets only that name their protocol. Without it, each
        # answer, which is sent in two pieces, waits 40 ms for the acknowledgement of the first.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        raise LeagueError(f"--port: {args.port}: {os.strerror(error.errno or 0)}") from None


@contextmanager
def _service(stop: Callable[[], None]) -> Iterator[Callable[[], None]]:
    """A systemd service, stopped by a signal; yields what feeds its watchdog."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: stop())
    systemd = Systemd()
    systemd.ready()
    yield systemd.alive
    systemd.stopping()


def _review(args: argparse.Namespace, league: League) -> None:
    migrate(league.engine)
    ends = threading.Event()
    with _service(ends.set) as beat:
        Reviewer(league.engine, league.zone, beat=beat).run(ends)


def _serve(args: argparse.Namespace, league: League) -> None:
    import uvicorn

    from shutthebox_league.page.app import application

    listener = _listening_socket(args, "serve")
    migrate(league.engine)
    app = application(league.engine, league.zone, league.authority, secure=args.port is None)
    config = uvicorn.Config(
        app,
        **_SERVER,
        http="h11",
        h11_max_incomplete_event_size=8192,
        lifespan="off",
        limit_concurrency=_MAX_VISITORS,
        timeout_keep_alive=5,
    )
    uvicorn.Server(config).run([listener])


def _event(args: argparse.Namespace, league: League) -> None:
    first = args.first_night or night_of(int(time.time()), league.zone)
    entrants = [initials.strip() for initials in args.entrants.split(",")]
    category = usual_category(args.game, args.tiles, args.rounds)
    nights = first, args.last_night or first
    boxes = [box.strip() for box in args.boxes.split(",") if box.strip()]
    event_id, codes = in_transaction(
        league.engine,
        lambda db: make_event(
            db, args.name, args.format, category, entrants, *nights,
            boxes=boxes, zone=league.zone, grace_h=args.grace,
        ),
    )  # fmt: skip
    print(f"/event/{event_id}")
    print(
        "A match at another box counts once each entrant confirms it there, with this code:", file=sys.stderr
    )
    for initials, code in codes.items():
        print(f"{initials} {code}", file=sys.stderr)


def _tournament(args: argparse.Namespace, league: League) -> None:
    tournament = Tournament(read_new_name(args.name, "NAME"), secrets.token_hex(32))
    tournament_from_text(tournament.to_text(), "NAME")
    closes = datetime(args.closes.year, args.closes.month, args.closes.day, tzinfo=league.zone)
    closes_s, now_s = (int(each.timestamp()) for each in (closes, datetime.now(UTC)))
    in_transaction(league.engine, lambda db: add_tournament(db, tournament, closes_s, now_s))
    print(tournament.to_text(), end="")
    print(f"Secret until {args.closes}: this is the file for the boxes.", file=sys.stderr)
    print(f"Publish the commitment: {tournament.commitment}", file=sys.stderr)


def _protect(args: argparse.Namespace, league: League) -> None:
    initials = read_initials(" ".join(args.initials))
    in_transaction(league.engine, lambda db: players.protect(db, initials, None))


def _free(args: argparse.Namespace, league: League) -> None:
    initials = read_initials(" ".join(args.initials))
    if not in_transaction(league.engine, lambda db: players.free(db, initials, None)):
        raise LeagueError(f"{', '.join(initials)}: not protected anywhere")


def _forget(args: argparse.Namespace, league: League) -> None:
    now_s = int(time.time())
    for initials in read_initials(" ".join(args.initials)):
        league.authority.note_forgotten([digest_of(initials)], 0, now_s)
        count = in_transaction(
            league.engine, partial(players.forget, initials=initials, pub_id=None, now_s=now_s)
        )
        print(f"{initials} was removed from {count} matches.")
    empty_log(league.engine)


def _export(args: argparse.Namespace, league: League) -> None:
    (initials,) = read_initials(args.initials)
    # To a file first, so that a reader who takes a break, such as `less`, keeps no transaction open.
    with TemporaryFile("w+", encoding="utf-8") as file:
        with league.engine.connect().execution_options(reads=True) as db:
            players.export(db, initials, file)
        file.seek(0)
        shutil.copyfileobj(file, sys.stdout)


def _backup(args: argparse.Namespace, league: League) -> None:
    migrate(league.engine)
    if args.keep is None:
        back_up(league.engine, args.file)
    else:
        keep_backups(league.engine, args.file, args.keep, int(time.time()))


def _move(args: argparse.Namespace, league: League) -> None:
    league.lock_exclusive()
    if args.database.startswith("sqlite") and not args.database.startswith("sqlite:////"):
        raise LeagueError("the services start in another folder; use the whole path: sqlite:////FOLDER/FILE")
    target = open_database(args.database)
    try:
        counts = copy_league(league.engine, target)
    finally:
        target.dispose()
    league.authority.change_database(args.database)
    print(f"{sum(counts.values())} rows were copied unchanged. The league now uses that database.")
    print(f"Start its services; when all is well, delete the old one: {league.engine.url}")


def _restore(args: argparse.Namespace, league: League) -> None:
    try:
        migrate(league.engine)
        note_voidings(league.engine, league.authority)
    except (SQLAlchemyError, LeagueError):
        # Damaged: often why a copy is restored. The register knows what holds.
        if next(league.authority.voidings(), None) is None:
            print("No voidings are noted outside the database. `list voidings` shows those in this copy.")
    restore(league.engine, args.file)
    migrate(league.engine)
    for said in reconcile(league.engine, league.authority):
        print(said)


if __name__ == "__main__":
    sys.exit(main())
