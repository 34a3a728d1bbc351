"""`shutthebox sim`: the daemon on simulated pins, with the box as a web page."""

import argparse
import secrets
import sys
import tempfile
import time
import webbrowser
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from shutthebox.config.schema import Config, Controller, GpioConfig, read_config, with_value
from shutthebox.errors import ShutTheBoxError


def add_parser(subparsers: Any) -> None:  # noqa: ANN401  (argparse does not name its type)
    """Adds the command."""
    parser = subparsers.add_parser("sim", help="play the simulated box in the browser")
    parser.add_argument("--levers", metavar="N", type=int, help="levers; default: what the game needs")
    parser.add_argument("--config", metavar="F", type=Path, help="a config file; default: the built-in one")
    parser.add_argument("--port", metavar="N", type=int, default=8080, help="of the page; 0: a free one")
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    parser.add_argument("--record", metavar="F", type=Path, help="write what is played as a scenario")
    parser.set_defaults(run=run)


def config_of(args: argparse.Namespace) -> Config:
    """The config file of the options with the other options worked in.

    Raises:
        ConfigError: if something in them is not allowed.
    """
    config = read_config(args.config) if args.config else Config()
    if args.levers is not None:
        config = with_value(config, "box.levers", args.levers, "--levers")
    if not 0 <= args.port <= 65535:
        raise ShutTheBoxError(f"--port: {args.port} is not allowed; allowed is 0 to 65535")
    return config


def run(args: argparse.Namespace) -> int:
    """Serves the page and runs the daemon until it is told to stop."""
    # Imported here: the other commands need neither gpiozero nor a web server.
    from shutthebox.adapters.display.controllers import open_panel
    from shutthebox.config.settings_loader import levers_needed, settings_for
    from shutthebox.game.dice import RandomDice
    from shutthebox.game.switches.debounce import DICE_BUTTON
    from shutthebox.runtime.daemon import serve
    from shutthebox.simulator.hardware.box import SimulatedBox, default_lever_lines
    from shutthebox.simulator.hardware.panel_model import PanelModel
    from shutthebox.simulator.page.server import PageServer
    from shutthebox.simulator.scenario.recorder import ScenarioRecorder, create

    # The pins of the simulated box are where its hardware says, not where a config wires a real one.
    config = replace(config_of(args), gpio=GpioConfig())
    where = str(args.config or "config")
    levers = levers_needed(config, where)
    settings = settings_for(config, levers, where)
    lines = default_lever_lines(levers)
    controller = config.display.controller
    with ExitStack() as stack:
        box = stack.enter_context(SimulatedBox(lines, seed=secrets.randbits(32)))
        panel = PanelModel(controller or Controller.SSD1306)
        server = stack.enter_context(PageServer(box, panel, args.port))
        observers = []
        state: Path | None = config.state_folder if config.store.folder else config.state_folder / "simulator"
        if args.record:
            # What is played again starts from an empty box, so what is recorded does too.
            state = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="shutthebox-")))
            file = stack.enter_context(create(args.record))
            recorder = ScenarioRecorder(file, config, levers, box.levers_down, time.monotonic_ns())
            stack.callback(recorder.flush)
            observers.append(recorder)

        def started() -> None:
            print(f"The box stands at {server.url}  (Ctrl-C ends)", flush=True)
            if not args.no_browser:
                webbrowser.open(server.url)

        serve(
            config,
            settings,
            box.factory,
            {DICE_BUTTON: box.button_line, **lines},
            None if controller is None else lambda: open_panel(panel.controller, panel),
            RandomDice(secrets.randbelow),
            state,
            observers=observers,
            started=started,
            scores=state,
        )
    print("Goodbye.", file=sys.stderr)
    return 0
