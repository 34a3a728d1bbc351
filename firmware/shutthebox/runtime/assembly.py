"""Assembles a box from its parts, the same way for a real box and for one in virtual time.

They differ only in their `World`. Startup order: store, pins, machine. Shutdown order: the machine with its
memory, verification of the store, the pins.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
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
from shutthebox.game import lever_health
from shutthebox.game.daily import Daily
from shutthebox.game.dice import Dice
from shutthebox.game.earlier_results import EarlierResults
from shutthebox.game.facts import Faulted
from shutthebox.game.faults import Fault
from shutthebox.game.messages import Text, localize
from shutthebox.game.owner_topics import Topic
from shutthebox.game.settings import Settings
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import to_numbers
from shutthebox.runtime.ports import BuzzerPort, DisplayPort, LinkPort, Observer, OddsPort, Ports, StickPort
from shutthebox.runtime.runner import Mail, Runner
from shutthebox.translations import translations

if TYPE_CHECKING:
    from shutthebox.web.scoreboard.folder import InATab

_log = logging.getLogger(__name__)

NO_MACHINE = Path("/nonexistent")
"""Where a box without a machine finds its files."""


class World(NamedTuple):  # a dataclass of this size takes milliseconds of every start
    """A box's surroundings: everything that differs between a real box and one in virtual time."""

    factory: Factory
    """Where the pins are."""
    lines: Mapping[int, Line]
    """Line per switch."""
    put: Callable[[Mail], None]
    """Takes the edges of the pins, to be handed to the runner; called in any thread."""
    dice: Dice
    """Where throws come from."""
    now_ns: Callable[[], int]
    """The clock of all inputs."""
    clock_s: Callable[[], float]
    """The time of day in seconds since 1970."""
    today: Callable[[], int]
    """The number of the day, for its puzzle."""
    scoreboard: Callable[[], str]
    """The address under which guests find the scoreboard, if it's on."""
    lock: FolderLock
    """The lock of the store's folder; taken by the caller, and again when a store is reopened."""
    state: Path | None = None
    """Folder of the store; None for a box without memory."""
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
        """Starts what can wait until after READY: reading all games, chores, verification of the store."""
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

    def __init__(self, world: World, memory: FailsafeStore, standing: Callable[[], frozenset[str]]) -> None:
        self._world, self._memory, self._standing = world, memory, standing
        self._since_s = world.clock_s()

    def statistics(self) -> Sequence[Text]:
        return self._memory.statistics()

    def past(self, match: Match, letters: str) -> EarlierResults:
        return self._memory.past(match, letters)

    def report(self, topic: Topic, wrong: Collection[int]) -> Sequence[Text]:
        # Imported lazily, here and below, to keep startup fast.
        from shutthebox.owner.report import BoxReport

        world = self._world
        # A box without a machine has no disk either, so scenarios show the same everywhere.
        folder = None if world.machine is NO_MACHINE else world.state
        report = BoxReport(
            self._memory.lines,
            folder,
            self._since_s,
            self._standing(),
            world.clock_s,
            world.machine,
            has_link_helper=None if world.link is None else world.link.has_helper,
        )
        return report(topic, wrong)

    def daily(self, games: Sequence[Profile]) -> Daily:
        from shutthebox.config.puzzles import puzzle_games, puzzle_of

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
        fault = world.fault
        if store_fault is not None:
            _log.error("%s", store_fault.text)
            fault = fault or store_fault.fault
        broken = broken_rules(config)
        for file in broken:
            _log.warning("%s; left out", file)
            fault = fault or Fault.RULES
            if store is not None:
                with suppress(StoreError):  # it waits in the store then
                    store.keep(Faulted(Fault.RULES.value, str(file)))
        if store is not None:
            with suppress(StoreError):  # another program has just locked it, say
                settings = restore_choices(config, settings, store.choices())
        if config.scoreboard.on:
            settings = settings._replace(scoreboard=world.scoreboard)
        if world.link is not None:
            settings = settings._replace(link=config.link.name)
        # A lever that the owner has taken out for good may have lost its line to something else.
        unused = {*config.box.out_of_play} & {*to_numbers(settings.out)}
        used = {number: line for number, line in world.lines.items() if number not in unused}
        pins = Pins(world.factory, used, config.gpio.lamp, world.put, config.gpio.inverted_switches)
        parts.callback(pins.close)
        settings = settings.without(pins.taken)
        if store is not None:
            for taken in lever_health.taken_faults(pins.taken):
                with suppress(StoreError):
                    store.keep(taken)
        verification = None
        if store is not None and not whole:
            verification = VerificationWorker(store.path)
            parts.callback(verification.close)
        facts = FIRST_FACTS if world.verifies_later else None
        memory = FailsafeStore(
            store,
            None if world.state is None else partial(_reopen_store, config, world, facts),
            forgetting=store_fault is not None and store_fault.fault is Fault.FORGETS,
            verification=verification,
            clock_s=world.clock_s,
        )
        observers, chores = list(world.observers), list[Callable[[], None]]()
        watch = None
        if world.watches_machine:
            watch = MachineWatch(Sensors(world.machine), memory.keep)
            chores.append(watch.check)

        def standing() -> frozenset[str]:
            stands = {
                Fault.RULES: bool(broken),
                Fault.FORGETS: memory.forgets,
                Fault.STORE_DAMAGED: world.state is not None and is_suspect(world.state),
            }
            found = frozenset(fault.value for fault, is_standing in stands.items() if is_standing)
            return found if watch is None else found | {fault.value for fault in watch.faults}

        lookups = _Lookups(world, memory, standing)
        if world.scores is not None:
            from shutthebox.adapters.store.scores_file import ScoresWriter
            from shutthebox.speech.speech_file import SpeechFileWriter

            def told_report(language: str) -> list[tuple[str, list[str]]]:
                wrong = lever_health.broken_switches(runner.machine.state.shared)
                translate = translations()[language]
                return [
                    (
                        localize(topic.value, translate),
                        [localize(line, translate) for line in lookups.report(topic, wrong)],
                    )
                    for topic in Topic
                ]

            kept = None if world.state is None else partial(open_to_read, world.state / STORE_FILE)
            writer = ScoresWriter(
                world.scores,
                kept,
                display_works=world.display_works,
                report=told_report,
                tab=partial(_in_a_tab, config, settings.levers),
                waits=True,
            )
            observers += [writer, SpeechFileWriter(world.scores)]
            chores.append(writer.look_at_the_day)
        delivery = None
        if world.outbox is not None and world.state is not None:
            from shutthebox.adapters.delivery_watch import DeliveryWatch
            from shutthebox.adapters.outbox import Outbox

            delivery = DeliveryWatch(world.outbox)
            read = partial(open_to_read, world.state / STORE_FILE)
            observers.append(Outbox(world.outbox, world.state, read, world.clock_s))
        ports = Ports(
            pins,
            memory,
            world.odds,
            world.display,
            world.buzzer,
            observers,
            chores,
            lookups,
            undelivered=delivery,
            stick=world.stick,
            link=world.link,
        )
        runner = Runner(
            settings,
            config.box.settle_ns,
            ports,
            world.dice,
            world.now_ns(),
            fault=fault,
            notices=world.notices,
            is_new=memory.is_new(),
        )
        parts.callback(runner.close)
        return Box(runner, memory, pins, chores, verification, parts.pop_all())


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
