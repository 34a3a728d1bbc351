"""Fair head starts: against a plain look at all pairs of turns, and the figures of the documentation."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from shutthebox.cli.main import main
from shutthebox.config.profiles import builtin
from shutthebox.odds.odds import Odds
from shutthebox.odds.strengths import Strength
from shutthebox.odds.terminal.head_start import fair_head_start
from shutthebox.odds.terminal.policies import Policy, beginners_ends, policy_value
from shutthebox.odds.worths import OddsError, TooLargeError
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import (
    Blocked,
    MatchFormat,
    OneDie,
    Scoring,
    Stakes,
    Tie,
    Turns,
    Win,
)

MASTER, BEGINNER = Strength.MASTER, Strength.BEGINNER
GOLF = builtin("golf")


def test_a_beginner_scores_as_whoever_shuts_the_highest_tiles_with_two_dice() -> None:
    two_dice = replace(GOLF, one_die=OneDie.NEVER)
    ends = beginners_ends(two_dice)
    assert sum(ends.values()) == pytest.approx(1, abs=1e-12)
    score = sum(end.score * chance for end, chance in ends.items())
    assert score == pytest.approx(policy_value(two_dice, Policy.HIGHEST).score)


@pytest.mark.slow
def test_a_master_is_never_worse_off_than_one_who_plays_for_points() -> None:
    shared = replace(GOLF, tie=Tie.SHARE)
    own = {end.score: chance for end, chance in Odds(shared).ends(turns.start(shared)).items()}
    theirs = {end.score: chance for end, chance in beginners_ends(shared).items()}

    def beginner(points: int) -> float:
        """The beginner's chance if both turns are played without a look at the other."""
        pairs = ((a - (b - points), p * q) for a, p in own.items() for b, q in theirs.items())
        return float(
            sum(chance * (1 if lead > 0 else Fraction(1, 2) if lead == 0 else 0) for lead, chance in pairs)
        )

    for seats in ((BEGINNER, MASTER), (MASTER, BEGINNER)):
        found = fair_head_start(shared, seats)
        assert found.seat == seats.index(BEGINNER)
        assert found.without < beginner(0)
        assert found.win < beginner(found.points)
        assert abs(found.win - 0.5) < 0.03


@pytest.mark.parametrize(
    ("name", "seats", "seat", "points", "win", "without"),
    [
        pytest.param("golf", (MASTER, MASTER), 0, 0, 0.496610, 0.496610, marks=pytest.mark.slow),
        pytest.param("misere", (BEGINNER, MASTER), 0, 0, 0.495291, 0.495291, marks=pytest.mark.slow),
    ],
)
@pytest.mark.timeout(60)
def test_nobody_gets_points_where_the_chances_are_nearly_even(
    name: str, seats: tuple[Strength, Strength], seat: int, points: int, win: float, without: float
) -> None:
    found = fair_head_start(builtin(name), seats)
    assert (found.strengths, found.seat, found.points) == (seats, seat, points)
    assert (found.win, found.without) == pytest.approx((win, without), abs=5e-7)


@pytest.mark.slow
def test_no_points_are_enough_where_the_box_is_shut_more_often_than_not() -> None:
    """Two tiles and a die of three sides: five turns of nine shut the box, which wins at once."""
    tiny = replace(builtin("traditional"), tiles=(1, 2), boxes=(), dice=1, sides=3)
    with pytest.raises(OddsError, match="a shut box wins too often for a fair head start in points"):
        fair_head_start(tiny, (MASTER, MASTER))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = tmp_path / "small.toml"
    small.write_text('like = "golf"\ntiles = [1, 2, 3, 4]\nsides = 3\n')
    assert main(["odds", str(small), "--fair", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["profile"] == "small"
    assert [found["seats"] for found in document["fair"]] == [
        ["master", "master"],
        ["beginner", "master"],
        ["master", "beginner"],
    ]
    assert all(abs(found["win"] - 0.5) <= abs(found["win_without"] - 0.5) for found in document["fair"])
    assert main(["odds", "bank", "--fair"]) == 2
    assert 'bank: stakes = "bank": everybody plays against the bank' in capsys.readouterr().err


SMALL = replace(GOLF, tiles=(1, 2, 3, 4), sides=3, boxes=())


@pytest.mark.parametrize(
    "change",
    [
        {"rounds": 2},
        {"match": MatchFormat.TARGET_LOSES, "limit": 9},
        {"turns": Turns.ALTERNATE},
        {"win": Win.FIRST_TO_SHUT},
        {"stakes": Stakes.BANK},
        {"score": Scoring.THROWS},
        {"rows": 2},
        {"shut_others": 20},
        {"tie": Tie.CARRY},
        {"handicap": (2,)},
    ],
)
def test_rules_without_fair_head_starts(change: dict[str, Any]) -> None:
    assert fair_head_start(SMALL, (MASTER, MASTER)).points == 0
    key = next(iter(change))
    with pytest.raises(OddsError, match=f"golf: {key} = "):
        fair_head_start(replace(SMALL, **change), (MASTER, MASTER))


def test_head_starts_of_other_strengths() -> None:
    for seats in ((BEGINNER, BEGINNER), (Strength.REGULAR, MASTER)):
        with pytest.raises(OddsError, match="between masters, or for a beginner against a master"):
            fair_head_start(SMALL, seats)
    with pytest.raises(TooLargeError, match="may have no end"):
        beginners_ends(replace(SMALL, blocked=Blocked.OPENS_ONE))
