"""The health that boxes report: only known values of the right type are stored.

No initials are among them, so there is nothing to forget here.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Connection, select

from shutthebox_league.database import upsert
from shutthebox_league.schema import HEALTH, KEY

MAX_BYTES = 8 * 1024
"""Longer reports are discarded unread."""

_MAX_TEXT = 200


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_TEXT and value.isprintable()


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 2**53


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _has_form(pattern: str) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) is not None


# Everybody sees the first two.
_VALIDATORS: Mapping[str, Callable[[object], bool]] = {
    "playing": _has_form("nobody|match over|player [1-9][0-9]?"),
    "score": _has_form("–|-?[0-9]{1,9}( : -?[0-9]{1,9}){0,19}"),
    "version": _is_text, "display": _is_bool, "levers": _is_text,
    "faults": _is_number, "last_fault": _is_text, "waiting": _is_number, "temperature": _is_number,
    "delivery": _is_text,
}  # fmt: skip


def read_health(report: bytes | str) -> dict[str, Any]:
    """The valid values of a report; empty if it isn't one."""
    try:
        text = report.decode("utf-8") if isinstance(report, bytes) else report
        found = json.loads(text) if len(text) <= MAX_BYTES else None
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {key: found[key] for key, is_valid in _VALIDATORS.items() if key in found and is_valid(found[key])}


def keep_health(db: Connection, name: str, state: bytes, now_s: int) -> None:
    """Stores a box's health report. Reports under an unknown or revoked key are ignored."""
    key = db.execute(select(KEY.c.box_id).where(KEY.c.name == name, KEY.c.revoked_s.is_(None))).first()
    if key is None:
        return
    values: dict[str, Any] = {"seen_s": now_s, "state": json.dumps(read_health(state))}
    row = upsert(db, HEALTH).values(box_id=key.box_id, **values)
    db.execute(row.on_conflict_do_update(index_elements=["box_id"], set_=values))
