"""Figures that others have published, with their sources; literature.md has those that differ from ours."""

from dataclasses import replace

import pytest

from shutthebox.config import profiles
from shutthebox.odds.odds import Odds
from shutthebox.odds.seat_turn import seat_turn
from shutthebox.odds.seats import Equilibrium, Prize
from shutthebox.odds.terminal.policies import Policy, policy_value
from shutthebox.odds.worths import Objective
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import OneDie, Profile, ShutWins, Stakes, Tie
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Turn

TRADITIONAL = profiles.builtin("traditional")
TWO_DICE = replace(TRADITIONAL, one_die=OneDie.NEVER)
ONE_DIE_BY_SUM = replace(TRADITIONAL, one_die=OneDie.FORCED_SUM)
MAX_TWO = profiles.builtin("max-two")
MAX_TWO_TWO_DICE = replace(MAX_TWO, one_die=OneDie.NEVER)


def to_shut(profile: Profile, open_tiles: tuple[int, ...] | None = None) -> float:
    """The best chance to shut the box."""
    turn = turns.start(profile) if open_tiles is None else Turn(to_tiles(open_tiles), moves=1)
    return Odds(profile).value(turn, Objective.SHUT).shut


# Bill Butler, "Shut the Box" analysis, durangobill.com/ShutTheBoxExtra/STBstats.txt: per cent, by the
# sum of the open tiles, for play that is best to shut the box. Where two answers are equally good to
# shut it, he may take another one than we do, so only the scores above those positions are the same.
DURANGO_BILL = {
    "always two dice": (
        TWO_DICE,
        "43 0.0772 40 0.0257 39 0.0386 38 0.0943 37 0.1179 36 0.0386 35 0.1666 34 0.2236 33 0.1992 32 0.2974 "
        "31 0.5808 30 0.3438 29 0.5432 28 0.5437 27 0.6768 26 0.9513 25 1.0351 24 1.3955 23 1.5308 22 1.5331 "
        "21 1.9181 20 2.3475 19 2.3666 18 2.9363 17 3.2419 16 3.3192 15 3.8512 14 3.9665 12 4.4780 0 7.1432",
    ),
    "one die up to a sum of 6": (
        ONE_DIE_BY_SUM,
        "43 0.0772 40 0.0257 39 0.0386 38 0.0943 37 0.1179 36 0.0386 35 0.1666 34 0.2236 33 0.1992 32 0.2974 "
        "31 0.5808 30 0.3438 29 0.5432 28 0.5437 27 0.6754 26 0.9573 25 1.0351 24 1.3933 23 1.5314 22 1.5319 "
        "21 1.9128 20 2.3559 19 2.3763 18 2.9172 17 3.2450 16 3.3247 15 3.8673 14 3.9788 13 4.2964 12 4.4736 "
        "11 4.8915 10 5.1738 9 5.9319 8 5.5426 0 9.7614",
    ),
    "at most two tiles": (
        MAX_TWO,
        "43 0.0772 40 0.0257 39 0.0386 38 0.0943 37 0.1179 36 0.0386 35 0.1666 34 0.2236 33 0.1618 32 0.3165 "
        "31 0.5714 30 0.4467 29 0.5275 28 0.6627 27 0.7209 26 0.8879 25 1.2326 24 1.3220 23 1.8736 22 1.7598 "
        "21 2.2831 20 2.7201 19 2.8970 18 3.2435 17 3.6546 16 3.9444 15 4.3232 14 4.5238 13 4.5456 12 5.0182 "
        "11 5.1942 10 5.6187 9 5.9010 8 5.1567 0 7.4194",
    ),
}


@pytest.mark.parametrize(("profile", "column"), DURANGO_BILL.values(), ids=DURANGO_BILL)
def test_durango_bills_table(profile: Profile, column: str) -> None:
    words = column.split()
    published = dict(zip(map(int, words[::2]), map(float, words[1::2]), strict=True))
    found = Odds(profile).distribution(turns.start(profile), Objective.SHUT)
    assert {score: 100 * found[score] for score in published} == pytest.approx(published, abs=6e-5)


# "Shut-The-Box", cambridgemovies.org.uk/comp/box.html: at most two tiles, always two dice. Its sample of
# the output has six digits; the chances of the whole game are cut off after two or three.
@pytest.mark.parametrize(
    ("open_tiles", "chance"),
    [((2, 5, 6, 7, 8), 0.0372919), ((2, 5, 6, 8), 0.045410), ((2, 5, 6, 7), 0.061257)],
)
def test_cambridgemovies_positions(open_tiles: tuple[int, ...], chance: float) -> None:
    assert to_shut(MAX_TWO_TWO_DICE, open_tiles) == pytest.approx(chance, abs=6e-7)


@pytest.mark.slow
def test_cambridgemovies_whole_game() -> None:
    assert to_shut(MAX_TWO_TWO_DICE) == pytest.approx(0.053488, abs=5e-7)
    # "0.05", "0.025" for random choices and "0.01" for the worst ones.
    assert int(100 * to_shut(MAX_TWO_TWO_DICE)) == 5
    assert int(1000 * policy_value(MAX_TWO_TWO_DICE, Policy.RANDOM).shut) == 25
    compiled = seat_turn(MAX_TWO_TWO_DICE)
    worst = -compiled.worths(lambda end: -float(end.shut))[compiled.start]
    assert int(100 * worst) == 1


@pytest.mark.slow
def test_the_second_player_of_the_digit_game() -> None:
    # C. Scott Ananian asks (cananian.livejournal.com/49847.html) who is better off in digits for two, where
    # a shut box wins at once and doubles the stake: the first player loses 0.024565 of it, ties shared.
    digits = replace(
        profiles.builtin("digits"), shut_wins=ShutWins.MATCH, stakes=Stakes.POOL_DOUBLE, tie=Tie.SHARE
    )
    first, second = Equilibrium(digits, 2, Prize.MONEY).chances()
    assert (first, second) == pytest.approx((-0.024565, 0.024565), abs=5e-7)


def test_flachaus_coffee() -> None:
    # Benjamin Hopfer, "Shut the box in Flachau", 2014: digits, "about 14800" expected.
    digits = profiles.builtin("digits")
    assert round(Odds(digits).value(turns.start(digits)).score, -2) == 14800


def test_one_die_is_always_right_where_the_sum_is_six() -> None:
    # "A player would be crazy not to make this choice if he is able to": danthemanhathaway.com. So it is,
    # but not where the rule is that no tile above 6 is open.
    by_sum = replace(TRADITIONAL, one_die=OneDie.OPTIONAL_SUM)
    for objective in (Objective.SCORE, Objective.SHUT):
        odds = Odds(by_sum)
        assert all(odds.one_die(Turn(tiles, moves=1), objective) is not False for tiles in range(1, 64))
        odds = Odds(TRADITIONAL)
        assert any(odds.one_die(Turn(tiles, moves=1), objective) is False for tiles in range(1, 64))
