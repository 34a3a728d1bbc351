"""`shutthebox sim`: the daemon on simulated pins, with the box as a web page."""

import argparse
import io
import secrets
import shutil
import socket
import sys
import tempfile
import time
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from queue import SimpleQueue
from random import SystemRandom
from typing import TYPE_CHECKING

from shutthebox.cli.parser import Subparsers
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import Config, read_config, with_value
from shutthebox.errors import ShutTheBoxError, quoted
from shutthebox.files import make_folder
from shutthebox.simulator.page.http import LOOPBACK

if TYPE_CHECKING:
    from shutthebox.game.inputs import FormInput
    from shutthebox.runtime.ports import Observer
    from shutthebox.runtime.runner import Mail
    from shutthebox.simulator.scenario.recorder import ScenarioRecorder

EVERYBODY = "0.0.0.0"
"""All addresses of this machine."""

_MEMORY_PREFIX = "shutthebox-"
"""Prefix of the name of the folder that holds the memory during a recording."""


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox sim`."""
    parser = subparsers.add_parser(
        "sim",
        help="play the simulated box in the browser",
        description="Runs the same daemon on simulated pins, with the box as a page in the "
        "browser. Only this machine can open the page; with --listen, phones on "
        "its network can, too, by a QR code. One of them plays at a time, the "
        "others watch. Needs the Python module websockets (on Debian, "
        "python3-websockets).",
        example="shutthebox sim --levers 12 --language fr",
    )
    parser.add_argument(
        "--levers", metavar="N", type=int, help="number of levers; default: as many as the game needs"
    )
    parser.add_argument("--config", metavar="F", type=Path, help="a config file; default: the built-in one")
    parser.add_argument("--language", metavar="CODE", help="language of the screens, such as fr")
    parser.add_argument("--state", metavar="DIR", type=Path, help="folder for its memory")
    parser.add_argument(
        "--port", metavar="N", type=int, default=8080, help="port of the page; default: 8080; 0: a free one"
    )
    parser.add_argument(
        "--listen",
        metavar="ADDRESS",
        nargs="?",
        const=EVERYBODY,
        default=LOOPBACK,
        type=_address,
        help="let others on the network play, at this numeric address of this machine; default: all of them",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    parser.add_argument(
        "--record",
        metavar="F",
        type=Path,
        help="record what is played as a scenario, starting from an empty memory",
    )
    # Given when a pulled plug starts the command again during a recording: its start, and its memory.
    parser.add_argument("--recording-since", nargs=2, metavar=("NS", "DIR"), help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def _address(text: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is not allowed; use an address of this machine in numbers: 192.168.1.5"
        ) from None


def config_of(args: argparse.Namespace) -> Config:
    """The config file of the options with the other options worked in.

    Raises:
        ConfigError: if something in them is not allowed.
    """
    config = read_config(args.config) if args.config else Config()
    if args.levers is not None:
        config = with_value(config, "box.levers", args.levers, "--levers")
    if args.language is not None:
        config = with_value(config, "box.language", args.language, "--language")
    if args.state is not None:
        make_folder(args.state, "--state")
    if not 0 <= args.port <= 65535:
        raise ShutTheBoxError(f"--port: {args.port} is not allowed; use 0 to 65535")
    return config


def running_recording(args: argparse.Namespace) -> tuple[int, Path] | None:
    """The start of the running recording in ns, and its memory; None if nothing is being recorded.

    Raises:
        ShutTheBoxError: if the options aren't a time and a memory this command made.
    """
    if args.recording_since is None:
        return None
    since, folder = args.recording_since
    memory = Path(folder)
    # The memory is deleted at the end, so it mustn't be somebody else's folder.
    if not since.isdecimal() or not memory.is_dir() or not memory.name.startswith(_MEMORY_PREFIX):
        raise ShutTheBoxError("--recording-since: only a pulled plug gives this option")
    return int(since), memory


def run(args: argparse.Namespace) -> int:
    """Serves the page and runs the daemon until told to stop."""
    # Imported here: the other commands need neither gpiozero nor a web server.
    from shutthebox.adapters.display.opening import open_panel
    from shutthebox.adapters.store.lock import FolderLock
    from shutthebox.config.settings_loader import levers_needed, possible_boxes, settings_for
    from shutthebox.game.dice import RandomDice
    from shutthebox.runtime.assembly import World
    from shutthebox.runtime.daemon import serve
    from shutthebox.simulator.form_input import as_line
    from shutthebox.simulator.hardware import disk
    from shutthebox.simulator.hardware.box import SimulatedBox, simulated_wiring, wired_buttons
    from shutthebox.simulator.hardware.panel_model import PanelModel
    from shutthebox.simulator.hardware.workshop import Workshop, read_condition
    from shutthebox.simulator.page.film_thread import clear_films
    from shutthebox.simulator.page.server import PageServer
    from shutthebox.simulator.page.transcript import Transcript
    from shutthebox.simulator.plug import Plug
    from shutthebox.simulator.scenario.recorder import ScenarioRecorder, create

    # The pins of the simulated box are where its hardware says, not where a config wires a real one.
    config = config_of(args)
    config = config._replace(gpio=simulated_wiring(config.gpio))
    where = str(args.config or "config")
    levers = levers_needed(config, where)
    settings = settings_for(config, levers, where)
    controller = config.display.controller
    state: Path = args.state or config.simulator_folder
    memory = state
    start_ns = time.monotonic_ns()
    clear_films()  # a pulled plug keeps the process's number
    with ExitStack() as stack:
        condition = read_condition(state)
        down = tuple(lever for lever in condition.down if lever <= levers)
        box = stack.enter_context(
            SimulatedBox(
                levers,
                buttons=wired_buttons(config.gpio),
                levers_down=down,
                inverted=config.gpio.inverted_switches,
                seed=secrets.randbits(32),
            )
        )
        panel = PanelModel(controller or Controller.SSD1306)
        transcript = Transcript(settings.box.language, start_ns)
        observers: list[Observer] = [transcript]
        recorder = None
        if args.record:
            # A scenario is replayed from an empty box, so a recording starts from one, too.
            goes_on = args.recording_since is not None
            start_ns, memory = running_recording(args) or (
                start_ns,
                Path(tempfile.mkdtemp(prefix=_MEMORY_PREFIX)),
            )
            stack.callback(shutil.rmtree, memory, ignore_errors=True)
            file = stack.enter_context(create(args.record, goes_on=goes_on))
            recorder = ScenarioRecorder(file, config, levers, box.levers_down, start_ns, goes_on=goes_on)
            stack.callback(recorder.flush)
            observers.append(recorder)
        broke: Callable[[str], None] = (
            partial(_broke, recorder) if recorder is not None else lambda line: None
        )
        workshop = Workshop(box, panel, state, broke)
        workshop.restore(condition)
        boxes = possible_boxes(config, levers, where)
        plug = Plug(args.record or state / "recording.scn", recorder, box, boxes)
        inbox: SimpleQueue[Mail] = SimpleQueue()

        def fill_in(given: "FormInput") -> None:
            broke(as_line(given))
            inbox.put(given)

        own = socket.gethostname()
        names = (own, f"{own.partition('.')[0]}.local")
        server = stack.enter_context(
            PageServer(workshop, args.port, transcript, plug, fill_in, address=args.listen, names=names)
        )

        def arguments(*, record: bool = False, goes_on: bool = False, levers: int | None = None) -> list[str]:
            since = (str(start_ns), str(memory)) if goes_on else ()
            return restart_arguments(args, server.port, plug.recording if record else None, since, levers)

        def started() -> None:
            plug.arguments = arguments
            print(f"The box is at {server.url}  (Ctrl-C ends)", flush=True)
            if not ip_address(args.listen).is_loopback:
                print(_invitation(args.listen, server.port), flush=True)
            if not args.no_browser:
                with disk.room():
                    webbrowser.open(server.url)

        world = World(
            box.factory,
            box.switch_lines,
            inbox,
            RandomDice(SystemRandom().randrange),
            FolderLock(memory),
            memory,
            observers=observers,
            machine=Path("/"),
            scores=memory,
            # A simulated box is in no league, unless its config says so.
            outbox=Path(config.outbox.folder) if config.outbox.folder else None,
        )
        connect = None if controller is None else lambda: open_panel(panel.controller, panel)
        serve(config, settings, world, connect, started=started)
    plug.start_again()
    print("Goodbye.", file=sys.stderr)
    return 0


def _invitation(address: str, port: int) -> str:
    """The address for phones, with its QR code if the terminal can show it."""
    import segno

    from shutthebox.network import address_of_process

    found = ip_address(address)
    host = address_of_process() if found.is_unspecified else address
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    code = io.StringIO()
    if sys.stdout.isatty():
        segno.make_qr(url, error="m").terminal(code, compact=True)
    return f"Phones on this network play at {url}\n{code.getvalue()}".rstrip()


def _broke(recorder: "ScenarioRecorder", line: str) -> None:
    recorder.broke(line, time.monotonic_ns())


def restart_arguments(
    args: argparse.Namespace,
    port: int,
    record: Path | None,
    since: Sequence[str] = (),
    levers: int | None = None,
) -> list[str]:
    """The arguments to restart this command with, on the same port and without opening another browser.

    Args:
        args: those that it was started with.
        port: of the page.
        record: the file to record into; None to record nothing.
        since: of a running recording, its start and the folder for its memory.
        levers: other than those that it was started with.
    """
    words = ["sim", "--port", str(port), "--no-browser"]
    given = {
        "--listen": None if args.listen == LOOPBACK else args.listen,
        "--levers": levers or args.levers,
        "--config": args.config,
        "--language": args.language,
        "--state": args.state,
        "--record": record,
    }
    for option, value in given.items():
        if value is not None:
            words += [option, str(value)]
    return [*words, "--recording-since", *since] if since else words
