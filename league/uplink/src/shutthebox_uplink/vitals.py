"""The state of a box, for its owner and for Home Assistant: from the box's file of scores, and the machine.

The file is the one that the scoreboard shows. The uplink has no other access to the box.
"""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shutthebox.adapters.store.scores_file import VERSION
from shutthebox.files import read_bytes

THERMAL = Path("/sys/class/thermal/thermal_zone0/temp")
_MAX_SCORES_BYTES = 256 * 1024
_TROUBLE_S = 24 * 3600
"""How many seconds a fault counts as a problem."""

CHATTER_PER_PRESS = 20
"""A lever with this many edges of chatter per move is worn, if it has moved often enough to judge."""

_ENOUGH_MOVES = 200


def vitals(
    scores_file: Path,
    waiting: int,
    now_s: float,
    latest: str = "",
    thermal: Path = THERMAL,
    *,
    problem: str = "",
) -> dict[str, Any]:
    """All published figures of a box; a key without a value is None.

    Args:
        scores_file: as the box writes it.
        waiting: entries in the outbox.
        now_s: the time of day.
        latest: the version that the league runs; empty if not known.
        thermal: file of the kernel with the temperature in thousandths of a degree Celsius.
        problem: the reason why the league does not get the box's entries; empty without one.
    """
    scores = _scores(scores_file)
    running = scores.get("running")
    running = running if isinstance(running, dict) else None
    over = bool(running and running.get("winners"))
    matches, health = scores.get("matches") or [], scores.get("health") or {}
    faults = [fault for fault in health.get("faults") or [] if now_s - fault["at_s"] < _TROUBLE_S]
    worn = worn_levers(health.get("switches") or {})
    version = scores.get("program")
    return {
        "playing": "nobody" if running is None else "match over" if over else f"player {running['player']}",
        "game": (running or scores.get("rules") or {}).get("game"),
        "score": "–" if running is None else " : ".join(str(total) for total in running["totals"]),
        "last_winner": _last_winner(matches),
        "matches_today": health.get("finished_today"),
        "matches": health.get("finished"),
        "levers": "worn: " + ", ".join(worn) if worn else "good",
        "lever_problem": bool(worn),
        "faults": len(faults),
        "last_fault": f"{faults[0]['kind']}: {faults[0]['text']}"[:200] if faults else "none",
        "display": scores.get("display"),
        "version": version,
        "latest_version": latest or version,
        "uptime_s": int(time.clock_gettime(time.CLOCK_BOOTTIME)),
        "temperature": _temperature(thermal),
        "waiting": waiting,
        "delivery": problem or "good",
    }


def worn_levers(switches: Mapping[str, Mapping[str, int]]) -> list[str]:
    """The levers whose contacts chatter much for their number of moves, by their numbers."""
    return [
        number
        for number, health in switches.items()
        if health["presses"] >= _ENOUGH_MOVES and health["chatter"] > CHATTER_PER_PRESS * health["presses"]
    ]


def _scores(path: Path) -> dict[str, Any]:
    """The box's file; empty for a box that is off, or of another version."""
    try:
        found = json.loads(read_bytes(path, _MAX_SCORES_BYTES))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and found.get("version") == VERSION else {}


def _last_winner(matches: list[dict[str, Any]]) -> str:
    for match in matches:
        winners = [
            str(player["initials"] or player["number"]) for player in match["players"] if player["won"]
        ]
        return ", ".join(winners) or "nobody"
    return "nobody"


def _temperature(path: Path) -> float | None:
    try:
        return round(int(path.read_text("ascii")) / 1000, 1)
    except (OSError, ValueError):
        return None
