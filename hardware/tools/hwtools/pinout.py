"""Reads hardware/pinout.toml, the one place where the wiring is written down."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: The folder hardware/ of this checkout.
HARDWARE = Path(__file__).resolve().parents[2]

#: BCM number -> pin of the 40-pin header; the same on every Pi since 2014.
HEADER: dict[int, int] = {
    0: 27, 1: 28, 2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33, 14: 8,
    15: 10, 16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37, 27: 13,
}  # fmt: skip
#: Header pins that are ground.
GROUND_PINS = (6, 9, 14, 20, 25, 30, 34, 39)
#: Header pins that are supplies.
POWER_PINS = {1: "+3V3", 17: "+3V3", 2: "+5V", 4: "+5V"}


#: Channel number -> signal: R1nn, R2nn, C1nn and D1nn belong to channel nn.
CHANNELS: dict[int, str] = {
    **{n: f"TILE{n}" for n in range(1, 13)},
    13: "ROLL",
    14: "SERVICE",
    15: "SHUTDOWN",
}
#: Nets by the short names that are printed on the board's back.
PRINTED_NAMES = {
    "SW_ROLL": "switch",
    "SW_SERVICE": "service",
    "SW_SHUTDOWN": "shutdown",
    "LAMP_A": "lamp+",
    "LAMP_K": "lamp-",
    "BUZZER_A": "+",
    "BUZZER_K": "-",
}
#: Resistors between the Pi's buses and the display's plugs.
I2C_RESISTORS = {"R8": "SDA", "R9": "SCL"}
SPI_RESISTORS = {"R12": "SCLK", "R13": "MOSI", "R14": "RST", "R15": "DC", "R16": "CS"}


def at_plug(net: str) -> str:
    """Return a net's name as it's read at the plug, without the prefix for its side of the board."""
    return net.removeprefix("SW_").removeprefix("OLED_")


class PinoutError(ValueError):
    """pinout.toml is wrong. The message is one line and says where."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One line between the Pi and the box."""

    name: str
    bcm: int
    header_pin: int
    pull: str
    direction: str
    boot: str
    connector: str


@dataclass(frozen=True, slots=True)
class Connector:
    """One plug of the board; ``pins`` are net names, starting at pin 1."""

    ref: str
    name: str
    family: str
    part: str
    mate: str
    pins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pinout:
    """The whole wiring."""

    levers: tuple[int, ...]
    signals: tuple[Signal, ...]
    connectors: tuple[Connector, ...]
    raw: dict[str, Any]

    def signal(self, name: str) -> Signal:
        """Return the signal called *name*; KeyError if there is none."""
        return {signal.name: signal for signal in self.signals}[name]

    def connector(self, ref: str) -> Connector:
        """Return the connector with reference *ref*; KeyError if there is none."""
        return {connector.ref: connector for connector in self.connectors}[ref]


def load(path: Path = HARDWARE / "pinout.toml") -> Pinout:
    """Read and check the file.

    Raises:
        PinoutError: the file can't be read, a pin is used twice, or numbers disagree with the header or each
            other.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        signals = tuple(Signal(**entry) for entry in raw["signal"])
        connectors = tuple(Connector(**{**entry, "pins": tuple(entry["pins"])}) for entry in raw["connector"])
        levers = tuple(raw["levers"]["pins"])
    except (OSError, ValueError) as error:
        raise PinoutError(f"{path.name}: {error}") from None
    except (KeyError, TypeError) as error:
        raise PinoutError(f"{path.name}: a key is missing or unknown: {error}") from None
    for field in ("name", "bcm", "header_pin"):
        first: dict[object, Signal] = {}
        for signal in signals:
            other = first.setdefault(value := getattr(signal, field), signal)
            if other is not signal:
                raise PinoutError(
                    f"{path.name}: {other.name} and {signal.name} have the same {field}: {value}"
                )
    for signal in signals:
        if signal.bcm not in HEADER:
            raise PinoutError(f"{path.name}: {signal.name}: bcm is {signal.bcm}; the header has 0 to 27")
        if HEADER[signal.bcm] != signal.header_pin:
            raise PinoutError(
                f"{path.name}: {signal.name}: BCM {signal.bcm} is header pin {HEADER[signal.bcm]}, "
                f"not {signal.header_pin}"
            )
    if levers != tuple(s.bcm for s in signals if s.name.startswith("TILE")):
        raise PinoutError(f"{path.name}: levers.pins and the TILE signals differ")
    return Pinout(levers, signals, connectors, raw)
