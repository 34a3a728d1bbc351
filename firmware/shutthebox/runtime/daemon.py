"""Puts a box together from its parts, runs it, and takes it apart in the right order.

The same for real pins and simulated ones: the caller brings the factory, the lines, the panel
and the dice. Order of start: store, pins, machine, READY, display, the verification of the store. Order of
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
from shutthebox.adapters.odds_worker import OddsWorker
from shutthebox.adapters.store.database import FILE_NAME, PATIENCE_S, Store
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.guard import StoreGuard
from shutthebox.adapters.store.lock import FolderLock, InUseError
from shutthebox.adapters.store.open_store import (
    FIRST_FACTS,
    StoreFault,
    is_suspect,
    open_or_set_aside,
)
from shutthebox.adapters.store.queries import open_to_read
from shutthebox.adapters.store.scores_file import ScoresWriter
from shutthebox.adapters.store.verification_worker import VerificationWorker
from shutthebox.config.schema import Config, DiceKind, Line
from shutthebox.config.settings_loader import as_chosen, broken_rules
from shutthebox.game.daily import Daily
from shutthebox.game.dice import Dice
from shutthebox.game.facts import Faulted
from shutthebox.game.faults import Fault
from shutthebox.game.mode import Mode
from shutthebox.game.screen import ToldScreen
from shutthebox.game.settings import Settings
from shutthebox.runtime.ports import Observer, Ports
from shutthebox.runtime.runner import Mail, Runner, loop
from shutthebox.speech.said_file import SaidWriter
from shutthebox.translations import translations

if TYPE_CHECKING:
    from shutthebox.adapters.display.panel import Panel

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
    inbox: "SimpleQueue[Mail] | None" = None,
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
        inbox: of the loop, for forms from other threads; None for a box without any.

    Raises:
        InUseError: if another box plays on the store in that folder.
        PinsError: if the pins cannot be had.
    """
    inbox = SimpleQueue() if inbox is None else inbox
    with ExitStack() as stack:
        lock = FolderLock(state)
        stack.callback(lock.release)
        lock.take()

        def open_store(
            patience_s: float = 0.0, facts: int | None = FIRST_FACTS
        ) -> tuple[Store | None, StoreFault | None]:
            if state is None:
                return None, None
            try:
                lock.take()
            except InUseError as error:
                return None, StoreFault(Fault.FORGETS, f"{error}; playing without memory")
            # Throws from a seed say nothing about the fairness of the dice.
            thrown = config.game.dice is DiceKind.AUTO and not config.tournament.file
            return open_or_set_aside(
                state, time.time, count_throws=thrown, patience_s=patience_s, facts=facts
            )

        everything_first = state is not None and is_suspect(state)
        store, store_fault = open_store(PATIENCE_S, None if everything_first else FIRST_FACTS)
        if store_fault is not None:
            _log.error("%s", store_fault.text)
            fault = fault or store_fault.fault
        for broken in broken_rules(config):
            _log.warning("%s; left out", broken)
            fault = fault or Fault.RULES
            if store is not None:
                with suppress(StoreError):  # it waits in the store then
                    store.keep(Faulted("rules", str(broken)))
        if store is not None:
            stack.callback(store.close)
            settings = as_chosen(config, settings, store.choices())
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
                writer = ScoresWriter(scores, kept, display_works=works, waits=True)
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
            guard = StoreGuard(store, open_store, forgetting=forgetting, verification=verification)
            odds = OddsWorker(inbox.put)
            ports = Ports(pins, guard, odds, display, buzzer, observers, chores, _puzzle_of_today, delivery)
            runner = Runner(
                settings,
                config.box.settle_ns,
                ports,
                dice,
                time.monotonic_ns(),
                fault=fault,
                notices=notices,
            )
            stack.callback(runner.close)
            workers: list[Any] = [worker for worker in (display, buzzer) if worker is not None]

            def feed_if_workers_live() -> None:
                if all(worker.alive for worker in workers):
                    feed_watchdog()

            started()
            if display is not None:
                display.start()
            if verification is not None:
                verification.start()
            for chore in chores:  # the first time at once: what was shown so far is written down
                chore()
            loop(runner, inbox, time.monotonic_ns, feed_if_workers_live)


def _puzzle_of_today() -> Daily:
    # Not above: the box is ready without it.
    from shutthebox.config.puzzles import puzzle_of

    day = date.today().toordinal()
    return Daily(day, puzzle_of(day))


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


def _open_buzzer(factory: Factory, line: int) -> Buzzer | None:
    try:
        return Buzzer(factory, line)
    except Exception as error:  # lgpio and RPi.GPIO raise kinds of their own
        _log.warning("buzzer: line %d: %s; playing silently", line, str(error) or type(error).__name__)
        return None
