"""`shutthebox doctor`: the live hardware, one check a line."""

import argparse
import contextlib
import dataclasses
import importlib.metadata
import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from shutthebox import config as configuration
from shutthebox.commands.check import wiring
from shutthebox.config import Backend, Config, Controller

LIBRARIES = {"gpiozero": (2, 0, 1), "gpiod": (2, 1), "luma.oled": (3, 13)}
"""What the box runs on, and the oldest version that will do."""

OLDEST_CLOCK_S = 1_735_689_600
"""The start of 2025: a clock before that has never been set."""


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
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints every finding; 1 if one of them is bad."""
    config = configuration.read(args.config) if args.config else configuration.usual()
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
    checks: tuple[Callable[[Config], Iterator[Finding]], ...] = (_pins, _display, _store)
    for check in checks:
        yield from check(config)
    if time.time() < OLDEST_CLOCK_S:
        yield Finding("clock", Verdict.FAIL, "it has never been set; scores get wrong dates")
    else:
        yield Finding("clock", Verdict.OK, time.strftime("%Y-%m-%d %H:%M"))


def _library(name: str, least: tuple[int, ...]) -> Finding:
    wanted = ".".join(map(str, least))
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, Verdict.FAIL, f"not installed; {wanted} or newer is needed")
    digits = tuple(int(part) for part in version.split(".")[: len(least)] if part.isdigit())
    return Finding(name, Verdict.OK if digits >= least else Verdict.FAIL, f"{version}, needed {wanted}")


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
    node = Path(f"/dev/i2c-{display.bus}")
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
    except ImportError:
        yield Finding("display", Verdict.SKIP, "smbus2 is not installed")
    except OSError as error:
        yield Finding("display", Verdict.FAIL, f"nothing answers at 0x{display.address:02X}: {error}")
    else:
        where = f"0x{display.address:02X} on {node}"
        yield Finding("display", Verdict.OK, f"answers at {where}; configured as {display.controller}")


def _store(config: Config) -> Iterator[Finding]:
    from shutthebox.platform import statistics
    from shutthebox.platform.store import FILE_NAME

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
        with contextlib.closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
            found = statistics.read(db)
    except sqlite3.Error as error:
        yield Finding("store", Verdict.FAIL, f"{file}: {error}")
        yield Finding("dice", Verdict.SKIP, "the store cannot be read")
        return
    yield Finding("store", Verdict.OK, f"{file}: {found.matches} matches")
    p_values = [entry.fairness.p_value for entry in found.dice if entry.fairness.enough]
    if not p_values:
        yield Finding("dice", Verdict.SKIP, f"{found.throws} throws are too few to tell")
    else:
        # The least of several: each may be unlucky, so the bar is lowered by their number.
        fair = min(p_values) >= 0.001 / len(p_values)
        yield Finding("dice", Verdict.OK if fair else Verdict.FAIL, f"least p = {min(p_values):.4f}")
