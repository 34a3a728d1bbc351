"""Draws the schematic of the HAT from pinout.toml: four pages, one job each.

References tell the channel: R1nn pulls channel nn up, R2nn stands in series, C1nn and D1nn filter and
protect it. Channels 1 to 12 are the levers, 13 the roll button, 14 the service button, 15 shutdown.
"""

from __future__ import annotations

from pathlib import Path

from hwtools import pinout
from hwtools.parts import PARTS
from hwtools.schematic import Drawing, Placed, SheetBox

__all__ = ["CHANNELS", "PROJECT", "draw"]

PROJECT = "shutthebox-hat"
DATE = "2026-11-21"
#: channel number -> signal
CHANNELS: dict[int, str] = {
    **{n: f"TILE{n}" for n in range(1, 13)},
    13: "ROLL",
    14: "SERVICE",
    15: "SHUTDOWN",
}
_LICENCE = "CERN-OHL-P-2.0. Drawn by hardware/tools/hwtools/hat.py from hardware/pinout.toml"


def g(units: float) -> float:
    """Grid units of 2.54 mm, in mm."""
    return round(units * 2.54, 4)


class _Hat:
    """The four pages while they are drawn."""

    def __init__(self, wiring: pinout.Pinout) -> None:
        self.wiring = wiring
        self.power_count = 0
        self.root = Drawing(
            PROJECT,
            "Shut the Box HAT: Raspberry Pi header and supplies",
            "root",
            ("root",),
            comments=(_LICENCE,),
            date=DATE,
        )
        self.boxes = [
            SheetBox("Levers", "levers.kicad_sch", (g(13), g(78)), (g(26), g(12)), "2"),
            SheetBox("Controls", "controls.kicad_sch", (g(47), g(78)), (g(26), g(12)), "3"),
            SheetBox("Display and options", "options.kicad_sch", (g(81), g(78)), (g(26), g(12)), "4"),
        ]
        titles = (
            "Shut the Box HAT: twelve lever channels",
            "Shut the Box HAT: buttons, buzzer, lamp",
            "Shut the Box HAT: display, ID EEPROM, tile lamps",
        )
        self.pages = []
        for box, title in zip(self.boxes, titles, strict=True):
            ident = self.root.sheet(box)
            self.pages.append(
                Drawing(PROJECT, title, box.file, ("root", ident), self.root.uuid, (_LICENCE,), date=DATE)
            )

    def power(self, page: Drawing, name: str, at: tuple[float, float], flag: bool = False) -> None:
        self.power_count += 1
        ref = f"#FLG{self.power_count:03}" if flag else f"#PWR{self.power_count:03}"
        page.power("PWR_FLAG" if flag else name, at, ref)

    def two(
        self,
        page: Drawing,
        lib: str,
        ref: str,
        part: str,
        at: tuple[float, float],
        rotation: int = 0,
        fit: bool = True,
        side: float = 2.2,
    ) -> Placed:
        """A part with two pins and its texts beside it (upright) or above it (lying)."""
        item = PARTS[part]
        lying = rotation in (90, 270)
        if lib in ("Device:D_TVS", "Device:D", "Switch:SW_Push", "Jumper:SolderJumper_2_Open"):
            lying = not lying
        ref_at, value_at = ((0.0, -4.6), (0.0, -2.7)) if lying else ((side, -1.1), (side, 1.1))
        return page.symbol(
            lib,
            ref,
            item.value,
            at,
            rotation,
            footprint=item.footprint,
            fields=item.fields(),
            ref_at=ref_at,
            value_at=value_at,
            justify="" if lying else "left",
            fit=fit,
            bom=bool(item.mpn),
        )

    def connector(
        self, page: Drawing, ref: str, part: str, at: tuple[float, float], *, pins_right: bool
    ) -> Placed:
        item = PARTS[part]
        wired = self.wiring.connector(ref)
        ways = len(wired.pins)
        top = -g((ways - 1) // 2) - 2.0
        return page.symbol(
            f"Connector_Generic:Conn_01x0{ways}",
            ref,
            wired.name,
            at,
            footprint=item.footprint,
            fields=item.fields(),
            ref_at=(0.0, top - 3.4),
            value_at=(0.0, top - 1.4),
            justify="",
            mirrored=pins_right,
        )

    def ground(
        self, page: Drawing, start: tuple[float, float], right: float = 0.0, down: float = 1.0
    ) -> None:
        """A ground symbol *right* and *down* grid units from a pin."""
        x, y = start[0] + g(right), start[1]
        page.wire(start, (x, y), (x, y + g(down)))
        self.power(page, "GND", (x, y + g(down)))

    # --- pages

    def header(self) -> None:
        page = self.root
        item = PARTS["header"]
        at = (g(80), g(34))
        pi = page.symbol(
            "Connector:Raspberry_Pi_4",
            "J1",
            "Raspberry Pi",
            at,
            footprint=item.footprint,
            fields=item.fields(),
            ref_at=(-27.0, -32.0),
            value_at=(8.0, -32.0),
        )
        used = {s.header_pin: s for s in self.wiring.signals}
        for pin, place in pi.pins.items():
            number = int(pin)
            left = place[0] < at[0]
            if number in pinout.GROUND_PINS or number in pinout.POWER_PINS:
                continue
            if number not in used:
                page.no_connect(place)
                continue
            signal = used[number]
            end = (place[0] + (-g(4) if left else g(4)), place[1])
            page.wire(place, end)
            shape = {"in": "input", "out": "output", "bus": "bidirectional"}[signal.direction]
            page.label(signal.name, end, everywhere=True, left=left, shape=shape)
        for supply, name, right in ((1, "+3V3", 2.0), (2, "+5V", 5.0)):
            place = pi[supply]
            top = (place[0] + g(right), place[1] - g(3 if supply == 2 else 4))
            page.wire(place, (top[0], place[1]), top)
            self.power(page, name, top)
        self.ground(page, pi[6])

        for column, (rail, fused, ref, part, cap) in enumerate(
            (("+5V", "5V_FUSED", "F1", "fuse5", "C1"), ("+3V3", "3V3_FUSED", "F2", "fuse3", "C2"))
        ):
            x, y = g(13), g(26 + 13 * column)
            self.power(page, rail, (x, y))
            f = self.two(page, "Device:Polyfuse", ref, part, (x + g(5), y + g(1)), 90)
            a, b = sorted(f.pins.values())
            page.wire((x, y), (x, y + g(1)), a)
            page.wire(b, (x + g(10), y + g(1)), (x + g(13), y + g(1)))
            self.capacitor(page, cap, "10u", (x + g(10), y + g(1)))
            page.label(fused, (x + g(13), y + g(1)), everywhere=True, shape="output")
        page.frame((g(10), g(14)), (g(38), g(50)))
        page.text(
            "Supplies for what leaves the board. A short\nin the harness trips a resettable fuse, not\n"
            "the Pi. 5 V: buzzer and roll lamp.\n3.3 V: display and tile lamps.",
            (g(11), g(15)),
            1.8,
        )
        for number in range(1, 5):
            hole = PARTS["hole"]
            page.symbol(
                "Mechanical:MountingHole",
                f"H{number}",
                hole.value,
                (g(11 + 7 * (number - 1)), g(62)),
                footprint=hole.footprint,
                ref_at=(2.8, -1.1),
                value_at=(2.8, 1.1),
                bom=False,
            )
        page.text("Mounting holes, 58 x 49 mm as on the Pi", (g(10), g(58)), 1.8)
        for box, lines in zip(
            self.boxes,
            (
                "J2 levers 1-3, J3 levers 4-6,\nJ4 levers 7-9, J5 levers 10-12\n\ntwelve equal channels",
                "J6 roll button and its lamp\nJ7 service and shutdown\nJ8 buzzer",
                "J9 OLED display\nU1 ID EEPROM (optional)\nU2, J10 tile lamps (optional)",
            ),
            strict=True,
        ):
            page.text(lines, (box.at[0] + g(1), box.at[1] + g(1.5)), 1.8)
        page.text("Pin map", (g(118), g(13)), 2.5, bold=True)
        for column, head in enumerate(("Signal", "BCM", "Header pin", "Leaves at")):
            page.text(head, (g(118 + (0, 10, 15, 22)[column]), g(16)), 1.8, bold=True)
        for row, s in enumerate(self.wiring.signals):
            cells = (s.name, str(s.bcm), str(s.header_pin), s.connector or "-")
            for column, cell in enumerate(cells):
                page.text(cell, (g(118 + (0, 10, 15, 22)[column]), g(18 + 1.5 * row)), 1.6)
        page.frame((g(116), g(11.5)), (g(147), g(51)))
        page.text(
            "Every input is a switch to ground: closed = low. The outputs are low at boot: silent and dark.\n"
            "The Pi is fed through its own USB connector; this board never feeds it.",
            (g(52), g(60)),
            1.8,
        )

    def capacitor(
        self, page: Drawing, ref: str, part: str, top: tuple[float, float], fit: bool = True
    ) -> None:
        """A capacitor from *top* down to ground."""
        c = self.two(page, "Device:C", ref, part, (top[0], top[1] + g(2.5)), fit=fit)
        page.wire(top, c["1"])
        page.wire(c["2"], (top[0], top[1] + g(4.5)))
        self.power(page, "GND", (top[0], top[1] + g(4.5)))

    def pull_up(
        self,
        page: Drawing,
        ref: str,
        part: str,
        bottom: tuple[float, float],
        fit: bool = True,
        lift: float = 0.0,
    ) -> None:
        """A resistor from *bottom* up to 3.3 V, *lift* grid units higher than usual."""
        r = self.two(page, "Device:R", ref, part, (bottom[0], bottom[1] - g(2.5 + lift)), fit=fit)
        page.wire(r["2"], bottom)
        page.wire(r["1"], (bottom[0], bottom[1] - g(4.5 + lift)))
        self.power(page, "+3V3", (bottom[0], bottom[1] - g(4.5 + lift)))

    def pull_down(self, page: Drawing, ref: str, part: str, top: tuple[float, float]) -> None:
        """A resistor from *top* down to ground."""
        r = self.two(page, "Device:R", ref, part, (top[0], top[1] + g(2.5)))
        page.wire(top, r["1"])
        page.wire(r["2"], (top[0], top[1] + g(4.5)))
        self.power(page, "GND", (top[0], top[1] + g(4.5)))

    def clamp(self, page: Drawing, ref: str, top: tuple[float, float]) -> None:
        """A TVS diode from *top* down to ground."""
        d = self.two(page, "Device:D_TVS", ref, "tvs", (top[0], top[1] + g(2.5)), 270)
        ends = sorted(d.pins.values(), key=lambda p: p[1])
        page.wire(top, ends[0])
        page.wire(ends[1], (top[0], top[1] + g(4.5)))
        self.power(page, "GND", (top[0], top[1] + g(4.5)))

    def channel(self, page: Drawing, number: int, start: tuple[float, float]) -> None:
        """One input: from the switch at *start* rightwards to the label of the Pi's line."""
        x, y = start
        name = CHANNELS[number]
        diode_x, up_x, cap_x, end_x = x + g(4), x + g(12), x + g(22), x + g(27)
        self.clamp(page, f"D{100 + number}", (diode_x, y))
        self.pull_up(page, f"R{100 + number}", "3k3", (up_x, y))
        s = self.two(page, "Device:R", f"R{200 + number}", "1k", (x + g(17), y), 90)
        left, right = sorted(s.pins.values())
        page.wire(start, (diode_x, y), (up_x, y), left)
        page.label(f"SW_{name}", (x + g(5), y))
        self.capacitor(page, f"C{100 + number}", "100n", (cap_x, y))
        page.wire(right, (cap_x, y), (end_x, y))
        page.label(name, (end_x, y), everywhere=True, shape="output")

    def levers(self) -> None:
        page = self.pages[0]
        for block in range(4):
            x, y = g(13 + 74 * (block // 2)), g(26 + 44 * (block % 2))
            conn = self.connector(page, f"J{2 + block}", "xh4", (x, y), pins_right=True)
            for pin, row in ((1, y - g(14)), (2, y), (3, y + g(14))):
                px, py = conn[pin]
                bend = (px + g(4), py)
                page.wire((px, py), bend)
                page.wire(bend, (bend[0], row))
                page.wire((bend[0], row), (px + g(6), row))
                self.channel(page, 3 * block + pin, (px + g(6), row))
            self.ground(page, conn[4], 1, 1)
        page.text(
            "Each channel: a switch to ground. 3.3k sends 1 mA through the closed contact; "
            "1k and 100n keep short\n"
            "pulses out; the diode takes static from the lead. Contact bounce is settled in software.\n"
            "R1nn, R2nn, C1nn and D1nn belong to lever nn.",
            (g(11), g(100)),
            1.8,
        )

    def controls(self) -> None:
        page = self.pages[1]
        # roll button with its lamp
        x, y = g(16), g(24)
        conn = self.connector(page, "J6", "xh5", (x, y), pins_right=True)
        px, py = conn[1]
        page.wire((px, py), (px + g(2), py), (px + g(2), py - g(4)), (px + g(4), py - g(4)))
        self.channel(page, 13, (px + g(4), py - g(4)))
        for pin in (2, 5):
            self.ground(page, conn[pin], 2 if pin == 2 else 0.5, 8 if pin == 2 else 2)
        page.wire(
            conn[3],
            (conn[3][0] + g(4), conn[3][1]),
            (conn[3][0] + g(4), conn[3][1] + g(4)),
            (conn[3][0] + g(8), conn[3][1] + g(4)),
        )
        lamp = self.two(page, "Device:R", "R5", "47R", (conn[3][0] + g(11), conn[3][1] + g(4)), 90)
        a, b = sorted(lamp.pins.values())
        page.wire((conn[3][0] + g(8), conn[3][1] + g(4)), a)
        page.label("LAMP_A", (conn[3][0] + g(5), conn[3][1] + g(4)))
        page.wire(b, (b[0] + g(4), b[1]))
        page.label("5V_FUSED", (b[0] + g(4), b[1]), everywhere=True, shape="input")
        end = (conn[4][0] + g(3), conn[4][1] + g(9))
        page.wire(conn[4], (end[0], conn[4][1]), end, (end[0] + g(6), end[1]))
        page.label("LAMP_K", (end[0] + g(1), end[1]))
        self.driver(page, (end[0] + g(6), end[1]), "Q2", "R6", "R7", "ROLL_LED")
        page.text(
            "Roll button (J6) with its lamp. Pin 5 bonds a metal button or panel to ground.\n"
            "R5: 47R for a button with a resistor of its own, 270R for a bare LED.",
            (g(11), g(48)),
            1.8,
        )

        # service and shutdown
        x, y = g(92), g(30)
        conn = self.connector(page, "J7", "xh3", (x, y), pins_right=True)
        for pin, row in ((1, y - g(12)), (2, y + g(6))):
            px, py = conn[pin]
            bend = px + g(4)
            page.wire((px, py), (bend, py), (bend, row), (px + g(6), row))
            page.wire((px + g(6), row), (px + g(13), row))
            self.channel(page, 13 + pin, (px + g(13), row))
            top = (px + g(6), row)
            sw = self.two(page, "Switch:SW_Push", f"SW{pin}", "tact", (top[0], top[1] + g(4)), 270)
            ends = sorted(sw.pins.values(), key=lambda p: p[1])
            page.wire(top, ends[0])
            page.wire(ends[1], (top[0], ends[1][1] + g(1)))
            self.power(page, "GND", (top[0], ends[1][1] + g(1)))
        self.ground(page, conn[3], 1, 1)
        page.text(
            "Service (SW1 or a switch on J7.1) and shutdown (SW2 or J7.2).\n"
            "Shutdown: the gpio-shutdown overlay in config.txt.",
            (g(88), g(48)),
            1.8,
        )

        # buzzer
        x, y = g(16), g(72)
        conn = self.connector(page, "J8", "xh2", (x, y), pins_right=True)
        (x1, y1), (x2, y2) = conn[1], conn[2]
        page.wire(
            (x1, y1), (x1 + g(3), y1), (x1 + g(3), y1 - g(5)), (x1 + g(8), y1 - g(5)), (x1 + g(16), y1 - g(5))
        )
        self.label5(page, (x1 + g(16), y1 - g(5)))
        page.wire((x2, y2), (x2 + g(3), y2), (x2 + g(3), y2 + g(3)), (x2 + g(8), y2 + g(3)))
        page.label("BUZZER_K", (x2 + g(3.5), y2 + g(3)))
        top, low = (x1 + g(8), y1 - g(5)), (x2 + g(8), y2 + g(3))
        d = self.two(page, "Device:D", "D1", "diode", (top[0], (top[1] + low[1]) / 2), 270)
        ends = sorted(d.pins.values(), key=lambda p: p[1])
        page.wire(top, ends[0])
        page.wire(ends[1], low)
        r = self.two(page, "Device:R", "R2", "22R", (low[0] + g(4), low[1]), 90)
        a, b = sorted(r.pins.values())
        page.wire(low, a)
        page.wire(b, (b[0] + g(3), b[1]))
        self.driver(page, (b[0] + g(3), b[1]), "Q1", "R3", "R4", "BUZZER")
        rp = self.two(page, "Device:R", "R1", "1k", (x1 + g(14.5), (top[1] + low[1]) / 2 - g(0)), 0)
        page.wire((x1 + g(14.5), top[1]), rp["1"])
        page.wire(rp["2"], (x1 + g(14.5), low[1]))
        page.text(
            "Buzzer: a passive transducer, magnetic (D1 takes its kick) or piezo (R1 empties it).",
            (g(11), g(93)),
            1.8,
        )

    def label5(self, page: Drawing, at: tuple[float, float]) -> None:
        page.label("5V_FUSED", at, everywhere=True, shape="input")

    def driver(
        self, page: Drawing, drain: tuple[float, float], ref: str, gate: str, down: str, signal: str
    ) -> None:
        """A MOSFET to ground below *drain*; its gate comes from the right."""
        item = PARTS["fet"]
        x, y = drain
        q = page.symbol(
            "Transistor_FET:Q_NMOS_GSD",
            ref,
            item.value,
            (x + g(1), y + g(4)),
            footprint=item.footprint,
            fields=item.fields(),
            ref_at=(-8.0, -1.1),
            value_at=(-12.0, 1.1),
            mirrored=True,
        )
        low = max((q["2"], q["3"]), key=lambda p: p[1])
        high = min((q["2"], q["3"]), key=lambda p: p[1])
        page.wire(drain, (high[0], drain[1]), high)
        page.wire(low, (low[0], low[1] + g(1)))
        self.power(page, "GND", (low[0], low[1] + g(1)))
        gx, gy = q["1"]
        page.wire((gx, gy), (gx + g(3), gy))
        self.pull_down(page, down, "100k", (gx + g(3), gy))
        r = self.two(page, "Device:R", gate, "100R", (gx + g(7), gy), 90)
        a, b = sorted(r.pins.values())
        page.wire((gx + g(3), gy), a)
        page.wire(b, (b[0] + g(3), b[1]))
        page.label(signal, (b[0] + g(3), b[1]), everywhere=True, shape="input")

    def options(self) -> None:
        page = self.pages[2]
        # display
        x, y = g(16), g(24)
        conn = self.connector(page, "J9", "ph4", (x, y), pins_right=True)
        px = conn[1][0]
        self.ground(page, conn[1], 1, 6)
        ends = {2: (px + g(26), y - g(8)), 3: (px + g(26), conn[3][1]), 4: (px + g(26), conn[4][1] + g(7))}
        page.wire(conn[2], (px + g(3), conn[2][1]), (px + g(3), ends[2][1]), ends[2])
        page.label("3V3_FUSED", ends[2], everywhere=True, shape="input")
        page.wire(conn[3], ends[3])
        page.label("SDA", ends[3], everywhere=True, shape="bidirectional")
        page.wire(conn[4], (px + g(3), conn[4][1]), (px + g(3), ends[4][1]), ends[4])
        page.label("SCL", ends[4], everywhere=True, shape="bidirectional")
        self.capacitor(page, "C3", "100n", (px + g(8), ends[2][1]))
        self.clamp(page, "D2", (px + g(16), ends[3][1]))
        self.clamp(page, "D3", (px + g(22), ends[4][1]))
        page.text(
            "Display: 128 x 64 OLED on I2C 1, address 0x3C. The Pi has the pull-ups (1.8k).\n"
            "Compare the order of the pins with your display's before you crimp.",
            (g(11), g(42)),
            1.8,
        )

        # ID EEPROM
        item = PARTS["eeprom"]
        at = (g(31), g(68))
        u = page.symbol(
            "Memory_EEPROM:24LC32",
            "U1",
            item.value,
            at,
            footprint=item.footprint,
            fields=item.fields(),
            ref_at=(3.0, -10.5),
            value_at=(3.0, -8.3),
            fit=False,
        )
        for pin in (1, 2, 3):
            page.wire(u[pin], (at[0] - g(6), u[pin][1]))
        page.wire(
            (at[0] - g(6), u[1][1]),
            (at[0] - g(6), u[2][1]),
            (at[0] - g(6), u[3][1]),
            (at[0] - g(6), u[3][1] + g(3)),
        )
        self.power(page, "GND", (at[0] - g(6), u[3][1] + g(3)))
        self.ground(page, u[4])
        self.power(page, "+3V3", (u[8][0], u[8][1] - g(2)))
        page.wire(u[8], (u[8][0], u[8][1] - g(2)))
        right = u[5][0]
        for pin, name, ref, column in ((5, "ID_SD", "R8", 7), (6, "ID_SC", "R9", 12)):
            ux, uy = u[pin]
            page.wire((ux, uy), (right + g(column), uy), (right + g(19), uy))
            self.pull_up(page, ref, "3k9", (right + g(column), uy), fit=False, lift=1.0 if pin == 6 else 0.0)
            page.label(name, (right + g(19), uy), everywhere=True, shape="bidirectional")
        wx, wy = u[7]
        page.wire(
            (wx, wy),
            (right + g(3), wy),
            (right + g(3), wy + g(5)),
            (right + g(8), wy + g(5)),
            (right + g(9), wy + g(5)),
        )
        jp = self.two(page, "Jumper:SolderJumper_2_Open", "JP1", "jumper", (right + g(11), wy + g(5)))
        a, b = sorted(jp.pins.values())
        page.wire((right + g(9), wy + g(5)), a)
        page.wire(b, (b[0] + g(1), b[1]), (b[0] + g(1), b[1] + g(1)))
        self.power(page, "GND", (b[0] + g(1), b[1] + g(1)))
        self.pull_up_left(page, "R10", (right + g(3), wy + g(5)))
        self.power(page, "+3V3", (g(16), g(63)))
        page.wire((g(16), g(63)), (g(16), g(64)))
        self.capacitor(page, "C4", "100n", (g(16), g(64)), fit=False)
        page.text("Optional: ID EEPROM of a HAT. Bridge JP1 while it is written.", (g(11), g(87)), 1.8)

        # tile lamps
        item = PARTS["expander"]
        at = (g(100), g(42))
        u = page.symbol(
            "Interface_Expansion:MCP23017_SO",
            "U2",
            item.value,
            at,
            footprint=item.footprint,
            fields=item.fields(),
            ref_at=(3.0, -29.0),
            value_at=(3.0, -26.8),
            fit=False,
        )
        self.power(page, "+3V3", (u[9][0], u[9][1] - g(2)))
        page.wire(u[9], (u[9][0], u[9][1] - g(2)))
        self.ground(page, u[10])
        for pin, name in ((13, "SDA"), (12, "SCL")):
            end = (u[pin][0] - g(6), u[pin][1])
            page.wire(u[pin], end)
            page.label(name, end, everywhere=True, left=True, shape="bidirectional")
        for pin in (19, 20, 8, 5, 6, 7):
            page.no_connect(u[pin])
        bus = u[15][0] - g(2)
        for pin in (17, 16, 15):
            page.wire(u[pin], (bus, u[pin][1]))
        page.wire((bus, u[17][1]), (bus, u[16][1]), (bus, u[15][1]), (bus, u[15][1] + g(2)))
        self.power(page, "GND", (bus, u[15][1] + g(2)))
        reset = (u[18][0] - g(3), u[18][1])
        page.wire(u[18], reset)
        self.pull_up(page, "R11", "10k", reset, fit=False)
        self.power(page, "+3V3", (g(78), g(54)))
        page.wire((g(78), g(54)), (g(78), g(55)))
        self.capacitor(page, "C5", "100n", (g(78), g(55)), fit=False)

        box = PARTS["box14"]
        wired = self.wiring.connector("J10")
        jat = (g(136), g(42))
        j = page.symbol(
            "Connector_Generic:Conn_02x07_Odd_Even",
            "J10",
            wired.name,
            jat,
            footprint=box.footprint,
            fields=box.fields(),
            ref_at=(3.2, -14.0),
            value_at=(3.2, -11.8),
            justify="",
            fit=False,
        )
        for pin, net in enumerate(wired.pins, start=1):
            px, py = j[pin]
            left = px < jat[0]
            end = (px + (-g(5) if left else g(5)), py)
            page.wire((px, py), end)
            if net == "3V3_FUSED":
                page.label(net, end, everywhere=True, left=left, shape="input")
            else:
                page.label(net, end, left=left)
        pack = PARTS["pack"]
        for bank in range(3):
            pins = {0: (21, 22, 23, 24), 1: (25, 26, 27, 28), 2: (1, 2, 3, 4)}[bank]
            x = u[1][0] + g(6)
            y = {0: u[21][1], 1: u[25][1], 2: u[1][1]}[bank]
            # turned by 90 degrees the pack's first resistor is the lowest
            rn = page.symbol(
                "Device:R_Pack04",
                f"RN{bank + 1}",
                pack.value,
                (x, y + g(1)),
                90,
                footprint=pack.footprint,
                fields=pack.fields(),
                ref_at=(26.0, -2.4),
                value_at=(26.0, -0.2),
                fit=False,
            )
            near_side = sorted((p for p in rn.pins.items() if p[1][0] < x), key=lambda p: p[1][1])
            far_side = sorted((p for p in rn.pins.items() if p[1][0] > x), key=lambda p: p[1][1])
            for index, pin in enumerate(pins):
                place = near_side[index][1]
                assert place[1] == u[pin][1], (place, u[pin])
                page.wire(u[pin], place)
                far = far_side[index][1]
                end = (far[0] + g(1), far[1])
                page.wire(far, end)
                page.label(f"LAMP{4 * bank + index + 1}", end)
        page.text(
            "Optional: a lamp for every tile. MCP23017 at 0x20 on the display's bus; 4 mA a lamp,\n"
            "anodes to 3V3_FUSED, on when the port is low, dark after reset.",
            (g(78), g(72)),
            1.8,
        )

    def pull_up_left(self, page: Drawing, ref: str, at: tuple[float, float]) -> None:
        """The write-protect pull-up: down from the line, its supply symbol beside it."""
        r = self.two(page, "Device:R", ref, "10k", (at[0], at[1] + g(2.5)), fit=False)
        page.wire(at, r["1"])
        x, y = at[0], at[1] + g(4.5)
        page.wire(r["2"], (x, y), (x + g(4), y), (x + g(4), y - g(1)))
        self.power(page, "+3V3", (x + g(4), y - g(1)))


def draw(folder: Path) -> None:
    """Write the four pages of the schematic into *folder*."""
    hat = _Hat(pinout.load())
    hat.header()
    hat.levers()
    hat.controls()
    hat.options()
    hat.root.write(folder / f"{PROJECT}.kicad_sch")
    for box, page in zip(hat.boxes, hat.pages, strict=True):
        page.write(folder / box.file)


if __name__ == "__main__":
    draw(pinout.HARDWARE / "hat")
