"""Renders the printed parts of the box and checks them: closed meshes, a bed's size, nothing in the way.

The lever is swept through its whole travel against the bank, the switches, the deck and its neighbours. The
result goes to ``hardware/box/check.json`` with the hash of the model, so that a test can tell whether it is
of today's model.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from hwtools.pinout import HARDWARE

__all__ = ["BED", "COUNTS", "MODEL", "RESULT", "check", "digest", "render"]

MODEL = HARDWARE / "box" / "box.scad"
RESULT = HARDWARE / "box" / "check.json"
BUILD = HARDWARE / "build" / "box"
#: Largest part in mm: a common printer's bed, and its height.
BED = (250.0, 210.0, 210.0)
#: Numbers of levers a box may have.
COUNTS = (9, 10, 12)
#: Volumes below this (mm³) are rounding.
_NOTHING = 0.05


def digest() -> str:
    """Return the SHA-256 of the model's source."""
    return hashlib.sha256(MODEL.read_bytes()).hexdigest()


def render(part: str, levers: int, target: Path, **values: float) -> Path:
    """Let OpenSCAD write one part; an existing newer file is kept.

    Raises:
        subprocess.CalledProcessError: OpenSCAD refused the model.
    """
    if target.exists() and target.stat().st_mtime > MODEL.stat().st_mtime:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    definitions = [f'part="{part}"', f"levers={levers}", *(f"{k}={v}" for k, v in values.items())]
    command = ["openscad", "-o", str(target)]
    for item in definitions:
        command += ["-D", item]
    subprocess.run([*command, str(MODEL)], check=True, capture_output=True)
    return target


def _figures(levers: int) -> dict[str, float]:
    text = render("figures", levers, BUILD / f"figures-{levers}.echo").read_text(encoding="utf-8")
    return {name: float(value) for name, value in re.findall(r'\["(\w+)", (-?[\d.]+)\]', text)}


def check(counts: tuple[int, ...] = COUNTS) -> dict[str, Any]:
    """Render and check everything; return what was found, with the faults in ``faults``."""
    import trimesh  # heavy, and only here

    faults: list[str] = []
    report: dict[str, Any] = {"model": digest(), "bed": BED, "levers": {}}

    def load(part: str, levers: int, **values: float) -> Any:
        name = "-".join([part, str(levers), *(f"{v:g}" for v in values.values())])
        mesh = trimesh.load_mesh(render(part, levers, BUILD / f"{name}.stl", **values))
        if not mesh.is_watertight or mesh.volume <= 0:
            faults.append(f"{name}: not a closed mesh")
        return mesh

    def overlap(a: Any, b: Any) -> float:
        common = trimesh.boolean.intersection([a, b], engine="manifold")
        return 0.0 if common.is_empty else float(abs(common.volume))

    for levers in counts:
        f = _figures(levers)
        found: dict[str, Any] = {
            "pitch": round(f["pitch"], 2),
            "tile_width": round(f["lever_width"], 2),
            "sizes": {},
        }
        for part in ("body", "base", "bank", "plug", *(f"lever {n}" for n in (1, levers))):
            name, _, number = part.partition(" ")
            mesh = load(name, levers, **({"number": int(number)} if number else {}))
            size = [*sorted((float(x) for x in mesh.extents[:2]), reverse=True), float(mesh.extents[2])]
            found["sizes"][part] = [round(x, 1) for x in size]
            if any(a > b for a, b in zip(size, BED, strict=True)):
                faults.append(f"{levers} levers: {part} is larger than the bed")
        still = {
            p: load(p, levers)
            for p in ("body_at", "base_at", "bank_stiff", "leaves", "switches", "pi_stack", "plug_at")
        }
        pairs = [
            ("body_at", "bank_stiff"),
            ("body_at", "leaves"),
            ("body_at", "switches"),
            ("body_at", "base_at"),
            ("base_at", "bank_stiff"),
            ("base_at", "switches"),
            ("bank_stiff", "switches"),
            ("leaves", "switches"),
            ("pi_stack", "body_at"),
            ("pi_stack", "bank_stiff"),
            ("pi_stack", "switches"),
            ("plug_at", "body_at"),
            ("plug_at", "bank_stiff"),
        ]
        for a, b in pairs:
            volume = overlap(still[a], still[b])
            if volume > _NOTHING:
                faults.append(f"{levers} levers: {a} cuts into {b}: {volume:.1f} mm3")

        def turned(number: int, angle: float, levers: int = levers, f: dict[str, float] = f) -> Any:
            mesh = load("lever_at", levers, number=number, angle=0).copy()
            matrix = trimesh.transformations.rotation_matrix(  # type: ignore[no-untyped-call,unused-ignore]
                math.radians(angle), [1, 0, 0], [0, f["axle_y"], f["axle_z"]]
            )
            mesh.apply_transform(matrix)
            return mesh

        held: dict[float, float] = {}
        for which in (1, levers):
            angle = f["up"]
            while angle <= f["down"] + 1e-9:
                lever = turned(which, angle)
                for other in ("bank_stiff", "switches", "body_at"):
                    volume = overlap(lever, still[other])
                    if volume > _NOTHING:
                        faults.append(
                            f"{levers} levers: lever {which} at {angle:g} cuts into {other}: {volume:.1f} mm3"
                        )
                held[angle] = overlap(lever, still["leaves"])
                angle += 5.0
        for end in (f["up"], f["down"]):
            if held[end] > _NOTHING:
                faults.append(
                    f"{levers} levers: at {end:g} the leaf does not rest in its notch: {held[end]:.2f} mm3"
                )
        between = min(v for a, v in held.items() if f["up"] + 15 <= a <= f["down"] - 15)
        if between < 1.0:
            faults.append(f"{levers} levers: nothing bends the leaf on the way, so nothing holds the lever")
        ends = (f["up"], f["down"])
        for mine, other_angle in itertools.product(ends, ends):
            if overlap(turned(1, mine), turned(2, other_angle)) > _NOTHING:
                faults.append(f"{levers} levers: neighbours touch at {mine:g} and {other_angle:g}")

        def reach(angle: float, f: dict[str, float] = f, turned: Any = turned) -> float:
            """Height over the switch's hole line that the tail leaves to the actuator."""
            points = turned(1, angle).vertices
            z = points[:, 2] - f["axle_z"]
            near = points[(z > f["switch_z"] - 1) & (z < f["switch_z"] + 6)]
            front = float(near[:, 1].max()) if len(near) else -1e9
            return float(f["axle_y"] + f["switch_y"] - front)

        pressed, released = reach(f["down"]), reach(f["up"])
        found["switch"] = {
            "pressed_mm": round(pressed, 2),
            "operates_mm": f["operates"],
            "body_mm": f["body_top"],
        }
        if not f["body_top"] + 0.2 <= pressed <= f["operates"] - 0.8:
            faults.append(f"{levers} levers: the switch is pressed to {pressed:.2f} mm")
        if released < f["free"]:
            faults.append(f"{levers} levers: the switch is not free when the lever is up ({released:.2f} mm)")
        report["levers"][str(levers)] = found
    report["faults"] = faults
    return report


def main() -> int:
    """Check all sizes, write the result where it is not the same already, and say what is wrong."""
    report = check()
    text = json.dumps(report, indent=2) + "\n"
    if text != RESULT.read_text(encoding="utf-8"):
        RESULT.write_text(text, encoding="utf-8")
    for fault in report["faults"]:
        print(fault, file=sys.stderr)
    print(f"box: {len(COUNTS)} sizes checked, {len(report['faults'])} faults")
    return 1 if report["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
