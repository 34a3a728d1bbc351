"""`shutthebox profiles`, through the front door."""

import json
from pathlib import Path
from typing import Any

import pytest

from shutthebox.cli import main as cli
from shutthebox.config import profiles
from shutthebox.rules.words import explain
from shutthebox.translations import finished_codes, translations


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = cli.main(["profiles", *args])
    out, err = capsys.readouterr()
    return code, out, err


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
    asked: dict[str, str], language: str, terminal: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in asked.items():
        terminal.setenv(name, value)
    code, out, err = run(capsys, "jouhet")
    assert (code, err) == (0, "")
    sentences = [
        f"  {sentence}" for sentence in explain(profiles.builtin("jouhet"), translations()[language])
    ]
    assert out.splitlines()[5:] == sentences
    assert out.startswith("jouhet: À Toi De Jouhet\n")


def test_one_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "trac-100", "--json")
    document: dict[str, Any] = json.loads(out)
    assert (code, err) == (0, "")
    assert document["name"] == "trac-100"
    assert {"en": "Trac to 100", "de": "Trac bis 100"}.items() <= document["title"].items()
    assert document["title"].keys() <= set(finished_codes())
    assert (document["move"], document["limit"], document["boxes"]) == ("faces", 100, [9, 12])
    assert document["max_tiles"] is None
    assert document["words"]["fr"] == list(explain(profiles.builtin("trac-100"), translations()["fr"]))
    assert set(document) == {
        *(
            "name",
            "title",
            "group",
            "source",
            "tiles",
            "boxes",
            "start_open",
            "dice",
            "sides",
            "draw",
            "one_die",
        ),
        *("move", "max_tiles", "difference", "first_move_must_include", "ends_turn_on", "blocked"),
        *("turns", "score", "lost_score", "win", "shut_wins", "rounds", "match", "limit", "tie"),
        *(
            "stakes",
            "first",
            "captain",
            "rows",
            "insurance",
            "stake",
            "pays",
            "teams",
            "handicap",
            "turn_seconds",
        ),
        "words",
    }


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("dice = 0", "dice: 0 is not allowed; allowed is a whole number from 1 to 9"),
        ("limit = 9", "limit: means nothing"),
        ("dice", "not valid TOML"),
    ],
)
def test_fail__a_bad_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, complaint: str
) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(text)
    code, out, err = run(capsys, str(path), "--json")
    assert (code, out) == (2, "")
    assert err.startswith(f"shutthebox profiles: {path}: {complaint}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["nothing", "", "absent.toml"])
def test_fail__no_such_profile(capsys: pytest.CaptureFixture[str], name: str) -> None:
    code, out, err = run(capsys, name)
    assert (code, out) == (2, "")
    assert err.startswith("shutthebox profiles: ")
    assert err.count("\n") == 1


def test_a_folder_of_house_rules(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text('title.en = "Our own"\ntiles = 10')
    code, out, err = run(capsys, "--folder", str(tmp_path))
    assert (code, err) == (0, "")
    assert out.splitlines()[-1].split() == ["ours", "10", "Our", "own"]
    assert run(capsys, "ours", "--folder", str(tmp_path))[0] == 0
    assert run(capsys, "ours")[0] == 2
    (tmp_path / "bad.toml").write_text("dice = 0")
    code, out, err = run(capsys, "--folder", str(tmp_path), "--json")
    assert code == 2
    assert json.loads(out)[-1]["name"] == "ours"
    assert err == f"shutthebox profiles: {tmp_path}/bad.toml: dice: 0 is not allowed; " + (
        "allowed is a whole number from 1 to 9\n"
    )
