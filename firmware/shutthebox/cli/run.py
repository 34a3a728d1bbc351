"""`shutthebox run`: the daemon on real pins."""

import argparse
import logging
import os
import secrets
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from shutthebox.config.schema import CONFIG_FILE, Config, Controller, GameConfig, RulesConfig, read_config
from shutthebox.errors import ShutTheBoxError
from shutthebox.game.faults import Fault

_log = logging.getLogger(__name__)


def add_parser(subparsers: Any) -> None:  # noqa: ANN401  (argparse does not name its type)
    """Adds the command."""
    parser = subparsers.add_parser("run", help="the daemon on real pins")
    parser.add_argument("--config", metavar="F", type=Path, help="a config file; default: the box's own")
    parser.add_argument("--record", metavar="F", type=Path, help="write what is played as a scenario")
    parser.set_defaults(run=run)


def find_config(asked_for: Path | None, usual: Path = CONFIG_FILE) -> tuple[Config, Fault | None]:
    """The configuration to run with.

    Args:
        asked_for: the file on the command line: it is this one, or an error.
        usual: the box's own: where it cannot be used, the journal and the players are told and
            the built-in one is.

    Raises:
        ShutTheBoxError: if the file asked for cannot be used.
    """
    if asked_for is not None:
        return read_config(asked_for), None
    config = Config()
    if os.path.lexists(usual):
        try:
            config = read_config(usual)
            _try(config, usual)
        except ShutTheBoxError as error:
            _log.error("%s; playing with the built-in configuration", error)
            return _as_wired(config), Fault.CONFIG
    return config, None


def _try(config: Config, where: Path) -> None:
    from shutthebox.adapters.gpio import switch_lines
    from shutthebox.config.settings_loader import DEFAULT_LEVERS, settings_for

    levers = config.box.levers or DEFAULT_LEVERS
    switch_lines(config.gpio, levers)
    settings_for(config, levers, str(where))


def _as_wired(config: Config) -> Config:
    """The built-in game, on as much of this box as has been read and makes sense."""
    wired = replace(config, game=GameConfig(), rules=RulesConfig())
    try:
        _try(wired, CONFIG_FILE)
    except ShutTheBoxError:
        return Config()
    return wired


def run(args: argparse.Namespace) -> int:
    """Runs until it is told to stop."""
    # Imported here: the other commands need neither gpiozero nor luma.
    from shutthebox.adapters.display.controllers import open_i2c, open_panel
    from shutthebox.adapters.display.panel import Panel
    from shutthebox.adapters.gpio import open_factory, switch_lines
    from shutthebox.adapters.store.scores_file import scores_folder
    from shutthebox.adapters.systemd import Systemd
    from shutthebox.config.settings_loader import DEFAULT_LEVERS, settings_for
    from shutthebox.game.dice import RandomDice
    from shutthebox.runtime.daemon import serve

    logging.getLogger().setLevel(logging.INFO)
    config, fault = find_config(args.config)
    levers = config.box.levers or DEFAULT_LEVERS
    lines = switch_lines(config.gpio, levers)
    settings = settings_for(config, levers, str(args.config or CONFIG_FILE))
    display = config.display
    systemd = Systemd()

    def connect(controller: Controller) -> Panel:
        serial = open_i2c(display.bus, display.address)
        return open_panel(controller, serial, upside_down=display.rotate == 180)

    with ExitStack() as stack:
        factory = open_factory(config.gpio.backend)
        stack.callback(factory.close)
        observers = []
        if args.record:
            from shutthebox.simulator.scenario.recorder import ScenarioRecorder, create

            recorder = ScenarioRecorder(
                stack.enter_context(create(args.record)), config, levers, frozenset(), time.monotonic_ns()
            )
            stack.callback(recorder.flush)
            observers.append(recorder)
        serve(
            config,
            settings,
            factory,
            lines,
            partial(connect, display.controller) if display.controller else None,
            RandomDice(secrets.randbelow),
            config.state_folder,
            observers=observers,
            started=systemd.ready,
            beat=systemd.alive,
            fault=fault,
            scores=scores_folder(config),
        )
        systemd.stopping()
    return 0
