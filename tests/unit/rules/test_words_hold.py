"""The rules in words agree with the engine and with the aim of the odds, for any keys.

The English sentences are read here as a player would read them; nothing is taken from the profile.
"""

import re
from collections.abc import Sequence

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, assume, given, settings
from tests.support import generate
from tests.support.house import house
from tests.support.oracle import read_as

from shutthebox.odds.odds import Odds
from shutthebox.odds.worths import OddsError
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Profile
from shutthebox.rules.turn import Outcome
from shutthebox.rules.words import explain

seeds = st.integers(0, 2**32 - 1)


HIGHEST = (
    "highest score wins",
    "highest score is the best",
    "highest total wins",
    "The higher a total is",
    "or more the bank pays",
)
LOWEST = (
    "lowest score",
    "lowest total",
    "lowest of their totals",
    "The lower a total is",
    "or less the bank pays",
)


class Reader:
    """A player who has only read the rules."""

    def __init__(self, profile: Profile) -> None:
        self.said = " ".join(explain(profile))
        highest, lowest = (any(words in self.said for words in said) for said in (HIGHEST, LOWEST))
        race = "The first to shut the box wins." in self.said
        last_in = "The last player left wins" in self.said
        round_race = "The first to shut the box wins the round." in self.said
        self.tug = "Shutting them all or opening them all wins." in self.said
        assert highest + lowest + race + round_race + last_in + self.tug == 1, (
            "the rules say once which score wins, or what else"
        )
        self.best = max if highest else min
        self.race, self.last_in = race, last_in

    def number(self, pattern: str) -> int | None:
        found = re.search(pattern, self.said)
        return int(found[1]) if found else None

    def lost_score(self, match: Match) -> int | None:
        """What a turn scores that was lost on this match's last throw."""
        adds = re.search(r"which then scores \d+ and the throw", self.said)
        scored = self.number(r"which then scores (\d+)")
        if adds is None or scored is None:
            return scored
        assert match.turn.throw is not None, "it was lost on a throw"
        return scored + sum(read_as(match.game, match.turn.throw))

    def team(self, player: int, players: int) -> tuple[int, ...]:
        teams = self.number(r"The seats belong to (\d+) teams in rotation")
        if teams is None or players % teams:
            return (player,)
        return tuple(range(player % teams, players, teams))

    def paid(self, score: int) -> int:
        """The bank's payment for a score: the first of its sentences that fits."""
        for mark, bound, stakes in re.findall(
            r"For a score of (\d+)( or less| or more)? the bank pays (\d+)", self.said
        ):
            reached = {"": score == int(mark), " or less": score <= int(mark), " or more": score >= int(mark)}
            if reached[bound]:
                return int(stakes)
        return 0


def shuts(positions: Sequence[Match]) -> list[Match]:
    return [
        match for match in positions if match.stage is Stage.ADVANCE and match.turn.outcome is Outcome.SHUT
    ]


@settings(max_examples=settings().max_examples // 3, suppress_health_check=[HealthCheck.filter_too_much])
@given(profile=generate.profiles(most_tiles=5), players=st.integers(2, 4), seed=seeds)
def test_a_match_goes_as_the_words_say(profile: Profile, players: int, seed: int) -> None:
    reader = Reader(profile)
    positions = [after for _, _, after in generate.play(profile, players, seed, most=600)]
    end = positions[-1]
    for match in positions:
        if match.stage is Stage.ADVANCE and match.turn.outcome is Outcome.LOST:
            assert match.turn.score == reader.lost_score(match)
    shut = shuts(positions)
    players = end.players
    together = "each player answers it on their own row" in reader.said
    if shut and "whoever has shut it wins the match" in reader.said and end.result:
        assert set(end.result.winners) == {i for match in shut for i in reader.team(match.player, players)}
    elif shut and ("shuts the box wins the match at once" in reader.said or reader.race) and not together:
        assert shut[0].result is not None
        assert shut[0].result.winners == reader.team(shut[0].player, players)
    if "A shut box only ends the player's turn" in reader.said:
        going_on = [
            match.round.rows[i].outcome for match in shut if not match.result for i in match.round.seats
        ]
        assert "reaches" in reader.said or Outcome.UNPLAYED not in going_on
    assume(end.result is not None)
    assert end.result is not None
    winners, totals = end.result.winners, end.totals
    first = bool(shut) and shut[0].round.number == 1 and shut[0].player == positions[0].player
    assert end.result.captain == (
        "they are Captain" in reader.said and first and not shut[0].round.tie_rounds
    )
    point = re.search(r"round (?:wins|gets) a point", reader.said)
    if reader.tug and not point:
        if shut:
            assert winners == reader.team(shut[0].player, players)
        else:
            throws = reader.number(r"After (\d+) throws, the player with fewer tiles left")
            assert sum(match.stage is Stage.THROW for match in positions) >= (throws or 0) - 1
        return
    if reader.last_in:
        still_in = [i for i in range(players) if end.round.rows[i].outcome is None]
        last = reader.team(still_in[0] if still_in else end.player, players)
        assert winners == (reader.team(shut[0].player, players) if shut else last)
        return
    if "Everybody plays against the bank alone" in reader.said:
        stake = reader.number(r"against the bank alone: it takes (\d+)")
        assert stake is not None
        assert winners == tuple(i for i in range(players) if reader.paid(totals[i]) > stake)
        assert end.result.owes == tuple(stake - reader.paid(total) for total in totals)
        return
    if "The match is for one player" in reader.said:
        goal = reader.number(r"a better total than (\d+)")
        if goal is None or (goal != totals[0] and totals[0] == reader.best(goal, totals[0])):
            assert winners == (0,)
        return
    if end.round.tie_rounds or (shut and (together or shut[0].result is not None)):
        return
    totals = tuple(sum(totals[mate] for mate in reader.team(i, players)) for i in range(players))
    limit = reader.number(r"(?:reaches|has) (\d+) points")
    limit = 1 if re.search(r"(?:gets|has) a point", reader.said) else limit
    if point:
        assert {totals[i] for i in winners} == {max(totals)}
    elif "that player has lost" in reader.said:
        assert limit is not None
        worst = max(totals)
        assert worst >= limit
        others = [total for total in totals if total < worst]
        assert {totals[i] for i in winners} == ({reader.best(others)} if others else set())
    elif "the last one left wins" in reader.said:
        assert limit is not None
        left = {reader.team(i, players) for i, total in enumerate(totals) if total < limit}
        assert len(left) <= 1
        assert {totals[i] for i in winners} == {reader.best(totals[i] for i in positions[-1].round.seats)}
    else:
        assert {totals[i] for i in winners} == {reader.best(totals)}


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.filter_too_much])
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


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(profile=generate.profiles(most_tiles=5, having="first_move_must_include"), seed=seeds)
def test_no_turn_is_worse_than_one_that_is_lost(profile: Profile, seed: int) -> None:
    reader = Reader(profile)
    lost = reader.number(r"which then scores (\d+)")
    assert lost is not None
    for _, _, after in generate.play(profile, 2, seed, most=60):
        if after.stage is Stage.ADVANCE and after.turn.outcome is not Outcome.LOST:
            score = after.turn.score
            assert score is not None
            assert reader.best(score, lost) == score


def test_a_race_to_200_points_of_shut_tiles_shuts_the_eight() -> None:
    profile = house('score = "shut-sum"\nmatch = "target-wins"\nlimit = 200')
    assert Reader(profile).best is max
    odds = Odds(profile)
    thrown = turns.throw(profile, turns.start(profile), (3, 5))
    assert odds.ranked(thrown)[0].tiles == 1 << 7
