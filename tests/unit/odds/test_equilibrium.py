"""Play against others: published figures, and the oracle."""

from dataclasses import replace

import pytest
from tests.support.fast import fast_among
from tests.support.house import house
from tests.unit.odds.plain import match_oracle, money

from shutthebox.cli.odds_players import players_answer
from shutthebox.config import profiles
from shutthebox.odds.odds import Odds
from shutthebox.odds.seats import MAX_WORK, Equilibrium, Prize
from shutthebox.odds.worths import End, Objective, OddsError, TooLargeError
from shutthebox.rules import turn as turns
from shutthebox.rules.endings import MAX_TIE_ROUNDS
from shutthebox.rules.profile import Back, First, OneDie, Profile, Scoring, ShutWins, Stakes, Tie, Turns, Win

TRADITIONAL = profiles.builtin("traditional")
SHARED = replace(TRADITIONAL, tie=Tie.SHARE)
SHORT = replace(SHARED, tiles=(1, 2, 3, 4), one_die=OneDie.OPTIONAL_SUM)


# 0.502810: "Analysis of Shut the Box", possiblywrong.wordpress.com, 2013, too.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("one_die", "first"),
    [
        (OneDie.OPTIONAL_HIGH, 0.501490),
        (OneDie.OPTIONAL_SUM, 0.502810),
        (OneDie.FORCED_SUM, 0.502810),
        (OneDie.NEVER, 0.500535),
    ],
)
def test_two_players_on_nine_tiles(one_die: OneDie, first: float) -> None:
    chances = Equilibrium(replace(SHARED, one_die=one_die), 2).chances()
    assert chances == pytest.approx((first, 1 - first), abs=5e-7)


THREE_TILES = replace(SHORT, tiles=(1, 2, 3))
TWO_TILES = replace(SHORT, tiles=(1, 2), dice=1, sides=3)
CASES = {
    "three": (TWO_TILES, 3),
    "no shut": (replace(TWO_TILES, shut_wins=ShutWins.NO), 3),
    "highest": (replace(THREE_TILES, win=Win.HIGHEST, shut_wins=ShutWins.NO), 2),
    "digits": (replace(SHORT, score=Scoring.DIGITS, dice=1), 2),
    "lost": (replace(SHORT, tiles=(1, 2, 3), first_move_must_include=2), 2),
    "ends": (replace(TWO_TILES, ends_turn_on=frozenset({2})), 2),
    "adds": (replace(TWO_TILES, add_throw=True), 3),
    "two rows": (replace(TWO_TILES, rows=2), 2),
    "through": (replace(TWO_TILES, rows=2, back=Back.REVERSED, through=True, row_points=(2, 1)), 2),
}


@pytest.mark.parametrize("name", fast_among(CASES, ["three", "no shut", "lost", "ends", "adds"]))
def test_against_recursion(name: str) -> None:
    profile, players = CASES[name]
    expected = match_oracle(profile, players)
    assert Equilibrium(profile, players).chances() == pytest.approx(expected, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stakes", "shut_wins"),
    [
        (Stakes.POOL, ShutWins.MATCH),
        (Stakes.POOL_DOUBLE, ShutWins.MATCH),
        (Stakes.POOL_DOUBLE, ShutWins.NO),
        (Stakes.LOSER_PAYS, ShutWins.MATCH),
    ],
)
def test_money_against_recursion(stakes: Stakes, shut_wins: ShutWins) -> None:
    profile = replace(THREE_TILES, stakes=stakes, shut_wins=shut_wins)
    game = Equilibrium(profile, 2, Prize.MONEY)
    assert game.chances() == pytest.approx(match_oracle(profile, 2, money), abs=1e-8)


@pytest.mark.parametrize("shut_wins", [ShutWins.MATCH, ShutWins.NO])
def test_three_of_whom_the_loser_pays(shut_wins: ShutWins) -> None:
    """For the seat in the middle a shut box is no better than not to be the worst; for the others it is."""
    profile = replace(TWO_TILES, stakes=Stakes.LOSER_PAYS, shut_wins=shut_wins)
    game = Equilibrium(profile, 3, Prize.MONEY)
    assert game.chances() == pytest.approx(match_oracle(profile, 3, money), abs=1e-8)


def test_a_play_off_is_worth_what_a_round_of_those_tied_is() -> None:
    """A tie splits nothing: with the chances of the play-off put in for the shares, nothing changes."""
    game = Equilibrium(replace(SHORT, tie=Tie.PLAY_OFF), 2)
    first, second = game.chances()
    last = game.seat(scores=(3,))
    assert last.worth_of(End(3, False)) == pytest.approx(second, abs=1e-6)
    for tie in (Tie.PLAY_OFF, Tie.REPLAY_ALL):
        # Two players: everybody is tied, so both rules are the same.
        assert Equilibrium(replace(SHORT, tie=tie), 2).chances() == pytest.approx((first, second), abs=1e-9)


def test_points_from_rounds_before_count() -> None:
    game = Equilibrium(SHORT, 2)
    ahead = game.chances(totals=(0, 5))
    assert ahead[0] > game.chances()[0]
    # Who has 20 points more can win by a shut box alone.
    behind = game.seat(totals=(0, 20), scores=(4,))
    assert behind.worth(turns.start(SHORT)).main == pytest.approx(
        float(Odds(SHORT).fractions(turns.start(SHORT), Objective.SHUT).shut)
    )


@pytest.mark.slow
def test_what_would_take_too_long_is_refused_before_it_is_begun() -> None:
    twelve = profiles.builtin("trac-digits").for_box(12)
    assert twelve is not None
    with pytest.raises(TooLargeError, match="2 players have too many scores to beat"):
        Equilibrium(twelve, 2)
    # 79 scores, and the end of a turn lost on its first move.
    assert MAX_WORK > 4096 * 80 * 15


@pytest.mark.parametrize(
    ("profile", "why"),
    [
        (replace(TWO_TILES, turns=Turns.ALTERNATE), "whole turns"),
        (replace(TWO_TILES, win=Win.FIRST_TO_SHUT), "whole turns"),
        (profiles.builtin("open-one"), "throws"),
        (profiles.builtin("the-300"), "24 tiles"),
    ],
)
def test_rules_without_such_odds_are_refused_in_words(profile: Profile, why: str) -> None:
    with pytest.raises(OddsError, match=why):
        Equilibrium(profile, 2)


def test_one_to_twenty_players() -> None:
    for players in (0, 21):
        with pytest.raises(ValueError, match=f"players: {players} is not allowed; use 1 to 20"):
            Equilibrium(TWO_TILES, players)
    assert Equilibrium(TWO_TILES, 1).chances() == (1.0,)
    assert sum(Equilibrium(TWO_TILES, 20).chances()) == pytest.approx(1)


ONE_TILE = replace(TWO_TILES, tiles=(1,), sides=2, tie=Tie.PLAY_OFF)
"""The first seat shuts the box with a chance of 1/2, else the second with 1/2; else they are tied."""


def test_who_begins_rotates_from_tie_to_tie() -> None:
    assert Equilibrium(ONE_TILE, 2).chances() == pytest.approx((2 / 3, 1 / 3))
    rotating = replace(ONE_TILE, first=First.ROTATES)
    # w = 1/2 + 1/4 (1 - w)
    assert Equilibrium(rotating, 2).chances() == pytest.approx((3 / 5, 2 / 5))


ONLY_TIES = house('like = "trac-free"\nblocked = "passes"')
"""Everybody goes on until the box is shut, which wins nothing."""


@pytest.mark.parametrize("tie", sorted({*Tie} - {Tie.CARRY}))
@pytest.mark.parametrize("players", fast_among([2, 3, 9], [2, 3]))
def test_where_every_round_is_a_tie_they_share_after_the_last(tie: Tie, players: int) -> None:
    profile = replace(ONLY_TIES, tie=tie, tiles=(1, 2, 3))
    assert Equilibrium(profile, players).chances() == pytest.approx((1 / players,) * players, abs=1e-12)
    if tie is not Tie.REPLAY_ALL or players == 2:
        paid = Equilibrium(profile, players, Prize.MONEY).chances()
        assert paid == pytest.approx((-1 / players,) * players, abs=1e-12)


def test_only_so_many_extra_rounds_are_left() -> None:
    last = Equilibrium(ONE_TILE, 2, tie_rounds=MAX_TIE_ROUNDS)
    assert last.chances() == pytest.approx((1 / 2 + 1 / 8, 1 / 4 + 1 / 8))
    one_more = Equilibrium(ONE_TILE, 2, tie_rounds=MAX_TIE_ROUNDS - 1)
    assert one_more.chances()[0] == pytest.approx(1 / 2 + 1 / 4 * last.chances()[0])
    early = Equilibrium(ONE_TILE, 2)
    assert early.holds_for(0)
    assert not early.holds_for(MAX_TIE_ROUNDS)


def test_a_round_that_is_worth_a_point_is_a_round_alone_whose_ties_are_shared() -> None:
    won = house('match = "rounds-won"\nrounds = 5\ntiles = 3\nshut_wins = "no"')
    alone = house('tie = "share"\ntiles = 3\nshut_wins = "no"')
    assert Equilibrium(won, 2).chances() == Equilibrium(alone, 2).chances()


@pytest.mark.slow
@pytest.mark.parametrize("costs", ["20", '"doubled"'])
def test_what_a_shut_box_costs_everyone_else_changes_no_chance(costs: str) -> None:
    profile = house(f'tiles = 2\ndice = 1\nsides = 2\nshut_wins = "no"\nshut_others = {costs}')
    assert Equilibrium(profile, 2).chances() == pytest.approx(match_oracle(profile, 2), abs=1e-8)
    with pytest.raises(OddsError, match="with head starts in points"):
        Equilibrium(replace(profile, handicap=(1,)), 2)


def test_a_pool_that_stays_has_no_chances_of_seats() -> None:
    profile = house('tie = "carry"\nstakes = "pool"')
    with pytest.raises(OddsError, match='tie = "carry"'):
        Equilibrium(profile, 2)
    assert Odds(profile).fractions(turns.start(profile)) == Odds(house("")).fractions(turns.start(profile))


HEADS = 'dice = 1\nsides = 2\nmove = "exact"\n'
COMBINED = {
    "replay all with a head start": f'{HEADS}tiles = 2\nshut_wins = "no"\ntie = "replay-all"\nhandicap = [1]',
    "rotating, too": (
        f'{HEADS}tiles = 2\nshut_wins = "no"\ntie = "replay-all"\nhandicap = [1]\nfirst = "rotates"'
    ),
    "most rounds are tied": f'{HEADS}tiles = 1\nblocked = "passes"\nends_turn_on = [2]\nshut_wins = "no"',
    "a shut box doubles in a play-off": f'{HEADS}tiles = 2\nshut_wins = "no"\nstakes = "pool-double"',
    "and whoever ties a shut box": (
        f'{HEADS}tiles = 2\nshut_wins = "no"\nstakes = "pool-double"\nhandicap = [1, 0]\nfirst = "rotates"'
    ),
    "sharing with a head start": (
        f'{HEADS}tiles = 2\nshut_wins = "no"\nstakes = "pool-double"\ntie = "share"\nhandicap = [0, 2]'
    ),
    "the loser pays after a head start": (
        f'{HEADS}tiles = 3\nstakes = "loser-pays"\nhandicap = [0, 1]\nturn_seconds = 30'
    ),
    "the highest wins, with a head start": (
        f'{HEADS}tiles = 3\nwin = "highest"\nshut_wins = "no"\nstakes = "loser-pays"\nhandicap = [2]\n'
        'first = "loser"'
    ),
    "captain": f'{HEADS}tiles = 2\nshut_wins = "match"\ncaptain = true\nstakes = "pool-double"',
}


FOR_TWO = f'{COMBINED["rotating, too"]}\nstakes = "loser-pays"'


LONG = (
    "a shut box doubles in a play-off",
    "and whoever ties a shut box",
    "the loser pays after a head start",
    "captain",
    "rotating, too",
    "the highest wins, with a head start",
)
"""Rules of which the recursion takes longest."""


@pytest.mark.parametrize("players", fast_among([2, 3], [2]))
@pytest.mark.parametrize(
    "text", fast_among(COMBINED.values(), [text for name, text in COMBINED.items() if name not in LONG])
)
def test_head_starts_ties_and_stakes_together(text: str, players: int) -> None:
    profile = house(text)
    found = players_answer(profile, players, None, None)
    assert found.win == pytest.approx(match_oracle(profile, players), abs=1e-8)
    assert found.stakes == pytest.approx(match_oracle(profile, players, money), abs=1e-8)


def test_a_head_start_that_counts_again_by_hand() -> None:
    # Seat 1 has -1, 0, 1 with chances of 1/2, 1/4, 1/4; seat 2 has 0, 1, 2. It wins 11/16, 3/16 are tied.
    profile = house(COMBINED["replay all with a head start"])
    assert players_answer(profile, 2, None, None).win == pytest.approx((11 / 13, 2 / 13))


@pytest.mark.slow
def test_of_two_the_loser_pays_after_everybody_starts_over() -> None:
    test_head_starts_ties_and_stakes_together(FOR_TWO, 2)


def test_three_of_whom_the_loser_pays_after_everybody_starts_over_are_refused() -> None:
    profile = house(FOR_TWO)
    with pytest.raises(OddsError, match='stakes = "loser-pays" with tie = "replay-all" have odds for two'):
        players_answer(profile, 3, None, None)
