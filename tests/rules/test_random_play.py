"""Random profiles played by a random player: what must hold whatever the rules are."""

from itertools import groupby

import hypothesis.strategies as st
from hypothesis import given, settings
from tests.support import generate, oracle

from shutthebox.config import profiles
from shutthebox.rules.actions import Moved, Reopened, Thrown
from shutthebox.rules.match import LAST_ROUND, MAX_TIE_ROUNDS, Match, Stage
from shutthebox.rules.profile import Blocked, MatchFormat, Profile
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.turn import Outcome, answers

seeds = st.integers(0, 2**32 - 1)


@settings(deadline=None)
@given(profile=generate.profiles(), players=st.integers(1, 4), seed=seeds)
def test_tiles_within_a_turn(profile: Profile, players: int, seed: int) -> None:
    for before, action, after in generate.play(profile, players, seed, most=400):
        was, now = before.rows[before.player], after.rows[before.player]
        if before.stage is Stage.ADVANCE:
            continue
        assert not now.open & ~profile.starting, "a tile opened that is not in play"
        opened = now.open & ~was.open
        if isinstance(action, Reopened):
            assert profile.blocked is Blocked.OPENS_ONE
            assert opened == 1 << (action.tile - 1)
            assert now.open == was.open | opened
        else:
            assert not opened, "a shut tile opened within a turn"
        if isinstance(action, Moved):
            assert was.open & ~now.open == action.shut
            faces = was.throw or ()
            legal = oracle.moves(profile, oracle.row(was.open), faces, first=was.moves == 0)
            assert {oracle.row(tiles) for tiles in answers(profile, was)} == legal
            assert oracle.row(action.shut) in legal or (not action.shut and not legal)
        if isinstance(action, Thrown):
            first, total = was.moves == 0, sum(action.faces)
            possible = oracle.moves(profile, oracle.row(was.open), action.faces, first=first)
            must_first = first and profile.first_move_must_include is not None
            lost = must_first and not possible and total not in profile.ends_turn_on
            assert (now.outcome is Outcome.LOST) == lost
            assert (now.outcome is Outcome.ENDED) == (total in profile.ends_turn_on)
        if now.outcome is Outcome.SHUT:
            assert now.open == 0
        elif now.outcome is None:
            assert now.open
        assert now.throws <= MAX_THROWS


def _rounds(matches: list[Match]) -> list[list[oracle.Ended]]:
    """The turns that have ended, by rounds, scored anew from the tiles left open."""
    rounds = []
    for _, positions in groupby(matches, key=lambda match: match.round):
        played = list(positions)
        ended = []
        for match in played:
            if match.stage is Stage.ADVANCE:
                profile, turn = match.profile, match.turn
                lost, shut = turn.outcome is Outcome.LOST, turn.outcome is Outcome.SHUT
                points = oracle.points(profile, oracle.row(turn.open), turn.throws, lost)
                assert turn.score == points
                ended.append(oracle.Ended(match.player, points, shut, played=True))
        for player in played[0].seats:
            turn = played[-1].rows[player]
            if turn.outcome is Outcome.UNPLAYED and turn.score is not None:
                points = oracle.points(played[0].profile, oracle.row(turn.open), turn.throws, lost=False)
                ended.append(oracle.Ended(player, points, shut=False, played=False))
        rounds.append(ended)
    return rounds


def _judge(profile: Profile, players: int, seed: int, most: int) -> bool:
    """Compares totals and winners with the umpire's; whether the match has ended."""
    matches = [after for _, _, after in generate.play(profile, players, seed, most)]
    ended = matches[-1].result
    rounds = _rounds(matches if ended else [m for m in matches if m.round < matches[-1].round])
    verdict = oracle.umpire(profile, players, profile.rounds, rounds)
    assert verdict.over == bool(ended)
    assert verdict.winners == (ended.winners if ended else ())
    if ended:
        assert verdict.totals == matches[-1].totals
        assert all(0 <= player < players for player in ended.winners)
        assert len(ended.owes) == players
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


def test_a_player_alone_wins_every_match() -> None:
    for profile in profiles.builtins():
        for seed in range(3):
            *_, (_, _, last) = generate.play(profile, 1, seed, most=20_000)
            assert last.result is not None
            # Alone, nobody is left to win where a limit loses.
            loses = profile.match is MatchFormat.TARGET_LOSES
            assert last.result.winners == (() if loses else (0,))
            assert sum(last.result.owes) == 0
