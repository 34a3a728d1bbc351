"""`shutthebox run`: run the box on real pins."""

import argparse
import gc
import logging
import os
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from random import SystemRandom
from typing import TYPE_CHECKING

from shutthebox.cli.parser import Subparsers
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import (
    CONFIG_FILE,
    Config,
    RulesConfig,
    TournamentConfig,
    read_config,
    runtime_folder,
)
from shutthebox.errors import ShutTheBoxError
from shutthebox.game.faults import Fault
from shutthebox.game.settings import GameConfig

if TYPE_CHECKING:
    from shutthebox.adapters.display.panel import Panel

_log = logging.getLogger(__name__)


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox run`, the daemon."""
    parser = subparsers.add_parser(
        "run",
        help="run the box on real pins",
        description="Plays on real pins until SIGTERM or SIGINT, as the service does. "
        "Without --config it reads /etc/shutthebox/config.toml; if that can't be "
        "used, it says so in the journal and on the screen, and plays with the "
        "built-in configuration.",
        example="shutthebox run --config box.toml",
    )
    parser.add_argument(
        "--config", metavar="F", type=Path, help="a config file, which must be good; default: the box's own"
    )
    parser.add_argument("--record", metavar="F", type=Path, help="record what is played as a scenario")
    parser.set_defaults(run=run)


def find_config(asked_for: Path | None, usual: Path = CONFIG_FILE) -> tuple[Config, Fault | None]:
    """The configuration to run with.

    Args:
        asked_for: the file on the command line; a bad one is an error.
        usual: the box's own file. If it can't be used, the built-in configuration is used instead, and
            players and journal are told.

    Raises:
        ShutTheBoxError: if the file asked for can't be used.
    """
    if asked_for is not None:
        return read_config(asked_for), None
    config = Config()
    if os.path.lexists(usual):
        try:
            from shutthebox.config.settings_loader import try_config

            config = read_config(usual)
            try_config(config, str(usual))
        except ShutTheBoxError as error:
            _log.error("%s; playing with the built-in configuration", error)
            return _as_wired(config), Fault.CONFIG
    return config, None


def _as_wired(config: Config) -> Config:
    """The built-in game, with those values of this box that could be read and are valid."""
    from shutthebox.config.settings_loader import try_config

    wired = config._replace(game=GameConfig(), rules=RulesConfig(), tournament=TournamentConfig())
    try:
        try_config(wired, str(CONFIG_FILE))
    except ShutTheBoxError:
        return Config()
    return wired


def run(args: argparse.Namespace) -> int:
    """Runs the box until SIGTERM or SIGINT; returns the exit code."""
    # Objects created before READY are permanent; collecting garbage among them takes a tenth of the startup.
    gc.disable()
    try:
        return _run(args)
    finally:
        gc.enable()


def _run(args: argparse.Namespace) -> int:
    # Imported here: the other commands need neither gpiozero nor luma.
    from shutthebox.adapters.display.worker import DisplayWorker
    from shutthebox.adapters.gpio import PinsError, open_factory
    from shutthebox.adapters.store.lock import FolderLock
    from shutthebox.adapters.systemd import Systemd
    from shutthebox.config.settings_loader import DEFAULT_LEVERS, settings_for, switch_lines
    from shutthebox.game.dice import RandomDice
    from shutthebox.owner.notices import notices
    from shutthebox.runtime.assembly import World
    from shutthebox.runtime.daemon import serve, show_no_pins

    logging.getLogger().setLevel(logging.INFO)
    config, fault = find_config(args.config)
    levers = config.box.levers or DEFAULT_LEVERS
    lines = switch_lines(config.gpio, levers)
    settings = settings_for(config, levers, str(args.config or CONFIG_FILE))
    display = config.display
    systemd, runtime = Systemd(), runtime_folder()

    def started() -> None:
        systemd.ready()
        gc.enable()

    def connect(controller: Controller) -> "Panel":
        # Imported lazily, in the display's thread, to keep startup fast.
        from shutthebox.adapters.display.opening import open_configured

        return open_configured(display, controller, config.gpio.backend)

    open_display = partial(connect, display.controller) if display.controller else None
    with ExitStack() as stack:
        try:
            factory = open_factory(config.gpio.backend)
        except PinsError as error:
            if open_display is not None:
                show_no_pins(DisplayWorker(open_display), config.box.language, error)
            raise
        stack.callback(factory.close)
        observers = []
        if args.record:
            from shutthebox.simulator.scenario.recorder import ScenarioRecorder, create

            recorder = ScenarioRecorder(
                stack.enter_context(create(args.record)), config, levers, frozenset(), time.monotonic_ns()
            )
            stack.callback(recorder.flush)
            observers.append(recorder)
        world = World(
            factory,
            lines,
            SimpleQueue(),
            RandomDice(SystemRandom().randrange),
            FolderLock(config.state_folder),
            config.state_folder,
            observers=observers,
            fault=fault,
            notices=notices(),
            machine=Path("/"),
            watches_machine=True,
            scores=config.scores_folder,
            outbox=config.outbox_folder,
        )
        serve(
            config,
            settings,
            world,
            open_display,
            started=started,
            feed_watchdog=systemd.alive,
            # The helper for an owner's stick connects here.
            stick=runtime / "stick" if runtime else None,
            link=config.link_socket,
        )
        systemd.stopping()
    return 0
