"""`shutthebox doctor`: the live hardware, one check a line."""

import argparse
import contextlib
import dataclasses
import getpass
import importlib.metadata
import json
import os
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from shutthebox import config as configuration
from shutthebox.commands.check import switch_name, wiring
from shutthebox.config import Backend, Config, Controller
from shutthebox.game.debounce import ROLL_BUTTON, WORN
from shutthebox.platform import statistics
from shutthebox.platform.store import FILE_NAME
from shutthebox.usual import DEFAULT_LEVERS, with_choices

LIBRARIES = {"gpiozero": (2, 0, 1), "gpiod": (2, 1), "luma.oled": (3, 13)}
"""What the box runs on, and the oldest version that will do."""

OLDEST_CLOCK_S = 1_735_689_600
"""The start of 2025: a clock before that has never been set."""


DEV = Path("/dev")

STATUS = {0x1: Controller.SSD1309, 0x8: Controller.SH1106} | dict.fromkeys(
    (0x3, 0x6, 0x7), Controller.SSD1306
)
"""The controller by the low four bits of its status, as owners of panels have found."""

KEPT_RIGHT = Path("/run/systemd/timesync/synchronized")
"""Where systemd says that the network has set the clock."""

MANY_PRESSES = 50
"""Presses of one lever after which another without any is remarkable."""

LEAST_FREE = 16 << 20
"""Bytes that should be free on the store's disk."""


class Verdict(StrEnum):
    """How a check ended."""

    OK = "ok"
    FAIL = "FAIL"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check.

    Attributes:
        check: what was looked at.
        verdict: how it is; skip where it cannot be known.
        reason: why, in words.
    """

    check: str
    verdict: Verdict
    reason: str


def add_parser(subparsers: Any) -> None:  # noqa: ANN401  (argparse does not name its type)
    """Adds the command."""
    parser = subparsers.add_parser("doctor", help="check the live hardware")
    parser.add_argument("--config", metavar="F", type=Path, help="a config file; default: the box's own")
    parser.add_argument("--json", action="store_true", help="one JSON document; with --levers one a line")
    parser.add_argument("--levers", action="store_true", help="watch the levers and buttons while they move")
    parser.add_argument("--seconds", metavar="N", type=_seconds, help="with --levers: end after N seconds")
    parser.set_defaults(run=run)


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 < float(text) <= 86_400:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not allowed; allowed are up to 86400 seconds")


def run(args: argparse.Namespace) -> int:
    """Prints every finding; 1 if one of them is bad."""
    config = configuration.read(args.config) if args.config else configuration.usual()
    if args.levers:
        from shutthebox.commands.levers import watch  # the other checks need no gpiozero

        return watch(_as_chosen(config), args.seconds, as_json=args.json)
    findings = list(examine(config))
    if args.json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], ensure_ascii=False))
    else:
        for finding in findings:
            print(f"{finding.verdict:4}  {finding.check:14}  {finding.reason}")
    return int(any(finding.verdict is Verdict.FAIL for finding in findings))


def examine(config: Config) -> Iterator[Finding]:
    """Every check of this box, in the order in which faults hide behind each other."""
    yield Finding("python", Verdict.OK, sys.version.split()[0])
    for name, least in LIBRARIES.items():
        yield _library(name, least)
    checks: tuple[Callable[[Config], Iterator[Finding]], ...] = (
        _levers,
        _access,
        _pins,
        _display,
        _store,
        _clock,
    )
    for check in checks:
        yield from check(config)


def _library(name: str, least: tuple[int, ...]) -> Finding:
    wanted = ".".join(map(str, least))
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, Verdict.FAIL, f"not installed; {wanted} or newer is needed")
    digits = tuple(int(part) for part in version.split(".")[: len(least)] if part.isdigit())
    return Finding(name, Verdict.OK if digits >= least else Verdict.FAIL, f"{version}, needed {wanted}")


def _levers(config: Config) -> Iterator[Finding]:
    """Who is out of play, and what the levers in play have been through."""
    levers = range(1, (config.box.levers or DEFAULT_LEVERS) + 1)
    out = sorted(_as_chosen(config).box.out_of_play)
    text = f"out of play: {', '.join(map(str, out))}" if out else "all in play"
    yield Finding("levers", Verdict.OK, f"{len(levers)}, {text}; `shutthebox doctor --levers` watches them")
    found: dict[int, statistics.Health] = {}
    with contextlib.suppress(sqlite3.Error), _reading(config) as db:
        found = statistics.health(db)
    most = max((health.presses for health in found.values()), default=0)
    if most < MANY_PRESSES:
        yield Finding("lever health", Verdict.SKIP, "too few presses are kept to tell")
        return
    ailing = []
    for switch in (ROLL_BUTTON, *levers):
        health = found.get(switch, statistics.Health(0, 0))
        if switch not in out and not health.presses:
            ailing.append(f"{switch_name(switch)} was never pressed: is its wire cut?")
        elif switch not in out and health.chatter > 2 * WORN * health.presses:
            ailing.append(
                f"{switch_name(switch)} chatters: {health.chatter} edges in {health.presses} presses"
            )
    for text in ailing:
        yield Finding("lever health", Verdict.FAIL, text)
    if not ailing:
        yield Finding("lever health", Verdict.OK, f"up to {most} presses each, none chatters")


def _access(config: Config) -> Iterator[Finding]:
    """Whether this user may open the devices, and what to do if not."""
    devices = sorted(DEV.glob("gpiochip*")) + sorted(DEV.glob("i2c-*"))
    closed = [path for path in devices if not os.access(path, os.R_OK | os.W_OK)]
    for path in closed:
        try:
            group = path.group()
        except (KeyError, OSError):
            yield Finding("permission", Verdict.FAIL, f"{path} may not be opened, and has no group")
        else:
            remedy = f"sudo usermod -aG {group} {getpass.getuser()}, then log in again"
            yield Finding("permission", Verdict.FAIL, f"{path} is the group {group}'s: {remedy}")
    if devices and not closed:
        yield Finding("permission", Verdict.OK, ", ".join(map(str, devices)))


def _pins(config: Config) -> Iterator[Finding]:
    if config.gpio.backend is not Backend.GPIOD:
        yield Finding("chip", Verdict.SKIP, f"looked at with gpiod only, not {config.gpio.backend}")
        return
    try:
        from gpiozero.exc import GPIOZeroError

        from gpiozero_gpiod import chips
    except ImportError as error:
        yield Finding("chip", Verdict.SKIP, f"{error.name} is not installed")
        return
    with contextlib.ExitStack() as stack:
        try:
            header = chips.open_header()
        except (GPIOZeroError, OSError) as error:
            yield Finding("chip", Verdict.FAIL, str(error))
            yield Finding("lines", Verdict.SKIP, "there is no chip to ask")
            return
        stack.callback(header.close)
        yield Finding("chip", Verdict.OK, f"{header.path}, {header.get_info().label}")
        for name, line in wiring(config):
            if name.startswith("display"):
                continue  # the kernel's I2C driver has these
            try:
                chip, offset = header, line
                if isinstance(line, str):
                    chip_name, _, offset = line.rpartition(":")
                    chip = chips.open_named(int(chip_name) if chip_name.isdigit() else chip_name)
                    stack.callback(chip.close)
                info = chip.get_line_info(int(offset) if str(offset).isdigit() else offset)
            except (GPIOZeroError, OSError, ValueError) as error:
                yield Finding(name, Verdict.FAIL, f"line {line}: {error}")
                continue
            holder = info.consumer or "a kernel driver"
            if not info.used:
                yield Finding(name, Verdict.OK, f"line {line} is free")
            elif holder == "shutthebox":
                yield Finding(name, Verdict.OK, f"line {line} is held by the running box")
            else:
                yield Finding(name, Verdict.FAIL, f"line {line} is busy: {holder} has it")


def _display(config: Config) -> Iterator[Finding]:
    display = config.display
    if display.controller is Controller.NONE:
        yield Finding("display", Verdict.SKIP, "the configuration has none")
        return
    node = DEV / f"i2c-{display.bus}"
    if not node.exists():
        yield Finding("display", Verdict.FAIL, f"no {node}: dtparam=i2c_arm=on in config.txt, or i2c-dev")
        return
    if not os.access(node, os.R_OK | os.W_OK):
        yield Finding("display", Verdict.FAIL, f"{node} may not be opened: is the user in the group i2c?")
        return
    try:
        from smbus2 import SMBus

        with SMBus(display.bus) as bus:
            # A control byte without a command: every controller of these takes it, and does nothing.
            bus.write_byte(display.address, 0x00)
            status = _read_status(bus, display.address)
    except ImportError:
        yield Finding("display", Verdict.SKIP, "smbus2 is not installed")
    except OSError as error:
        yield Finding("display", Verdict.FAIL, f"nothing answers at 0x{display.address:02X}: {error}")
    else:
        where = f"0x{display.address:02X} on {node}"
        yield Finding("display", Verdict.OK, f"answers at {where}")
        yield _panel_type(display.controller, status)


def _read_status(bus: Any, address: int) -> int | None:  # noqa: ANN401  (smbus2 has no types)
    """The panel's status byte; None from the many that are wired for writing only."""
    try:
        return int(bus.read_byte(address))
    except OSError:
        return None


def _panel_type(configured: Controller, status: int | None) -> Finding:
    """What the low four bits of the status give away; the sheets promise nothing about them."""
    chip = None if status is None else STATUS.get(status & 0x0F)
    if status is None or chip is None:
        told = "nothing" if status is None else f"status 0x{status:02X}"
        text = f"says {told} of its type; configured as {configured}. A picture two columns off: sh1106"
        return Finding("panel", Verdict.SKIP, text)
    if chip is configured:
        return Finding("panel", Verdict.OK, f"{chip}, by its status 0x{status:02X}")
    text = f"looks like {chip} (status 0x{status:02X}), configured as {configured}: display.controller"
    return Finding("panel", Verdict.FAIL, text)


def _reading(config: Config) -> Any:  # noqa: ANN401  (contextlib's own type)
    """The store, for reading only; a running box is not disturbed."""
    file = (config.state_folder / FILE_NAME).absolute()
    return contextlib.closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True))


def _as_chosen(config: Config) -> Config:
    """The configuration with what was chosen at the box, as far as it can be read."""
    with contextlib.suppress(sqlite3.Error, ValueError), _reading(config) as db:
        out = statistics.out_of_play(db)
        return with_choices(config, {"box.out_of_play": out if out is None else list(out)})
    return config


def _store(config: Config) -> Iterator[Finding]:
    try:
        os.getrandom(1, os.GRND_NONBLOCK)
        yield Finding("entropy", Verdict.OK, "the kernel's is ready")
    except (AttributeError, BlockingIOError):
        yield Finding("entropy", Verdict.SKIP, "not ready, or not to be asked on this system")
    folder = config.state_folder
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not os.access(there, os.R_OK | os.W_OK | os.X_OK):
        yield Finding("store", Verdict.FAIL, f"{there} may not be read and written")
        return
    file = folder / FILE_NAME
    if not file.is_file():
        yield Finding("store", Verdict.OK, f"{folder} can be written; nothing is kept there yet")
        yield Finding("dice", Verdict.SKIP, "no throws are kept")
        return
    try:
        with _reading(config) as db:
            found = statistics.read(db)
    except sqlite3.Error as error:
        yield Finding("store", Verdict.FAIL, f"{file}: {error}")
        yield Finding("dice", Verdict.SKIP, "the store cannot be read")
        return
    free = shutil.disk_usage(folder).free
    if not os.access(file, os.W_OK):
        yield Finding("store", Verdict.FAIL, f"{file} may not be written by this user")
    elif free < LEAST_FREE:
        yield Finding("store", Verdict.FAIL, f"{file}: the disk is full, {free >> 10} KiB are free")
    else:
        yield Finding("store", Verdict.OK, f"{file}: {found.matches} matches")
    p_values = [entry.fairness.p_value for entry in found.dice if entry.fairness.enough]
    if not p_values:
        yield Finding("dice", Verdict.SKIP, f"{found.throws} throws are too few to tell")
    else:
        # The least of several: each may be unlucky, so the bar is lowered by their number.
        fair = min(p_values) >= 0.001 / len(p_values)
        yield Finding("dice", Verdict.OK if fair else Verdict.FAIL, f"least p = {min(p_values):.4f}")


def _clock(config: Config) -> Iterator[Finding]:
    now = time.time()
    shown = time.strftime("%Y-%m-%d %H:%M")
    latest = _latest_match(config)
    if now < OLDEST_CLOCK_S:
        yield Finding("clock", Verdict.FAIL, f"{shown}: it has never been set; scores get wrong dates")
    elif latest is not None and latest > now + 60:
        kept = time.strftime("%Y-%m-%d %H:%M", time.localtime(latest))
        text = f"{shown}, but the last match is of {kept}: it has been set back, or was ahead"
        yield Finding("clock", Verdict.FAIL, text)
    elif KEPT_RIGHT.exists():
        yield Finding("clock", Verdict.OK, f"{shown}, set by the network")
    else:
        yield Finding("clock", Verdict.OK, f"{shown}; nothing here keeps it right, which only dates need")


def _latest_match(config: Config) -> float | None:
    with contextlib.suppress(sqlite3.Error), _reading(config) as db:
        return db.execute("select max(began_s) from match").fetchone()[0]  # type: ignore[no-any-return]
    return None
