"""Generates the harness's WireViz source from pinout.toml."""

from __future__ import annotations

from hwtools.box.dimensions import SWITCHES, Dimensions
from hwtools.pinout import HARDWARE, Connector, Pinout, at_plug

TARGET = HARDWARE / "harness" / "harness.yml"
#: Length of each plug's lead in metres: the open shell stands behind the base with its leads on.
LENGTHS = {"J2": 0.40, "J3": 0.40, "J4": 0.40, "J5": 0.40, "J6": 0.40, "J7": 0.20, "J8": 0.40, "J9": 0.40,
           "J11": 0.40}  # fmt: skip


def generate_source(wiring: Pinout) -> str:
    """Return the text of harness.yml: each plug of the board, its lead, and what it leads to."""
    parts: dict[str, list[str]] = {"connectors": [], "cables": [], "connections": []}

    def add(kind: str, name: str, **facts: object) -> None:
        parts[kind] += [f"  {name}:", *(f"    {key}: {fact}" for key, fact in facts.items() if fact)]

    def end(name: str, what: str, labels: str, subtype: str = "", notes: str = "") -> None:
        add("connectors", name, type=what, subtype=subtype, notes=notes, pinlabels=f"[{labels}]")

    def plug(ref: str) -> None:
        c: Connector = wiring.connector(ref)
        labels = ", ".join(at_plug(p) for p in c.pins)
        add("connectors", ref, type=f"{c.family} {c.mate}", subtype="female, crimped",
            notes=c.name.lower(), pinlabels=f"[{labels}]")  # fmt: skip

    def cable(name: str, colours: str, length: float, note: str) -> None:
        add("cables", name, gauge="0.14 mm2", length=length, colors=f"[{colours}]", notes=note)

    def link(*steps: str) -> None:
        parts["connections"].append("  -\n" + "\n".join(f"    - {s}" for s in steps))

    for block in range(4):
        ref, lead = f"J{2 + block}", f"W{2 + block}"
        plug(ref)
        first = 3 * block + 1
        where = "boxes of ten and twelve only" if block == 3 else "lever bank, left to right"
        cable(lead, "WH, BN, GN, BK", LENGTHS[ref], where)
        cable(f"{lead}g", "BK, BK", 0.06, "ground from switch to switch")
        for k in range(3):
            name = SWITCHES[Dimensions().switch].name
            add("connectors", f"S{first + k}", type=name, subtype="solder", notes=f"lever {first + k}",
                pinlabels='["NO", COM]')  # fmt: skip
            link(f"{ref}: [{k + 1}]", f"{lead}: [{k + 1}]", f"S{first + k}: [1]")
        link(f"{ref}: [4]", f"{lead}: [4]", f"S{first}: [2]")
        link(f"S{first}: [2]", f"{lead}g: [1]", f"S{first + 1}: [2]")
        link(f"S{first + 1}: [2]", f"{lead}g: [2]", f"S{first + 2}: [2]")
    plug("J6")
    end("ROLL", "arcade button 30 mm", '"NO", COM, LAMP_A, LAMP_K, BODY', "with 5 V lamp")
    cable("W6", "WH, BK, RD, BU, GN", LENGTHS["J6"], "BODY only if the button is of metal")
    link("J6: [1-5]", "W6: [1-5]", "ROLL: [1-5]")
    plug("J7")
    end("KEY", "service switch", "SERVICE, SHUTDOWN, GND", "optional, inside the box")
    cable("W7", "WH, YE, BK", LENGTHS["J7"], "or use SW1 and SW2 on the board")
    link("J7: [1-3]", "W7: [1-3]", "KEY: [1-3]")
    plug("J8")
    end("BUZZER", "transducer CEM-1203(42)", '"-", "+"')
    cable("W8", "BK, RD", LENGTHS["J8"], "passive, not a beeper")
    link("J8: [1-2]", "W8: [1-2]", "BUZZER: [1-2]")
    plug("J9")
    kinds, order = "SSD1306, SSD1309 or SH1106", "the order differs between makers, go by the names"
    end("OLED", "128x64 I2C display", "GND, VCC, SDA, SCL", kinds, order)
    cable("W9", "BK, RD, BU, YE", LENGTHS["J9"], "shorter is better, 0.5 m at most")
    link("J9: [1-4]", "W9: [1-4]", "OLED: [1-4]")
    plug("J11")
    end("OLED_SPI", "128x64 SPI display", "GND, VCC, D0, D1, RES, DC, CS", kinds, order)
    cable("W11", "BK, RD, BU, YE, WH, GN, BN", LENGTHS["J11"], "in place of W9")
    link("J11: [1-7]", "W11: [1-7]", "OLED_SPI: [1-7]")
    head = "# The wiring harness for WireViz; written by hardware/tools/hwtools/harness.py from pinout.toml."
    body = "\n\n".join(f"{kind}:\n" + "\n".join(lines) for kind, lines in parts.items())
    return f"{head}\nmetadata:\n  title: Shut the Box harness\n\n{body}\n"
