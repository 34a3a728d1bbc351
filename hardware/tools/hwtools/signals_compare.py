"""Says whether two runs of the channel's simulation agree, within what versions of ngspice differ by."""

from __future__ import annotations

import json
import sys
from pathlib import Path

__all__ = ["differences"]

#: Edges may move this far between versions and machines (ns).
TOLERANCE_NS = 20_000


def differences(old: Path, new: Path) -> list[str]:
    """Return a line for every case whose edges are not the same within the tolerance."""
    a, b = (json.loads(p.read_text(encoding="utf-8")) for p in (old, new))
    found = []
    for was, now in zip(a["cases"], b["cases"], strict=True):
        levels = [e[1] for e in was["pin"]] == [e[1] for e in now["pin"]]
        if not levels or any(
            abs(x[0] - y[0]) > TOLERANCE_NS for x, y in zip(was["pin"], now["pin"], strict=False)
        ):
            found.append(f"{was['name']}: the pin's edges changed")
    if any(case["pin"] for case in b["static"]):
        found.append("static makes an edge at the pin")
    return found


if __name__ == "__main__":
    lines = differences(Path(sys.argv[1]), Path(sys.argv[2]))
    print("\n".join(lines) or "signals: as committed")
    sys.exit(bool(lines))
