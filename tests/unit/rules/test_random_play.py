"""Random profiles played by a random player, beside an account by the oracle's rules."""

import random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from tests.support import generate, oracle
from tests.support.account import Account
from tests.support.dictate import finish
from tests.support.fast import fast_among

from shutthebox.config import profiles
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action, Moved, OutOfTime, Reopened, Thrown
from shutthebox.rules.endings import LAST_ROUND, MAX_TIE_ROUNDS
from shutthebox.rules.match import Match, begin
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import First, MatchFormat, Profile, ShutWins, Stakes, Tie, Turns, Win
from shutthebox.rules.turn import Outcome

PHASES = {
    Stage.THROW: "throw",
    Stage.ANSWER: "answer",
    Stage.ADVANCE: "turn-over",
    Stage.FINISHED: "match-over",
}

STAKES = [stakes for stakes in Stakes if stakes is not Stakes.BANK]

COSTS: tuple[int | str, ...] = (0, 2, "doubled")
"""What a shut box costs everyone else."""

DICTATED = min(120, 2 * settings().max_examples)
seeds = st.integers(0, 2**32 - 1)


def _follow(profile: Profile, players: int, seed: int, most: int) -> Match | None:
    """Plays a match, compares it with the account after every action, and returns it as it stands then."""
    account, after = None, None
    for before, action, after in generate.play(profile, players, seed, most):
        account = account or Account(before)
        _may(account, before, action)
        account.take(action)
        _same(account, after)
        assert after.round.number <= LAST_ROUND + MAX_TIE_ROUNDS
    return after


def _may(account: Account, before: Match, action: Action) -> None:
    """What is allowed before an action."""
    rules, turn, row = before.rules, before.turn, account.row
    assert before.clock_runs == account.clock_runs
    match action:
        case Thrown(faces):
            counts = oracle.dice_counts(rules, row.open, row.behind)
            assert set(dice_allowed(rules, turn.open, turn.behind)) == counts
            assert account.can_show(faces)
        case Moved() | Reopened():
            assert {oracle.row(tiles) for tiles in turns.answers(rules, turn)} == account.legal()
            reopened = account.start - row.open if account.reopens() else set()
            assert oracle.row(turns.reopenings(rules, turn)) == reopened
        case OutOfTime():
            assert account.clock_runs


def _same(account: Account, match: Match) -> None:
    assert (account.phase, account.at) == (PHASES[match.stage], match.player)
    for row, turn in zip(account.rows, match.round.rows, strict=True):
        assert (row.open, row.behind) == (oracle.row(turn.open), oracle.row(turn.behind))
        assert (row.throw, row.throws, row.moves) == (turn.throw, turn.throws, turn.moves)
        assert row.insured == turn.misses_left
        assert sorted(row.bag) == sorted(turns.bag(match.rules, turn))
    assert (account.totals, account.scores) == (list(match.totals), list(match.scores))
    if match.stage is Stage.ADVANCE:
        assert match.turn.outcome == account.outcome
    elif match.stage is not Stage.FINISHED:
        assert match.round.seats == account.seats
    assert account.over == (match.result is not None)
    if match.result is not None:
        assert (match.result.winners, list(match.result.owes)) == (account.winners, account.owes)
        assert match.result.captain == account.captain


@given(profile=generate.profiles(most_tiles=8), players=st.integers(1, 4), seed=seeds)
def test_every_action_does_what_the_account_says(profile: Profile, players: int, seed: int) -> None:
    _follow(profile, players, seed, most=400)


@pytest.mark.slow
@given(profile=generate.profiles(most_tiles=6), players=st.integers(1, 4), seed=seeds)
def test_so_it_does_on_short_rows_to_the_end_of_the_match(profile: Profile, players: int, seed: int) -> None:
    _follow(profile, players, seed, most=500)


NAMES = [game.name for game in profiles.builtins()]


@pytest.mark.parametrize("name", fast_among(NAMES, NAMES[::16]))
@settings(max_examples=5)
@given(players=st.integers(1, 4), seed=seeds)
def test_built_in_profiles_end_as_the_account_says(name: str, players: int, seed: int) -> None:
    profile = profiles.builtin(name)
    match = _follow(profile, players, seed, most=20_000 if profile.name != "open-one" else 5_000)
    assert match is not None
    assert match.result or profile.name == "open-one"


@pytest.mark.parametrize("tie", fast_among(Tie, [Tie.PLAY_OFF]))
@pytest.mark.parametrize(
    ("format_", "keys"),
    [
        (MatchFormat.TOTAL, {}),
        (MatchFormat.TOTAL, {"rounds": 2}),
        (MatchFormat.TOTAL, {"rounds": 2, "win": Win.HIGHEST}),
        (MatchFormat.TARGET_LOSES, {"limit": 7}),
        (MatchFormat.TARGET_WINS, {"limit": 5, "win": Win.HIGHEST}),
        (MatchFormat.DROP_OUT, {"limit": 6}),
        (MatchFormat.ROUNDS_WON, {"rounds": 3}),
        (MatchFormat.ROUNDS_WON, {"limit": 2}),
        (MatchFormat.ROUNDS_WON, {"rounds": 2, "win": Win.HIGHEST}),
    ],
    ids=str,
)
def test_every_end_of_a_match_is_what_an_independent_tally_says(
    format_: MatchFormat, keys: dict[str, Any], tie: Tie
) -> None:
    """Dictated scores of 0 to 3, so that limits, ties and shut boxes meet in every way."""
    chance = random.Random(f"{format_} {keys} {tie}")
    ended = 0
    for number in range(DICTATED):
        stakes = STAKES[number % len(STAKES)]
        by_score = format_ is not MatchFormat.ROUNDS_WON
        if tie is Tie.CARRY and by_score:
            if keys.get("rounds"):
                continue
            stakes = chance.choice([Stakes.POOL, Stakes.POOL_DOUBLE])
        best = keys.get("win") is not Win.HIGHEST
        shut_wins = chance.choice(list(ShutWins)) if best else ShutWins.NO
        costs: int | str = chance.choice(COSTS)
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
            handicap=chance.choice([(), (2,), (0, 1, 3)]) if by_score else (),
            captain=shut_wins is ShutWins.MATCH,
            shut_others=costs if best and shut_wins is not ShutWins.MATCH else 0,
            **keys,
        )
        players = chance.randint(1, 4)
        first = number % players if profile.any_seat_begins else 0
        match = begin(profile, players, first=first)
        rounds: list[list[oracle.Ended]] = []
        while match.result is None and match.round.number < 40:
            if match.stage is Stage.ADVANCE:
                match = match.advance()
            if len(rounds) < match.round.number:
                said = oracle.umpire(profile, players, match.rounds, rounds, first)
                assert (said.seated, said.fresh) == (match.round.seats, match.totals)
                assert (said.first == match.player) or not rounds
                rounds.append([])
            match = finish(match, [chance.randint(0, 3)])
            score, shut = match.turn.score or 0, match.turn.outcome is Outcome.SHUT
            rounds[-1].append(oracle.Ended(match.player, score, shut, played=True))
            if match.next_round or match.result:
                rounds[-1] += [
                    oracle.Ended(i, row.score, shut=False, played=False)
                    for i, row in enumerate(match.round.rows)
                    if i in match.round.seats and row.outcome is Outcome.UNPLAYED and row.score is not None
                ]
        said = oracle.umpire(profile, players, match.rounds, rounds, first)
        result = match.result
        assert said.totals == match.totals
        assert (said.over, said.winners) == ((True, result.winners) if result else (False, ()))
        if result is not None:
            assert said.owes == result.owes
            assert sum(result.owes) == 0 or profile.loser_pays
            first_turn = match.round.number == 1 and shut and match.player == first
            assert result.captain == (profile.captain and first_turn)
        ended += result is not None
    refused = tie is Tie.CARRY and format_ is MatchFormat.TOTAL and "rounds" in keys
    assert ended > 0.9 * DICTATED or refused
