"""The stakes after a match."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.support.dictate import finish, owed, points_box

from shutthebox.config import profiles
from shutthebox.rules import stakes as ledger
from shutthebox.rules.match import begin
from shutthebox.rules.profile import MAX_PLAYERS, MatchFormat, Profile, ShutWins, Stakes, Tie, Win


class TestStakes:
    def test_trac_the_highest_score_buys_the_round(self) -> None:
        match = finish(begin(profiles.builtin("trac"), 3), [12, 30, 5])
        assert owed(match) == (0, 1, 0)

    def test_two_worst_share_the_round(self) -> None:
        match = finish(begin(profiles.builtin("trac"), 3), [30, 30, 5])
        assert owed(match) == (Fraction(1, 2), Fraction(1, 2), 0)

    def test_a_play_off_does_not_change_who_pays(self) -> None:
        match = finish(begin(profiles.builtin("trac"), 3), [10, 10, 12, 5, 40])
        assert match.result is not None
        assert match.result.winners == (0,)
        assert owed(match) == (0, 0, 1)

    def test_alone_nobody_pays(self) -> None:
        for name in ("trac", "pub", "traditional"):
            match = finish(begin(profiles.builtin(name), 1), [12])
            assert owed(match) == (0,)

    def test_a_winner_at_once_never_pays(self) -> None:
        profile = points_box(stakes=Stakes.LOSER_PAYS, match=MatchFormat.TOTAL)
        profile = replace(profile, shut_wins=ShutWins.MATCH, rounds=2)
        match = finish(begin(profile, 3), [40, 10, 20, 0])
        assert owed(match) == (1, Fraction(1, 2), Fraction(1, 2)), "one round each"
        match = finish(begin(profile, 3), [0])
        assert owed(match) == (0, Fraction(1, 2), Fraction(1, 2))

    def test_where_the_highest_wins_the_lowest_pays(self) -> None:
        match = finish(begin(points_box(stakes=Stakes.LOSER_PAYS, win=Win.HIGHEST), 3), [12, 30, 5])
        assert owed(match) == (0, 0, 1)

    @pytest.mark.parametrize(
        ("totals", "owes"),
        [((30, None), (1, 0)), ((None, None), (Fraction(1, 2), Fraction(1, 2)))],
    )
    def test_the_round_is_bought_by_those_who_have_played_if_there_are_any(
        self, totals: tuple[int | None, ...], owes: tuple[Fraction | int, ...]
    ) -> None:
        found = ledger.loser_pays(3, [0, 1], (*totals, 12), highest_wins=False)
        assert found == (*owes, 0)

    def test_where_all_win_the_worst_of_them_pays(self) -> None:
        # The one has a head start of 4 points.
        profile = points_box(stakes=Stakes.LOSER_PAYS, tie=Tie.SHARE, handicap=(0, 4))
        match = finish(begin(profile, 3), [5, 9, 5])
        assert owed(match) == (Fraction(1, 3),) * 3

    @pytest.mark.parametrize("stakes", [Stakes.POOL, Stakes.POOL_DOUBLE, Stakes.LOSER_PAYS])
    def test_without_a_winner_only_the_bank_settles(self, stakes: Stakes) -> None:
        profile = points_box(stakes=stakes, match=MatchFormat.TARGET_LOSES, limit=5)
        assert owed(finish(begin(profile, 1), [9])) == (0,)

    @pytest.mark.parametrize("stakes", [Stakes.POOL, Stakes.POOL_DOUBLE])
    def test_pools_add_up_to_nothing(self, stakes: Stakes) -> None:
        for players in range(1, MAX_PLAYERS + 1):
            match = finish(begin(points_box(stakes=stakes), players), list(range(players)))
            assert sum(owed(match)) == 0


def pool(**keys: Any) -> Profile:
    return points_box(**{"stakes": Stakes.POOL_DOUBLE, "shut_wins": ShutWins.NO, **keys})


class TestRounds:
    """Sheet 002: the winner collects the pool at the end of each round."""

    def test_each_round_has_its_pool(self) -> None:
        match = finish(begin(profiles.builtin("pub"), 3, 3), [12, 3, 5, 3, 12, 5, 20, 20, 20])
        # Rounds won by players 2 and 1; the third is shared by all.
        assert match.totals == (35, 35, 30)
        assert owed(match) == (-1, -1, 2)

    def test_a_round_shared_by_two_pays_half_a_pool_to_each(self) -> None:
        match = finish(begin(pool(rounds=2), 3), [3, 3, 9, 1, 2, 3])
        assert owed(match) == (Fraction(-1, 2) - 2, Fraction(-1, 2) + 1, 2)

    def test_a_shut_doubles_the_pool_of_its_round_alone(self) -> None:
        match = finish(begin(pool(rounds=2), 3), [0, 5, 9, 9, 5, 6])
        assert owed(match) == (-4 + 1, 2 - 2, 2 + 1)

    def test_a_shut_that_wins_the_match_settles_the_round_that_it_ends(self) -> None:
        match = finish(begin(profiles.builtin("pub"), 3, 3), [12, 3, 5, 9, 0])
        assert owed(match) == (1 + 2, -2 - 4, 1 + 2)

    def test_a_round_ended_by_a_shut_is_won_by_it(self) -> None:
        profile = replace(pool(rounds=2), shut_wins=ShutWins.ROUND)
        match = finish(begin(profile, 2), [4, 0, 1, 2])
        assert owed(match) == (2 - 1, -2 + 1)

    def test_a_play_off_for_a_match_of_several_rounds_has_no_pool(self) -> None:
        match = finish(begin(pool(rounds=2), 2), [3, 5, 5, 3, 0, 9])
        assert match.result is not None
        assert (match.result.winners, owed(match)) == ((0,), (0, 0))

    def test_every_round_is_bought_by_its_loser(self) -> None:
        match = finish(begin(profiles.builtin("trac"), 3, 2), [12, 30, 5, 12, 5, 5])
        assert owed(match) == (1, 1, 0)

    def test_the_pool_of_a_tournament_is_among_those_who_are_still_in(self) -> None:
        profile = pool(match=MatchFormat.DROP_OUT, limit=20, stakes=Stakes.POOL)
        match = finish(begin(profile, 3), [25, 5, 9, 2, 15])
        assert match.result is not None
        assert match.result.winners == (1,)
        assert owed(match) == (1, -2 - 1, 1 + 1)

    def test_a_round_cut_short_by_the_limit_goes_to_the_winner_of_the_match(self) -> None:
        profile = pool(match=MatchFormat.TARGET_LOSES, limit=20, stakes=Stakes.POOL)
        match = finish(begin(profile, 3), [9, 5, 8, 12])
        assert match.result is not None
        assert match.result.winners == (1,)
        assert owed(match) == (1 + 1, -2 - 2, 1 + 1)

    def test_points_to_win_are_played_for_a_pool_each_round(self) -> None:
        profile = pool(match=MatchFormat.TARGET_WINS, limit=10, win=Win.HIGHEST, stakes=Stakes.LOSER_PAYS)
        match = finish(begin(profile, 2), [5, 4, 1, 6])
        assert match.result is not None
        assert (match.totals, match.result.winners) == ((6, 10), (1,))
        assert owed(match) == (1, 1)


class TestSecondStake:
    def test_one_who_shares_the_pool_pays_it_too(self) -> None:
        match = finish(begin(pool(tie=Tie.SHARE, handicap=(0, 5)), 3), [0, 5, 9])
        assert owed(match) == (Fraction(-5, 2), Fraction(1, 2), 2)

    def test_two_who_have_shut_share_it(self) -> None:
        match = finish(begin(pool(tie=Tie.SHARE), 3), [0, 0, 9])
        assert owed(match) == (-1, -1, 2)

    def test_a_shut_that_led_to_a_play_off_counts(self) -> None:
        match = finish(begin(pool(), 3), [0, 0, 9, 5, 3])
        assert owed(match) == (2, -4, 2)

    def test_a_shut_in_the_play_off_counts(self) -> None:
        match = finish(begin(pool(), 3), [4, 4, 9, 5, 0])
        assert owed(match) == (2, -4, 2)

    def test_a_shut_that_a_replay_has_voided_does_not(self) -> None:
        match = finish(begin(pool(tie=Tie.REPLAY_ALL), 3), [0, 0, 9, 5, 3, 9])
        assert owed(match) == (1, -2, 1)
        match = finish(begin(pool(tie=Tie.REPLAY_ALL), 3), [0, 0, 9, 5, 0, 9])
        assert owed(match) == (2, -4, 2)

    def test_mates_of_a_team_pay_each_other_nothing(self) -> None:
        match = finish(begin(pool(teams=2), 4), [0, 9, 5, 9])
        assert owed(match) == (-2, 2, -2, 2)


class TestWhoHasLost:
    def test_the_first_out_of_a_tournament_pays_whoever_follows(self) -> None:
        profile = points_box(match=MatchFormat.DROP_OUT, limit=20, stakes=Stakes.LOSER_PAYS)
        match = finish(begin(profile, 3), [25, 5, 9, 2, 35])
        assert match.result is not None
        assert (match.result.winners, match.totals) == ((1,), (25, 7, 44))
        assert (owed(match), match.loser) == ((1, 0, 0), 0)

    def test_of_two_who_go_out_together_the_worse_pays(self) -> None:
        profile = points_box(match=MatchFormat.DROP_OUT, limit=20, stakes=Stakes.LOSER_PAYS)
        assert owed(finish(begin(profile, 3), [25, 5, 26])) == (0, 0, 1)
        assert owed(finish(begin(profile, 3), [25, 5, 25])) == (Fraction(1, 2), 0, Fraction(1, 2))
        assert owed(finish(begin(profile, 2), [25, 26])) == (0, 1), "even if it is the last two"

    def test_a_tie_of_the_last_two_is_paid_by_who_loses_the_play_off(self) -> None:
        profile = points_box(match=MatchFormat.DROP_OUT, limit=20, stakes=Stakes.LOSER_PAYS)
        assert owed(finish(begin(profile, 2), [25, 25, 3, 4])) == (0, 1)

    def test_who_has_reached_the_limit_pays_whatever_a_replay_brings(self) -> None:
        profile = points_box(
            match=MatchFormat.TARGET_LOSES, limit=20, stakes=Stakes.LOSER_PAYS, tie=Tie.REPLAY_ALL
        )
        match = finish(begin(profile, 3), [9, 9, 15, 1, 1, 5, 40, 41])
        assert match.result is not None
        assert (match.result.winners, match.totals) == ((0,), (40, 41, 20))
        assert (owed(match), match.loser) == ((0, 0, 1), 2)
