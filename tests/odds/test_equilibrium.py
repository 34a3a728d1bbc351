"""Play against others: published figures, and a plain recursion over the rules of a match."""

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import pytest

from shutthebox.config import profiles
from shutthebox.odds.odds import Odds
from shutthebox.odds.seats import MOST_WORK, Equilibrium, Prize
from shutthebox.odds.worths import End, Objective, OddsError, TooLargeError
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match, begin
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import OneDie, Profile, Scoring, ShutWins, Stakes, Tie, Turns, Win
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Turn

TRADITIONAL = profiles.builtin("traditional")
SHARED = replace(TRADITIONAL, tie=Tie.SHARE)
SHORT = replace(SHARED, tiles=(1, 2, 3, 4), one_die=OneDie.OPTIONAL_SUM)


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


def by_recursion(profile: Profile, players: int, rounds: int = 1) -> tuple[float, ...]:
    """Every player's share of the win, or of the money, from the rules of the match alone.

    A player takes the answer that is best for that player; then the one with the better score.
    """

    def worth(match: Match) -> tuple[float, ...]:
        assert match.result is not None
        if profile.stakes is not Stakes.NONE:
            return tuple(-float(owes) for owes in match.result.owes)
        winners = match.result.winners
        return tuple((i in winners) / len(winners) for i in range(players))

    def best(options: list[tuple[tuple[float, ...], float]], at: int) -> tuple[tuple[float, ...], float]:
        return max(options, key=lambda option: (round(option[0][at], 9), option[1]))

    @cache
    def value(match: Match) -> tuple[tuple[float, ...], float]:
        """The worths, and how good the running turn's score is on average."""
        at = match.player
        good = (1 if profile.highest_wins else -1) * (match.turn.score or 0)
        if match.result is not None:
            return worth(match), good
        if match.turn.outcome is not None:
            return value(key(match.advance()))[0], good
        if match.turn.throw is not None:
            moves = turns.answers(profile, match.turn)
            return best([value(key(match.move(move))) for move in moves or (0,)], at)
        return best([mean(match, dice) for dice in dice_allowed(profile, match.turn.open)], at)

    def mean(match: Match, dice: int) -> tuple[tuple[float, ...], float]:
        faces = range(1, profile.sides + 1)
        throws = Counter(tuple(sorted(throw)) for throw in product(faces, repeat=dice))
        total, points, whole = [0.0] * players, 0.0, sum(throws.values())
        for throw, weight in throws.items():
            worths, good = value(key(match.throw(throw)))
            total = [a + weight / whole * b for a, b in zip(total, worths, strict=True)]
            points += weight / whole * good
        return tuple(total), points

    def key(match: Match) -> Match:
        """The same match, as far as it matters, so that a position is worked out once."""
        done = tuple(
            Turn(0, outcome=row.outcome, score=row.score)
            if row.outcome is not None
            else replace(row, throws=0, moves=min(1, row.moves))
            for row in match.rows
        )
        at = match.player
        rows = done if match.turn.outcome is None else (*done[:at], match.turn, *done[at + 1 :])
        return replace(match, rows=rows, turns_over=0)

    return value(key(begin(profile, players, rounds)))[0]


THREE_TILES = replace(SHORT, tiles=(1, 2, 3))
TWO_TILES = replace(SHORT, tiles=(1, 2), dice=1, sides=3)
CASES = {
    "two": (SHORT, 2),
    "three": (TWO_TILES, 3),
    "no shut": (replace(TWO_TILES, shut_wins=ShutWins.NO), 3),
    "highest": (replace(THREE_TILES, win=Win.HIGHEST, shut_wins=ShutWins.NO), 2),
    "digits": (replace(SHORT, score=Scoring.DIGITS, dice=1), 2),
    "lost": (replace(SHORT, tiles=(1, 2, 3), first_move_must_include=2), 2),
    "ends": (replace(SHORT, ends_turn_on=frozenset({7})), 2),
}


@pytest.mark.parametrize(("profile", "players"), CASES.values(), ids=CASES)
def test_against_recursion(profile: Profile, players: int) -> None:
    expected = by_recursion(replace(profile, stakes=Stakes.NONE), players)
    assert Equilibrium(profile, players).chances() == pytest.approx(expected, abs=1e-8)


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
    assert game.chances() == pytest.approx(by_recursion(profile, 2), abs=1e-8)


@pytest.mark.parametrize("shut_wins", [ShutWins.MATCH, ShutWins.NO])
def test_three_of_whom_the_loser_pays(shut_wins: ShutWins) -> None:
    """For the seat in the middle a shut box is no better than not to be the worst; for the others it is."""
    profile = replace(TWO_TILES, stakes=Stakes.LOSER_PAYS, shut_wins=shut_wins)
    game = Equilibrium(profile, 3, Prize.MONEY)
    assert game.chances() == pytest.approx(by_recursion(profile, 3), abs=1e-8)


def test_the_pool_is_the_win_in_money() -> None:
    for tie in Tie:
        profile = replace(SHORT, tie=tie, stakes=Stakes.POOL)
        win = Equilibrium(profile, 3).chances()
        money = Equilibrium(profile, 3, Prize.MONEY).chances()
        assert money == pytest.approx([3 * chance - 1 for chance in win], abs=1e-8)


@pytest.mark.parametrize("tie", Tie)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_somebody_wins(tie: Tie, players: int) -> None:
    game = Equilibrium(replace(SHORT, tie=tie), players)
    assert sum(game.chances()) == pytest.approx(1, abs=1e-9)
    assert sum(game.chances(scores=(None, 3)[-players + 1 :])) == pytest.approx(1, abs=1e-9)


def test_a_play_off_is_worth_what_a_round_of_those_tied_is() -> None:
    """A tie splits nothing: with the chances of the play-off put in for the shares, nothing changes."""
    game = Equilibrium(replace(SHORT, tie=Tie.PLAY_OFF), 2)
    first, second = game.chances()
    last = game.seat(scores=(3,))
    assert last.chance_of(End(3, False)) == pytest.approx(second, abs=1e-6)
    for tie in (Tie.PLAY_OFF, Tie.REPLAY_ALL):
        # Two players: everybody is tied, so both rules are the same.
        assert Equilibrium(replace(SHORT, tie=tie), 2).chances() == pytest.approx((first, second), abs=1e-9)


def test_two_who_have_tied_before_the_last_seat() -> None:
    game = Equilibrium(SHORT, 3)
    play = game.seat(scores=(3, 3))
    assert play.chance_of(End(3, False)) == pytest.approx(1 / 3)
    assert play.chance_of(End(2, False)) == 1
    assert play.chance_of(End(4, False)) == 0
    chances = game.chances(scores=(3, 3))
    assert chances[0] == chances[1]
    assert game.chances(scores=(None, 3))[0] == 0


def test_points_from_rounds_before_count() -> None:
    game = Equilibrium(SHORT, 2)
    ahead = game.chances(totals=(0, 5))
    assert ahead[0] > game.chances()[0]
    # Who has 20 points more can win by a shut box alone.
    behind = game.seat(totals=(0, 20), scores=(4,))
    assert behind.worth(turns.start(SHORT)) == pytest.approx(
        float(Odds(SHORT).fractions(turns.start(SHORT), Objective.SHUT).shut)
    )


def test_who_must_shut_the_box_plays_for_that() -> None:
    play = Equilibrium(SHARED, 2).seat(scores=(1,))
    must = replace(SHARED, tie=Tie.SHARE)
    odds = Odds(must)
    # A score of 1 ties, everything but a shut box else loses.
    assert play.worth(turns.start(must)) >= odds.value(turns.start(must), Objective.SHUT).shut


def test_never_worse_than_playing_for_points() -> None:
    odds, start = Odds(SHORT), turns.start(SHORT)
    for target in range(1, 11):
        play = Equilibrium(SHORT, 2).seat(scores=(target,))
        by_points = sum(float(chance) * play.chance_of(end) for end, chance in odds.ends(start).items())
        assert play.worth(start) >= by_points - 1e-9


def test_the_number_of_dice_can_depend_on_the_others() -> None:
    game = Equilibrium(SHARED, 2)
    found = set()
    for target in range(1, 21):
        play = game.seat(scores=(target,))
        found |= {play.best_dice(Turn(tiles, moves=1)) for tiles in range(1, 64)}
    assert found == {1, 2}


def test_a_turn_that_is_over_and_answers_ranked() -> None:
    play = Equilibrium(SHARED, 2).seat(scores=(10,))
    blocked = turns.throw(SHARED, Turn(to_tiles([2, 3]), moves=1), (6, 6))
    assert play.worth(blocked) == 1
    assert play.ranked(blocked) == []
    thrown = turns.throw(SHARED, turns.start(SHARED), (4, 4))
    ranked = play.ranked(thrown)
    chances = [chance for _, _, chance in ranked]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] == play.worth(thrown)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("young", "whole turns"),
        ("lucky-seven", "whole turns"),
        ("open-one", "throws"),
        ("the-300", "24 tiles"),
    ],
)
def test_rules_without_such_odds_are_refused_in_words(name: str, why: str) -> None:
    with pytest.raises(OddsError, match=why):
        Equilibrium(profiles.builtin(name), 2)


@pytest.mark.slow
def test_what_would_take_too_long_is_refused_before_it_is_begun() -> None:
    twelve = profiles.builtin("trac-digits").for_box(12)
    assert twelve is not None
    with pytest.raises(TooLargeError, match="2 players have too many scores to beat"):
        Equilibrium(twelve, 2)
    # 79 scores, and the end of a turn lost on its first move.
    assert MOST_WORK > 4096 * 80 * 15


"""By seat; and, last, to anybody who does not take part in the round any more."""


TINY = replace(SHORT, tiles=(1, 2, 3), dice=1, boxes=(), stakes=Stakes.NONE)
MINI = replace(TINY, tiles=(1, 2), sides=3)
HIGHEST = {"win": Win.HIGHEST, "shut_wins": ShutWins.NO}
TWO_DICE: dict[str, Any] = {"dice": 2, "sides": 3, "one_die": OneDie.OPTIONAL_HIGH}


def test_who_cannot_win_any_more_is_left_out() -> None:
    for tie in Tie:
        profile = replace(MINI, tie=tie, shut_wins=ShutWins.NO)
        game, two = Equilibrium(profile, 3), Equilibrium(replace(profile, tie=Tie.SHARE), 2)
        for mark in (1, 2, 3):
            out, first, second = game.chances(scores=(None, mark))
            if tie is Tie.SHARE:
                assert (out, first, second) == pytest.approx((0.0, *two.chances(scores=(mark,))))
            assert out + first + second == pytest.approx(1)


def test_rounds_that_are_not_played() -> None:
    for profile in (replace(MINI, turns=Turns.ALTERNATE), replace(MINI, win=Win.FIRST_TO_SHUT)):
        with pytest.raises(OddsError, match="not played in whole turns"):
            Equilibrium(profile, 2)
    for players in (0, 10):
        with pytest.raises(ValueError, match=f"players: {players} is not allowed, 1 to 9 are"):
            Equilibrium(MINI, players)
    assert Equilibrium(MINI, 1).chances() == (1.0,)
    assert sum(Equilibrium(MINI, 9).chances()) == pytest.approx(1)
