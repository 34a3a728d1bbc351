"""The built-in profiles against the table of the rules, key by key."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.each import each
from tests.support.games import DEFAULTS, GAMES

from shutthebox.config import profiles
from shutthebox.config.schema import Config
from shutthebox.config.settings_loader import settings_for
from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import ProfileError
from shutthebox.rules.tiles import to_text
from shutthebox.rules.writer import to_keys

PROJECT = Path(__file__).resolve().parents[3]


def rules(profile: Profile) -> dict[str, Any]:
    shown = ("name", "title.en", "title.fr", "source", "group")
    return {key: value for key, value in to_keys(profile).items() if key not in shown}


def test_defaults() -> None:
    """The one test that wants every key: the others take the defaults as they are."""
    assert rules(Profile("plain")) == DEFAULTS, "a key whose default is not in tests/support/games.py"


def test_all_profiles_of_the_table_are_built_in_and_no_others() -> None:
    names = [profile.name for profile in profiles.builtins()]
    assert names[0] == "traditional"
    assert sorted(names) == sorted(GAMES)


def has_its_keys(name: str) -> None:
    profile = profiles.builtin(name)
    assert profile.name == name
    assert rules(profile) == {**rules(Profile("plain")), **GAMES[name]}
    assert dict(profile.titles)["en"]
    assert profile.source


def test_keys() -> None:
    each(GAMES, has_its_keys)


def test_no_key_of_a_game_contradicts_another() -> None:
    for game in profiles.builtins():
        assert profiles.find(game.name) is game


@pytest.mark.slow
def test_a_draft_that_cannot_be_played_is_not_in_the_menu(tmp_path: Path) -> None:
    """Two drafts of a contributor, in a copy of the package: one contradicts itself, one is no TOML."""
    shutil.copytree(PROJECT / "firmware", tmp_path / "box", ignore=shutil.ignore_patterns("__pycache__"))
    games = tmp_path / "box" / "shutthebox" / "rules" / "profiles"
    (games / "draft.toml").write_text('shut_others = 5\nwin = "highest"\n')
    (games / "sketch.toml").write_text("tiles = \n")
    listed = "from shutthebox.config.schema import Config; from shutthebox.config import settings_loader\n"
    listed += "print(*sorted(game.name for game in settings_loader.settings_for(Config(), 9, 'test').games))"
    done = subprocess.run(
        [sys.executable, "-c", listed],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "box")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == sorted(game.name for game in settings_for(Config(), 9, "test").games)
    draft, sketch = done.stderr.splitlines()
    assert draft.startswith("draft.toml: shut_others: 5 is not allowed")
    assert sketch.startswith("sketch.toml: not valid TOML")
    assert {draft.rpartition("; ")[2], sketch.rpartition("; ")[2]} == {"left out"}


@pytest.mark.parametrize(
    ("name", "boxes"),
    [("traditional", (9, 10, 12)), ("trac", (9, 12)), ("pub", (9,)), ("ten", (10,)), ("cards", (54,))],
)
def test_boxes(name: str, boxes: tuple[int, ...]) -> None:
    profile = profiles.builtin(name)
    assert profile.allowed_boxes == boxes
    for count in range(1, 60):
        played = profile.for_box(count)
        assert (played is not None) == (count in boxes)
        if played is not None:
            assert played.tiles == tuple(range(1, count + 1))


@pytest.mark.parametrize(
    ("name", "count", "starting"),
    [
        ("against-all-odds", 9, "1,3,5,7,9"),
        ("against-all-odds", 12, "1,3,5,7,9,11"),
        ("even-stevens", 10, "2,4,6,8,10"),
        ("three-down", 9, "4,5,6,7,8,9"),
        ("lucky-seven", 12, "7"),
    ],
)
def test_tiles_that_start_open(name: str, count: int, starting: str) -> None:
    played = profiles.builtin(name).for_box(count)
    assert played is not None
    assert to_text(played.starting) == starting


@pytest.mark.parametrize("name", ["", "Traditional", "../traditional", "x" * 500, "a\nb", "."])
def test_fail__builtin(name: str) -> None:
    with pytest.raises(ProfileError, match=r"^profile: .* is not known; .*use one of 2012, ") as caught:
        profiles.builtin(name)
    assert "\n" not in str(caught.value)


def test_a_printed_game_has_only_the_keys_that_somebody_set() -> None:
    plain = Profile(name="ours", dice=3)
    assert repr(plain) == "Profile(name='ours', dice=3)"
