"""Actions: their texts, their effects on a match, and the reasons against one."""

from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from tests.support import generate

from shutthebox.config import profiles
from shutthebox.rules.actions import (
    Action,
    Advanced,
    Moved,
    OutOfTime,
    Reopened,
    Thrown,
    action_from_text,
    apply,
)
from shutthebox.rules.faces import faces_from_text
from shutthebox.rules.legality import why_not
from shutthebox.rules.match import Match, begin
from shutthebox.rules.profile import Blocked, MoveKind, Profile
from shutthebox.rules.tiles import from_text, to_tiles

actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(Thrown, st.lists(st.integers(1, 21), min_size=1, max_size=9).map(tuple)),
    st.builds(Moved, st.sets(st.integers(1, 14), max_size=4).map(to_tiles)),
    st.builds(Reopened, st.integers(1, 14)),
    st.just(OutOfTime()),
    st.just(Advanced()),
)


@given(actions)
def test_text_reads_back(action: Action) -> None:
    assert action_from_text(action.to_text()) == action


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("throw 3+5", Thrown((3, 5))),
        ("throw 5+3", Thrown((5, 3))),
        ("throw 8", Thrown((8,))),
        ("shut 1,7", Moved(from_text("1,7"))),
        ("shut -", Moved(0)),
        ("open 4", Reopened(4)),
        ("time", OutOfTime()),
        ("next", Advanced()),
        ("throw 180", Thrown((180,))),
        ("open 54", Reopened(54)),
    ],
)
def test_ok__text(text: str, action: Action) -> None:
    assert action_from_text(text) == action
    assert action.to_text() == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "throw",
        "throw ",
        "throw 0",
        "throw 3+",
        "throw +3",
        "throw 3 5",
        "throw 03",
        "throw -3",
        "throw 181",
        "throw 1+1+1+1+1+1+1+1+1+1",
        "throw ³",
        "throw " + "9" * 5000,
        "shut",
        "shut ",
        "shut 7,1",
        "shut 1,1",
        "shut 55",
        "open",
        "open 0",
        "open 55",
        "open 04",
        "open -",
        "open 1,2",
        "time ",
        "time 1",
        "next ",
        "next 1",
        "Next",
        "roll 3+5",
        "throw 3+5\n",
    ],
)
def test_fail__text(text: str) -> None:
    with pytest.raises(ValueError):
        action_from_text(text)


@given(st.text(max_size=30))
def test_any_text_is_an_action_or_a_value_error(text: str) -> None:
    try:
        action = action_from_text(text)
    except ValueError:
        return
    assert action.to_text() == text


def test_faces_keep_their_order() -> None:
    assert faces_from_text("5+3") == (5, 3)


def to(name: str, *texts: str, players: int = 2) -> Match:
    match = begin(profiles.builtin(name), players)
    for text in texts:
        match = apply(match, action_from_text(text))
    return match


@pytest.mark.parametrize(
    ("name", "before", "tried", "reason"),
    [
        ("pub", [], "next", "a throw is due"),
        ("pub", [], "shut 8", "a throw is due"),
        ("pub", ["throw 3+5"], "throw 3+5", "the throw on the table needs its answer first"),
        ("pub", ["throw 3+5"], "next", "the throw on the table needs its answer first"),
        ("unlucky-seven", ["throw 3+4"], "shut 7", "the turn is over and its end is due"),
        ("unlucky-seven", ["throw 3+4"], "throw 1+1", "the turn is over and its end is due"),
        ("pub", [], "throw 1", "not one die yet, with 1,2,3,4,5,6,7,8,9 open"),
        ("pub", [], "throw 13", "not one die yet"),
        ("thai", [], "throw 3", "never one die"),
        ("pub", [], "throw 3+7", "a die shows 1 to 6"),
        ("pub", [], "throw 1+2+3", "3 dice are not thrown in this game"),
        ("2012", [], "throw 21", "a die shows 1 to 20"),
        ("domino-bag", ["throw 1+6", "shut 7"], "throw 6+1", "the domino 1-6 is out of the bag already"),
        ("domino-bag", [], "throw 3", "a domino has two ends of 1 to 6"),
        ("pub", ["throw 4+4"], "shut 2,5", "2,5 does not add up to 8 but to 7"),
        ("add-or-subtract", ["throw 4+1"], "shut 4", "4 does not add up to 5 or 3 but to 4"),
        ("pub", ["throw 4+4"], "shut 12", "12 is not on the box"),
        ("pub", ["throw 4+4", "shut 8", "throw 5+4"], "shut 1,8", "8 is not open"),
        ("pub", ["throw 4+4", "shut 1,7", "throw 4+4"], "shut 1,7", "1,7 are not open"),
        ("pub", ["throw 4+4"], "shut -", "8 can be shut"),
        ("two-to-go", ["throw 4+4"], "shut 8", "the first move must shut 2"),
        ("max-two", ["throw 4+4"], "shut 1,2,5", "1,2,5 are more than 2 in one move"),
        (
            "trac",
            ["throw 3+4"],
            "shut 3",
            '3 does not answer 3+4: with move = "faces" allowed is 7, or 3,4',
        ),
        ("pub", ["throw 4+4"], "open 8", "no tile is ever opened again in this game"),
        ("open-one", ["throw 4+4"], "open 8", "no tile is opened while 8 can be shut"),
    ],
)
def test_reasons(name: str, before: list[str], tried: str, reason: str) -> None:
    given_reason = why_not(to(name, *before), action_from_text(tried))
    assert given_reason is not None
    assert given_reason.startswith(reason)


@pytest.mark.parametrize(
    ("name", "before", "tried", "reason"),
    [
        ("pub", [], (0,), "a die shows 1 to 6"),
        ("pub", [], (), "a die shows 1 to 6"),
        ("pub", [], (0, 3), "a die shows 1 to 6"),
        ("pub", [], (7, 3), "a die shows 1 to 6"),
        ("pub", [], (6, 3), None),
        ("pub", [], (2,), None),
        ("pub", [], (1, 2, 3), "3 dice are not thrown in this game"),
        ("pub", [], (1, 2, 7), "3 dice are not thrown in this game"),
        ("pub", [], (0, 2, 3), "a die shows 1 to 6"),
        ("2012", [], (20,), None),
        ("2012", [], (1, 1), "2 dice are not thrown in this game"),
        ("trac", [], (9,), "not one die yet, with 1,2,3,4,5,6,7,8,9 open"),
        ("the-300", [], (1, 1), "2 dice are not thrown in this game"),
        ("the-300", [], (3,), "never one die"),
        ("the-300", [], (4,), None),
        ("the-300", [], (25,), "never one die"),
        ("domino-bag", [], (1, 7), "a domino has two ends of 1 to 6"),
        ("domino-bag", [], (0, 6), "a domino has two ends of 1 to 6"),
        ("domino-bag", [], (1, 1, 1), "a domino has two ends of 1 to 6"),
        ("domino-bag", ["throw 6+6", "shut 3,9"], (6, 6), "the domino 6-6 is out of the bag already"),
        ("domino-bag", ["throw 1+6", "shut 7"], (6, 1), "the domino 1-6 is out of the bag already"),
    ],
)
def test_reasons_against_a_throw(
    name: str, before: list[str], tried: tuple[int, ...], reason: str | None
) -> None:
    assert why_not(to(name, *before), Thrown(tried)) == reason


@pytest.mark.parametrize(
    ("keys", "tried", "reason"),
    [
        ({}, "8", None),
        ({}, "3,5", None),
        ({}, "-", "8 can be shut"),
        ({}, "1,6", "1,6 does not add up to 8 but to 7"),
        ({}, "12", "12 is not on the box"),
        ({}, "10,12", "10,12 are not on the box"),
        ({"start_open": (1, 7)}, "8", "8 is not open"),
        ({"start_open": (1, 7)}, "3,5", "3,5 are not open"),
        ({"start_open": (1, 2, 5, 7)}, "-", "1,7 can be shut"),
        ({"first_move_must_include": 1}, "8", "the first move must shut 1"),
        ({"first_move_must_include": 1}, "1,6", "1,6 does not add up to 8 but to 7"),
        ({"max_tiles": 2}, "1,2,5", "1,2,5 are more than 2 in one move"),
        ({"max_tiles": 2}, "1,6", "1,6 does not add up to 8 but to 7"),
        (
            {"move": MoveKind.SINGLE},
            "3,5",
            '3,5 does not answer 4+4: with move = "single" allowed is 8, or 4',
        ),
        (
            {"move": MoveKind.SINGLE, "start_open": (1, 7), "blocked": Blocked.PASSES},
            "7",
            '7 does not answer 4+4: with move = "single" allowed is none',
        ),
        ({"start_open": (1, 5), "blocked": Blocked.PASSES}, "-", None),
    ],
)
def test_reasons_against_an_answer(keys: dict[str, Any], tried: str, reason: str | None) -> None:
    match = apply(begin(replace(Profile("x"), **keys), 1), Thrown((4, 4)))
    assert why_not(match, Moved(from_text(tried))) == reason


def test_reasons_against_an_answer_after_the_first_move() -> None:
    match = to("two-to-go", "throw 4+4", "shut 2,6", "throw 4+4")
    assert why_not(match, Moved(to_tiles([8]))) is None
    assert why_not(match, Moved(to_tiles([9]))) == "9 does not add up to 8 but to 9"


def test_reasons_against_the_end_of_the_time() -> None:
    golf, young = (replace(profiles.builtin(name), turn_seconds=30) for name in ("golf", "young"))
    assert why_not(to("golf", "throw 4+4"), OutOfTime()) == "turns have no clock in this game"
    match = begin(golf, 1)
    assert why_not(match, OutOfTime()) == "the clock does not run before a throw"
    match = match.throw((4, 4))
    assert why_not(match, OutOfTime()) is None
    assert why_not(match.move(to_tiles([8])), OutOfTime()) is None
    match = match.out_of_time()
    assert why_not(match, OutOfTime()) == "the turn is over and its end is due"
    assert why_not(match.advance(), OutOfTime()) == "the match is over"
    rotating = begin(young, 1).throw((4, 4)).move(to_tiles([8]))
    assert why_not(rotating, OutOfTime()) == "the clock does not run before a throw"


def test_reasons_where_tiles_open_again() -> None:
    match = to("open-one", "throw 6+6", "shut 3,9", "throw 6+6", "shut 4,8", "throw 6+6", "shut 5,7")
    match = apply(match, action_from_text("throw 5+5"))
    assert why_not(match, Moved(0)) == "a tile must be opened: 3,4,5,7,8,9"
    assert why_not(match, Reopened(1)) == "1 is open already"
    assert why_not(match, Reopened(12)) == "12 is not in play"
    assert why_not(match, Reopened(9)) is None


def test_a_forced_single_die() -> None:
    match = to("jouhet", *("throw 6+6", "shut 3,9", "throw 6+6", "shut 4,8", "throw 6+6", "shut 5,7"))
    match = apply(apply(match, action_from_text("throw 1+2")), action_from_text("shut 1,2"))
    assert why_not(match, Thrown((1, 2))) == "one die now"
    assert why_not(match, Thrown((6,))) is None


@settings(deadline=None)
@given(generate.profiles(), st.integers(1, 3), st.integers(0, 2**32 - 1), st.integers(0, 30), actions)
def test_there_is_a_reason_exactly_when_the_match_refuses(
    profile: Profile, players: int, seed: int, steps: int, tried: Action
) -> None:
    match = begin(profile, generate.seats(profile, players))
    for before, action, after in generate.play(profile, players, seed, steps):
        assert why_not(before, action) is None
        match = after
    try:
        apply(match, tried)
    except ValueError:
        reason = why_not(match, tried)
        refused = reason is not None and reason.isprintable()
    else:
        refused = why_not(match, tried) is not None
        assert not refused
        return
    assert refused
