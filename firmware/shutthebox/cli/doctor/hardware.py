"""Doctor checks of the hardware: permissions, chips and lines, the display."""

import contextlib
import getpass
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gpiozero.pins import Factory

from shutthebox.adapters.gpio import CONSUMER, PinsError, board_fault, is_down, open_factory
from shutthebox.cli.check_config import inverted, wiring
from shutthebox.cli.doctor.result import CheckResult, failed, passed, skipped
from shutthebox.config.schema import BOARD_LINES, SPI_LINES, Backend, Config, Interface, Line
from shutthebox.game.switches.switch import BUTTONS, switch

DEV = Path("/dev")

LINES_IN_USE = Path("/sys/kernel/debug/gpio")
"""Where the kernel lists, for root only, every line that a program holds."""

SPI_NODE = "spidev0.0"
"""SPI0 with its first chip enable, below `DEV`."""

PANEL_ADDRESSES = (0x3C, 0x3D)
"""The addresses such panels can have; a resistor on the back selects one."""

CHECK_LEADS = (
    "check its lead and the order of its pins; if it has a pin RES, set reset = 7 under [display]; "
    'if it has seven pins, it\'s probably set to SPI: interface = "spi"'
)
"""What helps if no panel answers on I2C."""


def check_access(config: Config) -> Iterator[CheckResult]:
    """Whether this user may open the devices; if not, with the remedy."""
    kinds = ("gpiochip*", "i2c-*", "spidev*")
    devices = [path for kind in kinds for path in sorted(DEV.glob(kind))]
    closed = [path for path in devices if not os.access(path, os.R_OK | os.W_OK)]
    for path in closed:
        try:
            group = path.group()
        except (KeyError, OSError):
            yield failed("permission", f"{path} can't be opened, and has no group")
        else:
            remedy = f"sudo usermod -aG {group} {getpass.getuser()}, then log in again"
            yield failed("permission", f"{path} belongs to the group {group}: {remedy}")
    if devices and not closed:
        yield passed("permission", ", ".join(map(str, devices)))


def check_pins(config: Config) -> Iterator[CheckResult]:
    """The chip behind the header, and every line of the wiring: free, or busy and by whom."""
    with contextlib.ExitStack() as stack:
        factory = None
        # Like `run`.
        try:
            factory = open_factory(config.gpio.backend)
        except PinsError as error:
            if config.gpio.backend is not Backend.GPIOD:
                yield failed("chip", str(error))
                return
        else:
            stack.callback(factory.close)
            unknown = board_fault(factory)
            if unknown is not None:
                yield failed("board", unknown)
            if config.gpio.backend is not Backend.GPIOD:
                yield passed("chip", f"{config.gpio.backend} opens it; only gpiod's lines can be checked")
                return
        try:
            from gpiozero.exc import GPIOZeroError

            from gpiozero_gpiod import chips
        except ImportError as error:
            yield skipped("chip", f"{error.name} is not installed")
            return
        try:
            header = chips.open_header()
        except (GPIOZeroError, OSError) as error:
            yield failed("chip", str(error))
            yield skipped("lines", "there's no GPIO chip")
            return
        stack.callback(header.close)
        yield passed("chip", f"{header.path}, {header.get_info().label}")
        # Held by the kernel's driver for the display's bus.
        buses = {*BOARD_LINES, *SPI_LINES}
        for name, line in (
            row for row in wiring(config) if not row[0].startswith("display") or row[1] not in buses
        ):
            try:
                chip, offset = header, line
                if isinstance(line, str):
                    chip_name, _, offset = line.rpartition(":")
                    chip = chips.open_named(int(chip_name) if chip_name.isdigit() else chip_name)
                    stack.callback(chip.close)
                info = chip.get_line_info(int(offset) if str(offset).isdigit() else offset)
            except (GPIOZeroError, OSError, ValueError) as error:
                yield failed(name, f"line {line}: {error}")
                continue
            holder = info.consumer or "a kernel driver"
            if not info.used:
                yield _check_free(config, factory, name, line)
            elif holder == CONSUMER:
                text = f"line {line} is held by the running box{inverted(config, name)}"
                yield _check_held(config, name, text, _level(chip.get_info().name, info.offset))
            else:
                yield failed(name, f"line {line} is busy: {holder} has it")


def _check_free(config: Config, factory: Factory | None, name: str, line: Line) -> CheckResult:
    """The result for a free line; for a switch, including its state."""
    text = f"line {line} is free{inverted(config, name)}"
    number = _switch_numbers(config).get(name)
    if number is None or factory is None:
        return passed(name, text)
    try:
        down = is_down(factory, line, inverted=number in config.gpio.inverted_switches)
    except Exception as error:  # libraries raise their own types
        return failed(name, f"line {line}: {error}")
    return _standing(name, number, text, down=down)


def _check_held(config: Config, name: str, text: str, level: bool | None) -> CheckResult:
    """The result for a line held by the box, at this level; for a switch, including its state."""
    number = _switch_numbers(config).get(name)
    if number is None:
        return passed(name, text)
    if level is None:
        return passed(name, f"{text}; Owner shows its state, and so does doctor as root")
    return _standing(name, number, text, down=level is (number in config.gpio.inverted_switches))


def _switch_numbers(config: Config) -> Mapping[str, int]:
    return {switch(number).name: number for number in (*BUTTONS, *range(1, len(config.gpio.levers) + 1))}


def _standing(name: str, number: int, text: str, *, down: bool) -> CheckResult:
    if down and number in BUTTONS:
        return failed(
            name, f"{text}, and down now: if nobody holds it, its switch is welded or its lead shorted"
        )
    return passed(name, f"{text}, {'down' if down else 'up'} now")


def _level(chip: str, offset: int) -> bool | None:
    """Whether a line held by a program is high; None if the kernel, which only tells root, doesn't say."""
    try:
        _, _, chips = LINES_IN_USE.read_text("utf-8", "replace").partition(f"{chip}: ")
    except OSError:
        return None
    lines = chips.partition("\ngpiochip")[0]
    first = re.match(r"GPIOs (\d+)-", lines)  # the latest kernels count from 0 on every chip
    number = offset + (int(first[1]) if first else 0)
    found = re.search(rf"^ gpio-{number} +\(.*\) (?:in|out) +(hi|lo)\b", lines, re.MULTILINE)
    return None if found is None else found[1] == "hi"


def check_display(config: Config) -> Iterator[CheckResult]:
    """Whether a panel answers on the bus."""
    display = config.display
    if display.controller is None:
        yield skipped("display", "the configuration has none")
        return
    if display.interface is Interface.SPI:
        if missing := no_spi():
            yield failed("display", missing)
        else:
            text = "a panel on it can't answer: shutthebox doctor --display shows a picture"
            yield passed("display", f"{DEV}/{SPI_NODE} is there; {text}")
        return
    node = DEV / f"i2c-{display.bus}"
    if not node.exists():
        yield failed("display", f"no {node}: dtparam=i2c_arm=on in config.txt, or i2c-dev")
        return
    if not os.access(node, os.R_OK | os.W_OK):
        yield failed("display", f"{node} can't be opened: is the user in the group i2c?")
        return
    try:
        from smbus2 import SMBus

        from shutthebox.adapters.display.opening import reset_on_i2c

        with reset_on_i2c(display, config.gpio.backend) as unreset, SMBus(display.bus) as bus:
            try:
                _ask(bus, display.address)
            except OSError as error:
                text = f"nothing answers at 0x{display.address:02X}: {error}"
                remedy = _elsewhere(bus) or f"; {unreset or CHECK_LEADS}"
                yield failed("display", f"{text}{remedy}")
                return
    except ImportError:
        yield skipped("display", "smbus2 is not installed")
    except OSError as error:
        yield failed("display", f"{node} can't be used: {error}")
    else:
        yield passed("display", f"answers at 0x{display.address:02X} on {node}")


def no_spi() -> str:
    """Why SPI can't be used, with the remedy; empty if it can."""
    node = DEV / SPI_NODE
    if not node.exists():
        return f"no {node}: dtparam=spi=on and dtoverlay=spi0-1cs,no_miso in config.txt"
    if not os.access(node, os.R_OK | os.W_OK):
        return f"{node} can't be opened: is the user in the group spi?"
    return ""


def _ask(bus: Any, address: int) -> None:  # noqa: ANN401  (smbus2 has no types)
    """Sends a control byte without a command, which all these controllers accept and ignore."""
    bus.write_byte(address, 0x00)


def _elsewhere(bus: Any) -> str:  # noqa: ANN401
    """Words for an error message: the panel address that does answer; empty if none does."""
    for address in PANEL_ADDRESSES:
        with contextlib.suppress(OSError):
            _ask(bus, address)
            return f"; but 0x{address:02X} answers: display.address = 0x{address:02X}"
    return ""
