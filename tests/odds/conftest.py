"""An independent, straightforward solver: recursion over the rules' own functions, in fractions."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TypeAlias

import pytest

from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Draw, Profile, Scoring, Win
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.tiles import to_numbers
from shutthebox.rules.turn import Outcome, Turn

Pair: TypeAlias = tuple[Fraction, Fraction]
"""Goodness of the score (higher is better) and chance to shut; in the order of the objective."""


class Oracle:
    """The value of every position of a profile for one objective, as slow as it is plain."""

    def __init__(self, profile: Profile, objective: str) -> None:
        self.profile = profile
        self.swap = objective == "shut"
        self.sign = 1 if profile.win is Win.HIGHEST else -1
        self.known: dict[Turn, Pair] = {}

    def value(self, turn: Turn | None = None) -> Pair:
        """(expected score, chance to shut) of a turn that awaits a throw, or has one on the table."""
        first, second = self.best(turn if turn is not None else turns.start(self.profile))
        score, shut = (second, first) if self.swap else (first, second)
        return self.sign * score, shut

    def best(self, turn: Turn) -> Pair:
        if turn.outcome is not None:
            assert turn.score is not None
            score, shut = Fraction(self.sign * turn.score), Fraction(turn.outcome is Outcome.SHUT)
            return (shut, score) if self.swap else (score, shut)
        if turn.throw is not None:
            return max(self.best(after) for after in self.answers(turn))
        made = turn.throws if self.profile.score is Scoring.THROWS else 0
        key = replace(turn, throws=0, moves=int(turn.moves > 0))
        if key not in self.known:
            self.known[key] = max(self.mean(key, dice) for dice in self.dice(turn))
        first, second = self.known[key]
        made *= self.sign
        return (first, second + made) if self.swap else (first + made, second)

    def dice(self, turn: Turn) -> tuple[int, ...]:
        return dice_allowed(self.profile, turn.open, turn.behind)

    def mean(self, turn: Turn, dice: int) -> Pair:
        """Over all throws of so many dice; those passed come back to the same position."""
        total, count, back = [Fraction(0), Fraction(0)], 0, 0
        for faces, weight in self.throws(turn, dice):
            count += weight
            thrown = turns.throw(self.profile, turn, faces)
            follow = None if thrown.outcome else self.answers(thrown)
            if follow and len(follow) == 1 and replace(follow[0], throws=0) == turn:
                back += weight
                continue
            pair = self.best(thrown)
            total = [old + weight * new for old, new in zip(total, pair, strict=True)]
        if back == count:
            # Nothing these dice show changes anything, until the turn is cut off.
            stopped = turns.throw(self.profile, replace(turn, throws=MAX_THROWS - 1), faces)
            return self.best(stopped)
        cost = self.sign * back if self.profile.score is Scoring.THROWS else 0
        total[0 if not self.swap else 1] += cost
        return total[0] / (count - back), total[1] / (count - back)

    def answers(self, turn: Turn) -> list[Turn]:
        moves = turns.answers(self.profile, turn)
        tiles = to_numbers(turns.reopenings(self.profile, turn))
        if tiles:
            return [turns.reopen(self.profile, turn, tile) for tile in tiles]
        return [turns.move(self.profile, turn, move) for move in moves or (0,)]

    def throws(self, turn: Turn, dice: int) -> Iterator[tuple[tuple[int, ...], int]]:
        if self.profile.draw is Draw.DOMINOES:
            for domino in turns.bag(turn):
                yield domino, 1
            return
        faces = range(1, self.profile.sides + 1)
        yield from Counter(tuple(sorted(throw)) for throw in product(faces, repeat=dice)).items()


@pytest.fixture(scope="session")
def oracle() -> Callable[[Profile, str], Oracle]:
    return Oracle
