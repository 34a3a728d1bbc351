"""`shutthebox run`: the daemon on real pins."""

import argparse
import logging
import secrets
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from shutthebox import config as configuration
from shutthebox.config import Controller


def add_parser(subparsers: Any) -> None:  # noqa: ANN401  (argparse does not name its type)
    """Adds the command."""
    parser = subparsers.add_parser("run", help="the daemon on real pins")
    parser.add_argument("--config", metavar="F", type=Path, help="a config file; default: the box's own")
    parser.add_argument("--record", metavar="F", type=Path, help="write what is played as a scenario")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Runs until it is told to stop."""
    # Imported here: the other commands need neither gpiozero nor luma.
    from shutthebox.daemon import serve
    from shutthebox.game.dice import RandomDice
    from shutthebox.platform.gpio import open_factory, switch_lines
    from shutthebox.platform.oled import open_i2c, open_panel
    from shutthebox.platform.systemd import Systemd
    from shutthebox.simulator.record import ScenarioRecorder, create
    from shutthebox.usual import DEFAULT_LEVERS, settings_for

    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    config = configuration.read(args.config) if args.config else configuration.usual()
    where = str(args.config or configuration.CONFIG_FILE)
    levers = config.box.levers or DEFAULT_LEVERS
    lines = switch_lines(config.gpio, levers)
    settings = settings_for(config, levers, where)
    display = config.display
    systemd = Systemd()

    def connect() -> Any:  # noqa: ANN401  (luma has no types)
        serial = open_i2c(display.bus, display.address)
        return open_panel(display.controller.chip, serial, upside_down=display.rotate == 180)

    with ExitStack() as stack:
        factory = open_factory(config.gpio.backend)
        stack.callback(factory.close)
        observers = []
        if args.record:
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
            None if display.controller is Controller.NONE else connect,
            RandomDice(secrets.randbelow),
            config.state_folder,
            observers=observers,
            started=systemd.ready,
            beat=systemd.alive,
        )
        systemd.stopping()
    return 0
