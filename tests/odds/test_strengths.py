"""The computer's strengths: a stronger one really plays better, in every game and by exact evaluation."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest
from tests.odds.test_work import house

from shutthebox.config.profiles import builtin, builtins
from shutthebox.odds.odds import for_points
from shutthebox.odds.shared_row import SharedRow
from shutthebox.odds.state_space import TURN_KEYS, Space
from shutthebox.odds.strengths import Strength, by_odds, highest_first, simple_answer, simple_dice
from shutthebox.odds.turn_graph import TurnGraph
from shutthebox.odds.values import End
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match, Stage, begin
from shutthebox.rules.profile import Profile, Scoring, Stakes, Turns
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
        self.graph = TurnGraph(Space(self.profile), turns.start(self.profile))
        self.bank = profile.stakes is Stakes.BANK
        self.good = 1 if self.bank or self.profile.highest_wins else -1
        self.throw = int(self.profile.score is Scoring.THROWS)
        self.ends = [float(self.worth(end)) for end in self.graph.ends]
        for uncounted in self.graph.uncounted:
            self.ends[uncounted] -= self.throw

    def worth(self, end: End) -> int:
        return pays(self.profile, end.score) if self.bank else end.score

    def score(self, strength: Strength) -> float:
        """The expected score of a whole turn, or the bank's payment."""
        start = self.graph.number(turns.start(self.profile))
        assert start is not None
        best = self.values(lambda moves: MASTER, [])[0]
        return self.values(lambda moves: strength, best)[0][start]

    def values(self, strength: Callable[[int], Strength], best: list[float]) -> list[list[float]]:
        """The values of all positions, by the parity of the moves made, from the last throw back."""
        graph, values = self.graph, [[self.ends[stop] for stop in self.graph.stops] for _ in "ab"]
        for _ in range(MAX_THROWS if graph.comes_back else 1):
            before = [list(each) for each in values]
            for number in range(len(graph.ends), len(graph.ways)):
                for moves in (0, 1):
                    values[moves][number] = self.value(number, moves, strength(moves), values, best)
            if max(abs(a - b) for a, b in zip(before[0], values[0], strict=True)) < 1e-10:
                break
        return values

    def value(
        self, number: int, moves: int, strength: Strength, values: list[list[float]], best: list[float]
    ) -> float:
        graph, after_shut = self.graph, values[1 - moves]
        mask = graph.positions[number].mask
        ways = graph.ways[number]
        looks = by_odds(Turn(0, moves=moves), strength)
        judged = best or after_shut
        found = []
        for way in ways if looks else ways[:1]:
            total = again = 0.0
            judgement = 0.0
            for weight, after in way.events:
                if after == (number,):
                    again += weight
                    continue
                if len(after) == 1:
                    chosen = after[0]
                elif looks:
                    chosen = max(after, key=lambda each: self.good * judged[each])
                elif graph.positions[after[0]].mask > mask and after[0] >= len(graph.ends):
                    chosen = min(after, key=lambda each: graph.positions[each].mask)
                else:
                    by_move = {graph.space.move(mask, graph.positions[each].mask): each for each in after}
                    chosen = by_move[highest_first(self.profile, tuple(by_move))]
                opened = graph.positions[chosen].mask > mask
                total += weight * (values[moves] if opened else after_shut)[chosen]
                judgement += weight * judged[chosen]
            if way.total == again:
                found.append((self.good * -1e9, self.ends[graph.stops[number]] + MAX_THROWS * self.throw))
                continue
            made = way.total * self.throw
            lively = way.total - again
            found.append((self.good * (judgement + made) / lively, (total + made) / lively))
        return max(found, key=lambda pair: pair[0])[1]


def turn_rules(profile: Profile) -> tuple[object, ...]:
    """What a turn depends on: games that are alike in it are evaluated once."""
    played = for_points(profile)
    bank = profile.stakes is Stakes.BANK and profile.pays
    return bank, *(getattr(played, key) for key in sorted(TURN_KEYS - {"turns"}))


GAMES = [each for each in builtins() if each.name not in LARGE | WITHOUT_A_CHOICE]
TURNS = {turn_rules(each): each for each in GAMES if each.turns is not Turns.SHARED}.values()
LONG = {"double-shutter", "open-one", "2012"}


@pytest.mark.parametrize(
    "profile",
    [pytest.param(each, id=each.name, marks=[pytest.mark.slow] * (each.name in LONG)) for each in TURNS],
)
def test_a_stronger_computer_scores_better(profile: Profile) -> None:
    better(profile)


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_a_stronger_computer_scores_better_by_house_rules(rules: str) -> None:
    better(house(rules))


def better(profile: Profile) -> None:
    good = Play(profile).good
    beginner, regular, master = (good * Play(profile).score(strength) for strength in Strength)
    assert beginner < regular < master


def test_without_a_choice_all_are_alike() -> None:
    scores = {
        Play(each).score(strength)
        for each in builtins()
        if each.name in WITHOUT_A_CHOICE
        for strength in Strength
    }
    assert scores == {6.0}


def test_a_stronger_computer_wins_more_on_a_shared_row() -> None:
    """Against a beginner, from both seats; exactly, on a row of six."""
    profile = replace(builtin("high-rollers"), tiles=tuple(range(1, 7)))
    beginner, regular, master = (Shared(profile, (strength, BEGINNER)).wins() for strength in Strength)
    assert beginner == pytest.approx(0.5)
    assert beginner < regular < master


class Shared:
    """A shared row of two players who decide by rules, played out by the rules' own functions."""

    def __init__(self, profile: Profile, strengths: tuple[Strength, Strength]) -> None:
        self.odds, self.strengths = SharedRow(profile), strengths
        self.known: dict[tuple[object, ...], float] = {}
        self.start = begin(profile, 2)

    def wins(self) -> float:
        """The first player's chance, as the mean of both seats."""
        first = self.chance(self.start)
        self.strengths, self.known = self.strengths[::-1], {}
        return (first + 1 - self.chance(self.start)) / 2

    def chance(self, match: Match) -> float:
        """The chance of the first seat."""
        if match.result is not None:
            return float(match.result.winners == (0,))
        if match.stage is Stage.ADVANCE:
            match = match.advance()
        rows = tuple((row.insured, row.moves % 2, row.outcome is None) for row in match.rows)
        key = match.player, match.turn.open, rows
        if key not in self.known:
            # A double that uses up the insurance that it earned leads back here.
            self.known[key] = float("nan")
            total = again = 0.0
            dice = self.dice(match)
            for faces in product(range(1, 7), repeat=dice):
                after = self.answered(match.throw(faces))
                if (
                    after.result is None
                    and after.player == match.player
                    and after.rows[match.player].open == match.turn.open
                    and after.turn.insured == match.turn.insured
                ):
                    again += 1
                else:
                    total += self.chance(after)
            self.known[key] = total / (6**dice - again)
        return self.known[key]

    def dice(self, match: Match) -> int:
        if by_odds(match.turn, self.strengths[match.player]):
            return self.odds.best_dice(match)
        return simple_dice(match.rules, match.turn)

    def answered(self, match: Match) -> Match:
        if match.stage is not Stage.ANSWER:
            return match
        ranked = self.odds.ranked(match) if by_odds(match.turn, self.strengths[match.player]) else ()
        return match.move(ranked[0].tiles if ranked else simple_answer(match.rules, match.turn))


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
