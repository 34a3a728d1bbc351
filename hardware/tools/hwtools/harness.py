"""Writes the WireViz source of the harness from pinout.toml."""

from __future__ import annotations

from hwtools.box.dimensions import SWITCHES, Dimensions
from hwtools.pinout import HARDWARE, Connector, Pinout, at_plug

__all__ = ["LENGTHS", "TARGET", "source"]

TARGET = HARDWARE / "harness" / "harness.yml"
#: Length of each plug's lead in metres: the open shell stands behind the base with its leads on.
LENGTHS = {"J2": 0.40, "J3": 0.40, "J4": 0.40, "J5": 0.40, "J6": 0.40, "J7": 0.20, "J8": 0.40, "J9": 0.40}


def _plug(connector: Connector) -> list[str]:
    labels = ", ".join(at_plug(p) for p in connector.pins)
    return [
        f"  {connector.ref}:",
        f"    type: {connector.family} {connector.mate}",
        "    subtype: female, crimped",
        f"    notes: {connector.name.lower()}",
        f"    pinlabels: [{labels}]",
    ]


def source(wiring: Pinout) -> str:
    """Return the text of harness.yml: every plug of the board, its lead, and what hangs on it."""
    connectors: list[str] = []
    cables: list[str] = []
    links: list[str] = []

    def cable(name: str, colours: list[str], length: float, note: str, gauge: str = "0.14 mm2") -> None:
        cables.extend(
            [
                f"  {name}:",
                f"    gauge: {gauge}",
                f"    length: {length}",
                f"    colors: [{', '.join(colours)}]",
                f"    notes: {note}",
            ]
        )

    def link(*steps: str) -> None:
        links.append("  -\n" + "\n".join(f"    - {s}" for s in steps))

    for block in range(4):
        plug = wiring.connector(f"J{2 + block}")
        connectors += _plug(plug)
        first = 3 * block + 1
        cable(
            f"W{2 + block}",
            ["WH", "BN", "GN", "BK"],
            LENGTHS[plug.ref],
            "boxes of ten and twelve only" if block == 3 else "lever bank, left to right",
        )
        cable(f"W{2 + block}g", ["BK", "BK"], 0.06, "ground from switch to switch")
        for k in range(3):
            connectors += [
                f"  S{first + k}:",
                f"    type: {SWITCHES[Dimensions().switch].name}",
                "    subtype: solder",
                f"    notes: lever {first + k}",
                '    pinlabels: ["NO", COM]',
            ]
            link(f"J{2 + block}: [{k + 1}]", f"W{2 + block}: [{k + 1}]", f"S{first + k}: [1]")
        link(f"J{2 + block}: [4]", f"W{2 + block}: [4]", f"S{first}: [2]")
        link(f"S{first}: [2]", f"W{2 + block}g: [1]", f"S{first + 1}: [2]")
        link(f"S{first + 1}: [2]", f"W{2 + block}g: [2]", f"S{first + 2}: [2]")
    plug = wiring.connector("J6")
    connectors += _plug(plug)
    connectors += [
        "  ROLL:",
        "    type: arcade button 30 mm",
        "    subtype: with 5 V lamp",
        '    pinlabels: ["NO", COM, LAMP_A, LAMP_K, BODY]',
    ]
    cable("W6", ["WH", "BK", "RD", "BU", "GN"], LENGTHS["J6"], "BODY only if the button is of metal")
    link("J6: [1-5]", "W6: [1-5]", "ROLL: [1-5]")
    plug = wiring.connector("J7")
    connectors += _plug(plug)
    connectors += [
        "  KEY:",
        "    type: service switch",
        "    subtype: optional, inside the box",
        "    pinlabels: [SERVICE, SHUTDOWN, GND]",
    ]
    cable("W7", ["WH", "YE", "BK"], LENGTHS["J7"], "or use SW1 and SW2 on the board")
    link("J7: [1-3]", "W7: [1-3]", "KEY: [1-3]")
    plug = wiring.connector("J8")
    connectors += _plug(plug)
    connectors += ["  BUZZER:", "    type: transducer CEM-1203(42)", '    pinlabels: ["-", "+"]']
    cable("W8", ["BK", "RD"], LENGTHS["J8"], "passive, not a beeper")
    link("J8: [1-2]", "W8: [1-2]", "BUZZER: [1-2]")
    plug = wiring.connector("J9")
    connectors += _plug(plug)
    connectors += [
        "  OLED:",
        "    type: 128x64 I2C display",
        "    subtype: SSD1306, SSD1309 or SH1106",
        "    notes: the order differs between makers, go by the names",
        "    pinlabels: [GND, VCC, SDA, SCL]",
    ]
    cable("W9", ["BK", "RD", "BU", "YE"], LENGTHS["J9"], "shorter is better, 0.5 m at most")
    link("J9: [1-4]", "W9: [1-4]", "OLED: [1-4]")
    head = (
        "# The wiring harness for WireViz; written by hardware/tools/hwtools/harness.py from pinout.toml.\n"
    )
    return (
        head
        + "metadata:\n  title: Shut the Box harness\n\nconnectors:\n"
        + "\n".join(connectors)
        + "\n\ncables:\n"
        + "\n".join(cables)
        + "\n\nconnections:\n"
        + "\n".join(links)
        + "\n"
    )
