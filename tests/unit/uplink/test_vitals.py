"""The state of a box, from the file that the box itself has written."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from shutthebox.adapters.store.database import STORE_FILE, open_to_read
from shutthebox.adapters.store.queries import finished_since
from shutthebox_uplink.home_assistant import description
from shutthebox_uplink.vitals import CHATTER_PER_PRESS, vitals, worn_levers


def test_of_a_box_at_which_three_matches_were_played(evening: Path, tmp_path: Path) -> None:
    thermal = tmp_path / "temp"
    thermal.write_text("48312\n")
    scores = json.loads((evening / "scores.json").read_text())
    began_s = scores["matches"][0]["began_s"]
    found = vitals(evening / "scores.json", 2, began_s, "9.9", thermal)
    assert found["playing"] == "player 1"
    assert found["score"] == "0 : 0"
    assert found["last_winner"] == "C&D"
    assert found["matches"] == 3
    assert found["matches_today"] == scores["health"]["finished_today"]
    with closing(open_to_read(evening / STORE_FILE)) as db:
        assert finished_since(db, 0) == 3
        assert finished_since(db, began_s) == 1
        assert finished_since(db, began_s + 1) == 0
    assert found["levers"] == "good"
    assert found["version"] == scores["program"]
    assert found["latest_version"] == "9.9"
    assert found["temperature"] == 48.3
    assert found["waiting"] == 2
    assert found["faults"] == 0


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"version": 99}'])
def test_of_a_box_that_is_off_or_of_another_version(tmp_path: Path, content: str) -> None:
    path = tmp_path / "scores.json"
    if content:
        path.write_text(content)
    found = vitals(path, 0, 1_800_000_000.0, thermal=tmp_path / "none")
    assert found["playing"] == "nobody"
    assert found["temperature"] is None


def test_a_lever_is_worn_by_its_chatter() -> None:
    health = {"presses": 300, "chatter": 300 * CHATTER_PER_PRESS}
    assert worn_levers({"4": health}) == []
    assert worn_levers({"4": {**health, "chatter": health["chatter"] + 1}}) == ["4"]
    assert worn_levers({"4": {"presses": 3, "chatter": 900}}) == []


def test_every_entity_shows_something_that_is_published(tmp_path: Path) -> None:
    published = vitals(tmp_path / "none", 0, 0.0)
    described = json.loads(description("lion.1", "The Red Lion", "1.0.0"))
    assert described["o"]["name"] == "shutthebox-uplink"
    assert described["dev"]["name"] == "The Red Lion"
    assert described["availability_topic"] == "shutthebox/lion.1/availability"
    assert len(described["cmps"]) >= 12
    assert len({entity["unique_id"] for entity in described["cmps"].values()}) == len(described["cmps"])
    for entity in described["cmps"].values():
        assert any(f"value_json.{key}" in entity["value_template"] for key in published), entity
