"""Compares pinout.toml with everything that repeats it; ``python -m hwtools.places`` lists what to change.

After a change in pinout.toml, ``make -C hardware sources`` writes the generated files; what's left on the
list has to be changed by hand in KiCad.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator

from hwtools import generated, kicad
from hwtools.pinout import (
    CHANNELS,
    GROUND_PINS,
    I2C_RESISTORS,
    POWER_PINS,
    PRINTED_NAMES,
    SPI_RESISTORS,
    Pinout,
    PinoutError,
    at_plug,
    load,
)

#: Parts of every channel: first digits of the reference, value, what its two pads carry.
_CHANNEL = {
    "R1": ("3.3k", ("+3V3", "SW_{0}")),
    "R2": ("1k", ("SW_{0}", "{0}")),
    "C1": ("100n", ("{0}", "GND")),
    "D1": ("PESD5V0S1BA", ("SW_{0}", "GND")),
}


def _short(net: str) -> str:
    """Return a net's name as printed in the table on the board's back."""
    if net.startswith("LAMP") and net[4:].isdigit():
        return net[4:]
    return PRINTED_NAMES.get(net, at_plug(net).removeprefix("TILE").removesuffix("_FUSED"))


def find_disagreements(wiring: Pinout, board: kicad.Board | None = None) -> list[str]:
    """Return a line for each place that disagrees with *wiring*."""
    board = board or kicad.read()
    return [*_kicad(wiring, board), *_firmware(wiring), *_generated(wiring)]


def _kicad(wiring: Pinout, board: kicad.Board) -> Iterator[str]:
    header = {str(s.header_pin): s.name for s in wiring.signals}
    header |= {str(p): "GND" for p in GROUND_PINS} | {str(p): net for p, net in POWER_PINS.items()}
    for (ref, pin), net in sorted(board.pads.items()):
        if ref != "J1":
            continue
        wanted = header.get(pin)
        if wanted and net != wanted:
            yield f"KiCad, page 1 and board: J1 pin {pin} carries {net}, pinout.toml says {wanted}"
        elif not wanted and "unconnected" not in net and "Pad" not in net:
            yield f"KiCad, page 1 and board: J1 pin {pin} carries {net}, pinout.toml says nothing"
    for connector in wiring.connectors:
        for number, net in enumerate(connector.pins, start=1):
            carries = board.pads.get((connector.ref, str(number)), "nothing")
            if carries != net:
                yield f"KiCad: {connector.ref} pin {number} carries {carries}, pinout.toml says {net}"
        row = " ".join(_short(net) for net in connector.pins)
        if row not in board.texts:
            yield f"KiCad, board, back: the table of plugs has no row {row!r} for {connector.ref}"
    for number, name in CHANNELS.items():
        for kind, (value, nets) in _CHANNEL.items():
            ref = f"{kind}{number:02}"
            part = board.parts.get(ref)
            if part is None:
                yield f"KiCad: no {ref} for {name}"
                continue
            if part.value != value:
                yield f"KiCad: {ref} is {part.value}, a channel has {value} there"
            carried = {board.pads.get((ref, pad), "") for pad in "12"}
            wanted_nets = {net.format(name) for net in nets}
            if carried != wanted_nets:
                joins = f"channel {number} ({name}) joins {sorted(wanted_nets)}"
                yield f"KiCad: {ref} joins {sorted(carried)}, {joins}"
    for ref, name in (I2C_RESISTORS | SPI_RESISTORS).items():
        joined = {board.pads.get((ref, pad), "") for pad in "12"}
        if joined != {name, f"OLED_{name}"}:
            yield f"KiCad: {ref} joins {sorted(joined)}, it is between {name} and the display's plug"
    for ref, wanted_pads in SUPPLY_JUMPERS.items():
        pads = tuple(board.pads.get((ref, pad), "nothing") for pad in "123")
        if pads != wanted_pads:
            yield f"KiCad: {ref} carries {', '.join(pads)}, it should carry {', '.join(wanted_pads)}"
    rows = kicad.read_pin_map()
    for s in wiring.signals:
        cells = [str(s.bcm), str(s.header_pin), s.connector or "-"]
        if rows.get(s.name) != cells:
            yield f"KiCad, page 1, pin map: the row of {s.name} is {rows.get(s.name)}, it should be {cells}"
    for part in board.parts.values():
        if not part.has_courtyard and part.ref[0] != "H":
            yield f"KiCad: {part.ref} has no courtyard"


SUPPLY_JUMPERS = {"JP1": ("GND", "GND", "3V3_FUSED"), "JP2": ("3V3_FUSED", "3V3_FUSED", "GND")}
"""What the three pads of J11's supply jumpers carry as made, with 1 and 2 joined."""

SIGNALS = {"roll": "ROLL", "buzzer": "BUZZER", "lamp": "ROLL_LED", "service": "SERVICE"}
"""The signal for each of the firmware's ``[gpio]`` keys; the levers are TILE1 onwards."""


def _firmware(wiring: Pinout) -> Iterator[str]:
    """Compare the firmware's default.toml, including keys that are commented out."""
    folder = generated.ROOT / "firmware" / "shutthebox" / "config"
    text = (folder / "default.toml").read_text(encoding="utf-8")
    config = tomllib.loads(re.sub(r"(?m)^# ((?:service|reset) = \d)", r"\1", text))
    wanted: dict[tuple[str, str], object] = {
        ("gpio", key): wiring.signal(name).bcm for key, name in SIGNALS.items()
    }
    wanted["gpio", "levers"] = list(wiring.levers)
    wanted["display", "bus"] = wiring.raw["i2c"]["bus"]
    wanted["display", "address"] = wiring.raw["i2c"]["oled_address"]
    wanted["display", "dc"], wanted["display", "reset"] = wiring.signal("DC").bcm, wiring.signal("RST").bcm
    for (section, key), value in wanted.items():
        if config[section].get(key) != value:
            yield f"config/schema.py: {section}.{key}: default.toml should have {value}; make generated"


def _generated(wiring: Pinout) -> Iterator[str]:
    for path, content in generated.generate_files(wiring).items():
        if path.read_text(encoding="utf-8") != content:
            yield f"{path.relative_to(generated.ROOT)}: run make -C hardware sources"


def main() -> int:
    """Print the places, or what's wrong with pinout.toml; return 1 if there's anything to change."""
    try:
        found = find_disagreements(load())
    except PinoutError as error:
        print(error, file=sys.stderr)
        return 1
    for place in found:
        print(place, file=sys.stderr)
    print(f"pinout: {len(found)} places to change")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
