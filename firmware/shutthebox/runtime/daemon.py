"""Puts a box together from its parts, runs it, and takes it apart in the right order.

The same for real pins and simulated ones: the caller brings the factory, the lines, the panel
and the dice. Order of start: store, pins, machine, READY, display, odds, verification of the store. Order of
stop: the loop, the verification, the display with its goodbye, the buzzer, the pins, the store.
"""

import logging
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import date
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from gpiozero.pins import Factory

from shutthebox.adapters.buzzer import Buzzer
from shutthebox.adapters.display.worker import DisplayWorker
from shutthebox.adapters.gpio import Pins
from shutthebox.adapters.machine import MachineWatch, Sensors
from shutthebox.adapters.odds_worker import OddsWorker
from shutthebox.adapters.store.database import FILE_NAME, Store, open_to_read
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.lock import FolderLock, InUseError
from shutthebox.adapters.store.memory import Memory
from shutthebox.adapters.store.open_store import FIRST_FACTS, StoreFault, is_suspect, open_or_set_aside
from shutthebox.adapters.store.scores_file import ScoresWriter
from shutthebox.adapters.store.verification_worker import VerificationWorker
from shutthebox.config.schema import Config, Line
from shutthebox.config.settings_loader import as_chosen, broken_rules
from shutthebox.game import lever_health
from shutthebox.game.daily import Daily
from shutthebox.game.dice import Dice
from shutthebox.game.facts import Faulted
from shutthebox.game.faults import Fault
from shutthebox.game.messages import Text, told
from shutthebox.game.mode import Mode
from shutthebox.game.owner_report import TOPICS, Topic
from shutthebox.game.screen import ToldScreen
from shutthebox.game.settings import Settings
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles
from shutthebox.runtime.ports import Observer, Ports
from shutthebox.runtime.runner import Mail, Runner, loop
from shutthebox.speech.said_file import SaidWriter
from shutthebox.translations import translations

if TYPE_CHECKING:
    from shutthebox.adapters.display.panel import Panel
    from shutthebox.adapters.stick import StickSocket
    from shutthebox.web.scoreboard.folder import InATab

_log = logging.getLogger(__name__)


def serve(
    config: Config,
    settings: Settings,
    factory: Factory,
    lines: Mapping[int, Line],
    connect: "Callable[[], Panel] | None",
    dice: Dice,
    state: Path | None,
    *,
    observers: Sequence[Observer] = (),
    started: Callable[[], None] = lambda: None,
    feed_watchdog: Callable[[], None] = lambda: None,
    fault: Fault | None = None,
    notices: Sequence[str] = (),
    scores: Path | None = None,
    outbox: Path | None = None,
    stick: Path | None = None,
    inbox: "SimpleQueue[Mail] | None" = None,
    machine: Path | None = None,
) -> None:
    """Runs a box until SIGTERM or SIGINT. Called in the main thread.

    Args:
        config: the configuration.
        settings: the machine's part of it.
        factory: where the pins are.
        lines: line per switch.
        connect: opens the panel; None for a box without one.
        dice: where throws come from.
        state: folder of the store; None for a box without memory.
        observers: told of everything.
        started: called once, when pins and store are open and the game stands.
        feed_watchdog: called at least once a second while all workers live.
        fault: found before the start, for the players.
        notices: more for the owner, a line of text each.
        scores: folder of the files for scoreboard and voice; None for a box without them.
        outbox: folder in which matches are left for a league; None for nowhere.
        stick: socket at which the helper of an owner's stick calls; None for a box without one.
        inbox: of the loop, for forms from other threads; None for a box without any.
        machine: where the files of the machine are found; None where its health is nobody's concern.

    Raises:
        InUseError: if another box plays on the store in that folder.
        PinsError: if the pins cannot be had.
    """
    inbox = SimpleQueue() if inbox is None else inbox
    with ExitStack() as stack:
        lock = FolderLock(state)
        stack.callback(lock.release)
        lock.take()

        def open_store(facts: int | None = FIRST_FACTS) -> tuple[Store | None, StoreFault | None]:
            if state is None:
                return None, None
            try:
                lock.take()
            except InUseError as error:
                return None, StoreFault(Fault.FORGETS, f"{error}; playing without memory")
            return open_or_set_aside(state, time.time, count_throws=config.has_own_dice, facts=facts)

        everything_first = state is not None and is_suspect(state)
        store, store_fault = open_store(None if everything_first else FIRST_FACTS)
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
            stack.callback(store.close)
            settings = as_chosen(config, settings, store.choices())
        if config.scoreboard.on:
            settings = settings._replace(scoreboard=_scoreboard_address)
        pins = Pins(factory, lines, config.gpio.lamp, inbox.put)
        stack.callback(pins.close)
        with _ending_on_signals(inbox):
            buzzer = _open_buzzer(factory, config.gpio.buzzer)
            if buzzer is not None:
                stack.callback(buzzer.close)
            display = None
            if connect is not None:
                display = DisplayWorker(connect)
                _ = translations()[settings.language]
                goodbye = ToldScreen(Mode.ATTRACT, big=_("Goodbye"))
                stack.callback(display.close, goodbye)
            chores: tuple[Callable[[], None], ...] = ()
            if scores is not None:
                kept = None if state is None else partial(open_to_read, state / FILE_NAME)
                works = None if display is None else partial(getattr, display, "connected")
                tab = partial(_in_a_tab, config, settings.levers)

                def told_report(language: str) -> list[tuple[str, list[str]]]:
                    wrong = lever_health.wrong(runner.machine.state.shared)
                    translate = translations()[language]
                    return [
                        (told(heading, translate), [told(line, translate) for line in report(topic, wrong)])
                        for topic, heading in TOPICS.items()
                    ]

                writer = ScoresWriter(
                    scores, kept, display_works=works, report=told_report, tab=tab, waits=True
                )
                observers, chores = (*observers, writer, SaidWriter(scores)), (writer.look_at_the_day,)
            delivery = None
            if outbox is not None and state is not None:
                from shutthebox.adapters.delivery import DeliveryWatch
                from shutthebox.adapters.outbox import Outbox

                delivery = DeliveryWatch(outbox)
                observers = (
                    *observers,
                    Outbox(outbox, state, partial(open_to_read, state / FILE_NAME), time.time),
                )
            forgetting = store_fault is not None and store_fault.fault is Fault.FORGETS
            verification = None
            if store is not None and not everything_first:
                verification = VerificationWorker(store.path)
                stack.callback(verification.close)
            memory = Memory(store, open_store, forgetting=forgetting, verification=verification)
            watch = None
            if machine is not None:
                watch = MachineWatch(Sensors(machine), memory.keep)
                chores = (watch.look, *chores)
            odds = OddsWorker(inbox.put)
            helper = None if stick is None else _open_stick(stick, inbox)
            if helper is not None:
                stack.callback(helper.close)
            report = partial(_report, memory, state, time.time(), broken, watch)
            ports = Ports(
                pins,
                memory,
                odds,
                display,
                buzzer,
                observers,
                chores,
                _puzzle_of_today,
                undelivered=delivery,
                stick=helper,
                report=report,
            )
            runner = Runner(
                settings,
                config.box.settle_ns,
                ports,
                dice,
                time.monotonic_ns(),
                fault=fault,
                notices=notices,
                is_new=memory.is_new(),
            )
            stack.callback(runner.close)
            workers: list[Any] = [worker for worker in (display, buzzer) if worker is not None]

            def feed_if_workers_live() -> None:
                if all(worker.alive for worker in workers):
                    feed_watchdog()

            started()
            if display is not None:
                display.start()
            for chore in chores:  # the first time at once: what was shown so far is written down
                chore()
            odds.start()
            if verification is not None:
                verification.start()
            loop(runner, inbox, time.monotonic_ns, feed_if_workers_live)


def _scoreboard_address() -> str:
    # Not above: the box is ready without it.
    from shutthebox.web.scoreboard.folder import address_now

    return address_now()


def _in_a_tab(config: Config, levers: int) -> "InATab | None":
    # Not above: the box is ready without it.
    from shutthebox.web.scoreboard.folder import offered

    return offered(config, levers)


def _report(
    memory: Memory,
    state: Path | None,
    since_s: float,
    broken: Sequence[object],
    watch: MachineWatch | None,
    topic: Topic,
    wrong: Tiles,
) -> Sequence[Text]:
    # Not above: the box is ready without it.
    from shutthebox.adapters.owner_report import BoxReport

    standing = {
        Fault.RULES: bool(broken),
        Fault.FORGETS: memory.forgets,
        Fault.STORE_DAMAGED: state is not None and is_suspect(state),
    }
    now = frozenset(fault.value for fault, stands in standing.items() if stands)
    if watch is not None:
        now |= {fault.value for fault in watch.faults}
    return BoxReport(memory.lines, state, since_s, now)(topic, wrong)


def _puzzle_of_today(games: Sequence[Profile]) -> Daily:
    # Not above: the box is ready without it.
    from shutthebox.config.puzzles import puzzle_games, puzzle_of

    day = date.today().toordinal()
    return Daily(day, puzzle_of(day, puzzle_games(games)))


@contextmanager
def _ending_on_signals(inbox: SimpleQueue[Mail]) -> Iterator[None]:
    """SIGTERM and SIGINT end the loop, so that everything is closed in order."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    for number in before:
        # SimpleQueue.put may be called from a signal handler; nothing else is done in it.
        signal.signal(number, lambda number, frame: inbox.put(None))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _open_stick(path: Path, inbox: SimpleQueue[Mail]) -> "StickSocket | None":
    from shutthebox.adapters.stick import StickSocket

    try:
        return StickSocket(path, inbox.put)
    except OSError as error:
        _log.warning("stick: %s: %s; playing without sticks", path, error.strerror or error)
        return None


def _open_buzzer(factory: Factory, line: int) -> Buzzer | None:
    try:
        return Buzzer(factory, line)
    except Exception as error:  # lgpio and RPi.GPIO raise kinds of their own
        _log.warning("buzzer: line %d: %s; playing silently", line, str(error) or type(error).__name__)
        return None
