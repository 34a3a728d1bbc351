"""What follows from the keys of a game, and the game on other boxes and to other limits."""

from dataclasses import replace
from typing import Any

from shutthebox.config import profiles
from shutthebox.rules.profile import (
    MatchFormat,
    Profile,
)
from shutthebox.rules.tiles import to_tiles

LADDER: dict[str, Any] = {"match": MatchFormat.LADDER}


def test_tiles_that_start_open() -> None:
    profile = Profile("x", tiles=(1, 2, 5), start_open=(2, 5, 9))
    assert profile.all_tiles == to_tiles([1, 2, 5])
    assert (profile.starting, profile.starting_behind) == (to_tiles([2, 5]), 0)
    two_rows = replace(profile, rows=2)
    assert (two_rows.starting, two_rows.starting_behind) == (to_tiles([2, 5]), to_tiles([2, 5]))
    assert replace(profile, start_open=None).starting == to_tiles([1, 2, 5])


def test_the_game_to_another_limit() -> None:
    to_100, ladder = profiles.builtin("trac-100"), replace(profiles.builtin("ladder"), limit=17)
    assert to_100.with_limit(45).limit == 45
    assert to_100.with_limit(None) is to_100
    assert ladder.with_limit(45) is ladder, "the total to beat is no choice"
    pub = profiles.builtin("pub")
    assert pub.with_limit(45) is pub


def test_the_title_in_a_language() -> None:
    titled = Profile("x", titles=(("en", "Ours"), ("fr", "À nous")))
    assert [titled.title(language) for language in ("en", "fr", "de")] == ["Ours", "À nous", "Ours"]
    assert titled.title("de", str.upper) == "OURS"
    assert Profile("x").title("fr", str.upper) == "x"
    assert Profile("x", titles=(("en", ""), ("fr", "À nous"))).title("en", str.upper) == "x"
