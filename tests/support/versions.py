"""The version of the store after this one, as a later program would have it."""

import pytest

from shutthebox.adapters.store import contents, schema

NEXT = schema.VERSION + 1


def take_next_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on this program is a later one: its table of levers has a column more."""
    chatter = "chatter integer not null"
    later = schema._SCHEMAS[-1].replace(chatter, f"{chatter}, cleaned integer not null default 0")
    assert later != schema._SCHEMAS[-1]
    monkeypatch.setattr(schema, "_SCHEMAS", (*schema._SCHEMAS, later))
    for module in (schema, contents):
        monkeypatch.setattr(module, "VERSION", NEXT)
    monkeypatch.setattr(schema, "COLUMNS", schema.columns_of(NEXT))
