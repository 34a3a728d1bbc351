"""Runs a box in real time until a signal ends it.

The same code serves real pins and simulated ones: the caller passes in the factory, the lines, the panel and
the dice, and `shutthebox.runtime.assembly` assembles the box. Startup order: buzzer, store, pins, machine,
READY, display, odds, verification of the store. Shutdown order: the loop, the display with its goodbye, the
box, the buzzer.
"""

import logging
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from gpiozero.pins import Factory

from shutthebox.adapters.buzzer import Buzzer
from shutthebox.adapters.display.worker import DisplayWorker
from shutthebox.adapters.gpio import PinsError
from shutthebox.adapters.odds_worker import OddsWorker
from shutthebox.adapters.signals import handling
from shutthebox.adapters.store.lock import FolderLock
from shutthebox.config.schema import Config, Line
from shutthebox.game.dice import Dice
from shutthebox.game.faults import Fault
from shutthebox.game.mode import Mode
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.settings import Settings
from shutthebox.night import night_of
from shutthebox.runtime.assembly import World, assemble
from shutthebox.runtime.ports import Observer
from shutthebox.runtime.runner import Mail, Runner, loop
from shutthebox.translations import translations

if TYPE_CHECKING:
    from shutthebox.adapters.display.panel import Panel
    from shutthebox.adapters.link_socket import LinkSocket
    from shutthebox.adapters.stick_socket import StickSocket

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
    link: Path | None = None,
    inbox: "SimpleQueue[Mail] | None" = None,
    machine: Path | None = None,
) -> None:
    """Runs a box until SIGTERM or SIGINT. Call in the main thread.

    Args:
        config: the configuration.
        settings: the machine's part of it.
        factory: where the pins are.
        lines: line per switch.
        connect: opens the panel; None for a box without one.
        dice: where throws come from.
        state: folder of the store; None for a box without memory.
        observers: called with every effect and settled switch.
        started: called once, when pins and store are open and the game is ready.
        feed_watchdog: called at least once a second while all workers are alive.
        fault: a fault found before startup, for the players.
        notices: further lines of text for the owner.
        scores: folder for the files of scoreboard and voice; None for a box without them.
        outbox: folder for matches on their way to a league; None for none.
        stick: socket for the stick helper; None for a box without one.
        link: socket for the link helper; None for a box that plays with no other.
        inbox: the loop's inbox, for forms from other threads; None for a box without any.
        machine: where the machine's health files are; None to ignore its health.

    Raises:
        InUseError: if another box is using the store in that folder.
        PinsError: if the pins can't be opened.
    """
    inbox = SimpleQueue() if inbox is None else inbox
    with ExitStack() as stack:
        lock = FolderLock(state)
        stack.callback(lock.release)
        lock.take()
        # SimpleQueue.put may be called from a signal handler; nothing else is done in it.
        stack.enter_context(handling(lambda *_: inbox.put(None), signal.SIGTERM, signal.SIGINT))
        buzzer = _open_buzzer(factory, config.gpio.buzzer)
        if buzzer is not None:
            stack.callback(buzzer.close)
        helper = None if stick is None else _open_stick(stick, inbox)
        if helper is not None:
            stack.callback(helper.close)
        linked = None if link is None else _open_link(link, inbox)
        if linked is not None:
            stack.callback(linked.close)
        display = None if connect is None else DisplayWorker(connect)
        odds = OddsWorker(inbox.put)
        world = World(
            factory=factory,
            lines=lines,
            put=inbox.put,
            dice=dice,
            now_ns=time.monotonic_ns,
            clock_s=time.time,
            today=lambda: night_of(time.time()).toordinal(),
            scoreboard=_scoreboard_address,
            lock=lock,
            state=state,
            verifies_later=True,
            odds=odds,
            display=display,
            display_works=None if display is None else partial(getattr, display, "connected"),
            buzzer=buzzer,
            stick=helper,
            link=linked,
            observers=observers,
            fault=fault,
            notices=notices,
            machine=machine or Path("/"),
            watches_machine=machine is not None,
            scores=scores,
            outbox=outbox,
        )
        try:
            box = assemble(config, settings, world)
        except PinsError as error:
            if display is not None:
                show_no_pins(display, settings.box.language, error)
            raise
        stack.callback(box.close)
        if display is not None:
            stack.callback(_say_goodbye, display, box.runner)
        workers: list[Any] = [worker for worker in (display, buzzer) if worker is not None]

        def feed_if_workers_live() -> None:
            if all(worker.alive for worker in workers):
                feed_watchdog()

        started()
        if display is not None:
            display.start()
        odds.start()
        box.start()
        loop(box.runner, inbox, time.monotonic_ns, feed_if_workers_live)


def _say_goodbye(display: DisplayWorker, runner: Runner) -> None:
    _ = translations()[runner.machine.settings.box.language]
    display.close(LocalizedScreen(Mode.ATTRACT, big=_("Goodbye")))


def show_no_pins(display: DisplayWorker, language: str, error: PinsError) -> None:
    """Leaves on the panel why the box can't start. Closes the display, which must not have been started."""
    _ = translations()[language]
    *_where, why = str(error).split(": ")  # the panel has no room for more; the journal has it all
    screen = LocalizedScreen(Mode.ATTRACT, title=_("No levers"), paragraph=why)
    display.render_now(screen, 0)
    display.close(screen)


def _scoreboard_address() -> str:
    # Imported lazily to keep startup fast.
    from shutthebox.web.scoreboard.folder import address_now

    return address_now()


def _open_stick(path: Path, inbox: SimpleQueue[Mail]) -> "StickSocket | None":
    from shutthebox.adapters.stick_socket import StickSocket

    try:
        return StickSocket(path, inbox.put)
    except OSError as error:
        _log.warning("stick: %s: %s; playing without USB sticks", path, error.strerror or error)
        return None


def _open_link(path: Path, inbox: SimpleQueue[Mail]) -> "LinkSocket | None":
    from shutthebox.adapters.link_socket import LinkSocket
    from shutthebox.game.inputs import LinkReported

    try:
        return LinkSocket(path, lambda report: inbox.put(LinkReported(report)))
    except OSError as error:
        _log.warning("link: %s: %s; playing without another box", path, error.strerror or error)
        return None


def _open_buzzer(factory: Factory, line: int) -> Buzzer | None:
    try:
        return Buzzer(factory, line)
    except Exception as error:  # lgpio and RPi.GPIO raise their own types
        _log.warning("buzzer: line %d: %s; playing silently", line, str(error) or type(error).__name__)
        return None
