"""Small house rules at every position: values, answers, dice and ends, against a plain recursion."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import pytest
from tests.odds.test_work import house

from shutthebox.odds.odds import Odds
from shutthebox.odds.worths import End, Objective
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Draw, Profile, Scoring
from shutthebox.rules.tiles import to_numbers, to_tiles
from shutthebox.rules.turn import Outcome, Turn

ENDING = {
    "two dice": "tiles = 4",
    "a low row with gaps": "tiles = [2, 3, 7]",
    "one die": "tiles = 4\ndice = 1",
    "one die of twenty": "tiles = [1, 6, 7, 13]\ndice = 1\nsides = 20",
    "three dice of four": "tiles = [1, 3, 4, 8]\ndice = 3\nsides = 4",
    "a choice of dice by the highest tile": 'tiles = [1, 4, 6, 7]\none_die = "optional-high"',
    "a choice of dice by the sum": 'tiles = [1, 2, 3, 5]\none_die = "optional-sum"',
    "a choice of dice that changes nothing": (
        'tiles = [1, 6]\none_die = "optional-high"\nends_turn_on = [6]\nsides = 4'
    ),
    "a choice of dice from the start": 'tiles = [1, 2, 3]\none_die = "optional-sum"',
    "one die by the highest tile": 'tiles = [2, 5, 6, 9]\none_die = "forced-high"',
    "one die by the sum": 'tiles = [1, 2, 4, 6]\none_die = "forced-sum"',
    "one die for the 1": 'tiles = 4\none_die = "only-one"',
    "a single tile": 'tiles = [1, 3, 4, 7]\nmove = "single"',
    "the whole throw": 'tiles = [1, 3, 4, 7]\nmove = "exact"',
    "the whole throw, one die or two": 'tiles = [1, 3, 4]\nmove = "exact"\none_die = "optional-high"',
    "the faces": 'tiles = [1, 3, 4, 7]\nmove = "faces"',
    "the faces of three dice": 'tiles = [1, 3, 4, 7]\nmove = "faces"\ndice = 3\nsides = 3',
    "any faces": 'tiles = [1, 3, 4, 7]\nmove = "faces-free"',
    "Klappenspiel": 'tiles = [1, 3, 4, 7]\nmove = "knipsen"',
    "subtracting": "tiles = [1, 3, 4]\ndifference = true",
    "subtracting faces": 'tiles = [1, 3, 4]\nmove = "faces-free"\ndifference = true',
    "subtracting the whole": 'tiles = [1, 3, 4, 7]\nmove = "exact"\ndifference = true',
    "one tile": "tiles = 5\nmax_tiles = 1",
    "two tiles": "tiles = 5\nmax_tiles = 2\ndice = 3\nsides = 4",
    "one face at a time": 'tiles = [1, 3, 4, 7]\nmove = "faces"\nmax_tiles = 1',
    "some tiles shut": "tiles = 9\nstart_open = [2, 5, 6, 8]",
    "a total that ends the turn": "tiles = [1, 2, 6]\nends_turn_on = [3, 7]",
    "a difference that does not": "tiles = [1, 2, 6]\nends_turn_on = [3, 7]\ndifference = true",
    "a face that ends the turn": 'tiles = [1, 2, 6]\nends_turn_on = [2, 7]\nmove = "single"',
    "a tile that comes first": "tiles = 5\nfirst_move_must_include = 3",
    "a tile that comes first, or the end": (
        "tiles = [1, 2, 3]\nfirst_move_must_include = 2\nlost_score = 50\nends_turn_on = [3, 8]"
    ),
    "a tile that comes first, by one die": (
        'tiles = [1, 2, 6]\nfirst_move_must_include = 6\none_die = "optional-high"'
    ),
    "tiles counted": 'tiles = 4\nscore = "count"',
    "digits": 'tiles = [1, 2, 4, 11]\nscore = "digits"',
    "digits the other way": 'tiles = [1, 2, 4, 11]\nscore = "digits-reversed"',
    "shut tiles": 'tiles = 4\nscore = "shut-sum"\nwin = "highest"\nshut_wins = "no"',
    "open tiles are good": 'tiles = 4\nwin = "highest"\nshut_wins = "no"',
    "throws": 'tiles = [1, 2, 3]\nscore = "throws"\nshut_wins = "no"',
    "throws, and a lost turn": (
        'tiles = [1, 2, 3]\nscore = "throws"\nshut_wins = "no"\nfirst_move_must_include = 2\nlost_score = 60'
    ),
    "many throws are good": 'tiles = 4\nscore = "throws"\nwin = "highest"\nshut_wins = "no"',
    "dominoes": 'tiles = [1, 2, 5]\ndraw = "dominoes"',
    "dominoes and their faces": 'tiles = [1, 3]\ndraw = "dominoes"\nmove = "faces"\nmax_tiles = 1',
    "dominoes that end the turn": 'tiles = [1, 4, 6]\ndraw = "dominoes"\nends_turn_on = [4, 7]',
    "dominoes and a first tile": (
        'tiles = [1, 2, 4]\ndraw = "dominoes"\nfirst_move_must_include = 2\nends_turn_on = [6]'
    ),
    "dominoes counted": 'tiles = [2, 4]\ndraw = "dominoes"\nscore = "throws"\nshut_wins = "no"',
}
PASSING = {
    "passing": 'tiles = [1, 2, 5]\nblocked = "passes"',
    "passing, and an end": 'tiles = [1, 2, 5]\nblocked = "passes"\nends_turn_on = [4, 7]',
    "passing with a choice of dice": 'tiles = [1, 5, 7]\nblocked = "passes"\none_die = "optional-high"',
    "passing with a die that can do nothing": (
        'tiles = [1, 5, 6]\nblocked = "passes"\none_die = "optional-high"\nmove = "exact"'
    ),
    "passing tiles that cannot be shut": 'tiles = [1, 3, 9]\nblocked = "passes"',
    "passing after a first tile": 'tiles = [1, 2, 3]\nblocked = "passes"\nfirst_move_must_include = 3',
    "passing for the highest": 'tiles = [1, 2, 5]\nblocked = "passes"\nwin = "highest"\nshut_wins = "no"',
}
THROWS = {
    "passing, by throws": 'tiles = [1, 2, 5]\nblocked = "passes"\nscore = "throws"\nshut_wins = "no"',
    "passing, by throws of a choice": (
        'tiles = [1, 2, 5]\nblocked = "passes"\nscore = "throws"\nshut_wins = "no"\none_die = "optional-high"'
    ),
    "passing, by throws after a first tile": (
        'tiles = [1, 2, 3]\nblocked = "passes"\nscore = "throws"\nshut_wins = "no"\n'
        "first_move_must_include = 3\nends_turn_on = [8]\nlost_score = 2000"
    ),
}
MORE = {
    "two rows": "tiles = 3\nrows = 2",
    "two rows and a choice of dice": 'tiles = [1, 7]\nrows = 2\none_die = "optional-high"',
    "two rows and a choice of dice that changes nothing": (
        'tiles = [1, 6]\nrows = 2\none_die = "optional-high"\nends_turn_on = [6]'
    ),
    "two rows and a first tile": "tiles = 2\nrows = 2\nfirst_move_must_include = 2\nlost_score = 44",
    "two rows counted": 'tiles = 3\nrows = 2\nscore = "count"\nends_turn_on = [4]',
    "two rows, shut tiles": 'tiles = [2, 4]\nrows = 2\nscore = "shut-sum"\nwin = "highest"\nshut_wins = "no"',
    "two rows, passing": 'tiles = [1, 4]\nrows = 2\nblocked = "passes"',
    "two rows by throws": 'tiles = [1, 4]\nrows = 2\nscore = "throws"\nshut_wins = "no"',
    "insurance": "tiles = 3\ninsurance = true",
    "insurance and faces": 'tiles = [1, 3, 4]\ninsurance = true\nmove = "faces"',
    "insurance and one die": 'tiles = [1, 2, 6]\ninsurance = true\none_die = "optional-high"',
    "insurance and an end": "tiles = [1, 2, 6]\ninsurance = true\nends_turn_on = [4, 7]",
    "insurance and a first tile": "tiles = [1, 2, 4]\ninsurance = true\nfirst_move_must_include = 2",
    "insurance and the difference": "tiles = [1, 2, 4]\ninsurance = true\ndifference = true",
    "insurance on two rows": "tiles = [2, 3]\nrows = 2\ninsurance = true",
}

RULES = ENDING | {name: f"{text}\nsides = 4" for name, text in (PASSING | THROWS | MORE).items()}


def positions(profile: Profile) -> Iterator[Turn]:
    """The start of a turn, and every set of tiles that can be open after some moves."""
    yield turns.start(profile)
    numbers = to_numbers(profile.starting)
    for size in range(1, len(numbers) + 1):
        for some in combinations(numbers, size):
            for behind in range(size + 1) if profile.rows == 2 else (0,):
                for insured in (0, 1) if profile.insurance and size < len(numbers) else (0,):
                    yield Turn(
                        to_tiles(some),
                        throws=2,
                        moves=1,
                        behind=to_tiles(some[:behind]),
                        insured=insured,
                        drawn=0b101 if profile.draw is Draw.DOMINOES else 0,
                    )


class PlayedOut:
    """How turns end if every decision is that of the odds: throw by throw, by the rules themselves."""

    def __init__(self, odds: Odds, objective: Objective, plain: Any) -> None:
        self.odds, self.objective, self.plain = odds, objective, plain
        self.known: dict[Turn, list[tuple[Turn, float]]] = {}

    def following(self, at: Turn) -> list[tuple[Turn, float]]:
        if at not in self.known:
            faces = list(self.plain.throws(at, self.odds.best_dice(at, self.objective)))
            whole, found = sum(weight for _, weight in faces), Counter[Turn]()
            for each, weight in faces:
                thrown = turns.throw(self.odds.profile, at, each)
                after = thrown if thrown.outcome else self.odds.follow(thrown, self.objective)
                found[after if after.outcome else replace(after, throws=1, moves=1)] += weight
            self.known[at] = [(after, weight / whole) for after, weight in found.items()]
        return self.known[at]

    def ends(self, turn: Turn) -> dict[End, float]:
        counts = self.odds.profile.score is Scoring.THROWS
        ends: dict[End, float] = {}
        throw, layer = turn.throws, {replace(turn, throws=min(1, turn.throws)): 1.0}
        while layer and max(layer.values()) > 1e-13:
            throw += 1
            later: dict[Turn, float] = {}
            for at, mass in layer.items():
                for after, chance in self.following(at):
                    if after.outcome is None:
                        later[after] = later.get(after, 0.0) + mass * chance
                        continue
                    score = throw if counts and after.outcome is not Outcome.LOST else after.score or 0
                    end = End(score, after.outcome is Outcome.SHUT)
                    ends[end] = ends.get(end, 0.0) + mass * chance
            layer = later
        return ends


def near(found: Sequence[float], pair: tuple[Fraction, Fraction]) -> bool:
    """Whether these are the numbers, but for the rounding of an iteration."""
    return all(abs(a - b) <= 1e-9 * max(1.0, abs(b)) for a, b in zip(found, map(float, pair), strict=True))


@pytest.mark.parametrize("objective", [Objective.SCORE, Objective.SHUT])
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_every_position(rules: str, objective: Objective, oracle: Callable[..., Any]) -> None:
    profile = house(rules)
    odds, plain = Odds(profile), oracle(profile, objective.value)
    out = PlayedOut(odds, objective, plain)
    for turn in positions(profile):
        expected = plain.value(turn)
        assert near(odds.value(turn, objective), expected)
        if odds.exact:
            assert odds.fractions(turn, objective) == expected
        by_dice = {}
        for dice in plain.dice(turn):
            throws = [
                (turns.throw(profile, turn, faces), weight) for faces, weight in plain.throws(turn, dice)
            ]
            whole = sum(weight for _, weight in throws)
            worths = [(plain.value(thrown), weight) for thrown, weight in throws]
            score, shut = (sum(pair[i] * weight for pair, weight in worths) / whole for i in (0, 1))
            assert near(odds.with_dice(turn, dice, objective), (score, shut))
            pair = plain.sign * score, shut
            by_dice[dice] = pair[::-1] if objective is Objective.SHUT else pair
            for thrown, _ in throws:
                check_answers(odds, plain, thrown, objective)
        best = odds.best_dice(turn, objective)
        assert by_dice[best] == max(by_dice.values())
        if "passes" not in rules and by_dice[best] == by_dice[plain.dice(turn)[0]]:
            assert best == plain.dice(turn)[0], "as many as usual where that is as good"
        ends = odds.ends(turn, objective)
        expected_ends = out.ends(turn)
        assert all(abs(ends.get(end, 0) - expected_ends.get(end, 0)) < 1e-11 for end in ends | expected_ends)
        assert list(ends) == sorted(ends)


def check_answers(odds: Odds, plain: Any, thrown: Turn, objective: Objective) -> None:
    """The answers to a throw: all that there are, the best first, each with its worth and its cost."""
    answers = turns.answers(odds.profile, thrown) if thrown.awaits_answer else ()
    ranked = odds.ranked(thrown, objective)
    assert sorted(each.tiles for each in ranked) == sorted(answers)
    if not answers:
        return
    known = {shut: plain.value(turns.move(odds.profile, thrown, shut)) for shut in answers}
    sign, part = (1, 1) if objective is Objective.SHUT else (plain.sign, 0)
    best = sign * known[ranked[0].tiles][part]
    for each in ranked:
        assert near(each.value, known[each.tiles])
        assert abs(each.cost - float(best - sign * known[each.tiles][part])) < 1e-9
    goodness = [
        (sign * known[each.tiles][part], (plain.sign * known[each.tiles][0], known[each.tiles][1])[1 - part])
        for each in ranked
    ]
    if odds.exact:
        assert goodness == sorted(goodness, reverse=True)
    else:
        assert all(after.cost >= each.cost - 1e-9 for each, after in pairwise(ranked))
