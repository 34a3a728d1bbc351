"""Simulates in ngspice every short between two wires that leave the board.

The circuit is the board's netlist with its parts' values and data sheet figures, plus models of the
transducer, the lamp and the Pi's pins. Currents are those of the first moment, with cold fuses and the
highest supply voltages.
The result is ``hardware/signals/shorts.json``, and the table of the README there.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeAlias

from hwtools import kicad
from hwtools.generated import between
from hwtools.pinout import HARDWARE, I2C_RESISTORS, SPI_RESISTORS, Pinout, at_plug, load

RESULT = HARDWARE / "signals" / "shorts.json"
PAGE = HARDWARE / "signals" / "README.md"

#: Supplies at their highest, with the resistance of leads and regulator (V, ohm).
SUPPLIES = {"+5V": (5.25, 0.2), "+3V3": (3.4, 0.1)}
#: Resistors by the start of their maker's number: watts at 70 °C.
WATTS = {"RC0603FR-07": 0.1, "RC0805FR-07": 0.125, "RC2512FK-7W": 2.0, "YC164-JR-07": 0.0625}
#: Resettable fuses, Bourns MF-NSMF: amperes held and tripping at 23 °C, least ohms cold.
FUSES = {"MF-NSMF050-2": (0.5, 1.0, 0.15), "MF-NSMF035-2": (0.35, 0.75, 0.30)}
#: What is left of a fuse's hold current at 60 °C, read off the maker's curve.
WARM = 0.68
#: AO3400A at a gate of 2.5 V; a pin of the Pi or of the expander that drives low, taken for typical (ohm).
ON, DRIVER = 0.048, 30.0
#: The bus' pull-ups on the Pi (ohm).
PULL_UP = 1_800.0
#: Transducer CUI CEM-1203(42), and a lamp with a built-in resistor (ohm).
TRANSDUCER, LAMP = 42.0, 220.0
#: A little more than the transducer gets while BUZZER is high (W): it's made for square waves.
TRANSDUCER_LIMIT = 0.35
#: More than this may destroy the Pi (A): into a pin's protection diode, into a pin that drives low, back into
#: the 3.3 V supply. The maker only gives the second (the greatest drive strength); the others are what such
#: diodes withstand elsewhere, and what the supply's loads draw.
DIODE_LIMIT, DRIVE_LIMIT, RAIL_LIMIT = 0.010, 0.016, 0.050
#: A finding names a part if a short adds this share of its limit.
NAMED = 0.1
#: A switch input below this reads as closed (V).
READS_CLOSED = 1.2

#: Off or on: buzzer, roll lamp; buses (SPI's lines are high when off) and tile lamps.
_State: TypeAlias = tuple[int, int, int]
_OHMS = {"R": 1.0, "k": 1e3, "M": 1e6}


@dataclass(frozen=True, slots=True)
class Finding:
    """The worst of all shorts between two kinds of wire.

    ``plugs`` names the plugs that have both, or is empty: then only chafed leads can meet. ``amperes`` flow
    through the short, ``watts`` is the load of ``part``, the part nearest to its ``limit`` (W) or beyond.
    """

    wires: tuple[str, str]
    plugs: tuple[str, ...]
    pairs: int
    amperes: float
    fuse: str
    part: str
    watts: float
    limit: float
    pi: str
    closed: bool


def _ohms(value: str) -> float:
    found = re.fullmatch(r"(?:4x)?([\d.]+)([RkM])", value)
    if not found:
        raise ValueError(f"no resistance: {value!r}")
    return float(found[1]) * _OHMS[found[2]]


def _watts(part: kicad.Part) -> float:
    number = part.fields["MPN"]
    for start, watts in WATTS.items():
        if number.startswith(start):
            return watts
    raise ValueError(f"{part.ref}: this script has no watts for {number}")


def _fuse(part: kicad.Part, load: float) -> str:
    """Say whether a fuse trips: always, maybe (when warm), or never (empty)."""
    hold, trip, ohms = FUSES[part.fields["MPN"]]
    amperes = (load / ohms) ** 0.5
    return "" if amperes < hold * WARM else f"{part.ref} {'trips' if amperes >= trip else 'may trip'}"


@dataclass(frozen=True, slots=True)
class _Resistor:
    name: str
    nodes: tuple[str, str]
    ohms: float
    watts: float


def _resistors(board: kicad.Board) -> Iterator[_Resistor]:
    """Return all resistors and fuses, with those of the optional lamps."""
    for ref, part in sorted(board.parts.items()):
        kind = ref.rstrip("0123456789")
        if kind == "R":
            yield _Resistor(
                ref, (board.pads[ref, "1"], board.pads[ref, "2"]), _ohms(part.value), _watts(part)
            )
        elif kind == "RN":
            for a in range(1, 5):
                ends = (board.pads[ref, str(a)], board.pads[ref, str(9 - a)])
                yield _Resistor(f"{ref}_{a}", ends, _ohms(part.value), _watts(part))
        elif kind == "F":
            ends = (board.pads[ref, "1"], board.pads[ref, "2"])
            yield _Resistor(ref, ends, FUSES[part.fields["MPN"]][2], 0.0)


def _kind(net: str) -> str:
    """Return a wire's kind; all inputs are one kind, and all tile lamps another."""
    if net.startswith("SW_"):
        return "input"
    if net.startswith("LAMP") and net[4:].isdigit():
        return "tile lamp"
    return "SPI" if at_plug(net) in SPI_RESISTORS.values() else at_plug(net)


def _wires(wiring: Pinout) -> dict[str, set[str]]:
    """Return the nets that leave the board, each with its plugs."""
    found: dict[str, set[str]] = {}
    for connector in wiring.connectors:
        for net in connector.pins:
            found.setdefault(net, set()).add(connector.ref)
    return found


def _nodes(board: kicad.Board) -> dict[str, str]:
    """Return names for the nets that ngspice accepts."""
    nets = sorted({net for net in board.pads.values() if "unconnected" not in net} - {"GND"})
    return {net: f"n{i}" for i, net in enumerate(nets)} | {"GND": "0"}


def deck(board: kicad.Board, wiring: Pinout, state: _State = (0, 0, 0)) -> str:
    """Return the ngspice deck that shorts each pair of wires, in one state of the outputs."""
    node = _nodes(board)
    resistors = list(_resistors(board))
    lines = [
        "shorts of the board's wires",
        ".model pn d(is=1e-14 rs=1)",
        ".model tvs d(bv=6.0 ibv=1m rs=0.5)",
    ]
    for supply, (volts, ohms) in SUPPLIES.items():
        lines += [
            f"V{supply[1:]} s{supply[1:]} 0 {volts}",
            f"Rs{supply[1:]} s{supply[1:]} {node[supply]} {ohms}",
        ]
    lines += [f"R{r.name} {node[r.nodes[0]]} {node[r.nodes[1]]} {r.ohms}" for r in resistors]
    switches: list[str] = []

    def switch(name: str, a: str, b: str, ohms: float, state: int) -> None:
        """Return a resistor between two nets, switched on by *state*."""
        lines.append(f"S{name} {node[a]} {node[b]} g{state} 0 on{len(switches)}")
        switches.append(f".model on{len(switches)} sw vt=0.5 vh=0 ron={ohms} roff=1e9")

    for ref in sorted(board.parts):
        pads = {pad: net for (r, pad), net in board.pads.items() if r == ref}
        if ref.startswith("Q"):
            switch(ref, pads["3"], pads["2"], ON, 0 if pads["3"] == "BUZZER_K" else 1)
            lines.append(f"Db{ref} {node[pads['2']]} {node[pads['3']]} pn")
        elif ref == "D1":
            lines.append(f"D{ref} {node[pads['2']]} {node[pads['1']]} pn")
        elif ref.startswith("D"):
            lines += [f"D{ref}a {node[pads['1']]} m{ref} tvs", f"D{ref}b {node[pads['2']]} m{ref} tvs"]
        elif ref == "U2":
            for net in pads.values():
                if net.startswith("Net-(RN"):
                    switch(f"u{len(switches)}", net, "GND", DRIVER, 2)
    for signal in wiring.signals:
        at, pulled = node[signal.name], signal.name in I2C_RESISTORS.values()
        if signal.direction == "out":
            continue
        lines += [
            f"Rp{signal.name} {at} p{signal.name} 1",
            f"Dh{signal.name} p{signal.name} {node['+3V3']} pn",
            f"Dl{signal.name} 0 p{signal.name} pn",
            f"Ru{signal.name} {at} {node['+3V3']} {PULL_UP if pulled else 50e3}",
        ]
        if pulled:
            switch(f"p{signal.name}", signal.name, "GND", DRIVER, 2)
        elif signal.direction == "bus":
            lines.append(f"Bp{signal.name} d{signal.name} 0 v=v(g2)>0.5 ? 0 : v({node['+3V3']})")
            lines.append(f"Rd{signal.name} d{signal.name} {at} {DRIVER}")
    lines += [f"Rtransducer {node['BUZZER_A']} {node['BUZZER_K']} {TRANSDUCER}"]
    lines += [
        f"Dlamp {node['LAMP_A']} lamp pn",
        "Vlamp lamp lamp2 1.3",
        f"Rlamp lamp2 {node['LAMP_K']} {LAMP}",
    ]
    # Two probes: the first sweeps over the wires, the second too, and what both touch is shorted.
    wires = sorted(_wires(wiring))
    for i, net in enumerate(wires):
        for probe in "xy":
            lines += [f"B{probe}{i} h{probe}{i} 0 v=abs(v({probe})-{i})<0.5 ? 1 : 0"]
            lines += [f"S{probe}{i} {node[net]} {probe}end h{probe}{i} 0 probe"]
    lines += ["Rxy xend yend 0.01", ".model probe sw vt=0.5 vh=0 ron=0.001 roff=1e12", "Vx x 0 0", "Vy y 0 0"]
    lines += [f"Vg{i} g{i} 0 {on}" for i, on in enumerate(state)]
    asked = " ".join(f"v({name})" for name in ["x", "y", *_measured_nodes(node, wiring)])
    last = len(wires) - 1
    lines += [
        *switches,
        ".control",
        "set wr_singlescale",
        f"dc Vx 0 {last} 1 Vy 0 {last} 1",
        f"wrdata out.txt {asked}",
    ]
    return "\n".join([*lines, "quit", ".endc", ".end", ""])


def _measured_nodes(node: dict[str, str], wiring: Pinout) -> list[str]:
    names = [n for n in node.values() if n != "0"] + ["s5V", "s3V3", "xend", "yend"]
    names += [f"d{name}" for name in SPI_RESISTORS.values()]
    return names + [f"p{s.name}" for s in wiring.signals if s.direction != "out"]


def _simulate_shorts(
    board: kicad.Board, wiring: Pinout
) -> Iterator[tuple[_State, str, str, dict[str, float]]]:
    """Run the decks; yield two wires and the voltages of all nodes for each short.

    First in each state: one wire with itself, no short.
    """
    wires = sorted(_wires(wiring))
    names = _measured_nodes(_nodes(board), wiring)
    for state in ((a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "deck.cir").write_text(deck(board, wiring, state), encoding="utf-8")
            subprocess.run(["ngspice", "-b", "deck.cir"], cwd=folder, check=False, capture_output=True)
            rows = (Path(folder) / "out.txt").read_text(encoding="utf-8").splitlines()
        if len(rows) != len(wires) ** 2:
            raise ValueError(f"ngspice answered {len(rows)} times, not {len(wires) ** 2}")
        for row in rows:
            _, x, y, *volts = (float(word) for word in row.split())
            if x <= y:
                yield state, wires[round(x)], wires[round(y)], dict(zip(names, volts, strict=True))


def short_all_pairs() -> list[Finding]:
    """Short each pair in each state of the outputs, and return the worst short for each two kinds of wire.

    Raises:
        ValueError: ngspice did not answer for every short.
    """
    board, wiring = kicad.read(), load()
    node, resistors, plugs = _nodes(board), list(_resistors(board)), _wires(wiring)
    groups: dict[tuple[tuple[str, str], tuple[str, ...]], list[Finding]] = {}
    idle: dict[_Resistor, float] = {}
    for state, a, b, volts in _simulate_shorts(board, wiring):

        def at(net: str, volts: dict[str, float] = volts) -> float:
            return 0.0 if net == "GND" else volts[node[net]]

        loads = {r: (at(r.nodes[0]) - at(r.nodes[1])) ** 2 / r.ohms for r in resistors}
        if a == b:
            idle = loads
            continue
        amperes = abs(volts["xend"] - volts["yend"]) / 0.01
        fuse = " ".join(_fuse(board.parts[r.name], load) for r, load in loads.items() if not r.watts).strip()
        added = {r: (load - idle[r]) / r.watts for r, load in loads.items() if r.watts}
        hot = max(added, key=lambda r: added[r])
        part, watts, limit = (
            (hot.name.partition("_")[0], loads[hot], hot.watts) if added[hot] > NAMED else ("", 0.0, 0.0)
        )
        transducer = (at("BUZZER_A") - at("BUZZER_K")) ** 2 / TRANSDUCER
        if transducer > TRANSDUCER_LIMIT and not fuse:
            part, watts, limit = "transducer", transducer, TRANSDUCER_LIMIT
        lines = [s for s in wiring.signals if s.direction != "out"]
        diodes = [abs(at(s.name) - volts[f"p{s.name}"]) for s in lines]
        driven = [abs(at(name) - volts[f"d{name}"]) for name in SPI_RESISTORS.values()]
        drive = max(*driven, *(at(name) * state[2] for name in I2C_RESISTORS.values())) / DRIVER
        rail = (at("+3V3") - volts["s3V3"]) / SUPPLIES["+3V3"][1]
        too_much = max(diodes) > DIODE_LIMIT or round(drive, 3) > DRIVE_LIMIT or rail > RAIL_LIMIT
        pi = "destroys" if too_much else ""
        inputs = [net for net in (a, b) if net.startswith("SW_")]
        closed = bool(inputs) and any(at(net) < READS_CLOSED for net in inputs)
        first, second = sorted((_kind(a), _kind(b)))
        wires = (first, second)
        shared = tuple(sorted(plugs[a] & plugs[b], key=lambda ref: int(ref[1:])))
        found = Finding(wires, shared, 1, round(amperes, 3), fuse, part, round(watts, 2), limit, pi, closed)
        groups.setdefault((wires, ("one plug",) if shared else ()), []).append(found)
    return [_worst(group) for _, group in sorted(groups.items())]


def _worst(group: list[Finding]) -> Finding:
    return replace(
        max(group, key=lambda f: f.watts / f.limit if f.limit else 0.0),
        plugs=tuple(sorted({ref for f in group for ref in f.plugs}, key=lambda ref: int(ref[1:]))),
        pairs=len(group) // 8,
        amperes=max(f.amperes for f in group),
        fuse=max((f.fuse for f in group), key=lambda words: (words.count("trip"), words.count("trips"))),
        pi=max(f.pi for f in group),
        closed=any(f.closed for f in group),
    )


def digest() -> str:
    """Return a hash of what the result depends on: board, wiring and figures."""
    board = kicad.read()
    fuses = [
        FUSES[part.fields["MPN"]]
        for ref, part in sorted(board.parts.items())
        if ref[:1] == "F" and ref[1:].isdigit()
    ]
    figures = (list(_resistors(board)), fuses, WARM, DIODE_LIMIT, DRIVE_LIMIT, RAIL_LIMIT, READS_CLOSED)
    return hashlib.sha256((deck(board, load()) + repr(figures)).encode()).hexdigest()


def read(path: Path = RESULT) -> list[Finding]:
    """Read the committed findings."""
    found = json.loads(path.read_text(encoding="utf-8"))["shorts"]
    return [Finding(**{**f, "wires": tuple(f["wires"]), "plugs": tuple(f["plugs"])}) for f in found]


def differences(old: list[Finding], new: list[Finding]) -> list[str]:
    """Return a line for each finding that differs; currents and loads may differ by 3 %."""

    def same(a: Finding, b: Finding) -> bool:
        numbers = ((a.amperes, b.amperes), (a.watts, b.watts))
        close = all(abs(x - y) <= 0.03 * max(abs(x), abs(y)) + 0.005 for x, y in numbers)
        words = ("wires", "plugs", "pairs", "fuse", "part", "limit", "pi", "closed")
        return close and all(getattr(a, word) == getattr(b, word) for word in words)

    if len(old) != len(new):
        return [f"shorts: {len(old)} findings are committed, {len(new)} are worked out"]
    return [
        f"shorts: {' beside '.join(b.wires)} changed" for a, b in zip(old, new, strict=True) if not same(a, b)
    ]


def _describe(finding: Finding) -> str:
    said = []
    if finding.pi:
        said.append("**may destroy the Pi**")
    if finding.fuse:
        said.append(finding.fuse.replace("trips F", "trips, F").replace("trip F", "trip, F"))
    elif finding.part == "transducer":
        said.append(f"the transducer gets {finding.watts:.2f} W and may burn out")
    elif finding.part:
        bears = "bears" if finding.watts <= finding.limit else "**does not bear**"
        said.append(f"{finding.part} {bears} {finding.watts:.2f} W (made for {finding.limit:.2g} W)")
    if finding.closed:
        said.append("an input reads as closed")
    return "; ".join(said) or "nothing"


def _format_current(amperes: float) -> str:
    if amperes > 3:
        return "over 3 A"
    if amperes > 1:
        return f"{amperes:.1f} A"
    return f"{amperes * 1000:.0f} mA" if amperes >= 0.0005 else "–"


def table(found: list[Finding]) -> str:
    """Return the table for hardware/signals/README.md."""
    rows = ["| wires | both in plug | through the short | what happens |", "|---|---|---|---|"]
    quiet = []
    for finding in sorted(found, key=lambda f: (not f.plugs, f.wires)):
        words, name = _describe(finding), " – ".join(finding.wires)
        if not finding.plugs and words == "nothing":
            quiet.append(name)
            continue
        rows.append(
            f"| {name} | {', '.join(finding.plugs) or '–'} | {_format_current(finding.amperes)} | {words} |"
        )
    pairs = sum(finding.pairs for finding in found)
    rows += [
        "",
        f"{pairs} pairs of wires; a line is the worst of its kind. Between plugs nothing happens at: "
        + ", ".join(quiet)
        + ".",
    ]
    return "\n".join(rows)


def main() -> int:
    """Write the result, or compare it with the committed one (``--check``)."""
    found = short_all_pairs()
    if "--check" in sys.argv[1:]:
        lines = differences(read(), found)
        print("\n".join(lines) or "shorts: as committed")
        return bool(lines)
    shorts = ",\n    ".join(json.dumps(asdict(f)) for f in found)
    RESULT.write_text(
        f'{{\n  "source": "{digest()}",\n  "shorts": [\n    {shorts}\n  ]\n}}\n', encoding="utf-8"
    )
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(between(page, "shorts", table(found)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
