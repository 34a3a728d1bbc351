"""One turn: its end, its score, its dice, and its one-line text."""

from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from tests.support import generate

from shutthebox.config import profiles
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile, Scoring
from shutthebox.rules.score import MAX_THROWS, score
from shutthebox.rules.tiles import from_text, to_text, to_tiles
from shutthebox.rules.turn import DOMINOES, Outcome, Turn


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


def test_the_tile_that_must_go_first_is_free_afterwards() -> None:
    profile = profiles.builtin("two-to-go")
    turn = turns.throw(profile, at("1,3,4,5,6,7,8,9", throws=1, moves=1), (3, 1))
    assert {to_text(tiles) for tiles in turns.answers(profile, turn)} == {"4", "1,3"}


def test_a_lost_turn_scores_what_the_profile_says() -> None:
    profile = replace(profiles.builtin("two-to-go"), lost_score=60)
    assert turns.throw(profile, turns.start(profile), (2, 2)).score == 60


def test_the_box_is_shut_by_the_move() -> None:
    profile = profiles.builtin("pub")
    turn = turns.move(profile, turns.throw(profile, at("3,5"), (4, 4)), from_text("3,5"))
    assert (turn.outcome, turn.score, turn.open) == (Outcome.SHUT, 0, 0)


def test_tiles_shut_from_the_start_do_not_count_as_shut() -> None:
    profile = profiles.builtin("three-down")
    assert to_text(turns.start(profile).open) == "4,5,6,7,8,9"
    assert score(replace(profile, score=Scoring.SHUT_SUM), to_tiles([4, 5]), 3) == 6 + 7 + 8 + 9


def test_a_pass_changes_nothing_but_the_throws() -> None:
    profile = profiles.builtin("lucky-seven")
    thrown = turns.throw(profile, turns.start(profile), (1, 1))
    assert thrown.awaits_answer
    assert turns.answers(profile, thrown) == ()
    assert turns.move(profile, thrown, 0) == replace(turns.start(profile), throws=1)


def test_a_row_that_no_throw_can_change_is_blocked_although_throws_pass() -> None:
    profile = replace(profiles.builtin("young"), one_die=profiles.builtin("thai").one_die, max_tiles=1)
    stuck = replace(profile, dice=2, sides=2, tiles=(1, 9))
    assert turns.throw(stuck, at("9"), (1, 2)).outcome is Outcome.BLOCKED
    assert turns.throw(stuck, at("1,9"), (2, 2)).awaits_answer


def test_a_turn_without_end_is_blocked_after_so_many_throws() -> None:
    profile = replace(profiles.builtin("lucky-seven"), dice=1, tiles=(1,), start_open=(1,))
    turn = turns.start(profile)
    while turn.outcome is None:
        turn = turns.throw(profile, turn, (2,))
        turn = turn if turn.outcome else turns.move(profile, turn, 0)
    assert (turn.outcome, turn.throws) == (Outcome.BLOCKED, MAX_THROWS)


class TestOpeningATile:
    profile = profiles.builtin("open-one")

    def test_a_blocked_player_opens_one_of_the_shut_tiles(self) -> None:
        turn = turns.throw(self.profile, at("8,9", throws=4, moves=4), (1, 1))
        assert turn.awaits_answer
        assert turns.reopenings(self.profile, turn) == to_tiles(range(1, 8))
        after = turns.reopen(self.profile, turn, 2)
        assert (to_text(after.open), after.throw, after.throws, after.moves) == ("2,8,9", None, 5, 4)

    def test_tiles_that_start_shut_stay_shut(self) -> None:
        profile = replace(self.profile, start_open=(1, 2, 8, 9))
        turn = turns.throw(profile, at("8,9"), (1, 1))
        assert to_text(turns.reopenings(profile, turn)) == "1,2"

    def test_with_every_tile_open_the_throw_is_passed(self) -> None:
        profile = replace(self.profile, tiles=(1, 9), start_open=None)
        turn = turns.throw(profile, turns.start(profile), (1, 1))
        assert turns.reopenings(profile, turn) == 0
        assert turns.move(profile, turn, 0).open == profile.starting


class TestDominoes:
    profile = profiles.builtin("domino-bag")

    def test_a_drawn_domino_is_out_until_the_bag_is_empty(self) -> None:
        passes = replace(self.profile, blocked=profiles.builtin("young").blocked)
        turn = turns.start(passes)
        assert turns.bag(turn) == DOMINOES
        assert len(DOMINOES) == 21
        opened = turn.open
        for i, domino in enumerate(DOMINOES, 1):
            turn = turns.throw(passes, turn, domino[::-1])
            turn = replace(turn, open=opened, throw=None)
            assert (domino in turns.bag(turn)) == (i == 21)
        assert turns.bag(turn) == DOMINOES
        again = turns.throw(passes, turn, (6, 6))
        assert set(DOMINOES) - set(turns.bag(again)) == {(6, 6)}

    @pytest.mark.parametrize("faces", [(3,), (1, 7), (0, 1), (1, 2, 3)])
    def test_what_no_domino_shows(self, faces: tuple[int, ...]) -> None:
        assert not turns.possible_throw(self.profile, turns.start(self.profile), faces)


class TestTime:
    profile = replace(profiles.builtin("golf"), turn_seconds=30)

    def test_a_turn_whose_time_is_over_scores_its_open_tiles(self) -> None:
        turn = turns.throw(self.profile, turns.start(self.profile), (4, 4))
        over = turns.out_of_time(self.profile, turn)
        assert (over.outcome, over.score, over.throw) == (Outcome.TIME, 45, (4, 4))
        over = turns.out_of_time(self.profile, turns.move(self.profile, turn, to_tiles([8])))
        assert (over.outcome, over.score, over.throws) == (Outcome.TIME, 37, 1)

    def test_it_has_the_worst_score_where_doing_nothing_would_pay(self) -> None:
        profile = replace(profiles.builtin("misere"), turn_seconds=30)
        turn = turns.throw(profile, turns.start(profile), (4, 4))
        assert turns.out_of_time(profile, turn).score == 0


class TestInsurance:
    profile = profiles.builtin("high-rollers")

    def test_a_double_earns_one_and_a_pass_uses_it_up(self) -> None:
        turn = turns.throw(self.profile, turns.start(self.profile), (4, 4))
        assert turn.insured == 1
        turn = turns.move(self.profile, turn, to_tiles([8]))
        turn = turns.throw(self.profile, replace(turn, open=from_text("1,9")), (4, 4))
        assert (turn.insured, turn.awaits_answer) == (2, True)
        turn = turns.move(self.profile, turn, 0)
        assert (turn.insured, turn.open, turn.moves, turn.throws) == (1, from_text("1,9"), 1, 2)


class TestTwoRows:
    profile = profiles.builtin("double-shutter")

    def test_the_tile_behind_is_shut_after_the_one_in_front(self) -> None:
        turn = turns.start(self.profile)
        assert (to_text(turn.open), to_text(turn.behind)) == ("1,2,3,4,5,6,7,8,9",) * 2
        turn = turns.move(self.profile, turns.throw(self.profile, turn, (4, 4)), to_tiles([8]))
        assert (to_text(turn.open), to_text(turn.behind)) == ("1,2,3,4,5,6,7,8,9", "1,2,3,4,5,6,7,9")
        turn = turns.move(self.profile, turns.throw(self.profile, turn, (4, 4)), to_tiles([8]))
        assert (to_text(turn.open), to_text(turn.behind)) == ("1,2,3,4,5,6,7,9",) * 2
        turn = turns.throw(self.profile, replace(turn, open=from_text("1,9"), behind=from_text("9")), (1, 1))
        assert (turn.outcome, turn.score) == (Outcome.BLOCKED, 19)

    def test_the_box_is_shut_by_the_last_tile_behind(self) -> None:
        turn = Turn(to_tiles([8]), behind=to_tiles([8]), throws=4, moves=4)
        turn = turns.move(self.profile, turns.throw(self.profile, turn, (4, 4)), to_tiles([8]))
        assert (turn.outcome, turn.open, turn.behind) == (None, to_tiles([8]), 0)
        turn = turns.move(self.profile, turns.throw(self.profile, turn, (4, 4)), to_tiles([8]))
        assert (turn.outcome, turn.score, turn.throw) == (Outcome.SHUT, 0, (4, 4))


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
        "2,3,5 3+1 4 3 0 - - insured=0",
        "2,3,5 3+1 4 3 0 - - insured=1 behind=2",
        "2,3,5 3+1 4 3 0 - - behind=2 insured=1 more=1",
        "2,3,5 3+1 4 3 0 - - behind",
        "5,3 3+1 4 3 0 - -",
        "2,3 3+ 4 3 0 - -",
        "2,3 3+1 +4 3 0 - -",
        "2,3 3+1 ٤ 3 0 - -",
        "2,3 3+1 4 3 0x1 - -",
        "2,3 3+1 4 3 0 stuck -",
        "2,3 3+1 4 3 0 - 5.0",
        "55 3+1 4 3 0 - -",
        "2,2 3+1 4 3 0 - -",
        "02 3+1 4 3 0 - -",
        "2,3 3+1 4 3 0 - " + "9" * 5000,
    ],
)
def test_fail__text_of_a_turn(text: str) -> None:
    with pytest.raises(ValueError):
        Turn.from_text(text)


@given(st.text(max_size=40))
def test_any_text_is_a_turn_or_a_value_error(text: str) -> None:
    try:
        turn = Turn.from_text(text)
    except ValueError:
        return
    assert turn.to_text() == text


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
