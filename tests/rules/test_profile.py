"""What follows from the keys of a game, and the game on other boxes and to other limits."""

from dataclasses import replace
from typing import Any

import pytest

from shutthebox.config import profiles
from shutthebox.rules.profile import (
    Blocked,
    MatchFormat,
    MoveKind,
    Profile,
    Scoring,
    ShutWins,
    Stakes,
    Turns,
    Win,
)
from shutthebox.rules.tiles import to_tiles

FREE: dict[str, Any] = {"move": MoveKind.FACES_FREE}
RACE: dict[str, Any] = {"win": Win.FIRST_TO_SHUT, "blocked": Blocked.PASSES}
LADDER: dict[str, Any] = {"match": MatchFormat.LADDER}


@pytest.mark.parametrize(
    ("keys", "follows"),
    [
        ({}, {"on_total", "shut_scores_best"}),
        ({"difference": True}, {"on_total", "shut_scores_best", "faces_matter"}),
        ({"insurance": True}, {"on_total", "shut_scores_best", "faces_matter"}),
        ({"move": MoveKind.EXACT}, {"on_total", "shut_scores_best", "faces_matter"}),
        ({"move": MoveKind.FACES}, {"on_total", "shut_scores_best", "faces_matter"}),
        ({"move": MoveKind.SINGLE}, {"on_total", "shut_scores_best", "faces_matter", "needs_no_sums"}),
        (FREE, {"on_total", "shut_scores_best", "faces_matter", "needs_no_sums"}),
        ({**FREE, "dice": 3}, {"on_total", "shut_scores_best", "faces_matter"}),
        ({**FREE, "dice": 1}, {"on_total", "shut_scores_best", "faces_matter", "needs_no_sums"}),
        ({**FREE, "score": Scoring.COUNT}, {"on_total", "shut_scores_best", "faces_matter"}),
        ({**FREE, "stakes": Stakes.POOL}, {"on_total", "shut_scores_best", "faces_matter"}),
        ({"start_open": (7,)}, {"on_total", "shut_scores_best", "needs_no_sums"}),
        ({"start_open": (7, 8)}, {"on_total", "shut_scores_best"}),
        ({"win": Win.HIGHEST}, {"on_total", "highest_wins"}),
        ({"score": Scoring.SHUT_SUM}, {"on_total"}),
        ({"score": Scoring.THROWS}, {"on_total"}),
        ({"score": Scoring.SHUT_SUM, "win": Win.HIGHEST}, {"on_total", "highest_wins"}),
        ({"score": Scoring.DIGITS}, {"on_total", "shut_scores_best"}),
        ({"stakes": Stakes.BANK}, {"shut_scores_best"}),
        ({"match": MatchFormat.DROP_OUT}, {"shut_scores_best"}),
        (LADDER, {"shut_scores_best", "is_solo"}),
        ({"win": Win.LAST_IN, "blocked": Blocked.LOSES, "turns": Turns.SHARED}, {"shut_scores_best"}),
        ({"win": Win.FIRST_TO_SHUT}, {"shut_scores_best"}),
        ({"blocked": Blocked.PASSES}, {"on_total", "shut_scores_best", "only_shut_ends"}),
        ({"blocked": Blocked.OPENS_ONE}, {"on_total", "shut_scores_best", "only_shut_ends"}),
        (RACE, {"shut_scores_best", "only_shut_ends", "is_race"}),
        ({**RACE, "ends_turn_on": frozenset({7})}, {"shut_scores_best"}),
        ({**RACE, "first_move_must_include": 2}, {"shut_scores_best"}),
        ({**RACE, "turn_seconds": 30}, {"shut_scores_best"}),
    ],
)
def test_what_follows_from_the_keys(keys: dict[str, Any], follows: set[str]) -> None:
    profile = replace(Profile("x"), **keys)
    questions = (
        *("faces_matter", "needs_no_sums", "highest_wins", "shut_scores_best"),
        *("is_solo", "on_total", "is_race", "only_shut_ends"),
    )
    assert {question for question in questions if getattr(profile, question)} == follows


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
