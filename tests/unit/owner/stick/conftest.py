"""A card for the tests of its helper."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.updates import Card

from shutthebox.owner import update
from shutthebox.owner.stick import updating


@pytest.fixture
def card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Card:
    found = Card(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for module in (update, updating):
        monkeypatch.setattr(module, "FETCHED", found.kept / "card/update.raucb")
    monkeypatch.setattr(update, "BACKUP", found.kept / "card/before-update.sqlite3")
    monkeypatch.setattr(update, "SERVICE_FOLDER", tmp_path / "state")
    monkeypatch.setattr(update, "CONFIG_FILE", found.kept / "etc/config.toml")
    return found
