"""The bank's payment under best play, against a plain recursion over the turn."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from tests.support import oracle

from shutthebox.config.profiles import builtin
from shutthebox.odds import OddsError
from shutthebox.odds.bank import BankOdds
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Profile, Scoring, Win
from shutthebox.rules.turn import Turn

BANK = builtin("bank")


def plain(profile: Profile, head_start: int = 0) -> Fraction:
    """The most that the bank can be made to pay on average."""

    @cache
    def paid(turn: Turn) -> Fraction:
        if turn.outcome is not None:
            assert turn.score is not None
            return Fraction(oracle.paid(profile, head_start + turn.score))
        if turn.throw is not None:
            return max(
                paid(replace(turns.move(profile, turn, shut), throws=0, moves=1))
                for shut in turns.answers(profile, turn)
            )
        return max(map(mean, [turn] * 2, dice_allowed(profile, turn.open)))

    def mean(turn: Turn, dice: int) -> Fraction:
        throws = list(product(range(1, profile.sides + 1), repeat=dice))
        return sum((paid(turns.throw(profile, turn, faces)) for faces in throws), Fraction(0)) / len(throws)

    return paid(turns.start(profile))


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
    odds = BankOdds(profile, head_start=head_start)
    assert odds.exact(turns.start(profile)) == plain(profile, head_start)


def test_the_bank_keeps_a_little() -> None:
    assert BankOdds(BANK).exact(turns.start(BANK)) == Fraction(3235184359, 3265173504)


def test_the_best_answer_is_not_that_for_the_points() -> None:
    odds, turn = BankOdds(BANK), turns.throw(BANK, Turn(0b111011, moves=1), (3, 3))
    best, *others = odds.ranked(turn)
    assert best.cost == 0
    assert odds.payment(turn) == best.payment
    assert all(each.cost > 0 and each.payment.paid < best.payment.paid for each in others)


def test_without_a_bank_there_is_nothing_to_work_out() -> None:
    with pytest.raises(OddsError, match="golf is not played against the bank"):
        BankOdds(builtin("golf"))
