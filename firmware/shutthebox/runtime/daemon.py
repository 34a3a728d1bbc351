"""Runs a box in real time until a signal ends it.

The same code serves real pins and simulated ones: the caller describes the box's world, and
`shutthebox.runtime.assembly` assembles the box. Startup order: buzzer, store, pins, machine, READY, display;
once the first screen is drawn, odds, scoreboard, verification of the store, all modes. Shutdown order: the
loop, the display with its goodbye, the box, the buzzer.
"""

import logging
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from gpiozero.pins import Factory

from shutthebox.adapters.buzzer import Buzzer
from shutthebox.adapters.display.worker import DisplayWorker
from shutthebox.adapters.gpio import PinsError
from shutthebox.adapters.odds_worker import OddsWorker
from shutthebox.adapters.signals import handling
from shutthebox.config.schema import Config
from shutthebox.game import modes
from shutthebox.game.mode import Mode
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.settings import Settings
from shutthebox.runtime.assembly import World, assemble
from shutthebox.runtime.runner import Errand, Mail, Runner, loop
from shutthebox.translations import translations

if TYPE_CHECKING:
    from shutthebox.adapters.display.panel import Panel
    from shutthebox.adapters.link_socket import LinkSocket
    from shutthebox.adapters.stick_socket import StickSocket

_log = logging.getLogger(__name__)


def serve(
    config: Config,
    settings: Settings,
    world: World,
    connect: "Callable[[], Panel] | None",
    *,
    started: Callable[[], None] = lambda: None,
    feed_watchdog: Callable[[], None] = lambda: None,
    stick: Path | None = None,
    link: Path | None = None,
) -> None:
    """Runs a box until SIGTERM or SIGINT. Call in the main thread.

    Args:
        config: the configuration.
        settings: the machine's part of it.
        world: the box's surroundings, to which its display, buzzer, odds and helpers are added.
        connect: opens the panel; None for a box without one.
        started: called once, when pins and store are open and the game is ready.
        feed_watchdog: called at least once a second while all workers are alive.
        stick: socket for the stick helper; None for a box without one.
        link: socket for the link helper; None for a box that plays with no other.

    Raises:
        InUseError: if another box is using the store in that folder.
        PinsError: if the pins can't be opened.
    """
    inbox = world.inbox
    with ExitStack() as stack:
        stack.callback(world.lock.release)
        world.lock.take()
        # SimpleQueue.put may be called from a signal handler; nothing else is done in it.
        stack.enter_context(handling(lambda *_: inbox.put(None), signal.SIGTERM, signal.SIGINT))
        buzzer = _open_buzzer(world.factory, config.gpio.buzzer)
        helper = None if stick is None else _open_stick(stick, inbox)
        linked = None if link is None else _open_link(link, inbox)
        for opened in (buzzer, helper, linked):
            if opened is not None:
                stack.callback(opened.close)
        display = None if connect is None else DisplayWorker(connect)
        odds = OddsWorker(inbox.put)
        world = world._replace(
            verifies_later=True,
            odds=odds,
            display=display,
            display_works=None if display is None else partial(getattr, display, "connected"),
            buzzer=buzzer,
            stick=helper,
            link=linked,
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

        def start_the_rest() -> None:
            from pkgutil import iter_modules

            box.start()
            odds.start()
            # Nobody has to wait for a module, or finds it in the files of a version just installed.
            found = [module.name for module in iter_modules(modes.__path__, f"{modes.__name__}.")]
            for name in (*found, *_LATER):
                import_module(name)

        started()
        # Whatever the first screen doesn't need waits for it, because threads share one interpreter.
        post = partial(inbox.put, Errand(start_the_rest))
        if display is None:
            post()
        else:
            display.start(post)
        loop(box.runner, inbox, time.monotonic_ns, feed_if_workers_live)


_LATER = ("shutthebox.game.resuming", "shutthebox.adapters.store.records")
"""What a store that can be read again needs, besides the modes."""


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
