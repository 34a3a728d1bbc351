"""Draws the nine-lever prototype on perfboard, with every part and lead, from pinout.toml."""

from __future__ import annotations

from hwtools.pinout import HARDWARE, Pinout

TARGET = HARDWARE / "pictures" / "perfboard.svg"
_STEP = 24
_COLUMNS, _ROWS = 40, 14


def draw(wiring: Pinout, levers: int = 9) -> str:
    """Return the SVG, seen from the parts' side: one grid point per hole, four columns per channel."""
    names = [f"TILE{n}" for n in range(1, levers + 1)] + ["ROLL"]
    out: list[str] = []

    def x(column: float) -> float:
        return 60 + column * _STEP

    def y(row: float) -> float:
        return 70 + row * _STEP

    def line(c0: float, r0: float, c1: float, r1: float, style: str) -> None:
        out.append(f'<line x1="{x(c0):g}" y1="{y(r0):g}" x2="{x(c1):g}" y2="{y(r1):g}" class="{style}"/>')

    def word(c: float, r: float, text: str, style: str = "t", anchor: str = "middle") -> None:
        out.append(f'<text x="{x(c):g}" y="{y(r):g}" class="{style}" text-anchor="{anchor}">{text}</text>')

    def part(c0: float, r0: float, c1: float, r1: float, style: str) -> None:
        line(c0, r0, c1, r1, "leg")
        cx, cy = (x(c0) + x(c1)) / 2, (y(r0) + y(r1)) / 2
        w, h = (40, 14) if r0 == r1 else (14, 40)
        if style == "cap":
            w, h = 12, 20
        out.append(
            f'<rect x="{cx - w / 2:g}" y="{cy - h / 2:g}" width="{w}" height="{h}" rx="4" class="{style}"/>'
        )

    for row in range(_ROWS):
        for column in range(_COLUMNS):
            out.append(f'<circle cx="{x(column):g}" cy="{y(row):g}" r="2.2" class="hole"/>')
    line(0, 0, _COLUMNS - 1, 0, "v3")
    line(0, 12, _COLUMNS - 1, 12, "gnd")
    word(-0.6, 0.2, "3V3", anchor="end")
    word(-0.6, 12.2, "GND", anchor="end")
    for index, name in enumerate(names):
        signal = wiring.signal(name)
        c = 4 * index
        part(c, 0, c, 4, "r3")
        line(c, 4, c, 11, "sw")
        part(c, 5, c + 3, 5, "r1")
        line(c + 3, 5, c + 3, 7, "pin")
        part(c + 3, 7, c + 3, 9, "cap")
        line(c + 3, 9, c + 3, 12, "gnd")
        line(c + 3, 5, c + 3, 1.2, "lead")
        word(c + 2, 2.0, f"pin {signal.header_pin}", "b")
        word(c + 2, 2.5, f"BCM {signal.bcm}", "s")
        line(c, 11, c, 13.4, "lead")
        line(c + 1, 12, c + 1, 13.4, "lead")
        label = name.replace("TILE", "lever ") if name != "ROLL" else "roll"
        word(c + 0.5, 14, label, "b")
    width, height = 120 + _COLUMNS * _STEP, 110 + (_ROWS + 4) * _STEP
    notes = (
        "Seen from the parts' side. Each channel: 3.3k from 3V3 to the switch (upright, left), 1k to "
        "the Pi's pin "
        "(lying), 100n"
        " from the pin to ground.",
        "Bottom leads: left to the switch's NO, right to its COM. Top leads: to the header of the Pi, "
        "pin numbers as written.",
        "3V3 is header pin 1, GND header pin 9. Capacitors of any kind from 16 V up.",
        "An I2C display goes straight to the Pi: GND 14, VCC 17, SDA 3, SCL 5; for SPI, and for buzzer and "
        "lamp, see the guide.",
    )
    text = "".join(f'<text x="60" y="{y(15.2) + 22 * i:g}" class="n">{n}</text>' for i, n in enumerate(notes))
    style = (
        "text{font-family:sans-serif;fill:#222}.t{font-size:13px}.b{font-size:12px;font-weight:bold}.s{font-size:10px}"
        ".n{font-size:14px}.h{font-size:20px;font-weight:bold}.hole{fill:#c9b38a}line{stroke-width:4;stroke-linecap:round}"
        ".leg{stroke:#999;stroke-width:3}.v3{stroke:#d33}.gnd{stroke:#222}.sw{stroke:#2a7}.pin{stroke:#27c}"
        ".lead{stroke:#888;stroke-dasharray:5 5}.r3{fill:#e7c48d;stroke:#855}.r1{fill:#a8c7e6;stroke:#457}"
        ".cap{fill:#f2d13c;stroke:#875}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">'
        f"<style>{style}</style><rect width='{width}' height='{height}' fill='#fff'/>"
        f"<text x='60' y='32' class='h'>Nine levers and the roll button on perfboard, "
        f"{_COLUMNS} x {_ROWS} holes</text>"
        f"{''.join(out)}{text}</svg>\n"
    )
