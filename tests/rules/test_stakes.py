"""The stakes after a match."""

from dataclasses import replace
from fractions import Fraction

import pytest
from tests.support.dictate import finish, owed, points_box

from shutthebox.config import profiles
from shutthebox.rules import stakes as ledger
from shutthebox.rules.match import begin
from shutthebox.rules.profile import MAX_PLAYERS, MatchFormat, ShutWins, Stakes, Win


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
        assert owed(match) == (0, 0, 1)
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
        profile = points_box(stakes=Stakes.LOSER_PAYS)
        assert ledger.owes(profile, [2], False, (*totals, 12)) == (*owes, 0)

    def test_where_all_win_the_worst_of_them_pays(self) -> None:
        profile = points_box(stakes=Stakes.LOSER_PAYS)
        assert list(ledger.owes(profile, [0, 1], False, (5, 9))) == [0, 1]

    def test_without_a_winner_only_the_bank_settles(self) -> None:
        for stakes in Stakes:
            owes = ledger.owes(points_box(stakes=stakes, stake=3, pays=((0, 9),)), [], False, (5, None))
            assert list(owes) == ([3, 0] if stakes is Stakes.BANK else [0, 0])

    @pytest.mark.parametrize("stakes", [Stakes.POOL, Stakes.POOL_DOUBLE])
    def test_pools_add_up_to_nothing(self, stakes: Stakes) -> None:
        for players in range(1, MAX_PLAYERS + 1):
            match = finish(begin(points_box(stakes=stakes), players), list(range(players)))
            assert sum(owed(match)) == 0
