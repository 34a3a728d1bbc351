"""Fair head starts: against matches played out, and against a plain look at all pairs of turns."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from statistics import fmean as mean
from typing import Any, TypeAlias

import pytest

from shutthebox.cli.main import main
from shutthebox.config.profiles import builtin, read
from shutthebox.odds.head_start import fair_head_start
from shutthebox.odds.odds import Odds
from shutthebox.odds.policies import beginners_ends
from shutthebox.odds.strengths import Strength, simple_answer, simple_dice
from shutthebox.odds.worths import End, OddsError, TooLargeError
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import (
    Blocked,
    MatchFormat,
    OneDie,
    Profile,
    Scoring,
    ShutWins,
    Stakes,
    Tie,
    Turns,
    Win,
)
from shutthebox.rules.turn import Outcome, Turn

MASTER, BEGINNER = Strength.MASTER, Strength.BEGINNER
GOLF = builtin("golf")


def beginners_score(profile: Profile, random: Random) -> int:
    turn = turns.start(profile)
    while turn.outcome is None:
        dice = simple_dice(profile, turn)
        turn = turns.throw(profile, turn, tuple(random.randint(1, 6) for _ in range(dice)))
        if turn.outcome is None:
            turn = turns.move(profile, turn, simple_answer(profile, turn))
    assert turn.score is not None
    return turn.score


def test_a_beginners_turn_ends_as_one_played_out() -> None:
    random, turns_played = Random(5), 8_000
    played = sum(beginners_score(GOLF, random) for _ in range(turns_played)) / turns_played
    ends = beginners_ends(GOLF)
    assert sum(ends.values()) == pytest.approx(1, abs=1e-12)
    expected = sum(end.score * chance for end, chance in ends.items())
    assert played == pytest.approx(expected, abs=0.5), "five standard errors"
    assert expected > Odds(GOLF).value(turns.start(GOLF)).score


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
        ("golf", (MASTER, MASTER), 0, 0, 0.496610, 0.496610),
        ("misere", (BEGINNER, MASTER), 0, 0, 0.495291, 0.495291),
        pytest.param("misere", (MASTER, BEGINNER), 1, 0, 0.495934, 0.495934, marks=pytest.mark.slow),
        pytest.param("knipsen", (MASTER, BEGINNER), 1, 5, 0.506277, 0.361871, marks=pytest.mark.slow),
    ],
)
@pytest.mark.timeout(60)
def test_the_figures_of_the_documentation(
    name: str, seats: tuple[Strength, Strength], seat: int, points: int, win: float, without: float
) -> None:
    found = fair_head_start(builtin(name), seats)
    assert (found.strengths, found.seat, found.points) == (seats, seat, points)
    assert (found.win, found.without) == pytest.approx((win, without), abs=5e-7)


@pytest.mark.parametrize("name", ["double-shutter", "bank", "high-rollers", "jouhet", "trac-100", "open-one"])
def test_other_games_have_none(name: str) -> None:
    with pytest.raises(OddsError):
        fair_head_start(builtin(name), (MASTER, MASTER))


@pytest.mark.slow
def test_no_points_are_enough_where_the_box_is_shut_more_often_than_not(tmp_path: Path) -> None:
    """Two tiles and a die of three sides: five turns of nine shut the box, which wins at once."""
    (tmp_path / "tiny.toml").write_text('like = "traditional"\ntiles = [1, 2]\ndice = 1\nsides = 3\n')
    tiny = read(tmp_path / "tiny.toml")
    with pytest.raises(OddsError, match="tiny: a shut box wins too often for a fair head start in points"):
        fair_head_start(tiny, (MASTER, MASTER))


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", "golf", "--fair", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["profile"] == "golf"
    assert [found["seats"] for found in document["fair"]] == [
        ["master", "master"],
        ["beginner", "master"],
        ["master", "beginner"],
    ]
    assert all(abs(found["win"] - 0.5) <= abs(found["win_without"] - 0.5) for found in document["fair"])
    assert main(["odds", "golf", "--fair"]) == 0
    assert "seat 1: 0 points" in capsys.readouterr().out
    assert main(["odds", "bank", "--fair"]) == 2
    assert "fair head starts are for one round of whole turns" in capsys.readouterr().err
    assert main(["odds", "golf", "--fair", "--players", "3"]) == 2


def test_the_seats_of_the_games_beyond_the_sheets(
    capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    def seats(*arguments: str) -> tuple[list[float], list[float]]:
        assert main(["odds", *arguments, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        return document["win"], document["stakes"]

    wins, stakes = seats("bank", "--players", "2")
    assert wins == pytest.approx([0.232498] * 2, abs=5e-7)
    assert stakes == pytest.approx([3235184359 / 3265173504 - 1] * 2)
    assert seats("high-rollers", "--players", "2")[0] == pytest.approx([0.516554, 0.483446], abs=5e-7)
    house = tmp_path_factory.mktemp("house") / "ahead.toml"
    house.write_text('like = "golf"\nhandicap = [0, 5]\n', "utf-8")
    plain, ahead = seats("golf", "--players", "2")[0], seats(str(house), "--players", "2")[0]
    assert ahead[1] > plain[1] + 0.1
    assert main(["odds", "ladder", "--players", "2"]) == 2
    assert "is played alone" in capsys.readouterr().err


SMALL = replace(GOLF, tiles=(1, 2, 3, 4), sides=3, boxes=())
Seats: TypeAlias = tuple[Strength, Strength]


@cache
def events(profile: Profile, turn: Turn) -> dict[int, list[list[Turn]]]:
    """By the number of dice: for every throw the turns of which the player chooses one after it."""
    found = {}
    for dice in dice_allowed(profile, turn.open):
        found[dice] = list[list[Turn]]()
        for faces in product(range(1, profile.sides + 1), repeat=dice):
            thrown = turns.throw(profile, turn, faces)
            answers = () if thrown.outcome else sorted(turns.answers(profile, thrown))
            after = [turns.move(profile, thrown, shut) for shut in answers] or [thrown]
            found[dice].append([each if each.outcome else replace(each, throws=1, moves=1) for each in after])
    return found


def by_hand(profile: Profile, seats: Seats, totals: tuple[int, int], tie: float) -> float:
    """The first seat's chance, turn by turn, with this chance after a tie."""
    better = 1 if profile.highest_wins else -1
    outright = profile.shut_wins is not ShutWins.NO

    def play(seat: int, worth: Callable[[Turn], float]) -> float:
        """The first seat's chance by the ends of this seat's turn, which is played as the seat plays."""
        aim = max if seat == 0 else min

        @cache
        def value(turn: Turn) -> float:
            if turn.outcome is not None:
                return worth(turn)
            thrown = events(profile, turn)
            if seats[seat] is BEGINNER:
                # The usual number of dice, and the highest tiles, or the lowest where open tiles are good.
                shut = 0 if profile.highest_wins else -1
                return mean([value(after[shut]) for after in next(iter(thrown.values()))])
            return aim(mean([aim(map(value, after)) for after in each]) for each in thrown.values())

        return value(turns.start(profile))

    def first(turn: Turn) -> float:
        if turn.outcome is Outcome.SHUT and outright:
            return 1.0
        mark = totals[0] + (turn.score or 0)
        if mark not in known:
            known[mark] = play(1, lambda after: second(mark, after))
        return known[mark]

    def second(mark: int, turn: Turn) -> float:
        if turn.outcome is Outcome.SHUT and outright:
            return 0.0
        ahead = better * (mark - totals[1] - (turn.score or 0))
        return tie if ahead == 0 else float(ahead > 0)

    known: dict[int, float] = {}
    return play(0, first)


def settled(profile: Profile, seats: Seats, totals: tuple[int, int]) -> float:
    """The first seat's chance where a tie leads to another round from these totals."""
    chance, before = by_hand(profile, seats, totals, 0.5), 0.5
    while abs(chance - before) > 1e-10:
        chance, before = by_hand(profile, seats, totals, chance), chance
    return chance


@pytest.mark.parametrize("seats", [(MASTER, MASTER), (BEGINNER, MASTER), (MASTER, BEGINNER)])
@pytest.mark.parametrize(
    "changes",
    [
        {"tie": Tie.SHARE},
        {"tie": Tie.PLAY_OFF},
        {"tie": Tie.REPLAY_ALL},
        {"tie": Tie.PLAY_OFF, "shut_wins": ShutWins.ROUND},
        {"tie": Tie.SHARE, "win": Win.HIGHEST, "one_die": OneDie.OPTIONAL_HIGH},
        {"tie": Tie.REPLAY_ALL, "win": Win.HIGHEST, "one_die": OneDie.OPTIONAL_HIGH},
    ],
)
def test_the_fair_number_of_points_is_the_nearest_to_one_half(changes: dict[str, Any], seats: Seats) -> None:
    profile = replace(SMALL, **changes)
    if BEGINNER not in seats and profile.tie is Tie.REPLAY_ALL:
        with pytest.raises(OddsError, match="counts again when everybody starts over"):
            fair_head_start(profile, seats)
        return
    better = 1 if profile.highest_wins else -1
    fresh = settled(profile, seats, (0, 0)) if profile.tie is Tie.PLAY_OFF else 0.5

    def chance(seat: int, points: int) -> float:
        totals = (better * points, 0) if seat == 0 else (0, better * points)
        if profile.tie is Tie.REPLAY_ALL:
            won = settled(profile, seats, totals)
        else:
            won = by_hand(profile, seats, totals, fresh)
        return won if seat == 0 else 1 - won

    found = fair_head_start(profile, seats)
    seat = 0 if chance(0, 0) < 0.5 else 1
    wins = [chance(seat, points) for points in range(6)]
    assert (found.strengths, found.seat) == (seats, seat)
    assert found.without == pytest.approx(wins[0], abs=1e-9)
    assert found.win == pytest.approx(wins[found.points], abs=1e-9)
    assert abs(found.win - 0.5) <= min(abs(win - 0.5) for win in wins) + 1e-9


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"rounds": 2}, "one round of whole turns, won by points"),
        ({"match": MatchFormat.TARGET_LOSES, "limit": 9}, "one round"),
        ({"turns": Turns.ALTERNATE}, "one round"),
        ({"win": Win.FIRST_TO_SHUT}, "one round"),
        ({"stakes": Stakes.BANK}, "one round"),
        ({"score": Scoring.THROWS}, "one round"),
        ({"rows": 2}, "two rows have too many positions"),
        ({"handicap": (2,)}, "head starts or teams of its own"),
        ({"teams": 2}, "head starts or teams of its own"),
    ],
)
def test_rules_without_fair_head_starts(change: dict[str, Any], why: str) -> None:
    assert fair_head_start(SMALL, (MASTER, MASTER)).points == 0
    with pytest.raises(OddsError, match=why):
        fair_head_start(replace(SMALL, **change), (MASTER, MASTER))


def test_head_starts_of_other_strengths() -> None:
    for seats in ((BEGINNER, BEGINNER), (Strength.REGULAR, MASTER)):
        with pytest.raises(OddsError, match="between masters, or for a beginner against a master"):
            fair_head_start(SMALL, seats)
    with pytest.raises(TooLargeError, match="may have no end"):
        beginners_ends(replace(SMALL, blocked=Blocked.OPENS_ONE))


@pytest.mark.parametrize(
    "changes",
    [
        {"sides": 6, "one_die": OneDie.OPTIONAL_HIGH},
        {"blocked": Blocked.PASSES, "ends_turn_on": frozenset({5})},
        {"first_move_must_include": 2, "lost_score": 9},
        {"insurance": True},
    ],
)
def test_the_ends_of_a_beginners_turn(changes: dict[str, Any]) -> None:
    profile = replace(SMALL, **changes)
    expected: dict[End, float] = {}
    layer = {turns.start(profile): 1.0}
    while max(layer.values(), default=0.0) > 1e-13:
        later: dict[Turn, float] = {}
        for turn, mass in layer.items():
            dice = simple_dice(profile, turn)
            for faces in product(range(1, profile.sides + 1), repeat=dice):
                after = turns.throw(profile, turn, faces)
                if after.outcome is None:
                    after = turns.move(profile, after, simple_answer(profile, after))
                share = mass / profile.sides**dice
                if after.outcome is None:
                    same = replace(after, throws=1, moves=1)
                    later[same] = later.get(same, 0.0) + share
                else:
                    end = End(after.score or 0, after.outcome is Outcome.SHUT)
                    expected[end] = expected.get(end, 0.0) + share
        layer = later
    assert beginners_ends(profile) == pytest.approx(expected, abs=1e-11)
