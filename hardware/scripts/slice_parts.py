"""Slices every part with our profiles, and writes hours, grams and extents to ``hardware/box/slicing.json``.

Slices what has changed; needs PrusaSlicer.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hwtools.slicing import RESULT, SETTINGS, Bed, digest, read_profiles


def slice_part(stl: Path, values: dict[str, str], bed: Bed) -> dict[str, Any]:
    """Slice one part on a bed; return hours, grams, and the extents of its moves in mm.

    Raises:
        ValueError: the slicer gave a warning, which is the message.
    """
    wide, deep, high = bed
    corners = f"0x0,{wide:g}x0,{wide:g}x{deep:g},0x{deep:g}"
    told = SETTINGS["machine"] | values | {"bed_shape": corners, "max_print_height": f"{high:g}"}
    with tempfile.TemporaryDirectory() as folder:
        target, profile = Path(folder) / "part.gcode", Path(folder) / "profile.ini"
        profile.write_text("".join(f"{key} = {value}\n" for key, value in told.items()), encoding="utf-8")
        command = ["nice", "prusa-slicer", "--load", str(profile), "-g", "-o", str(target), str(stl)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        words = re.findall(r"(?im)^.*(?:warning|error|outside|empty|repair).*$", done.stdout + done.stderr)
        if done.returncode or words or not target.exists():
            raise ValueError(f"{stl.name}: {' '.join(words) or done.stderr.strip()}")
        text = target.read_text(encoding="utf-8", errors="replace")
    took = re.search(r"printing time \(normal mode\) = (?:(\d+)d )?(?:(\d+)h )?(?:(\d+)m )?(\d+)s", text)
    grams = re.search(r"filament used \[g\] = ([\d.]+)", text)
    if not took or not grams:
        raise ValueError(f"{stl.name}: the slicer wrote no time or weight")
    days, hours, minutes, seconds = (int(v or 0) for v in took.groups())
    moves = "\n".join(re.findall(r"(?m)^G[0-3] [^;\n]*", text[text.index(";LAYER_CHANGE") :]))
    ways = {axis: [float(v) for v in re.findall(rf" {axis}(-?[\d.]+)", moves)] for axis in "XYZ"}
    # a line is as wide as it is extruded: half of it lies beyond its middle
    edge = float(values["extrusion_width"]) / 2
    low, far = ([f(ways[a]) + sign * edge for a in "XY"] for f, sign in ((min, -1), (max, 1)))
    return {
        "hours": round(days * 24 + hours + minutes / 60 + seconds / 3600, 2),
        "grams": float(grams[1]),
        "bed": list(bed),
        "extents": [round(v, 1) for v in (*low, *far, max(ways["Z"]))],
    }


def off_the_bed(sliced: dict[str, Any]) -> bool:
    """Return whether any move of a sliced part leaves its bed."""
    x0, y0, x1, y1, z1 = sliced["extents"]
    wide, deep, high = sliced["bed"]
    return bool(x0 < 0 or y0 < 0 or x1 > wide or y1 > deep or z1 > high)


def main() -> int:
    """Slice each part that has changed, every speed on its own bed, and write the result."""
    from hwtools.box.check import BEDS  # the solids: the rest needs none of them
    from hwtools.box.fab import printed_parts, write_stl

    old = json.loads(RESULT.read_text(encoding="utf-8"))["parts"] if RESULT.exists() else {}
    parts: dict[str, dict[str, Any]] = {}
    faults = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        jobs = []
        for name, (solid, pieces) in printed_parts().items():
            parts[name] = {"pieces": pieces}
            stl = Path(folder) / f"{name}.stl"
            write_stl(solid, stl)
            kind = "tiles" if stl.name.startswith("lever-") else "parts"
            for speed, bed in zip(SETTINGS["speeds"], BEDS, strict=True):
                values = read_profiles()[f"{kind}, {speed}"]
                source = hashlib.sha256(stl.read_bytes() + repr((SETTINGS["machine"], values, bed)).encode())
                same = old.get(name, {}).get(speed, {}).get("source") == source.hexdigest()[:16]
                job = None if same else pool.submit(slice_part, stl, values, bed)
                jobs.append((name, speed, source.hexdigest()[:16], job))
        for name, speed, hexdigest, job in jobs:
            try:
                parts[name][speed] = job.result() | {"source": hexdigest} if job else old[name][speed]
            except ValueError as error:
                faults.append(str(error))
                continue
            if off_the_bed(parts[name][speed]):
                faults.append(f"{name}: leaves its bed: {parts[name][speed]}")
    for fault in faults:
        print(fault, file=sys.stderr)
    if not faults:
        text = json.dumps({"sources": digest(), "parts": parts}, indent=1)
        RESULT.write_text(
            re.sub(r"\[\s+([^][]+?)\s+\]", lambda m: f"[{' '.join(m[1].split())}]", text) + "\n"
        )
    print(f"slicing: {len(parts)} parts on {len(BEDS)} beds, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
