"""What follows from the keys of a game, and the game on other boxes and to other limits."""

from dataclasses import replace

from shutthebox.config import profiles
from shutthebox.rules.profile import (
    Profile,
    ShutWins,
)


def test_the_game_to_another_limit() -> None:
    to_100, ladder = profiles.builtin("trac-100"), replace(profiles.builtin("ladder"), limit=17)
    assert to_100.with_limit(45).limit == 45
    assert to_100.with_limit(None) is to_100
    assert ladder.with_limit(45) is ladder, "the total to beat is no choice"
    pub = profiles.builtin("pub")
    assert pub.with_limit(45) is pub


def test_the_game_on_another_box() -> None:
    odd = Profile("odd", tiles=(2, 3, 12), boxes=(9, 10), shut_wins=ShutWins.NO)
    assert odd.allowed_boxes == (3, 9, 10)
    assert odd.for_box(3) is odd
    assert odd.for_box(10) == replace(odd, tiles=tuple(range(1, 11)))
    assert odd.for_box(12) is None
    fits = {levers: odd.for_levers(levers) for levers in (8, 9, 10, 12)}
    assert {levers: box and len(box.tiles) for levers, box in fits.items()} == {8: None, 9: 9, 10: 10, 12: 10}
    only = replace(odd, boxes=())
    assert (only.for_levers(11), only.for_levers(12)) == (None, only)


def test_the_title_in_a_language() -> None:
    titled = Profile("x", titles=(("en", "Ours"), ("fr", "À nous")))
    assert [titled.title(language) for language in ("en", "fr", "de")] == ["Ours", "À nous", "Ours"]
    assert titled.title("de", str.upper) == "OURS"
    assert Profile("x").title("fr", str.upper) == "x"
    assert Profile("x", titles=(("en", ""), ("fr", "À nous"))).title("en", str.upper) == "x"
