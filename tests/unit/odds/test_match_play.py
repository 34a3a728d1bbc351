"""Chances to win at any position of a match, and the three strengths of the computer."""

import random
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from tests.support.chance import next_action
from tests.support.fast import fast_among
from tests.support.house import house
from tests.support.positions import with_rows
from tests.unit.odds.plain import MatchOracle, match_oracle

from shutthebox.config import profiles
from shutthebox.odds.evaluate import best_worths
from shutthebox.odds.match_play import Seats, is_deciding
from shutthebox.odds.odds import Odds
from shutthebox.odds.seat_turn import SeatTurn
from shutthebox.odds.seats import Equilibrium
from shutthebox.odds.strengths import simple_answer
from shutthebox.odds.worths import End, Objective, OddsError
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import apply
from shutthebox.rules.match import Match, begin
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import (
    MAX_PLAYERS,
    MatchFormat,
    Profile,
    Scoring,
    ShutWins,
    Stakes,
    Tie,
    Turns,
    Win,
)
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Turn

TRADITIONAL = profiles.builtin("traditional")
SHORT = replace(TRADITIONAL, tiles=(1, 2, 3), dice=1, tie=Tie.SHARE, stakes=Stakes.NONE)
TWO_TILES = replace(SHORT, tiles=(1, 2), sides=3)


def play_turn(match: Match, rng: random.Random) -> Match:
    """The match when a turn has been played by lot."""
    while match.stage is not Stage.ADVANCE:
        match = apply(match, next_action(match, rng))
    return match


def test_the_deciding_round_is_the_equilibrium() -> None:
    profile = replace(TRADITIONAL, tiles=(1, 2, 3, 4, 5))
    match = begin(profile, 3)
    assert is_deciding(match)
    assert Seats(match.game).chances(match) == Equilibrium(profile, 3).chances()


@pytest.mark.parametrize("tie", [tie for tie in Tie if tie is not Tie.CARRY])
@pytest.mark.parametrize("shut_wins", fast_among(ShutWins, [ShutWins.ROUND]))
def test_chances_add_up_all_through_a_match(tie: Tie, shut_wins: ShutWins) -> None:
    profile, rng = replace(TRADITIONAL, tiles=(1, 2, 3, 4), tie=tie, shut_wins=shut_wins), random.Random(3)
    for rounds in (1, 3):
        match = begin(profile, 3, rounds)
        while match.result is None:
            chances = Seats(match.game).chances(match)
            assert sum(chances) == pytest.approx(1, abs=1e-6)
            own = Seats(match.game).worth(match)
            if is_deciding(match):
                assert own == pytest.approx(chances[match.player], abs=1e-6)
            match = play_turn(match, rng)
            if match.result is None:
                match = match.advance()
        assert sum(Seats(match.game).chances(match)) == pytest.approx(1)


@pytest.mark.parametrize("shut_wins", fast_among([ShutWins.MATCH, ShutWins.NO], [ShutWins.MATCH]))
def test_before_the_deciding_round_the_chances_are_nearly_exact(shut_wins: ShutWins) -> None:
    profile = replace(TWO_TILES, shut_wins=shut_wins)
    exact = match_oracle(profile, 2, rounds=2)
    assert Seats(profile).chances(begin(profile, 2, 2)) == pytest.approx(exact, abs=0.03)


@pytest.mark.slow
def test_who_is_far_behind_before_the_last_round_takes_risks() -> None:
    """Nothing but a shut box can win any more: then it is the aim."""
    profile = replace(TRADITIONAL, shut_wins=ShutWins.MATCH)
    match = begin(profile, 2, 2)._replace(player=1, totals=(0, 200))
    first = match.round.rows[0]._replace(outcome=turns.Outcome.BLOCKED, score=0)
    thrown = with_rows(match, first, Turn(to_tiles([1, 2, 3, 4, 5, 6, 7, 8, 9]))).throw((6, 4))
    odds = Odds(profile)
    assert (
        Seats(thrown.game).play(thrown).ranked(thrown.turn)[0][0]
        == odds.ranked(thrown.turn, Objective.SHUT)[0].tiles
    )


def test_who_has_to_open_a_tile_without_odds_opens_the_lowest() -> None:
    profile = profiles.builtin("open-one")
    for still_open, lowest in (([1, 9], 2), ([9], 1)):
        turn = turns.throw(profile, Turn(to_tiles(still_open), moves=1), (1, 2))
        assert simple_answer(profile, turn) == to_tiles([lowest])


@cache
def ends_of(profile: Profile) -> tuple[tuple[End, float], ...]:
    """How a turn for points ends."""
    return tuple((end, float(p)) for end, p in Odds(profile).ends(turns.start(profile)).items())


@cache
def drawn(profile: Profile, totals: tuple[int, ...], to_play: tuple[int, ...]) -> tuple[float, ...]:
    """Everybody's chance if these turns are drawn from the ends of a turn for points."""
    if not to_play:
        best = (max if profile.highest_wins else min)(totals)
        return tuple((total == best) / totals.count(best) for total in totals)
    now, *later = to_play
    chances = [0.0] * len(totals)
    for end, share in ends_of(profile):
        if end.shut and profile.shut_wins is ShutWins.MATCH:
            chances[now] += share
            continue
        after = tuple(total + end.score * (i == now) for i, total in enumerate(totals))
        for i, chance in enumerate(drawn(profile, after, tuple(later))):
            chances[i] += share * chance
    return tuple(chances)


def test_a_shut_box_that_ends_the_round_leaves_the_others_with_the_whole_row() -> None:
    profile = replace(TWO_TILES, shut_wins=ShutWins.ROUND)
    beginning = begin(profile, 3, 2)._replace(totals=(4, 3, 5))
    blocked = beginning.round.rows[0]._replace(outcome=turns.Outcome.BLOCKED, score=2)
    play = Seats(profile).play(with_rows(beginning, blocked, *beginning.round.rows[1:])._replace(player=1))
    assert play.worth_of(End(0, True)) == pytest.approx(drawn(profile, (4, 3, 5 + 3), (0, 1, 2))[1])
    assert play.worth_of(End(2, False)) == pytest.approx(drawn(profile, (4, 3 + 2, 5), (2, 0, 1, 2))[1])


def test_a_play_off_is_played_by_those_tied_for_its_own_score() -> None:
    profile = replace(SHORT, tie=Tie.PLAY_OFF, shut_wins=ShutWins.NO)
    game = Equilibrium(profile, 2)
    match = begin(profile, 3)
    match = match._replace(totals=(3, 6, 3), round=match.round._replace(seats=(0, 2), tie_rounds=1))
    assert is_deciding(match)
    first, last = game.chances()
    assert Seats(match.game).chances(match) == pytest.approx((first, 0.0, last))
    blocked = match.round.rows[0]._replace(outcome=turns.Outcome.BLOCKED, score=2)
    later = with_rows(match, blocked, *match.round.rows[1:])._replace(player=2)
    first, last = game.chances(scores=(2,))
    assert Seats(later.game).chances(later) == pytest.approx((first, 0.0, last))
    play = Seats(later.game).play(later)
    worth = {score: play.worth_of(End(score, False)) for score in (1, 2, 3)}
    assert (worth[1], worth[3]) == (1.0, 0.0)
    assert 0 < worth[2] < 1


@pytest.mark.parametrize(
    ("change", "players", "known"),
    [
        ({}, 2, True),
        ({}, MAX_PLAYERS, True),
        ({}, 1, False),
        ({"tie": Tie.CARRY}, 2, False),
        ({"shut_others": 5}, 2, False),
        ({"match": MatchFormat.TARGET_LOSES, "limit": 50}, 2, False),
        ({"turns": Turns.ALTERNATE}, 2, False),
        ({"win": Win.FIRST_TO_SHUT}, 2, False),
        ({"score": Scoring.THROWS, "shut_wins": ShutWins.NO}, 2, False),
        ({"stakes": Stakes.BANK}, 2, False),
        ({"rows": 2}, 2, False),
        ({"insurance": True}, 2, False),
        ({"teams": 2}, 4, False),
        ({"teams": 2}, 3, True),  # three can't be divided by two: there are no teams
        ({"teams": 2}, 2, True),  # teams of one
        ({"handicap": (0, (1,))}, 2, False),
        ({"handicap": (0, 0, (1,))}, 2, True),  # a seat that does not play
        ({"handicap": (0, 5)}, 2, True),
    ],
)
def test_which_matches_have_chances(change: dict[str, Any], players: int, known: bool) -> None:
    profile = replace(SHORT, **change)
    assert (Seats(profile).why_not(players) is None) == known
    if not known and players < 10:
        with pytest.raises(OddsError):
            Seats(profile).chances(begin(profile, players))


ONE_DIE = 'dice = 1\nsides = 2\nmove = "exact"\ntiles = 2\n'


@pytest.mark.parametrize(
    ("text", "rounds", "players"),
    [
        pytest.param('first = "rotates"\ntie = "play-off"', 1, 3, marks=pytest.mark.slow),
        pytest.param('first = "loser"\ntie = "play-off"\nshut_wins = "no"', 2, 2, marks=pytest.mark.slow),
        pytest.param(
            'first = "rotates"\ntie = "replay-all"\nhandicap = [1, 0, 1]\nshut_wins = "no"',
            1,
            2,
            marks=pytest.mark.slow,
        ),
        pytest.param('first = "rotates"\ntie = "replay-all"\nhandicap = [1]', 1, 3, marks=pytest.mark.slow),
        ('tie = "replay-all"\nhandicap = [1]\nshut_wins = "round"', 2, 2),
        ('tie = "share"\nhandicap = [0, 2]\nshut_wins = "round"\nfirst = "rotates"', 2, 3),
    ],
)
def test_each_turn_of_a_deciding_round_is_exact(text: str, rounds: int, players: int) -> None:
    profile, oracle = house(ONE_DIE + text), MatchOracle()
    extra_rounds: set[int] = set()
    for seed in range(12):
        rng = random.Random(seed)
        match = begin(profile, players, rounds)
        while match.result is None:
            if is_deciding(match):
                known = oracle.worths(match)
                assert Seats(match.game).chances(match) == pytest.approx(known, abs=1e-8)
                own = Seats(match.game).worth(match)
                assert own == pytest.approx(known[match.player], abs=1e-8)
                extra_rounds.add(match.round.tie_rounds)
            match = play_turn(match, rng).advance()
    assert max(extra_rounds) > 0 or profile.shut_wins is not ShutWins.NO


@pytest.mark.slow
def test_a_position_whose_end_is_open_is_not_taken_for_certain() -> None:
    turn = SeatTurn(profiles.builtin("doubles-end"))
    for least in range(46):

        def won(end: End, least: int = least) -> float:
            return float(end.score >= least)

        plain = best_worths(turn.model, [won(end) for end in turn.model.ends])
        assert turn.worths(won) == pytest.approx(plain, abs=1e-9)
