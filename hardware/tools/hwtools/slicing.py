"""The slicer profiles, and what slicing every part with them gave: hours, grams and extents.

``hardware/scripts/slice_parts.py`` writes the result.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

from hwtools.pinout import HARDWARE

SETTINGS: dict[str, Any] = tomllib.loads((HARDWARE / "box" / "slicing.toml").read_text(encoding="utf-8"))
RESULT = HARDWARE / "box" / "slicing.json"
Bed = tuple[float, float, float]


def read_profiles() -> dict[str, dict[str, str]]:
    """Return each profile's settings, by its name."""
    return {
        f"{kind}, {speed}": SETTINGS["print"] | SETTINGS["kinds"][kind] | SETTINGS["speeds"][speed]
        for kind in SETTINGS["kinds"]
        for speed in SETTINGS["speeds"]
    }


def write_profiles(folder: Path) -> None:
    """Write a config bundle for PrusaSlicer, and a process per profile for OrcaSlicer."""
    orca = SETTINGS["orca"]
    bundle = []
    for name, values in read_profiles().items():
        lines = "".join(f"{key} = {value}\n" for key, value in values.items())
        bundle.append(f"[print:Shut the Box {name}]\n{lines}")
        process = {
            "name": f"Shut the Box {name}",
            "print_settings_id": f"Shut the Box {name}",
            **orca["head"],
        }
        for key, value in values.items():
            process |= dict.fromkeys(orca["keys"][key], orca["values"].get(value, value))
        text = json.dumps(process, indent=1) + "\n"
        (folder / f"orca {name}.json".replace(",", "").replace(" ", "-")).write_text(text, encoding="utf-8")
    (folder / "prusaslicer-bundle.ini").write_text("\n".join(bundle), encoding="utf-8")


def digest() -> str:
    """Return a hash of everything that affects how parts are sliced."""
    sources = [
        HARDWARE / "tools" / "hwtools" / "box" / f"{n}.py" for n in ("dimensions", "fab", "printed", "solids")
    ]
    sources.append(HARDWARE / "box" / "slicing.toml")
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def read_parts(levers: int = 9, display: str = "2.42", *, wooden: bool = False) -> dict[str, dict[str, Any]]:
    """Return a box's sliced parts by name."""
    parts = json.loads(RESULT.read_text(encoding="utf-8"))["parts"]
    left_out = ("body", "base") if wooden else ()
    return {
        name: part
        for name, part in parts.items()
        if name not in left_out
        and not name.endswith("test-bay")
        and name.rpartition("/")[0] in ("", f"{levers}-levers", f"display-{display}")
    }
