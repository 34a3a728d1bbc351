"""Random profiles played by a random player: properties that hold for any rules."""

import random
from itertools import groupby
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from tests.support import generate, oracle
from tests.support.dictate import finish

from shutthebox.config import profiles
from shutthebox.rules.actions import Moved, OutOfTime, Reopened, Thrown
from shutthebox.rules.formats import LAST_ROUND, MAX_TIE_ROUNDS
from shutthebox.rules.match import Match, Stage, begin
from shutthebox.rules.profile import (
    Blocked,
    First,
    MatchFormat,
    Profile,
    ShutWins,
    Stakes,
    Tie,
    Turns,
    Win,
)
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.turn import Outcome, Turn, answers

seeds = st.integers(0, 2**32 - 1)


@settings(deadline=None)
@given(profile=generate.profiles(), players=st.integers(1, 4), seed=seeds)
def test_tiles_within_a_turn(profile: Profile, players: int, seed: int) -> None:
    for before, action, after in generate.play(profile, players, seed, most=400):
        was, now = before.rows[before.player], after.rows[before.player]
        if before.stage is Stage.ADVANCE:
            continue
        in_play = oracle.start(profile, before.player)
        assert oracle.row(now.open) <= in_play, "a tile opened that is not in play"
        assert not now.behind & ~now.open, "what is behind a tile is behind an open one"
        opened = now.open & ~was.open
        if isinstance(action, Reopened):
            assert profile.blocked is Blocked.OPENS_ONE
            assert opened == 1 << (action.tile - 1)
            assert now.open == was.open | opened
        else:
            assert not opened, "a shut tile opened within a turn"
            assert not now.behind & ~was.behind, "nor one of the back row"
        if isinstance(action, Moved):
            shut_in_front = was.behind & ~now.behind
            assert shut_in_front | (was.open & ~now.open) == action.shut
            assert not shut_in_front & (was.open & ~now.open), "never both tiles of a number at once"
            faces = was.throw or ()
            legal = oracle.moves(profile, oracle.row(was.open), faces, first=was.moves == 0)
            assert {oracle.row(tiles) for tiles in answers(before.rules, was)} == legal
            assert oracle.row(action.shut) in legal or (not action.shut and not legal)
        if isinstance(action, Thrown):
            first, total = was.moves == 0, sum(action.faces)
            possible = oracle.moves(profile, oracle.row(was.open), action.faces, first=first)
            must_first = first and profile.first_move_must_include is not None
            ended = total in profile.ends_turn_on
            lost = must_first and not possible and not ended
            assert (now.outcome is Outcome.LOST) == lost
            assert (now.outcome is Outcome.ENDED) == ended
            counts = oracle.dice_counts(profile, oracle.row(was.open), oracle.row(was.behind))
            assert len(action.faces) in counts
            if profile.blocked in (Blocked.ENDS_TURN, Blocked.LOSES) and not (ended or lost):
                assert (now.outcome is Outcome.BLOCKED) == (not possible and not now.insured)
        if isinstance(action, OutOfTime):
            assert profile.turn_seconds is not None
            assert was.throws > 0
            assert now.outcome is Outcome.TIME
        if now.outcome is Outcome.SHUT:
            assert now.open == 0
        elif now.outcome is None:
            assert now.open
        assert now.throws <= MAX_THROWS


@settings(deadline=None)
@given(profile=generate.profiles(), players=st.integers(1, 4), seed=seeds)
def test_the_next_throw_is_that_of_the_next_player_still_in(
    profile: Profile, players: int, seed: int
) -> None:
    for before, action, after in generate.play(profile, players, seed, most=200):
        rotates = profile.turns is not Turns.WHOLE
        answered = isinstance(action, Moved | Reopened) and not after.rows[before.player].outcome
        if not answered:
            continue
        if not rotates or (profile.insurance and isinstance(action, Moved) and not action.shut):
            assert after.player == before.player
            continue
        order = [(before.player + step) % before.players for step in range(1, before.players + 1)]
        still_in = [i for i in order if i in after.seats and after.rows[i].outcome is None]
        assert after.player == still_in[0]
        if profile.turns is Turns.SHARED:
            assert {after.rows[i].open for i in still_in} == {after.turn.open}


def _rounds(matches: list[Match]) -> list[list[oracle.Ended]]:
    """The turns that have ended, by rounds, scored anew from the tiles left open."""
    rounds = []
    for _, positions in groupby(matches, key=lambda match: match.round):
        played = list(positions)
        ended = []
        for match in played:
            if match.stage is Stage.ADVANCE:
                turn, shut = match.turn, match.turn.outcome is Outcome.SHUT
                points = _points(match.game, turn, match.player)
                assert turn.score == points
                ended.append(oracle.Ended(match.player, points, shut, played=True))
        for player in played[0].seats:
            turn = played[-1].rows[player]
            if turn.outcome is Outcome.UNPLAYED and turn.score is not None:
                points = _points(played[0].game, turn, player)
                ended.append(oracle.Ended(player, points, shut=False, played=False))
        rounds.append(ended)
    return rounds


def _points(profile: Profile, turn: Turn, seat: int) -> int:
    return oracle.points(
        profile,
        oracle.row(turn.open),
        turn.throws,
        turn.outcome is Outcome.LOST,
        behind=oracle.row(turn.behind),
        late=turn.outcome is Outcome.TIME,
        seat=seat,
    )


def _judge(profile: Profile, wanted: int, seed: int, most: int) -> bool:
    """Compares totals and winners with the umpire's; whether the match has ended."""
    players = generate.seats(profile, wanted)
    matches = [after for _, _, after in generate.play(profile, players, seed, most)]
    ended = matches[-1].result
    rounds = _rounds(matches if ended else [m for m in matches if m.round < matches[-1].round])
    verdict = oracle.umpire(profile, players, profile.rounds, rounds, matches[0].first)
    assert verdict.over == bool(ended)
    assert verdict.winners == (ended.winners if ended else ())
    if ended:
        assert verdict.totals == matches[-1].totals
        assert all(0 <= player < players for player in ended.winners)
        assert verdict.owes == ended.owes
    elif rounds:
        begun = next(match for match in matches if match.round == matches[-1].round)
        assert (verdict.fresh, verdict.seated) == (begun.totals, begun.seats)
        assert verdict.first == begun.first
    assert matches[-1].round <= LAST_ROUND + MAX_TIE_ROUNDS
    return ended is not None


@settings(deadline=None)
@given(profile=generate.profiles(most_tiles=6), players=st.integers(1, 4), seed=seeds)
def test_who_won_is_what_an_independent_tally_says(profile: Profile, players: int, seed: int) -> None:
    _judge(profile, players, seed, most=500)


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(profiles.builtins()), st.integers(1, 4), seeds)
def test_built_in_profiles_end_with_the_right_winner(profile: Profile, players: int, seed: int) -> None:
    ended = _judge(profile, players, seed, most=20_000 if profile.name != "open-one" else 5_000)
    assert ended or profile.name == "open-one"


@pytest.mark.parametrize("stakes", [stakes for stakes in Stakes if stakes is not Stakes.BANK])
@pytest.mark.parametrize("tie", Tie)
@pytest.mark.parametrize(
    ("format_", "keys"),
    [
        (MatchFormat.TOTAL, {}),
        (MatchFormat.TOTAL, {"rounds": 2}),
        (MatchFormat.TOTAL, {"rounds": 2, "win": Win.HIGHEST}),
        (MatchFormat.TARGET_LOSES, {"limit": 7}),
        (MatchFormat.TARGET_WINS, {"limit": 5, "win": Win.HIGHEST}),
        (MatchFormat.DROP_OUT, {"limit": 6}),
    ],
    ids=str,
)
def test_every_end_of_a_match_is_what_an_independent_tally_says(
    format_: MatchFormat, keys: dict[str, Any], tie: Tie, stakes: Stakes
) -> None:
    """Dictated scores of 0 to 3, so that limits, ties and shut boxes meet in every way."""
    chance = random.Random(f"{format_} {keys} {tie} {stakes}")
    ended = 0
    for number in range(60):
        best = keys.get("win") is not Win.HIGHEST
        shut_wins = chance.choice(list(ShutWins)) if best else ShutWins.NO
        profile = Profile(
            "ends",
            tiles=(1,),
            dice=1,
            match=format_,
            tie=tie,
            stakes=stakes,
            shut_wins=shut_wins,
            first=chance.choice(list(First)),
            turns=chance.choice([Turns.WHOLE, Turns.ALTERNATE]),
            teams=chance.choice([None, None, 2]),
            handicap=chance.choice([(), (2,), (0, 1, 3)]),
            captain=shut_wins is ShutWins.MATCH,
            **keys,
        )
        players = chance.randint(1, 4)
        first = number % players if profile.first is First.LOSER else 0
        match = begin(profile, players, first=first)
        rounds: list[list[oracle.Ended]] = []
        while match.result is None and match.round < 40:
            if match.stage is Stage.ADVANCE:
                match = match.advance()
            if len(rounds) < match.round:
                said = oracle.umpire(profile, players, match.rounds, rounds, first)
                assert (said.seated, said.fresh) == (match.seats, match.totals)
                assert (said.first == match.player) or not rounds
                rounds.append([])
            match = finish(match, [chance.randint(0, 3)])
            score, shut = match.scores[match.player] or 0, match.turn.outcome is Outcome.SHUT
            rounds[-1].append(oracle.Ended(match.player, score, shut, played=True))
            if match.next_round or match.result:
                rounds[-1] += [
                    oracle.Ended(i, row.score, shut=False, played=False)
                    for i, row in enumerate(match.rows)
                    if i in match.seats and row.outcome is Outcome.UNPLAYED and row.score is not None
                ]
        said = oracle.umpire(profile, players, match.rounds, rounds, first)
        result = match.result
        assert said.totals == match.totals
        assert (said.over, said.winners) == ((True, result.winners) if result else (False, ()))
        if result is not None:
            assert said.owes == result.owes
            assert sum(result.owes) == 0 or stakes is Stakes.LOSER_PAYS
            first_turn = match.round == 1 and shut and match.player == first
            assert result.captain == (profile.captain and first_turn)
        ended += result is not None
    assert ended > 55
