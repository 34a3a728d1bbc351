"""`shutthebox doctor --display`: finds panels on the bus, their controllers, and the config lines for them.

Controllers take almost the same commands, and none reports its type. One difference: over I2C the memory of
some can be read back. The others can't be told apart for certain: the low bits of their status often differ,
but no data sheet promises it.
"""

import json
from dataclasses import dataclass
from typing import Any

from shutthebox.cli.doctor import hardware
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import Config, Interface
from shutthebox.errors import ShutTheBoxError

_COMMAND, _DATA = 0x00, 0x40  # control bytes
_NOTHING = 0xE3
_COLUMN = 60
_PATTERNS = (b"\xa5\x00\x3c\xff", b"\x5a\xff\xc3\x00")


class BusError(ShutTheBoxError, OSError):
    """The I2C bus can't be used."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Found:
    """A panel that answers.

    Attributes:
        address: on the bus.
        controllers: the possible ones, the likeliest first.
        reason: the evidence, in words.
    """

    address: int
    controllers: tuple[Controller, ...]
    reason: str

    @property
    def certain(self) -> bool:
        """Whether only one controller is left."""
        return len(self.controllers) == 1


def show(config: Config, *, as_json: bool) -> int:
    """Prints the panels and the lines for the config; returns 1 if there is none.

    A panel on SPI can't be queried, so it's sent a picture for a person to judge.

    Raises:
        BusError: no bus, no right to use it, or no smbus2.
    """
    if config.display.interface is Interface.SPI:
        return _show_spi(config, as_json=as_json)
    found, unreset = look(config)
    lines = [_lines(panel) for panel in found]
    if as_json:
        panels = [
            {
                "address": panel.address,
                "controllers": list(panel.controllers),
                "reason": panel.reason,
                "config": text,
            }
            for panel, text in zip(found, lines, strict=True)
        ]
        print(json.dumps({"bus": config.display.bus, "panels": panels}))
        return int(not found)
    if not found:
        where = " or ".join(f"0x{address:02X}" for address in hardware.PANEL_ADDRESSES)
        bus = f"/dev/i2c-{config.display.bus}"
        print(f"no display answers at {where} on {bus}: {unreset or hardware.CHECK_LEADS}")
        return 1
    for panel, text in zip(found, lines, strict=True):
        print(f"0x{panel.address:02X}: {' or '.join(panel.controllers)}: {panel.reason}")
        if _is_configured(config, panel):
            print("The config already says so.")
            continue
        print(f"Write into the config:\n\n{text}")
        if not panel.certain:
            others = ", ".join(f"{c.chip.panels}: {c}" for c in panel.controllers)
            print(f"It depends on the panel ({others}); shutthebox doctor --outputs shows a test picture.")
    return 0


def _show_spi(config: Config, *, as_json: bool) -> int:
    from shutthebox.adapters.display.opening import open_configured
    from shutthebox.adapters.display.panel import DisplayError
    from shutthebox.cli.doctor.outputs import picture

    controller = config.display.controller or Controller.SSD1306
    others = [other for other in Controller if other is not controller and not other.chip.like]
    fault = hardware.no_spi()
    if not fault:
        try:
            panel = open_configured(config.display, controller, config.gpio.backend)
            try:
                panel.push(picture(controller, config.display))
            finally:
                panel.close()
        except DisplayError as error:
            fault = str(error)
    reason = fault or "SPI can't be read back; a picture was sent"
    if as_json:
        panels = [] if fault else [{"address": None, "controllers": [controller, *others], "reason": reason}]
        print(json.dumps({"bus": hardware.SPI_NODE, "panels": panels, "fault": fault}))
    elif fault:
        print(fault)
    else:
        print(f"{hardware.SPI_NODE}: {reason}: a thin frame along all four edges, and {controller}.")
        print("Dark: check its leads (D/C and reset first), and that its jumpers aren't set to I2C.")
        print("Frame broken or two columns off: try " + ", ".join(f"{c} ({c.chip.panels})" for c in others))
    return int(bool(fault))


def _is_configured(config: Config, panel: Found) -> bool:
    display = config.display
    return display.address == panel.address and display.controller in panel.controllers


def _lines(panel: Found) -> str:
    return f'[display]\ncontroller = "{panel.controllers[0]}"\naddress = 0x{panel.address:02X}\n'


def look(config: Config) -> tuple[list[Found], str]:
    """Resets the panel, if the config has a line for that, and asks at both addresses of its I2C bus.

    Writes a few dots to a panel's memory.

    Returns:
        The panels, and why the line for the reset couldn't be driven, or "".

    Raises:
        BusError: no bus, no right to use it, or no smbus2.
    """
    try:
        from smbus2 import SMBus
    except ImportError:
        raise BusError("smbus2 is not installed: apt install python3-smbus2") from None
    from shutthebox.adapters.display.opening import reset_on_i2c

    number = config.display.bus
    node = hardware.DEV / f"i2c-{number}"
    if not node.exists():
        raise BusError(f"no {node}: dtparam=i2c_arm=on in config.txt, or i2c-dev")
    try:
        with reset_on_i2c(config.display, config.gpio.backend) as unreset, SMBus(number) as bus:
            found = [
                _identify(bus, address) for address in hardware.PANEL_ADDRESSES if _answers(bus, address)
            ]
            return found, unreset
    except OSError as error:
        raise BusError(f"{node} can't be used: {error}") from error


def _answers(bus: Any, address: int) -> bool:  # noqa: ANN401  (smbus2 has no types)
    try:
        _send(bus, address, _COMMAND, _NOTHING)
    except OSError:
        return False
    return True


def _send(bus: Any, address: int, *data: int) -> None:  # noqa: ANN401
    from smbus2 import i2c_msg

    bus.i2c_rdwr(i2c_msg.write(address, data))


def _identify(bus: Any, address: int) -> Found:  # noqa: ANN401
    # A controller compatible with an older one can't be told from it, and needn't be.
    all_kinds = [controller for controller in Controller if not controller.chip.like]
    status = hardware.read_status(bus, address)
    fitting = [c for c in all_kinds if status is not None and status & 0x0F in c.chip.status]
    if _gives_back(bus, address):
        readable = [c for c in all_kinds if c.chip.readable]
        likely = [c for c in readable if c in fitting] or readable
        return Found(address, tuple(likely), "its memory can be read back")
    if fitting:
        others = [c for c in all_kinds if c not in fitting and not c.chip.readable]
        told = f"its memory can't be read; its status is 0x{status:02X}"
        return Found(address, (*fitting, *others), told)
    told = "nothing can be read back" if status is None else f"its status, 0x{status:02X}, says nothing"
    return Found(address, tuple(sorted(all_kinds, key=lambda c: c.chip.readable)), told)


def _gives_back(bus: Any, address: int) -> bool:  # noqa: ANN401
    """Whether memory reads back as written, with two patterns: a floating bus always reads the same."""
    try:
        return all(_read_back(bus, address, pattern) == pattern for pattern in _PATTERNS)
    except OSError:
        return False


def _read_back(bus: Any, address: int, pattern: bytes) -> bytes:  # noqa: ANN401
    from smbus2 import i2c_msg

    place = (0xB0, _COLUMN & 0x0F, 0x10 | _COLUMN >> 4)  # page 0, low and high half of the column
    for part in place:
        _send(bus, address, _COMMAND, part)
    _send(bus, address, _DATA, *pattern)
    for part in place:
        _send(bus, address, _COMMAND, part)
    # The first byte after the column was set is a dummy.
    answer = i2c_msg.read(address, len(pattern) + 1)
    bus.i2c_rdwr(i2c_msg.write(address, [_DATA]), answer)
    return bytes(answer)[1:]
