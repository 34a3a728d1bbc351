"""`shutthebox doctor --display`: the panels on the bus, their controllers, and the config lines for them.

The SSD1306, SSD1309 and SH1106 take almost the same commands, and no command asks for the type. One
difference: over I2C only the SH1106's memory can be read back. The SSD1306 and the SSD1309 cannot be told
apart for certain; the low bits of their status often differ, but their data sheets promise nothing.
"""

import json
from dataclasses import dataclass
from typing import Any

from shutthebox.cli.doctor import hardware
from shutthebox.config.schema import Config, Controller
from shutthebox.errors import ShutTheBoxError

ADDRESSES = (0x3C, 0x3D)
"""Where such panels can be: a resistor on their back chooses."""

_COMMAND, _DATA = 0x00, 0x40  # control bytes
_NOTHING = 0xE3
_COLUMN = 60
_PATTERNS = (b"\xa5\x00\x3c\xff", b"\x5a\xff\xc3\x00")
SIZES = {Controller.SH1106: "1.3 inch", Controller.SSD1306: "0.96 inch", Controller.SSD1309: "2.42 inch"}
"""The panels that usually have these controllers."""


class BusError(ShutTheBoxError, OSError):
    """The I2C bus cannot be used."""

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

    Raises:
        BusError: no bus, no right to use it, or no smbus2.
    """
    found = look(config.display.bus)
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
        where = " or ".join(f"0x{address:02X}" for address in ADDRESSES)
        bus = f"/dev/i2c-{config.display.bus}"
        print(f"no display answers at {where} on {bus}: its lead, or the order of its pins")
        return 1
    for panel, text in zip(found, lines, strict=True):
        print(f"0x{panel.address:02X}: {' or '.join(panel.controllers)}: {panel.reason}")
        if _configured(config, panel):
            print("The config says the same already.")
            continue
        print(f"Write into the config:\n\n{text}")
        if not panel.certain:
            others = ", ".join(f"{SIZES[c]}: {c}" for c in panel.controllers)
            print(
                f"The size of the panel decides ({others}); shutthebox doctor --outputs shows a test picture."
            )
    return 0


def _configured(config: Config, panel: Found) -> bool:
    display = config.display
    return display.address == panel.address and display.controller in panel.controllers


def _lines(panel: Found) -> str:
    return f'[display]\ncontroller = "{panel.controllers[0]}"\naddress = 0x{panel.address:02X}\n'


def look(number: int) -> list[Found]:
    """Asks at both addresses of an I2C bus; writes a few dots to a panel's memory.

    Raises:
        BusError: no bus, no right to use it, or no smbus2.
    """
    try:
        from smbus2 import SMBus
    except ImportError:
        raise BusError("smbus2 is not installed: apt install python3-smbus2") from None
    node = hardware.DEV / f"i2c-{number}"
    if not node.exists():
        raise BusError(f"no {node}: dtparam=i2c_arm=on in config.txt, or i2c-dev")
    try:
        with SMBus(number) as bus:
            return [_identify(bus, address) for address in ADDRESSES if _answers(bus, address)]
    except OSError as error:
        raise BusError(f"{node} cannot be used: {error}") from error


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
    if _gives_back(bus, address):
        return Found(address, (Controller.SH1106,), "it gives back what was written to its memory")
    status = hardware.read_status(bus, address)
    likely = None if status is None else hardware.STATUS.get(status & 0x0F)
    rest = (Controller.SSD1306, Controller.SSD1309)
    if likely is Controller.SH1106:
        return Found(address, (likely, *rest), f"its memory cannot be read; its status is 0x{status:02X}")
    if likely is not None:
        ordered = (likely, *(c for c in rest if c is not likely))
        return Found(address, ordered, f"its memory cannot be read; its status is 0x{status:02X}")
    told = "nothing of it can be read" if status is None else f"its status, 0x{status:02X}, says nothing"
    return Found(address, (*rest, Controller.SH1106), told)


def _gives_back(bus: Any, address: int) -> bool:  # noqa: ANN401
    """Whether memory written is memory read, with two patterns: a floating bus reads the same twice."""
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
