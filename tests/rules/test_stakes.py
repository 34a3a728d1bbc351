"""The stakes after a match."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from tests.support.dictate import finish, owed, points_box

from shutthebox.config import profiles
from shutthebox.rules.match import begin
from shutthebox.rules.profile import MatchFormat, Profile, ShutWins, Stakes


class TestStakes:
    def test_trac_the_highest_score_buys_the_round(self) -> None:
        match = finish(begin(profiles.builtin("trac"), 3), [12, 30, 5])
        assert owed(match) == (0, 1, 0)

    def test_a_play_off_does_not_change_who_pays(self) -> None:
        match = finish(begin(profiles.builtin("trac"), 3), [10, 10, 12, 5, 40])
        assert match.result is not None
        assert match.result.winners == (0,)
        assert owed(match) == (0, 0, 1)

    def test_a_winner_at_once_never_pays(self) -> None:
        profile = points_box(stakes=Stakes.LOSER_PAYS, match=MatchFormat.TOTAL)
        profile = replace(profile, shut_wins=ShutWins.MATCH, rounds=2)
        match = finish(begin(profile, 3), [40, 10, 20, 0])
        assert owed(match) == (1, Fraction(1, 2), Fraction(1, 2)), "one round each"
        match = finish(begin(profile, 3), [0])
        assert owed(match) == (0, Fraction(1, 2), Fraction(1, 2))


def pool(**keys: Any) -> Profile:
    return points_box(**{"stakes": Stakes.POOL_DOUBLE, "shut_wins": ShutWins.NO, **keys})


class TestRounds:
    """Sheet 002: the winner collects the pool at the end of each round."""

    def test_each_round_has_its_pool(self) -> None:
        match = finish(begin(profiles.builtin("pub"), 3, 3), [12, 3, 5, 3, 12, 5, 20, 20, 20])
        # Rounds won by players 2 and 1; the third is shared by all.
        assert match.totals == (35, 35, 30)
        assert owed(match) == (-1, -1, 2)

    def test_a_shut_doubles_the_pool_of_its_round_alone(self) -> None:
        match = finish(begin(pool(rounds=2), 3), [0, 5, 9, 9, 5, 6])
        assert owed(match) == (-4 + 1, 2 - 2, 2 + 1)

    def test_a_shut_that_wins_the_match_settles_the_round_that_it_ends(self) -> None:
        match = finish(begin(profiles.builtin("pub"), 3, 3), [12, 3, 5, 9, 0])
        assert owed(match) == (1 + 2, -2 - 4, 1 + 2)
