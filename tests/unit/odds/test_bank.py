"""The bank's payment under best play, against the oracle."""

from dataclasses import replace
from fractions import Fraction

import pytest
from tests.support import oracle
from tests.unit.odds.plain import Oracle, own_score

from shutthebox.config.profiles import builtin
from shutthebox.odds.bank import bank_play, beats_bank
from shutthebox.odds.worths import OddsError, TooLargeError
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match, begin
from shutthebox.rules.profile import Blocked, Draw, Scoring, Win
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Turn

BANK = builtin("bank")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "head_start"),
    [
        ({}, 0),
        ({}, -3),
        ({"win": Win.HIGHEST, "score": Scoring.SHUT_SUM, "pays": ((5, 1), (12, 2), (15, 9))}, 0),
        ({"score": Scoring.COUNT, "pays": ((0, 7), (1, 2))}, 0),
    ],
)
def test_what_the_bank_pays(changes: dict[str, object], head_start: int) -> None:
    profile = replace(BANK, tiles=(1, 2, 3, 4, 5), boxes=(), **changes)  # type: ignore[arg-type]
    play = bank_play(profile, head_start)
    start = begin(replace(profile, rounds=1, handicap=()), 1)

    def paid(match: Match) -> tuple[Fraction]:
        return (Fraction(oracle.paid(profile, head_start + (match.turn.score or 0))),)

    most = Oracle([start], paid, own_score).value(start).worths[0]
    assert play.worth(turns.start(profile)).main == most


def test_the_bank_keeps_a_little() -> None:
    assert bank_play(BANK).worth(turns.start(BANK)).main == Fraction(3235184359, 3265173504)


def test_the_best_answer_is_not_that_for_the_points() -> None:
    play, turn = bank_play(BANK), turns.throw(BANK, Turn(0b111011, moves=1), (3, 3))
    (_, _, best), *others = play.ranked(turn)
    assert play.worth(turn) == best
    assert all(worth.main < best.main for _, _, worth in others)


def test_without_a_bank_there_is_nothing_to_work_out() -> None:
    with pytest.raises(OddsError, match="golf is not played against the bank"):
        bank_play(builtin("golf"))


def test_a_stake_that_comes_back_is_no_win() -> None:
    profile = replace(BANK, tiles=(1, 2, 3), boxes=(), dice=1, pays=((0, 3), (1, 1), (3, 0)))
    two = to_tiles([1, 2])
    profile = replace(profile, start_open=(1, 2))
    # 3 shuts both tiles; 1 and 2 leave one, which a throw in six shuts. A 1 gives the stake back.
    assert Turn(two) == turns.start(profile)
    assert beats_bank(profile)[0] == pytest.approx(1 / 6 + 2 / 6 * 1 / 6)
    assert beats_bank(replace(profile, stake=3))[0] == 0
    assert beats_bank(replace(profile, stake=0))[0] == pytest.approx(2 / 6 + 1 / 6 * 1 / 6)


def test_games_of_the_bank_without_exact_odds(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TooLargeError, match="for throws has no exact odds"):
        bank_play(replace(BANK, score=Scoring.THROWS))
    opening = replace(BANK, tiles=(1, 2), boxes=(), blocked=Blocked.OPENS_ONE, ends_turn_on=frozenset({7}))
    assert not bank_play(opening).exact
    monkeypatch.setattr("shutthebox.odds.model.MAX_POSITIONS", 5)
    with pytest.raises(TooLargeError, match="dominoes reach too many positions"):
        bank_play(replace(BANK, draw=Draw.DOMINOES))
