"""What the rules say in words is what the engine does and what the odds play for, whatever the keys.

The English sentences are read here as a player would read them; nothing is taken from the profile.
"""

import re
from collections.abc import Sequence

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, assume, given, settings
from tests.support import generate

from shutthebox.config import profiles
from shutthebox.odds import Odds, OddsError
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match, Stage
from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import parse_keys, to_profile
from shutthebox.rules.turn import Outcome
from shutthebox.rules.words import explain

seeds = st.integers(0, 2**32 - 1)


class Reader:
    """A player who has only read the rules."""

    def __init__(self, profile: Profile) -> None:
        self.said = " ".join(explain(profile))
        highest = "highest score wins" in self.said or "highest total wins" in self.said
        lowest = any(
            words in self.said for words in ("lowest score", "lowest total", "lowest of their totals")
        )
        race = "The first to shut the box wins." in self.said
        assert highest + lowest + race == 1, "the rules say once which score wins"
        self.best = max if highest else min
        self.race = race

    def number(self, pattern: str) -> int | None:
        found = re.search(pattern, self.said)
        return int(found[1]) if found else None


def shuts(positions: Sequence[Match]) -> list[Match]:
    return [
        match for match in positions if match.stage is Stage.ADVANCE and match.turn.outcome is Outcome.SHUT
    ]


@settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(profile=generate.profiles(most_tiles=5), players=st.integers(2, 4), seed=seeds)
def test_a_match_goes_as_the_words_say(profile: Profile, players: int, seed: int) -> None:
    reader = Reader(profile)
    positions = [after for _, _, after in generate.play(profile, players, seed, most=600)]
    end = positions[-1]
    lost = reader.number(r"which then scores (\d+)")
    for match in positions:
        if match.stage is Stage.ADVANCE and match.turn.outcome is Outcome.LOST:
            assert match.turn.score == lost
    shut = shuts(positions)
    if shut and ("shuts the box wins the match at once" in reader.said or reader.race):
        assert shut[0].result is not None
        assert shut[0].result.winners == (shut[0].player,)
    if "A shut box ends only the player's turn" in reader.said:
        going_on = [match.rows[i].outcome for match in shut if not match.result for i in match.seats]
        assert "reaches" in reader.said or Outcome.UNPLAYED not in going_on
    assume(end.result is not None)
    assert end.result is not None
    winners, totals = end.result.winners, end.totals
    captain = "is Captain" in reader.said and end.turns_over == 1 and bool(shut)
    assert end.result.captain == captain
    if end.tie_rounds or (shut and shut[0].result is not None):
        return
    limit = reader.number(r"(?:reaches|has) (\d+) points")
    if "that player has lost" in reader.said:
        assert limit is not None
        below = [total for total in totals if total < limit]
        assert len(below) < players
        assert {totals[i] for i in winners} == {reader.best(below)}
    elif "the last one left wins" in reader.said:
        assert limit is not None
        assert sum(total < limit for total in totals) <= 1
        assert {totals[i] for i in winners} == {reader.best(totals[i] for i in positions[-1].seats)}
    else:
        assert {totals[i] for i in winners} == {reader.best(totals)}


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.filter_too_much])
@given(profile=generate.profiles(most_tiles=5), seed=seeds)
def test_the_odds_play_for_the_score_that_the_words_call_best(profile: Profile, seed: int) -> None:
    reader = Reader(profile)
    try:
        odds = Odds(profile)
    except OddsError:
        assume(False)
    for before, _, _ in generate.play(profile, 1, seed, most=12):
        if before.stage is Stage.ANSWER and len(ranked := odds.ranked(before.turn)) > 1:
            expected = [answer.value.score for answer in ranked]
            assert expected[0] == pytest.approx(reader.best(expected), abs=1e-9)


@settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(profile=generate.profiles(most_tiles=5), seed=seeds)
def test_no_turn_is_worse_than_one_that_is_lost(profile: Profile, seed: int) -> None:
    assume(profile.first_move_must_include is not None)
    reader = Reader(profile)
    lost = reader.number(r"which then scores (\d+)")
    assert lost is not None
    for _, _, after in generate.play(profile, 2, seed, most=60):
        score = after.turn.score
        if after.stage is Stage.ADVANCE and score is not None:
            assert reader.best(score, lost) == score


def house(text: str) -> Profile:
    return to_profile(parse_keys(text, "house.toml", profiles._builtin_keys), "house.toml", "house")


def test_a_race_to_200_points_of_shut_tiles_shuts_the_eight() -> None:
    profile = house('score = "shut-sum"\nmatch = "target-wins"\nlimit = 200')
    assert Reader(profile).best is max
    odds = Odds(profile)
    thrown = turns.throw(profile, turns.start(profile), (3, 5))
    assert odds.ranked(thrown)[0].tiles == 1 << 7


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ('like = "digits"\nfirst_move_must_include = 2', 123456789),
        ('like = "misere"\nfirst_move_must_include = 2', 0),
        ('like = "cover-200"\nfirst_move_must_include = 2', 0),
        ('like = "two-to-go"', 45),
        ('like = "two-to-go"\nscore = "count"', 9),
        ('like = "open-one"\nfirst_move_must_include = 2', 999),
        ('like = "golf"\nscore = "throws"\nfirst_move_must_include = 2', 9),
        (
            'like = "golf"\nscore = "digits-reversed"\nfirst_move_must_include = 2\nstart_open = [2, 7, 9]',
            972,
        ),
    ],
)
def test_a_lost_turn_is_the_worst_one(text: str, lost: int) -> None:
    profile = house(text)
    turn = turns.throw(profile, turns.start(profile), (2, 2))
    assert (turn.outcome, turn.score) == (Outcome.LOST, lost)
