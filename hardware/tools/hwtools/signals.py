"""Simulates one input channel in ngspice and records what the Pi's pin would see.

The contact bounces by a seeded recipe; ngspice gives the voltage at the pin; a Schmitt input with the Pi's
levels turns it into edges. ``hardware/signals/edges.json`` holds the edges that the debouncer's tests are
fed, beside those of the bare contact, so that electronics and software stay one design.
"""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hwtools.pinout import HARDWARE

DECK = HARDWARE / "signals" / "channel.cir"
RESULT = HARDWARE / "signals" / "edges.json"
#: A Pi's input with hysteresis turns high above, and low below (V). Assumed: the makers guarantee 2.0 and 0.8
#: on older chips and give no typical values.
HIGH, LOW = 1.6, 1.2
MICROSECOND = 1_000
#: Edges may move this far between versions of ngspice and machines (ns).
TOLERANCE_NS = 20_000


@dataclass(frozen=True, slots=True)
class Case:
    """A move of the contact, and how it bounces (µs)."""

    name: str
    closes: bool
    bounce_us: int
    bursts: int
    seed: int
    note: str


CASES = (
    Case("press, typical", True, 1600, 6, 1, "mean bounce of a snap-action switch"),
    Case("press, data sheet", True, 10_000, 14, 2, "the longest bounce that the data sheet allows"),
    Case("press, worn", True, 22_000, 30, 3, "a dying contact"),
    Case("release, typical", False, 1600, 6, 4, "mean bounce"),
    Case("release, data sheet", False, 10_000, 14, 5, "the longest bounce that the data sheet allows"),
    Case("release, worn", False, 22_000, 30, 6, "a dying contact"),
    Case("knock", False, 300, 1, 7, "a closed contact opens for a moment when the table is hit"),
)


def _contact(case: Case) -> list[tuple[int, int]]:
    """Return the bare contact's times in µs and states (1 closed), from its first change."""
    dice = random.Random(case.seed)
    final = 1 if case.closes else 0
    if case.name == "knock":
        return [(0, 0), (case.bounce_us, 1)]
    cuts = sorted(dice.sample(range(20, case.bounce_us), 2 * case.bursts))
    changes = [(0, final)]
    state = final
    for cut in cuts:
        state = 1 - state
        changes.append((cut, state))
    return changes


def _source(changes: list[tuple[int, int]], before: int) -> str:
    points = [(0, before)]
    state = before
    for at, following in changes:
        t = at + 500  # half a millisecond of rest first
        points += [(t * 1000, state), (t * 1000 + 100, following)]
        state = following
    words = " ".join(f"{t}n {v}" for t, v in points).split(" ")
    lines = [" ".join(words[i : i + 20]) for i in range(0, len(words), 20)]
    return "Vgate gate 0 pwl(\n" + "\n".join("+ " + line for line in lines) + "\n+ )\n"


def _analog(case: Case, folder: Path) -> list[tuple[float, float, float]]:
    changes = _contact(case)
    before = 1 if case.name == "knock" else 1 - changes[0][1]
    (folder / "bounce.inc").write_text(_source(changes, before), encoding="utf-8")
    (folder / "strike.inc").write_text("* none\n", encoding="utf-8")
    return _run(folder, f"2u {changes[-1][0] + 6500}u 0 2u")


def _run(folder: Path, span: str) -> list[tuple[float, float, float]]:
    """Run the deck over *span* (step, end, start, longest step).

    Returns rows of seconds, volts at the pin, volts at the connector.
    """
    deck = DECK.read_text(encoding="utf-8").replace(
        "\n.end\n",
        f"\n.tran {span}\n.control\nset wr_singlescale\nset wr_vecnames\nrun\n"
        "wrdata out.txt v(pin) v(conn)\nquit\n.endc\n.end\n",
    )
    (folder / "deck.cir").write_text(deck, encoding="utf-8")
    subprocess.run(["ngspice", "-b", "deck.cir"], cwd=folder, check=True, capture_output=True)
    rows = []
    for line in (folder / "out.txt").read_text(encoding="utf-8").splitlines()[1:]:
        t, pin, conn = (float(x) for x in line.split())
        rows.append((t, pin, conn))
    return rows


def _strike(kilovolt: float, closed: bool, folder: Path) -> dict[str, Any]:
    """Simulate a discharge into the far end of the lead after 5 µs, while the contact stays put."""
    (folder / "bounce.inc").write_text(f"Vgate gate 0 {int(closed)}\n", encoding="utf-8")
    peak = kilovolt * 1000 / 330
    (folder / "strike.inc").write_text(
        f"Istrike 0 sw_end exp(0 {peak:.2f} 5u 0.8n 5.003u 50n)\n", encoding="utf-8"
    )
    rows = _run(folder, "10n 8u 0 1n")
    return {
        "kilovolt": kilovolt,
        "contact": "closed" if closed else "open",
        "connector_v": [round(min(c for _, _, c in rows), 1), round(max(c for _, _, c in rows), 1)],
        "pin_v": [round(min(p for _, p, _ in rows), 3), round(max(p for _, p, _ in rows), 3)],
        "pin": [list(e) for e in edges(rows, 5e-6)],
    }


def edges(rows: list[tuple[float, float, float]], start: float = 500e-6) -> list[tuple[int, int]]:
    """Turn a voltage into edges, like an input with hysteresis: (ns after *start*, level)."""
    level = 1 if rows[0][1] > (HIGH + LOW) / 2 else 0
    found = []
    for t, pin, _ in rows:
        if level and pin < LOW:
            level = 0
        elif not level and pin > HIGH:
            level = 1
        else:
            continue
        found.append((round((t - start) * 1e9 / MICROSECOND) * MICROSECOND, level))
    return found


def digest() -> str:
    """Return a hash of what the result depends on: the deck and the cases here."""
    body = DECK.read_bytes() + repr((CASES, HIGH, LOW)).encode()
    return hashlib.sha256(body).hexdigest()


def simulate() -> dict[str, Any]:
    """Run all cases. Levels are electrical: 0 is closed."""
    result: dict[str, Any] = {
        "source": digest(),
        "unit": "ns after the contact first moves; level 0 is closed",
        "thresholds_v": {"high": HIGH, "low": LOW},
        "cases": [],
    }
    with tempfile.TemporaryDirectory() as name:
        for case in CASES:
            rows = _analog(case, Path(name))
            seen = edges(rows)
            bare = [[t * MICROSECOND, 1 - state] for t, state in _contact(case)]
            settled = 1 if case.name == "knock" else int(case.closes)
            result["cases"].append(
                {
                    "name": case.name,
                    "note": case.note,
                    "before": settled if case.name != "knock" else 0,
                    "after": 1 - settled,
                    "contact": bare,
                    "pin": [list(e) for e in seen],
                    "settled_ns": seen[-1][0] if seen else 0,
                    "lowest_v": round(min(p for _, p, _ in rows), 2),
                    "highest_v": round(max(p for _, p, _ in rows), 2),
                }
            )
        result["static"] = [_strike(kv, closed, Path(name)) for kv in (8.0, -8.0) for closed in (False, True)]
    return result


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Return a line for each case whose edges differ by more than the tolerance."""
    found = []
    for was, now in zip(old["cases"], new["cases"], strict=True):
        (times, levels), (then, before) = (tuple(zip(*c["pin"], strict=True)) for c in (now, was))
        if levels != before or any(abs(a - b) > TOLERANCE_NS for a, b in zip(times, then, strict=True)):
            found.append(f"{was['name']}: the pin's edges changed")
    return found + ["static makes an edge at the pin"] * any(case["pin"] for case in new["static"])


def main() -> int:
    """Write edges.json, a line for each case, or compare it with the committed one (``--check``)."""
    result = simulate()
    if "--check" in sys.argv[1:]:
        lines = differences(json.loads(RESULT.read_text(encoding="utf-8")), result)
        print("\n".join(lines) or "signals: as committed")
        return bool(lines)
    lists = {key: ",\n    ".join(json.dumps(c) for c in result[key]) for key in ("cases", "static")}
    head = json.dumps({key: value for key, value in result.items() if key not in lists}, indent=2)[:-2]
    tail = ",\n".join(f'  "{key}": [\n    {rows}\n  ]' for key, rows in lists.items())
    RESULT.write_text(f"{head},\n{tail}\n}}\n", encoding="utf-8")
    for case in result["cases"]:
        print(
            f"{case['name']:<22} contact {len(case['contact']):>3} edges, pin {len(case['pin']):>3}, "
            f"settled after {case['settled_ns'] / 1e6:.2f} ms"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
