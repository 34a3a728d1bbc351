"""Generates what follows from pinout.toml: config.txt, tables in the docs, harness and perfboard.

``python -m hwtools.generated`` writes the files; [hwtools.places][] compares them.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from hwtools import harness, perfboard
from hwtools.box.dimensions import DISPLAYS
from hwtools.box.result import RESULT
from hwtools.pinout import HARDWARE, Pinout, PinoutError, at_plug, load

ROOT = HARDWARE.parent


def _ranges(numbers: list[int]) -> str:
    """Format 4, 5, 6, 12 as "4-6,12"; two in a row aren't a range."""
    groups: list[list[int]] = []
    for number in sorted(numbers):
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    parts = [f"{g[0]}-{g[-1]}" if len(g) > 2 else ",".join(map(str, g)) for g in groups]
    return ",".join(parts)


def config_txt(wiring: Pinout) -> str:
    """Return the lines for the Pi's boot configuration."""
    by_boot: dict[str, list[int]] = {}
    for signal in wiring.signals:
        if signal.boot:
            by_boot.setdefault(signal.boot, []).append(signal.bcm)
    shutdown = wiring.signal("SHUTDOWN").bcm
    i2c = wiring.raw["i2c"]
    return f"""\
# Lines for /boot/firmware/config.txt of the Shut the Box; made from hardware/pinout.toml.
# The package brings them as /usr/share/shutthebox/config.txt. What follows is for every model of Pi:
[all]

# The display's bus. 400 kHz is four times as fast as the default and what every SSD1306 and SH1106 takes.
dtparam=i2c_arm=on,i2c_arm_baudrate={i2c["baudrate"]}

# Levers, roll, service and shutdown: inputs with the Pi's pull-ups, from the first moment on.
gpio={_ranges(by_boot["ip,pu"])}=ip,pu
# Buzzer and roll lamp: outputs, low: silent and dark until the box says otherwise.
gpio={_ranges(by_boot["op,dl"])}=op,dl

# Shutdown on GPIO {shutdown} (SW2, or a switch on J7.2): the power key to the system, which then stops everything in order.
# Leave it out to use the line for something else.
dtoverlay=gpio-shutdown,gpio_pin={shutdown},active_low=1,gpio_pull=up

# Only with a display on SPI: no data comes back, so 9 is free for its D/C, and 7 for its reset.
#dtparam=spi=on
#dtoverlay=spi0-1cs,no_miso

# Only with the lamps fitted (U2): the expander becomes another gpiochip.
#dtoverlay=mcp23017,addr=0x{i2c["lamps_address"]:x},noints
"""  # noqa: E501


def _pins_table(wiring: Pinout) -> str:
    rows = ["| signal | BCM | header pin | leaves at | direction | pull |", "|---|---|---|---|---|---|"]
    for s in wiring.signals:
        rows.append(
            f"| `{s.name}` | {s.bcm} | {s.header_pin} | {s.connector or '–'} | {s.direction} | {s.pull} |"
        )
    return "\n".join(rows)


def _plugs_table(wiring: Pinout) -> str:
    rows = ["| plug | for | kind, ways | mate | pins from 1 on |", "|---|---|---|---|---|"]
    for c in wiring.connectors:
        pins = ", ".join(at_plug(pin) for pin in c.pins)
        rows.append(f"| {c.ref} | {c.name.lower()} | {c.family}, {len(c.pins)} | {c.mate} | {pins} |")
    return "\n".join(rows)


def _modules_table() -> str:
    rows = ["| module | board | pins | sizes from | folder |", "|---|---|---|---|---|"]
    for module in DISPLAYS.values():
        wide, high, _ = module.board
        size = f"{wide:g} x {high:g} mm"
        row = (module.name, size, str(module.pins), module.source, f"`display-{module.key}`")
        rows.append(f"| {' | '.join(row)} |")
    return "\n".join(rows)


def _largest_module() -> str:
    wide, high = json.loads(RESULT.read_text(encoding="utf-8"))["largest module"]
    return f"Its board may be at most {wide:g} x {high:g} mm."


def between(text: str, mark: str, content: str) -> str:
    """Return a page with other content between two marks.

    Raises:
        ValueError: it has no such marks.
    """
    found = re.compile(rf"(<!-- {mark} -->\n).*?(\n<!-- end of {mark} -->)", re.S)
    if not found.search(text):
        raise ValueError(f"the page has no place for {mark}")
    return found.sub(lambda m: m[1] + content + m[2], text)


def generate_files(wiring: Pinout) -> dict[Path, str]:
    """Return each generated file and what it should contain."""
    docs = ROOT / "docs" / "hardware.md"
    text = docs.read_text(encoding="utf-8")
    for mark, content in (
        ("pins", _pins_table(wiring)),
        ("plugs", _plugs_table(wiring)),
        ("modules", _modules_table()),
    ):
        text = between(text, mark, content)
    guide = ROOT / "docs" / "build.md"
    return {
        HARDWARE / "config.txt": config_txt(wiring),
        docs: text,
        guide: between(guide.read_text(encoding="utf-8"), "largest module", _largest_module()),
        harness.TARGET: harness.generate_source(wiring),
        perfboard.TARGET: perfboard.draw(wiring),
    }


if __name__ == "__main__":
    try:
        wiring = load()
    except PinoutError as error:
        sys.exit(str(error))
    for path, content in generate_files(wiring).items():
        path.write_text(content, encoding="utf-8")
