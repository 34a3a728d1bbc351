"""The command `replay`: effects for programs, pictures, and a memory that is kept."""

import json
from pathlib import Path

import pytest
from tests.support.command import command, printed, refused

from shutthebox.adapters.store.database import STORE_FILE

SCRIPT = "config game.setup usual\ndice 3 5\npress\npress\npress\nexpect throw 3 5\n"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.scn"
    path.write_text(SCRIPT)
    return path


def test_every_effect_is_a_line_for_programs(script: Path) -> None:
    effects = [json.loads(line) for line in printed("replay", "--json", script).splitlines()]
    assert {effect["kind"] for effect in effects} == {"show", "sound", "record"}


def test_an_expectation_that_is_not_met_ends_it(script: Path) -> None:
    script.write_text(SCRIPT.replace("expect throw 3 5", "expect throw 3 6"))
    assert refused("replay", script, code=1).startswith(f"shutthebox: {script}:6: expected throw")


def test_pictures_and_memory_are_kept_where_they_are_asked_for(script: Path, tmp_path: Path) -> None:
    pictures, state = tmp_path / "new/pictures", tmp_path / "new/state"
    printed("replay", script, "--frames", pictures, "--state", state)
    first, *rest = sorted(path.name for path in pictures.iterdir())
    assert first.startswith("0001-")
    assert rest
    assert (state / STORE_FILE).is_file()
    script.write_text("expect throw 3 5\n")
    assert command("replay", script, "--state", state).code == 0, "the match goes on"
    assert command("replay", script).code == 1, "without it there is none"
