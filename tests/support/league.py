"""A league for tests: keys, broker, ledger, and boxes that leave entries."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, tzinfo
from pathlib import Path
from queue import Empty, SimpleQueue
from random import Random
from time import monotonic, time

from sqlalchemy import Engine
from tests.support.mosquitto import Mosquitto, free_port, league_config
from tests.support.waiting import HANG_S

from shutthebox.config.profiles import builtin
from shutthebox.outbox_entry import NO_HASH, Content, MatchPlayed, OutboxEntry, PlayerSigned, hash_of
from shutthebox.rules.actions import Action, Advanced, Moved, Thrown, apply
from shutthebox.rules.conditions import RULES_VERSION, Conditions
from shutthebox.rules.match import Stage, begin
from shutthebox.rules.record import Record, write
from shutthebox.rules.turn import answers
from shutthebox_league.authority import CONSUMER, Authority, Settings
from shutthebox_league.database import migrate, open_database
from shutthebox_league.enrolment import enrol
from shutthebox_league.reviewer import Reviewer
from shutthebox_uplink.mqtt import Broker, Connected, Event, Message
from shutthebox_uplink.settings import Enrolment, read_enrolment

CONDITIONS = Conditions(versions=(f"0.1.0 rules {RULES_VERSION}",))


@dataclass(frozen=True)
class Place:
    """Where a league is: its keys, its broker and its database."""

    folder: Path
    authority: Authority
    broker: Mosquitto | None
    engine: Engine

    def enrol(self, box: str, pub: str = "The Red Lion") -> Enrolment:
        """Enrols a box and reads what it is given."""
        path = self.folder / f"{box}.toml"
        path.write_text(enrol(self.engine, self.authority, box, pub).text)
        if self.broker is not None:
            self.broker.reload()
        return read_enrolment(path)


def found_league(folder: Path, url: str = "", *, with_broker: bool = True) -> Place:
    """A league in this folder, on free ports."""
    authority = Authority(folder)
    ports = (free_port(), free_port())
    settings = Settings("127.0.0.1", database=url, port=ports[0], consumers_port=ports[1])
    authority.found(settings)
    config = folder / "mosquitto.conf"
    config.write_text(league_config(folder, ports))
    engine = open_database(url or f"sqlite:///{folder}/league.sqlite3")
    migrate(engine)
    return Place(folder, authority, Mosquitto(config, ports) if with_broker else None, engine)


def enrolled(folder: Path) -> Enrolment:
    """What a box gets from a league in this folder, which has no broker and is closed again."""
    place = found_league(folder, with_broker=False)
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
def league_with_broker(folder: Path) -> Iterator[Place]:
    """A league in this folder whose broker runs until the end."""
    place = found_league(folder)
    assert place.broker is not None
    try:
        yield place
    finally:
        place.broker.kill()
        place.engine.dispose()


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


class Listener:
    """A client that keeps all that it hears."""

    def __init__(
        self,
        port: int,
        topics: tuple[str, ...],
        tls: ssl.SSLContext | None = None,
        client_id: str = "listener",
    ) -> None:
        self._inbox: SimpleQueue[Event] = SimpleQueue()
        self.broker = Broker("test", "127.0.0.1", port, self._inbox.put, topics, tls=tls, client_id=client_id)
        self.broker.start()
        self.wait_for(lambda event: isinstance(event, Connected))

    def wait_for(self, wanted: Callable[[Event], bool]) -> Event:
        """Waits for an event; the ones before it are passed over."""
        until = monotonic() + HANG_S
        while True:
            try:
                event = self._inbox.get(timeout=max(0.0, until - monotonic()))
            except Empty:
                raise AssertionError("nothing such has come") from None
            if wanted(event):
                return event

    def message(self, topic_ends: str) -> bytes:
        """The payload of the next message whose topic ends so."""
        event = self.wait_for(lambda event: isinstance(event, Message) and event.topic.endswith(topic_ends))
        assert isinstance(event, Message)
        return event.payload

    def nothing(self, wanted: Callable[[Event], bool] = lambda event: isinstance(event, Message)) -> bool:
        """Whether nothing such has come so far."""
        while True:
            try:
                event = self._inbox.get_nowait()
            except Empty:
                return True
            if wanted(event):
                return False


def consumer_listener(place: Place, *topics: str) -> Listener:
    """A client with the consumers' certificate."""
    port = place.authority.settings.consumers_port
    return Listener(port, topics, place.authority.consumer_tls(), CONSUMER)


def played_record(
    seed: int,
    *,
    game: str = "traditional",
    players: int = 2,
    careless: bool = False,
    limit: int | None = None,
    rounds: int | None = None,
    tiles: int | None = None,
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
            action = Thrown((random.randint(1, 6), random.randint(1, 6)))
        else:
            possible = answers(profile, match.turn)
            action = Moved(random.choice(possible) if careless else possible[0])
        match = apply(match, action)
        actions.append(action)
    return Record(profile, players, match.rounds, tuple(actions), conditions=CONDITIONS)


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
