"""`shutthebox profiles`, through the front door."""

import dataclasses
import json
from pathlib import Path

import pytest
from tests.support.command import command, printed, refused

from shutthebox.config import profiles
from shutthebox.rules.words import explain
from shutthebox.translations import finished_codes, translations


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A terminal that asks for no language."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ({}, "en"),
        ({"LANG": "fr_BE.UTF-8"}, "fr"),
        ({"LANG": "fr_BE.UTF-8", "LC_ALL": "nl_BE"}, "nl"),
        ({"LANGUAGE": "sv:de"}, "de"),
    ],
)
def test_rules_are_in_the_reader_s_language_alone(
    asked: dict[str, str], language: str, terminal: pytest.MonkeyPatch
) -> None:
    for name, value in asked.items():
        terminal.setenv(name, value)
    out = printed("profiles", "jouhet")
    sentences = explain(profiles.builtin("jouhet"), translations()[language])
    assert out.splitlines()[5:] == [f"  {sentence}" for sentence in sentences]
    assert out.startswith("jouhet: À Toi De Jouhet\n")


def test_one_as_json() -> None:
    document = json.loads(printed("profiles", "trac-100", "--json"))
    assert document["name"] == "trac-100"
    assert {"en": "Trac to 100", "de": "Trac bis 100"}.items() <= document["title"].items()
    assert document["title"].keys() <= set(finished_codes())
    assert (document["move"], document["limit"], document["boxes"]) == ("faces", 100, [9, 12])
    assert document["max_tiles"] is None
    assert document["words"]["fr"] == list(explain(profiles.builtin("trac-100"), translations()["fr"]))
    fields = {field.name for field in dataclasses.fields(profiles.builtin("trac-100"))}
    assert set(document) == fields - {"titles"} | {"title", "words"}, "every rule"


def test_fail__a_bad_file_and_none(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text("limit = 9")
    assert refused("profiles", path, "--json").startswith(f"shutthebox: {path}: limit: means nothing")
    for name in ("nothing", "", "absent.toml"):
        assert refused("profiles", name).startswith("shutthebox: ")


def test_a_folder_of_house_rules(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text('title.en = "Our own"\ntiles = 10')
    assert printed("profiles", "--folder", tmp_path).splitlines()[-1].split() == ["ours", "10", "Our", "own"]
    assert printed("profiles", "ours", "--folder", tmp_path)
    refused("profiles", "ours")
    (tmp_path / "bad.toml").write_text("dice = 0")
    said = command("profiles", "--folder", tmp_path, "--json")
    assert said.code == 2
    assert json.loads(said.out)[-1]["name"] == "ours"
    allowed = "dice: 0 is not allowed; use a whole number from 1 to 9\n"
    assert said.err == f"shutthebox: {tmp_path}/bad.toml: {allowed}"
