"""Slices the printed parts with our profiles, as the check of both; needs PrusaSlicer, takes some minutes.

``python -m hwtools.slicing FOLDER-OF-STL``
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from hwtools.pinout import HARDWARE

__all__ = ["PROFILES", "Sliced", "profile", "slice_part"]

PROFILES = HARDWARE / "box" / "slicer"
#: Hours and grams of one piece.
Sliced = tuple[float, float]


def profile(name: str) -> Path:
    """Return the profile of a part by its file's name."""
    kind = "test-bay" if name.startswith("test-bay") else "tiles" if name.startswith("lever-") else "parts"
    return PROFILES / f"{kind}.ini"


def slice_part(stl: Path) -> Sliced:
    """Slice one part; ValueError with the slicer's words if it warns of anything."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "part.gcode"
        command = ["prusa-slicer", "--load", str(profile(stl.name)), "-g", "-o", str(target), str(stl)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        words = re.findall(r"(?im)^.*(?:warning|error|outside|empty|repair).*$", done.stdout + done.stderr)
        if done.returncode or words or not target.exists():
            raise ValueError(f"{stl.name}: {' '.join(words) or done.stderr.strip()}")
        text = target.read_text(encoding="utf-8", errors="replace")
    took = re.search(
        r"estimated printing time \(normal mode\) = (?:(\d+)d )?(?:(\d+)h )?(?:(\d+)m )?(\d+)s", text
    )
    grams = re.search(r"filament used \[g\] = ([\d.]+)", text)
    if not took or not grams:
        raise ValueError(f"{stl.name}: the slicer wrote no time or weight")
    days, hours, minutes, seconds = (int(v or 0) for v in took.groups())
    return days * 24 + hours + minutes / 60 + seconds / 3600, float(grams[1])


def main(folder: Path) -> int:
    """Slice the parts of a box of nine with the large display, and the test bay."""
    if not shutil.which("prusa-slicer"):
        print("hardware: no prusa-slicer here: apt install prusa-slicer", file=sys.stderr)
        return 2
    parts = [
        *folder.glob("*.stl"),
        *(folder / "9-levers").glob("*.stl"),
        *(folder / "display-2.42").glob("*.stl"),
    ]
    hours = grams = 0.0
    failed = 0
    for stl in sorted(parts):
        pieces = int(stl.stem.rpartition("_x")[2])
        try:
            time, weight = slice_part(stl)
        except ValueError as fault:
            print(fault, file=sys.stderr)
            failed += 1
            continue
        print(f"{stl.stem}: {time:.1f} h, {weight:.0f} g a piece")
        if not stl.name.startswith("test-bay"):
            hours, grams = hours + pieces * time, grams + pieces * weight
    print(f"slicing: {len(parts)} parts, {failed} refused; the box takes {hours:.0f} h and {grams:.0f} g")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
