"""The version of the store after this one, as a later program would have it."""

import pytest

from shutthebox.adapters.store import database, open_store, reading, recovery, schema, verification

NEXT = schema.VERSION + 1


def take_next_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on this program is a later one: its table of levers has a column more."""
    chatter = "        chatter integer not null,\n"
    cleaned = "        cleaned integer not null default 0,\n"
    later = schema._SCHEMAS[-1].replace(chatter, chatter + cleaned)
    assert later != schema._SCHEMAS[-1]
    monkeypatch.setattr(schema, "_SCHEMAS", (*schema._SCHEMAS, later))
    for module in (schema, database, open_store, reading):
        monkeypatch.setattr(module, "VERSION", NEXT)
    for user in (schema, recovery, verification):
        monkeypatch.setattr(user, "COLUMNS", schema.columns_of(NEXT))
