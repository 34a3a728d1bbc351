"""Every rule key: the odds against a plain recursion over the rules, on made-up and built-in rules."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shutthebox.config import profiles
from shutthebox.odds.odds import Odds
from shutthebox.odds.worths import End, Objective
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import (
    Blocked,
    Draw,
    MatchFormat,
    MoveKind,
    OneDie,
    Profile,
    Scoring,
    ShutWins,
    Stakes,
    Tie,
    Turns,
    Win,
)
from shutthebox.rules.reader import ProfileError, to_profile
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.tiles import to_numbers
from shutthebox.rules.turn import Turn

OBJECTIVES = (Objective.SCORE, Objective.SHUT)


@st.composite
def made_up(draw: Callable[..., Any], *, blocked: Blocked, row: int = 5, more: bool = False) -> Profile:
    """A profile of a short row with any rules; `more`: of two rows, or with insurances, or both."""
    tiles = draw(
        st.one_of(
            st.integers(2, row).map(lambda count: tuple(range(1, count + 1))),
            st.lists(st.integers(1, 13), min_size=1, max_size=row, unique=True).map(
                lambda n: tuple(sorted(n))
            ),
        )
    )
    keys: dict[str, object] = {
        "tiles": tiles,
        "blocked": blocked,
        "one_die": draw(st.sampled_from(OneDie)),
        "move": draw(st.sampled_from([MoveKind.SET, *MoveKind])),
        "score": draw(st.sampled_from(Scoring)),
    }
    _made_up_match(keys, draw)
    own_bag = keys["turns"] is Turns.WHOLE
    dice, sides = draw(
        st.sampled_from([(2, 6), (2, 6), (1, 6), (3, 4), (2, 8), (1, 20), (3, 6), (4, 3), (2, 2)])
    )
    keys |= {"dice": dice, "sides": sides}
    if dice == 2:
        keys["difference"] = draw(st.booleans())
        if sides == 6 and len(tiles) < 5 and blocked is Blocked.ENDS_TURN and own_bag:
            keys["draw"] = draw(st.sampled_from([Draw.DICE, Draw.DICE, Draw.DOMINOES]))
    dominoes = keys.get("draw") is Draw.DOMINOES
    if more and len(tiles) < 5 and not dominoes:
        keys["rows"] = draw(st.sampled_from([1, 2]))
        if keys["rows"] == 2 and keys["score"] in (Scoring.DIGITS, Scoring.DIGITS_REVERSED):
            keys["score"] = Scoring.SUM
        if dice > 1 and blocked is Blocked.ENDS_TURN and (keys["rows"] == 1 or draw(st.booleans())):
            keys["insurance"] = True
    if draw(st.booleans()):
        keys["max_tiles"] = draw(st.integers(1, 3))
    if draw(st.integers(0, 2)) == 0:
        keys["start_open"] = tuple(sorted(draw(st.sets(st.sampled_from(tiles), min_size=1))))
    if draw(st.integers(0, 2)) == 0:
        keys["first_move_must_include"] = draw(st.sampled_from(tiles))
    if draw(st.booleans()):
        keys["lost_score"] = draw(st.sampled_from([0, 99, 10**9]))
    if draw(st.integers(0, 2)) == 0:
        keys["ends_turn_on"] = frozenset(draw(st.sets(st.integers(1, 14), min_size=1, max_size=3)))
    try:
        return to_profile(keys, "made-up", "made-up")
    except ProfileError:
        assume(False)
        raise AssertionError from None


def _made_up_match(keys: dict[str, object], draw: Callable[..., Any]) -> None:
    """The keys of the match, which no turn is about, but which say what is better in one."""
    form = draw(st.sampled_from(MatchFormat))
    keys |= {"match": form, "turns": draw(st.sampled_from(Turns)), "tie": draw(st.sampled_from(Tie))}
    keys["stakes"] = draw(st.sampled_from(Stakes))
    if form is not MatchFormat.TOTAL:
        keys["limit"] = draw(st.integers(1, 60))
    wins = [Win.HIGHEST] if form is MatchFormat.TARGET_WINS else [Win.LOWEST]
    if draw(st.booleans()):
        keys["win"] = draw(st.sampled_from(list(Win) if form is MatchFormat.TOTAL else wins))
    if keys.get("win") is not Win.FIRST_TO_SHUT:
        keys["rounds"] = draw(st.integers(1, 3))
    kept = keys.get("win", wins[0]) is not Win.HIGHEST
    if kept and keys["score"] not in (Scoring.SHUT_SUM, Scoring.THROWS):
        keys["shut_wins"] = draw(st.sampled_from([ShutWins.ROUND, ShutWins.MATCH]))
        keys["captain"] = keys["shut_wins"] is ShutWins.MATCH


def two_rows_or_insured(blocked: Blocked) -> st.SearchStrategy[Profile]:
    return made_up(blocked=blocked, row=4, more=True)


def check(profile: Profile, oracle: Callable[..., Any], turn: Turn | None = None) -> None:
    odds = Odds(profile)
    turn = turn or turns.start(profile)
    for objective in OBJECTIVES:
        plain = oracle(profile, objective.value)
        score, shut = plain.value(turn)
        value = odds.value(turn, objective)
        if odds.exact:
            assert odds.fractions(turn, objective) == (score, shut)
        assert value.score == pytest.approx(float(score), rel=1e-9, abs=1e-9)
        assert value.shut == pytest.approx(float(shut), rel=1e-9, abs=1e-9)
        ends = odds.ends(turn, objective)
        assert sum(ends.values()) == pytest.approx(1, abs=1e-9)
        # Where throws are the score, the ends know the limit of throws in a turn; the recursion goes on.
        cut_off = float(ends.get(End(MAX_THROWS, False), 0)) if profile.score is Scoring.THROWS else 0.0
        near = 1e-9 + MAX_THROWS * cut_off
        mean = sum(end.score * chance for end, chance in ends.items())
        assert mean == pytest.approx(float(score), rel=1e-9, abs=near)
        assert sum(chance for end, chance in ends.items() if end.shut) == pytest.approx(float(shut), abs=near)
        for dice in dice_allowed(profile, turn.open, turn.behind):
            assert odds.with_dice(turn, dice, objective) <= (float("inf"), 1.0)
            for faces, _ in plain.throws(turn, dice):
                thrown = turns.throw(profile, turn, faces)
                score, shut = plain.value(thrown)
                value = odds.value(thrown, objective)
                assert value.score == pytest.approx(float(score), rel=1e-9, abs=1e-9)
                assert value.shut == pytest.approx(float(shut), rel=1e-9, abs=1e-9)
                ranked = odds.ranked(thrown, objective)
                assert {option.tiles for option in ranked} == set(turns.answers(profile, thrown))
                if ranked:
                    assert ranked[0].value == value
                    assert ranked[0].cost == 0
                    assert [option.cost for option in ranked] == sorted(option.cost for option in ranked)


@settings(suppress_health_check=list(HealthCheck))
@given(profile=made_up(blocked=Blocked.ENDS_TURN))
def test_made_up_rules(profile: Profile, oracle: Callable[..., Any]) -> None:
    check(profile, oracle)


@settings(suppress_health_check=list(HealthCheck))
@given(profile=made_up(blocked=Blocked.PASSES))
def test_made_up_rules_that_pass(profile: Profile, oracle: Callable[..., Any]) -> None:
    check(profile, oracle)


@pytest.mark.parametrize("first", [None, 1])
@pytest.mark.parametrize("win", list(Win)[:2])
def test_dice_that_can_change_nothing_take_all_throws_of_a_turn(
    first: int | None, win: Win, oracle: Callable[..., Any]
) -> None:
    """Two dice never shut the last 1 of two rows, and throws are the score."""
    profile = Profile(
        "made-up",
        tiles=(1, 2),
        rows=2,
        sides=3,
        one_die=OneDie.OPTIONAL_HIGH,
        first_move_must_include=first,
        blocked=Blocked.PASSES,
        score=Scoring.THROWS,
        shut_wins=ShutWins.NO,
        win=win,
    )
    check(profile, oracle)


@pytest.mark.slow
@settings(suppress_health_check=list(HealthCheck))
@given(profile=st.sampled_from([Blocked.ENDS_TURN, Blocked.PASSES]).flatmap(two_rows_or_insured))
@pytest.mark.timeout(300)  # plain recursion over every position
def test_two_rows_and_insurances(profile: Profile, oracle: Callable[..., Any]) -> None:
    check(profile, oracle)


@settings(suppress_health_check=list(HealthCheck))
@given(profile=made_up(blocked=Blocked.ENDS_TURN), data=st.data())
def test_any_position_of_made_up_rules(
    profile: Profile, oracle: Callable[..., Any], data: st.DataObject
) -> None:
    numbers = to_numbers(profile.starting)
    open_tiles = data.draw(st.sets(st.sampled_from(numbers), min_size=1))
    check(profile, oracle, Turn(sum(1 << n - 1 for n in open_tiles), throws=3, moves=2))


def test_a_face_too_many_is_a_move_later(oracle: Callable[..., Any]) -> None:
    """A domino without a move now may have one when one of its faces is shut."""
    profile = Profile("dominoes", tiles=(1, 2, 3), draw=Draw.DOMINOES, move=MoveKind.FACES, max_tiles=1)
    check(profile, oracle)


SMALL = [profile for profile in profiles.builtins() if len(profile.tiles) <= 12]


@pytest.mark.slow
@pytest.mark.parametrize("profile", SMALL, ids=lambda profile: profile.name)
@pytest.mark.timeout(60)  # plain recursion over every position
def test_built_in_rules(profile: Profile, oracle: Callable[..., Any]) -> None:
    if profile.blocked is Blocked.OPENS_ONE or profile.draw is Draw.DOMINOES:
        # A plain recursion would not end, or not today: a shorter row.
        profile = replace(profile, tiles=(1, 2, 3, 4), blocked=Blocked.ENDS_TURN)
    if profile.rows == 2 or profile.insurance:
        check(replace(profile, tiles=(1, 2, 3, 4, 5) if profile.rows == 2 else (1, 2, 3, 4, 5, 6)), oracle)
        return
    odds, start = Odds(profile), turns.start(profile)
    # The recursion takes some seconds for twelve tiles: once is enough.
    for objective in OBJECTIVES[: 2 if len(profile.tiles) < 12 else 1]:
        assert odds.fractions(start, objective) == oracle(profile, objective.value).value()
