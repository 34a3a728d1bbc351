"""Assembles a box from its parts, the same way for a real box and for one in virtual time.

They differ only in their `World`. Startup order: store, pins, machine. Shutdown order: the machine with its
memory, verification of the store, the pins.
"""

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

from gpiozero.pins import Factory

from shutthebox.adapters.gpio import Pins
from shutthebox.adapters.machine import MachineWatch, Sensors
from shutthebox.adapters.store.database import STORE_FILE, Store, open_to_read
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.failsafe_store import FailsafeStore
from shutthebox.adapters.store.lock import FolderLock, InUseError
from shutthebox.adapters.store.open_store import (
    FIRST_FACTS,
    StoreFault,
    is_locked,
    is_suspect,
    open_or_set_aside,
)
from shutthebox.adapters.store.verification_worker import VerificationWorker
from shutthebox.config.schema import Config, Line
from shutthebox.config.settings_loader import broken_rules, restore_choices
from shutthebox.errors import ShutTheBoxError
from shutthebox.game import lever_health
from shutthebox.game.dice import Dice
from shutthebox.game.earlier_results import EarlierResults
from shutthebox.game.facts import Faulted
from shutthebox.game.faults import Fault
from shutthebox.game.messages import Text, localize
from shutthebox.game.settings import Settings
from shutthebox.night import night_of
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import to_numbers
from shutthebox.runtime.ports import BuzzerPort, DisplayPort, LinkPort, Observer, OddsPort, Ports, StickPort
from shutthebox.runtime.runner import Mail, Runner
from shutthebox.translations import translations

if TYPE_CHECKING:
    from shutthebox.adapters.delivery_watch import DeliveryWatch
    from shutthebox.adapters.outbox import Outbox
    from shutthebox.adapters.store.scores_file import ScoresWriter
    from shutthebox.game.daily import Daily
    from shutthebox.game.owner_topics import Topic
    from shutthebox.speech.speech_file import SpeechFileWriter
    from shutthebox.web.scoreboard.folder import InATab

_log = logging.getLogger(__name__)

NO_MACHINE = Path("/nonexistent")
"""Where a box without a machine finds its files."""


def _tonight() -> int:
    return night_of(time.time()).toordinal()


def _scoreboard_address() -> str:
    # Imported lazily to keep startup fast.
    from shutthebox.web.scoreboard.folder import address_now

    return address_now()


class World(NamedTuple):  # a dataclass of this size takes milliseconds of every start
    """A box's surroundings: everything that differs between a real box and one in virtual time."""

    factory: Factory
    """Where the pins are."""
    lines: Mapping[int, Line]
    """Line per switch."""
    inbox: "SimpleQueue[Mail]"
    """Edges of the pins and messages of other threads, to be handed to the runner."""
    dice: Dice
    """Where throws come from."""
    lock: FolderLock
    """The lock of the store's folder; taken before the box is assembled, and when a store is reopened."""
    state: Path | None = None
    """Folder of the store; None for a box without memory."""
    now_ns: Callable[[], int] = time.monotonic_ns
    """The clock of all inputs."""
    clock_s: Callable[[], float] = time.time
    """The time of day in seconds since 1970."""
    today: Callable[[], int] = _tonight
    """The number of the day, for its puzzle."""
    scoreboard: Callable[[], str] = _scoreboard_address
    """The address under which guests find the scoreboard, if it's on."""
    verifies_later: bool = False
    """Most of the store is checked in a background thread once the box plays."""
    odds: OddsPort | None = None
    display: DisplayPort | None = None
    display_works: Callable[[], bool] | None = None
    """Whether the panel answers, for the scoreboard."""
    buzzer: BuzzerPort | None = None
    stick: StickPort | None = None
    link: LinkPort | None = None
    observers: Sequence[Observer] = ()
    fault: Fault | None = None
    """Found before the start, for the players."""
    notices: Sequence[str] = ()
    """More for the owner, a line each."""
    machine: Path = NO_MACHINE
    """Where the machine's files for the owner's report are found."""
    watches_machine: bool = False
    """Low voltage and overheating count as faults of the box."""
    scores: Path | None = None
    """Folder of the files for scoreboard and voice; None for a box without them."""
    outbox: Path | None = None
    """Folder in which matches are left for a league; None for nowhere."""


class Box:
    """An assembled box, and what is closed with it.

    Attributes:
        runner: the loop's body.
        memory: what the runner keeps.
        pins: switches and lamp.
    """

    def __init__(
        self,
        runner: Runner,
        memory: FailsafeStore,
        pins: Pins,
        chores: Sequence[Callable[[], None]],
        verification: VerificationWorker | None,
        parts: ExitStack,
    ) -> None:
        self.runner, self.memory, self.pins = runner, memory, pins
        self._chores, self._verification, self._parts = chores, verification, parts

    def start(self) -> None:
        """Starts what can wait until the first screen is drawn: reading all games, chores, verification."""
        tuple(self.runner.machine.settings.profiles)  # read here, so that opening the menu doesn't wait
        for chore in self._chores:  # once right away, to write what has been shown so far
            chore()
        if self._verification is not None:
            self._verification.start()

    def close(self) -> None:
        """Shuts the box down; the lock stays with its owner."""
        self._parts.close()


class _Lookups:
    """The game's look-ups in this box's memory, calendar and machine."""

    def __init__(
        self, world: World, memory: FailsafeStore, broken: Sequence[object], watch: MachineWatch | None
    ) -> None:
        self._world, self._memory, self._broken, self._watch = world, memory, broken, watch
        self._since_s = world.clock_s()

    def statistics(self) -> Sequence[Text]:
        return self._memory.statistics()

    def past(self, match: Match, letters: str) -> EarlierResults:
        return self._memory.past(match, letters)

    def report(self, topic: "Topic", wrong: Collection[int]) -> Sequence[Text]:
        # Imported lazily, here and below, to keep startup fast.
        from shutthebox.owner.report import BoxReport

        world = self._world
        # A box without a machine has no disk either, so scenarios show the same everywhere.
        folder = None if world.machine is NO_MACHINE else world.state
        report = BoxReport(
            self._memory.lines,
            folder,
            self._since_s,
            self._standing_faults(),
            world.clock_s,
            world.machine,
            has_link_helper=None if world.link is None else world.link.has_helper,
        )
        return report(topic, wrong)

    def owner_pages(self, language: str, wrong: Collection[int]) -> list[tuple[str, list[str]]]:
        """The whole report in words: title and lines of each topic."""
        from shutthebox.game.owner_topics import Topic

        translate = translations()[language]
        return [
            (
                localize(topic.value, translate),
                [localize(line, translate) for line in self.report(topic, wrong)],
            )
            for topic in Topic
        ]

    def _standing_faults(self) -> frozenset[str]:
        stands = {
            Fault.RULES: bool(self._broken),
            Fault.FORGETS: self._memory.forgets,
            Fault.STORE_DAMAGED: self._world.state is not None and is_suspect(self._world.state),
        }
        found = frozenset(fault.value for fault, is_standing in stands.items() if is_standing)
        return found if self._watch is None else found | {fault.value for fault in self._watch.faults}

    def daily(self, games: Sequence[Profile]) -> "Daily":
        from shutthebox.config.puzzles import puzzle_games, puzzle_of
        from shutthebox.game.daily import Daily

        day = self._world.today()
        return Daily(day, puzzle_of(day, puzzle_games(games)))


def assemble(config: Config, settings: Settings, world: World) -> Box:
    """Assembles a box in its world; `Box.close` shuts it down.

    Args:
        config: the configuration.
        settings: the machine's part of it.
        world: the box's surroundings.

    Raises:
        PinsError: if the pins can't be opened.
    """
    with ExitStack() as parts:
        store, store_fault, whole = _open_first(config, world)
        if store is not None:
            parts.callback(store.close)
        broken = broken_rules(config)
        settings = _complete(settings, config, world, store)
        pins = _open_pins(config, settings, world)
        parts.callback(pins.close)
        settings = settings.without(pins.taken)
        _keep_found(store, broken, pins)
        verification = None if store is None or whole else VerificationWorker(store.path)
        if verification is not None:
            parts.callback(verification.close)
        memory = _memory(config, world, store, store_fault, verification)
        watch = MachineWatch(Sensors(world.machine), memory.keep) if world.watches_machine else None
        lookups = _Lookups(world, memory, broken, watch)

        def find_broken_switches() -> Collection[int]:
            return lever_health.broken_switches(runner.machine.state.shared)

        scores = _scores(config, settings, world, lookups, find_broken_switches)
        deliveries = _deliveries(world)
        observers = (*world.observers, *scores, *deliveries[:1])
        chores = [*([watch.check] if watch else []), *(writer.look_at_the_day for writer in scores[:1])]
        ports = Ports(
            pins,
            memory,
            world.odds,
            world.display,
            world.buzzer,
            observers,
            chores,
            lookups,
            undelivered=deliveries[1] if deliveries else None,
            stick=world.stick,
            link=world.link,
        )
        runner = Runner(
            settings,
            config.box.settle_ns,
            ports,
            world.dice,
            world.now_ns(),
            fault=_first_fault(world, store_fault, broken),
            notices=world.notices,
            is_new=memory.is_new(),
        )
        parts.callback(runner.close)
        return Box(runner, memory, pins, chores, verification, parts.pop_all())


def _complete(settings: Settings, config: Config, world: World, store: Store | None) -> Settings:
    """The settings with what was chosen at the box, and with what its world is called."""
    if store is not None:
        with suppress(StoreError):  # another program has just locked it, say
            settings = restore_choices(config, settings, store.choices())
    if config.scoreboard.on:
        settings = settings._replace(scoreboard=world.scoreboard)
    return settings if world.link is None else settings._replace(link=config.link.name)


def _open_pins(config: Config, settings: Settings, world: World) -> Pins:
    # A lever that the owner has taken out for good may have lost its line to something else.
    unused = {*config.box.out_of_play} & {*to_numbers(settings.out)}
    used = {number: line for number, line in world.lines.items() if number not in unused}
    return Pins(world.factory, used, config.gpio.lamp, world.inbox.put, config.gpio.inverted_switches)


def _keep_found(store: Store | None, broken: Sequence[ShutTheBoxError], pins: Pins) -> None:
    """Notes in the store what's wrong at the start, and in the journal what's wrong with house rules."""
    for file in broken:
        _log.warning("%s; left out", file)
    found = (
        *(Faulted(Fault.RULES.value, str(file)) for file in broken),
        *lever_health.taken_faults(pins.taken),
    )
    if store is not None:
        for fault in found:
            with suppress(StoreError):  # it waits in the store then
                store.keep(fault)


def _first_fault(world: World, of_store: StoreFault | None, broken: Sequence[object]) -> Fault | None:
    """What the players are told first."""
    if of_store is not None:
        _log.error("%s", of_store.text)
    return world.fault or (of_store.fault if of_store else None) or (Fault.RULES if broken else None)


def _memory(
    config: Config,
    world: World,
    store: Store | None,
    fault: StoreFault | None,
    verification: VerificationWorker | None,
) -> FailsafeStore:
    facts = FIRST_FACTS if world.verifies_later else None
    return FailsafeStore(
        store,
        None if world.state is None else partial(_reopen_store, config, world, facts),
        forgetting=fault is not None and fault.fault is Fault.FORGETS,
        verification=verification,
        clock_s=world.clock_s,
    )


def _scores(
    config: Config,
    settings: Settings,
    world: World,
    lookups: _Lookups,
    find_broken_switches: Callable[[], Collection[int]],
) -> "tuple[ScoresWriter, SpeechFileWriter] | tuple[()]":
    """What writes the files for scoreboard and voice."""
    if world.scores is None:
        return ()
    from shutthebox.adapters.store.scores_file import ScoresWriter
    from shutthebox.speech.speech_file import SpeechFileWriter

    writer = ScoresWriter(
        world.scores,
        None if world.state is None else partial(open_to_read, world.state / STORE_FILE),
        display_works=world.display_works,
        report=lambda language: lookups.owner_pages(language, find_broken_switches()),
        tab=partial(_in_a_tab, config, settings.levers),
        waits=True,
    )
    return writer, SpeechFileWriter(world.scores)


def _deliveries(world: World) -> "tuple[Outbox, DeliveryWatch] | tuple[()]":
    """What leaves matches for a league, and what sees whether they have gone."""
    if world.outbox is None or world.state is None:
        return ()
    from shutthebox.adapters.delivery_watch import DeliveryWatch
    from shutthebox.adapters.outbox import Outbox

    read = partial(open_to_read, world.state / STORE_FILE)
    return Outbox(world.outbox, world.state, read, world.clock_s), DeliveryWatch(world.outbox)


def _open_first(config: Config, world: World) -> tuple[Store | None, StoreFault | None, bool]:
    """Opens the store at startup; the last value says whether all of it was checked against its checksums."""
    everything = not world.verifies_later or (world.state is not None and is_suspect(world.state))
    return (*_open_store(config, world, None if everything else FIRST_FACTS), everything)


def _open_store(config: Config, world: World, facts: int | None) -> tuple[Store | None, StoreFault | None]:
    if world.state is None:
        return None, None
    try:
        world.lock.take()
    except InUseError as error:
        return None, StoreFault(Fault.FORGETS, f"{error}; playing without memory")
    return open_or_set_aside(world.state, world.clock_s, count_throws=config.has_own_dice, facts=facts)


def _reopen_store(config: Config, world: World, facts: int | None) -> tuple[Store | None, StoreFault | None]:
    """Tries it once a second while the box plays, so it doesn't wait for the program that has locked it."""
    if world.state is not None and is_locked(world.state):
        return None, StoreFault(Fault.FORGETS, f"{world.state / STORE_FILE}: locked; playing without memory")
    return _open_store(config, world, facts)


def _in_a_tab(config: Config, levers: int) -> "InATab | None":
    from shutthebox.web.scoreboard.folder import offered

    return offered(config, levers)
