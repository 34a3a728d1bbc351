"""A league for tests: keys, ledger, door, and boxes that send entries."""

import http.client
import re
import socket
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import time
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import uvicorn
from sqlalchemy import Connection, Engine, event
from tests.support.mosquitto import free_port
from tests.support.waiting import HANG_S, until

from shutthebox.config.profiles import builtin
from shutthebox.outbox_entry import NO_HASH, Content, MatchPlayed, OutboxEntry, PlayerSigned, hash_of
from shutthebox.rules.actions import Action, Advanced, Moved, Thrown, apply
from shutthebox.rules.conditions import RULES_VERSION, Conditions
from shutthebox.rules.equal_dice import Tournament
from shutthebox.rules.match import begin
from shutthebox.rules.position import Stage
from shutthebox.rules.record import Record, write
from shutthebox.rules.turn import answers
from shutthebox_league.authority import Authority, Settings
from shutthebox_league.database import migrate, open_database
from shutthebox_league.door import application
from shutthebox_league.enrolment import enrol
from shutthebox_league.keys import Keys, Signed, UnknownKeyError, open_signed
from shutthebox_league.ledger import Ledger, Outcome
from shutthebox_league.players import protect
from shutthebox_league.reviewer import Reviewer
from shutthebox_uplink.settings import Enrolment, read_enrolment
from shutthebox_uplink.signing import Receipt, SignatureError, open_receipt, sign_entry, sign_state
from shutthebox_uplink.uplink import ENTRY_PATH, STATE_PATH

CONDITIONS = Conditions(versions=(f"1.0.0 rules {RULES_VERSION}",))


@dataclass(frozen=True)
class Place:
    """Where a league is: its keys, its database, and the port of its door."""

    folder: Path
    authority: Authority
    engine: Engine
    port: int

    def enrol(self, box: str, pub: str = "The Red Lion") -> Enrolment:
        """Enrols a box and reads what it is given."""
        path = self.folder / f"{box}.toml"
        path.write_text(enrol(self.engine, self.authority, box, pub).text)
        return read_enrolment(path)


@cache
def _empty_league() -> bytes:
    """The SQLite database of a league that has just been founded: the migrations need longer than a test."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "league.sqlite3")
        engine = open_database(f"sqlite:///{path}")
        migrate(engine)
        engine.dispose()
        return path.read_bytes()


def found_league(folder: Path, url: str = "") -> Place:
    """A league in this folder, whose boxes are told of a free port on this machine."""
    authority, port = Authority(folder), free_port()
    authority.found(Settings(f"http://127.0.0.1:{port}", database=url))
    if not url:
        (folder / "league.sqlite3").write_bytes(_empty_league())
    engine = open_database(url or f"sqlite:///{folder}/league.sqlite3")
    if url:
        migrate(engine)
    return Place(folder, authority, engine, port)


def league_command(folder: Path, *words: str) -> tuple[str, ...]:
    """A command of the league in this folder, to be run as a process."""
    return (sys.executable, "-m", "shutthebox_league.main", "--folder", str(folder), *words)


def uplink_command(enrolment: Path, box: Path) -> tuple[str, ...]:
    """The uplink of a box whose outbox lies in this folder."""
    return (
        sys.executable, "-m", "shutthebox_uplink.main", "--enrolment", str(enrolment),
        "--outbox", str(box / "outbox"), "--scores", str(box / "scores.json"),
        "--home-assistant", str(box / "none"),
    )  # fmt: skip


def enrolled(folder: Path) -> Enrolment:
    """What a box gets from a league in this folder, which is closed again."""
    place = found_league(folder)
    try:
        return place.enrol("lion")
    finally:
        place.engine.dispose()


def reviewed(engine: Engine, zone: tzinfo = UTC, wall_clock_s: Callable[[], float] = time) -> None:
    """Has everything counted, rated and reviewed that is due."""
    reviewer = Reviewer(engine, zone, wall_clock_s)
    while reviewer.work():
        pass


@contextmanager
def in_a_thread(run: Callable[[], None], end: Callable[[], None]) -> Iterator[None]:
    """Runs a service until the end, when `end` is called and the service has to return."""
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        end()
        thread.join(HANG_S)
        assert not thread.is_alive()


@contextmanager
def open_door(place: Place, beat: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Has the league take entries in this process until the end."""
    ledger = Ledger(place.engine, UTC)
    app = application(place.engine, ledger, place.authority.receipts_key, beat)
    config = uvicorn.Config(
        app, port=place.port, log_level="warning", lifespan="on", ws="none", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)

    def end() -> None:
        server.should_exit = True

    with in_a_thread(server.run, end):
        until(lambda: server.started)
        yield


def is_listening(port: int) -> bool:
    """Whether anybody listens there."""
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


@dataclass(frozen=True)
class Said:
    """What a league has answered."""

    status: int
    body: bytes
    headers: http.client.HTTPMessage


class BoxLine:
    """A box's line to the league, by hand.

    Args:
        enrolment: as the league gave it.
        journal: of its chain; None for one made of its name.
    """

    def __init__(self, enrolment: Enrolment, journal: str | None = None) -> None:
        self.enrolment = enrolment
        self.chain = FakeBox(journal or journal_of(enrolment.name))
        self._line: http.client.HTTPConnection | None = None

    def post(self, path: str, body: bytes) -> Said:
        """Sends anything, over a connection that stays open."""
        url = urlsplit(self.enrolment.url)
        if self._line is None:
            self._line = http.client.HTTPConnection(url.hostname or "", url.port, timeout=HANG_S)
        try:
            self._line.request("POST", path, body)
            answer = self._line.getresponse()
            return Said(answer.status, answer.read(), answer.headers)
        except (http.client.HTTPException, OSError):
            self.close()
            raise

    def sign(self, entry: bytes, oldest: int = 1) -> bytes:
        """A message with this entry."""
        return sign_entry(entry, oldest, self.enrolment.name, self.enrolment.key)

    def send(self, entry: bytes, oldest: int = 1) -> Receipt:
        """Sends an entry, and reads its receipt."""
        return self.receipt(self.post(ENTRY_PATH, self.sign(entry, oldest)))

    def tell(self, state: bytes) -> Receipt:
        """Sends a state, and reads what the league has to say."""
        return self.receipt(self.post(STATE_PATH, sign_state(state, self.enrolment.name, self.enrolment.key)))

    def receipt(self, said: Said) -> Receipt:
        """The receipt in an answer."""
        assert said.status == 200, said
        return open_receipt(said.body, self.enrolment.league_key)

    def close(self) -> None:
        """Hangs up."""
        if self._line is not None:
            self._line.close()
            self._line = None


def journal_of(name: str) -> str:
    """The id of a box of this name."""
    return name.encode().hex().ljust(32, "0")


def played_record(
    seed: int,
    *,
    game: str = "traditional",
    players: int = 2,
    careless: bool = False,
    limit: int | None = None,
    rounds: int | None = None,
    tiles: int | None = None,
    equal_dice: Tournament | None = None,
) -> Record:
    """A match that was played out, with conditions as a box writes them."""
    random = Random(seed)
    found = builtin(game)
    profile = (found.for_box(tiles or len(found.tiles)) or found).with_limit(limit)
    match, actions = begin(profile, players, rounds), list[Action]()
    while match.stage is not Stage.FINISHED:
        if match.stage is Stage.ADVANCE:
            action: Action = Advanced()
        elif match.stage is Stage.THROW:
            dice = (random.randint(1, 6), random.randint(1, 6))
            action = Thrown(equal_dice.throw(match, 2) if equal_dice else dice)
        else:
            possible = answers(profile, match.turn)
            action = Moved(random.choice(possible) if careless else possible[0])
        match = apply(match, action)
        actions.append(action)
    conditions = CONDITIONS._replace(equal_dice=equal_dice.commitment) if equal_dice else CONDITIONS
    return Record(profile, players, match.rounds, tuple(actions), conditions=conditions)


@dataclass
class FakeBox:
    """The chain of a box, entry by entry, as its outbox would write it."""

    journal: str
    sequence: int = 0
    previous: str = NO_HASH
    matches: int = 0

    def add(self, content: Content) -> bytes:
        """The next entry."""
        self.sequence += 1
        data = OutboxEntry(self.journal, self.sequence, self.previous, content).to_bytes()
        self.previous = hash_of(data)
        return data

    def play(self, record: Record, ended_s: int = 1_790_000_000) -> bytes:
        """The entry of a match."""
        self.matches += 1
        return self.add(MatchPlayed(self.matches, ended_s - 600, ended_s, write(record)))

    def sign(self, player: int, initials: str, ended_s: int = 1_790_000_000) -> bytes:
        """The entry of a signature under the match that was played last."""
        return self.add(PlayerSigned(self.matches, ended_s - 600, self.sequence, player, initials))


@dataclass
class Plans:
    """How a database would execute some statements.

    Attributes:
        scanned: those that read one of the growing tables from end to end.
        indexes: that are used, without those of primary and unique keys.
    """

    scanned: list[str] = field(default_factory=list)
    indexes: set[str] = field(default_factory=set)


@contextmanager
def tables_scanned(engine: Engine) -> Iterator[list[str]]:
    """Collects the statements that read one of the growing tables from end to end; some must be executed."""
    with plans_of(engine) as plans:
        yield plans.scanned


@contextmanager
def plans_of(engine: Engine) -> Iterator[Plans]:
    """Collects the plans of all statements, of which there must be some."""
    tables = "seat|match|entry|standing|rating|aside|event_game"
    scan = {
        "sqlite": re.compile(f"SCAN ({tables})\\b(?! USING (COVERING )?INDEX ix)"),
        # A table of a few rows is read from end to end even if there's an index.
        "postgresql": re.compile(f" *(-> +)?Seq Scan on ({tables})\\b"),
    }[engine.dialect.name]
    word = {"sqlite": "explain query plan", "postgresql": "explain"}[engine.dialect.name]
    plans, asked = Plans(), list[str]()

    def explain(db: Connection, _: Any, statement: str, parameters: Any, __: Any, many: bool) -> None:
        if not statement.lstrip().lower().startswith(("select", "with", "update", "delete")):
            return
        with closing(db.connection.cursor()) as cursor:
            if engine.dialect.name == "postgresql":
                cursor.execute("set enable_seqscan = off")
            cursor.execute(f"{word} {statement}", parameters[0] if many else parameters)
            plan = [row[-1] for row in cursor.fetchall()]
        asked.append(statement)
        plans.indexes.update(re.findall(r"\bix_\w+", " ".join(plan)))
        plans.scanned.extend(f"{step}: {statement}" for step in plan if scan.match(step))

    event.listen(engine, "before_cursor_execute", explain)
    yield plans
    event.remove(engine, "before_cursor_execute", explain)
    assert asked, "nothing was asked"


@contextmanager
def counted_steps(db: Connection) -> Iterator[list[None]]:
    """Collects the steps that SQLite takes meanwhile: unlike seconds, they are the same on any machine."""
    raw = db.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection), "only SQLite counts them"
    steps = list[None]()
    raw.set_progress_handler(lambda: steps.append(None), 1)
    yield steps
    raw.set_progress_handler(None, 1)


def take(ledger: Ledger, name: str, message: bytes) -> Outcome:
    """Has a ledger take one message of the key with this name."""
    return take_all(ledger, [(name, message)])[0]


_KEYS = WeakKeyDictionary[Engine, Keys]()


def take_all(ledger: Ledger, messages: Sequence[tuple[str, bytes]]) -> list[Outcome]:
    """Has a ledger take the first of these messages, at most one per box, in one transaction.

    What isn't signed by the key of the name beside it is rejected, as at the door.
    """
    keys = _KEYS.setdefault(ledger.engine, Keys(ledger.engine))
    signed, rejected = list[Signed](), dict[int, Outcome]()
    for number, (name, message) in enumerate(messages):
        try:
            signed.append(open_signed(message, name, keys.find(name)))
        except (SignatureError, UnknownKeyError) as error:
            rejected[number] = Outcome("rejected", None, str(error))
    outcomes = ledger.file_first(signed) if signed else []
    for number, outcome in rejected.items():
        outcomes.insert(number, outcome)
    return outcomes


class LeagueBox:
    """A box that is enrolled in a league, and the ledger that takes its entries, with no door between.

    Args:
        place: the league.
        name: of the box.
        pub: of the box.
        wall_clock_s: of the league.
    """

    def __init__(
        self,
        place: Place,
        name: str = "lion",
        pub: str = "The Red Lion",
        wall_clock_s: Callable[[], float] = time,
    ) -> None:
        self.place, self.engine = place, place.engine
        self.ledger = Ledger(place.engine, UTC, wall_clock_s)
        self.enrolment = place.enrol(name, pub)
        self.box = FakeBox(journal_of(self.enrolment.name))

    def close(self) -> None:
        """Closes the league's database."""
        self.engine.dispose()

    def sign(self, entry: bytes, oldest: int = 1) -> bytes:
        """The message with this entry."""
        return sign_entry(entry, oldest, self.enrolment.name, self.enrolment.key)

    def take(self, entry: bytes, oldest: int = 1) -> Outcome:
        """Has the ledger take an entry."""
        return take(self.ledger, self.enrolment.name, self.sign(entry, oldest))

    def send(self, entry: bytes) -> None:
        """Has the ledger commit an entry."""
        outcome = self.take(entry)
        assert outcome.kind == "committed", outcome.reason

    def protect(self, initials: list[str], pub: int | None = None) -> None:
        """Protects initials, at one pub or at all."""
        with self.engine.begin() as db:
            protect(db, initials, pub)

    def play(self, record: Record, *signed: str, ended_s: int = 1_790_000_000) -> None:
        """Sends a match, and who signs it seat by seat."""
        self.send(self.box.play(record, ended_s))
        for seat, initials in enumerate(signed, 1):
            if initials:
                self.send(self.box.sign(seat, initials, ended_s))
