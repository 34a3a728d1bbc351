"""The version of the store after this one, as a later program would have it."""

import pytest

from shutthebox.adapters.store import database, open_store, reading, schema

NEXT = schema.VERSION + 1


def take_next_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on this program is a later one: its table of levers has a column more."""
    chatter = "        chatter integer not null"
    cleaned = ",\n        cleaned integer not null default 0"
    later = schema._SCHEMAS[-1].replace(chatter, chatter + cleaned)
    assert later != schema._SCHEMAS[-1]
    monkeypatch.setattr(schema, "_SCHEMAS", (*schema._SCHEMAS, later))
    for module in (schema, database, open_store, reading):
        monkeypatch.setattr(module, "VERSION", NEXT)
    monkeypatch.setattr(schema, "COLUMNS", schema.columns_of(NEXT))
