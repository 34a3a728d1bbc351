"""The computer's strengths: a stronger one really plays better, in every game and by exact evaluation."""

from collections.abc import Sequence

import pytest
from tests.support.fast import fast_among
from tests.support.house import house

from shutthebox.config.profiles import builtin, builtins
from shutthebox.odds.bank import bank_play
from shutthebox.odds.model import TURN_KEYS, DiceChoice, PositionPlay, TurnModel
from shutthebox.odds.odds import for_points, odds_for_points
from shutthebox.odds.strengths import Strength, by_odds, highest_first, simple_answer
from shutthebox.odds.worths import End
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile, Stakes, Turns
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.stakes import pays
from shutthebox.rules.tiles import to_numbers, to_tiles
from shutthebox.rules.turn import Turn

BEGINNER, REGULAR, MASTER = Strength

LARGE = {"the-300", "double-eighteen", "cards"}
"""Rows without exact odds: every strength plays there like a beginner."""

WITHOUT_A_CHOICE = {"lucky-seven"}

THROWS = 'blocked = "passes"\nscore = "throws"\nshut_wins = "no"'
RULES = {
    "passes": f"tiles = 6\n{THROWS}",
    "throws, the highest": f'tiles = 5\n{THROWS}\nwin = "highest"',
    "opens one, the highest": f'tiles = 4\n{THROWS}\nwin = "highest"'.replace("passes", "opens-one"),
    "digits, the highest": 'tiles = 7\nscore = "digits-reversed"\nshut_wins = "no"\nwin = "highest"',
    "insurance": 'tiles = 7\ninsurance = true\nmove = "faces-free"\none_die = "optional-sum"',
    "two rows": 'tiles = 5\nrows = 2\none_die = "optional-high"\nscore = "count"',
}


class Play:
    """A turn of a game, for exact evaluation of a player who decides by a rule."""

    def __init__(self, profile: Profile) -> None:
        self.profile = for_points(profile)
        self.model = TurnModel(self.profile)
        self.bank = profile.stakes is Stakes.BANK
        self.good = 1 if self.bank or self.profile.highest_wins else -1
        self.throw = int(self.model.counts)
        self.ends = [float(self.worth(end)) for end in self.model.ends]
        for uncounted in self.model.uncounted:
            self.ends[uncounted] -= self.throw
        play = bank_play(profile) if self.bank else odds_for_points(profile).play()
        # What follows best play, by position.
        self.best = [play.play_at(number) for number in range(len(self.ends), len(self.model.choices))]

    def worth(self, end: End) -> int:
        return pays(self.profile, end.score) if self.bank else end.score

    def score(self, strength: Strength) -> float:
        """The expected score of a whole turn, or the bank's payment."""
        model, first = self.model, len(self.ends)
        # By the parity of the moves made: the values of all positions, from the last throw back.
        values = [[self.ends[stop] for stop in model.stops] for _ in "ab"]
        plays = [
            [
                self.best[number - first] if by_odds(Turn(0, moves=moves), strength) else self.simple(number)
                for number in range(first, len(model.choices))
            ]
            for moves in (0, 1)
        ]
        rows = [[compiled(choice, chosen) for choice, chosen in play] for play in plays]
        for _ in range(MAX_THROWS if model.comes_back else 1):
            before = list(values[0])
            for at in range(len(model.choices) - first):
                for moves in (0, 1):
                    shut, opened, made = rows[moves][at]
                    total = sum([weight * values[1 - moves][after] for after, weight in shut])
                    total += sum([weight * values[moves][after] for after, weight in opened])
                    values[moves][first + at] = total + made * self.throw
            if max(abs(a - b) for a, b in zip(before, values[0], strict=True)) < 1e-10:
                break
        return values[0][model.number(turns.start(self.profile))]

    def simple(self, number: int) -> PositionPlay:
        """A beginner's play at a position."""
        choice = self.model.choices[number][0]
        chosen = []
        for _, moves, after in choice.answered:
            best = max(moves) if moves[0] < 0 else highest_first(self.profile, moves)
            chosen.append(after[moves.index(best)])
        return choice, tuple(chosen)


Compiled = tuple[list[tuple[int, float]], list[tuple[int, float]], float]


def compiled(choice: DiceChoice, chosen: Sequence[int]) -> Compiled:
    """What follows with its chance: after tiles are shut, after one is opened; and the throws made."""
    shut = [
        (after, weight / choice.lively) for after, weight in zip(choice.forced, choice.weights, strict=True)
    ]
    opened: list[tuple[int, float]] = []
    for (weight, moves, _), after in zip(choice.answered, chosen, strict=True):
        (opened if moves[0] < 0 else shut).append((after, weight / choice.lively))
    return shut, opened, choice.total / choice.lively


def turn_rules(profile: Profile) -> tuple[object, ...]:
    """What a turn depends on: games that are alike in it are evaluated once."""
    played = for_points(profile)
    bank = profile.stakes is Stakes.BANK and profile.pays
    return bank, *(getattr(played, key) for key in sorted(TURN_KEYS - {"turns"}))


GAMES = [each for each in builtins() if each.name not in LARGE | WITHOUT_A_CHOICE]
TURNS = {turn_rules(each): each for each in GAMES if each.turns not in (Turns.SHARED, Turns.TUG)}.values()


@pytest.mark.parametrize("name", fast_among([each.name for each in TURNS], ["bank"]))
@pytest.mark.timeout(180)
def test_a_stronger_computer_scores_better(name: str) -> None:
    better(builtin(name))


@pytest.mark.parametrize("name", fast_among(RULES, ["digits, the highest", "two rows"]))
def test_a_stronger_computer_scores_better_by_house_rules(name: str) -> None:
    better(house(RULES[name]))


def better(profile: Profile) -> None:
    play = Play(profile)
    beginner, regular, master = (play.good * play.score(strength) for strength in Strength)
    assert beginner < regular < master


@pytest.mark.parametrize(
    ("rules", "beginners"),
    [
        ("", [1, 2, 9]),
        ("max_tiles = 2", [4, 8]),
        # Where open tiles are good, the high ones are kept.
        ('win = "highest"\nshut_wins = "no"', [1, 2, 4, 5]),
        ('win = "highest"\nshut_wins = "no"\nscore = "shut-sum"', [1, 2, 9]),
    ],
)
def test_a_beginner_shuts_the_highest_but_not_where_that_is_bad(rules: str, beginners: list[int]) -> None:
    profile = house(f"tiles = 9\n{rules}")
    turn = turns.throw(profile, Turn(to_tiles([1, 2, 4, 5, 8, 9]), moves=1), (6, 6))
    assert list(to_numbers(simple_answer(profile, turn))) == beginners


def test_who_can_only_pass_shuts_nothing() -> None:
    profile = house('tiles = 9\nblocked = "passes"')
    turn = turns.throw(profile, Turn(to_tiles([5, 9]), moves=1), (1, 1))
    assert turn.awaits_answer
    assert simple_answer(profile, turn) == 0
