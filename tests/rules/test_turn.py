"""One turn: its end, its score, its dice, and its one-line text."""

from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from tests.support import generate

from shutthebox.config import profiles
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.tiles import from_text, to_text, to_tiles
from shutthebox.rules.turn import Outcome, Turn


def at(opened: str, throws: int = 0, moves: int = 0) -> Turn:
    return Turn(from_text(opened), throws=throws, moves=moves)


@pytest.mark.parametrize(
    ("name", "opened", "faces", "outcome", "points"),
    [
        ("traditional", "2,3,5", (1,), Outcome.BLOCKED, 10),
        ("pub", "1,5,9", (2, 2), Outcome.BLOCKED, 15),
        ("digits", "1,4,7,8,9", (1, 1), Outcome.BLOCKED, 14789),
        ("trac-digits", "1,4,7", (3, 3), Outcome.BLOCKED, 147),
        ("trac-reversed", "2,3,9", (5, 5), Outcome.BLOCKED, 932),
        ("missionary", "1,4,7", (1, 1), Outcome.BLOCKED, 3),
        ("cover-200", "7,8,9", (1, 1), Outcome.BLOCKED, 21),
        ("unlucky-seven", "1,2,3,4,5,6,7,8,9", (3, 4), Outcome.ENDED, 45),
        ("two-to-go", "1,2,3,4,5,6,7,8,9", (3, 1), Outcome.LOST, 45),
        ("three-to-go", "1,2,3,4,5,6,7,8,9", (1, 1), Outcome.LOST, 45),
    ],
)
def test_throws_that_end_a_turn(
    name: str, opened: str, faces: tuple[int, ...], outcome: Outcome, points: int
) -> None:
    turn = turns.throw(profiles.builtin(name), at(opened), faces)
    assert (turn.outcome, turn.score, turn.throw) == (outcome, points, faces)


def test_a_turn_without_end_is_blocked_after_so_many_throws() -> None:
    profile = replace(profiles.builtin("lucky-seven"), dice=1, tiles=(1,), start_open=(1,))
    turn = turns.start(profile)
    while turn.outcome is None:
        turn = turns.throw(profile, turn, (2,))
        turn = turn if turn.outcome else turns.move(profile, turn, 0)
    assert (turn.outcome, turn.throws) == (Outcome.BLOCKED, MAX_THROWS)


@pytest.mark.parametrize(
    ("turn", "text"),
    [
        (at("1,2"), "1,2 - 0 0 0 - -"),
        (Turn(from_text("2,3,5"), (3, 1), 4, 3), "2,3,5 3+1 4 3 0 - -"),
        (Turn(0, (6, 6), 5, 5, 0x1F, Outcome.SHUT, 0), "- 6+6 5 5 1f shut 0"),
        (Turn(1, None, 2, 1, outcome=Outcome.UNPLAYED, score=1), "1 - 2 1 0 unplayed 1"),
        (
            Turn(from_text("2,3"), (3, 1), 4, 3, behind=to_tiles([3]), insured=1),
            "2,3 3+1 4 3 0 - - behind=3 insured=1",
        ),
        (Turn(from_text("2,3"), insured=2), "2,3 - 0 0 0 - - insured=2"),
    ],
)
def test_the_text_of_a_turn(turn: Turn, text: str) -> None:
    assert turn.to_text() == text
    assert Turn.from_text(text) == turn


@settings(deadline=None)
@given(profile=generate.profiles(), players=st.integers(1, 3), seed=st.integers(0, 2**32))
def test_text_of_a_turn_reads_back(profile: Profile, players: int, seed: int) -> None:
    for _, _, after in generate.play(profile, players, seed, most=100):
        assert Turn.from_text(after.turn.to_text()) == after.turn


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2,3,5 3+1 4 3 0 -",
        "2,3,5 3+1 4 3 0 - - -",
        "2,3,5 3+1 4 3 0 - - behind=-",
        "2,3,5 3+1 4 3 0 - - insured=1 behind=2",
        "2,3,5 3+1 4 3 0 - - behind",
        "5,3 3+1 4 3 0 - -",
        "2,3 3+1 ٤ 3 0 - -",
        "2,3 3+1 4 3 0x1 - -",
        "2,3 3+1 4 3 0 stuck -",
        "55 3+1 4 3 0 - -",
        "2,3 3+1 4 3 0 - " + "9" * 5000,
    ],
)
def test_fail__text_of_a_turn(text: str) -> None:
    with pytest.raises(ValueError):
        Turn.from_text(text)


@given(st.sets(st.integers(1, 54)))
def test_text_of_tiles_reads_back(numbers: set[int]) -> None:
    tiles = to_tiles(numbers)
    assert from_text(to_text(tiles)) == tiles


@pytest.mark.parametrize(
    "text", ["", "0", "55", "1,1", "1,,2", "+1", " 1", "1 ", "²", "1.0", "x", "-1", "1,-", "02", "002"]
)
def test_fail__text_of_tiles(text: str) -> None:
    with pytest.raises(ValueError):
        from_text(text)
