"""Play by a fixed rule, and its value, to compare with best play.

These players don't think about dice: given the choice, they throw one die if it can do anything; the random
player picks at random. If a tile must be opened again, they open the lowest.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

from shutthebox.odds.evaluate import ends_of
from shutthebox.odds.model import DiceChoice, PositionPlay, TurnModel
from shutthebox.odds.strengths import highest_first
from shutthebox.odds.worths import End, TooLargeError, Value, settled
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile
from shutthebox.rules.score import MAX_THROWS

_SETTLED = 1e-14

_Row: TypeAlias = tuple[list[tuple[int, float]], float]
"""The successors of a position, each with its probability, and the expected number of throws until then."""


class Policy(StrEnum):
    """A fixed rule for choosing a move.

    Highest shuts the highest tile it can, then the next highest. Lowest keeps the highest tiles open as long
    as it can. Fewest and most shut as few or as many tiles as possible, the highest first. Next chance leaves
    the best chance of an answer to the next throw; among equals it shuts the highest tiles. Random picks any
    move.
    """

    HIGHEST = "highest first"
    LOWEST = "lowest first"
    FEWEST = "fewest tiles"
    MOST = "most tiles"
    NEXT_CHANCE = "best next chance"
    RANDOM = "at random"


def choose(policy: Policy, moves: Sequence[int], chances: Sequence[float] = ()) -> Sequence[int]:
    """The moves that a policy may make, each equally likely.

    Args:
        policy: the rule.
        moves: sets of tiles as bits, or dense bits.
        chances: for `Policy.NEXT_CHANCE`, the chance of an answer to the throw after each move.
    """
    match policy:
        case Policy.HIGHEST:
            return (max(moves),)
        case Policy.LOWEST:
            return (min(moves),)
        case Policy.FEWEST:
            return (min(moves, key=lambda move: (move.bit_count(), -move)),)
        case Policy.MOST:
            return (max(moves, key=lambda move: (move.bit_count(), move)),)
        case Policy.NEXT_CHANCE:
            return (max(zip(chances, moves, strict=True))[1],)
        case Policy.RANDOM:
            return moves


def policy_value(rules: Profile, policy: Policy) -> Value:
    """The value of a whole turn to a player with a fixed rule.

    Raises:
        OddsError: a key of the game isn't understood.
        TooLargeError: there are more than 12 tiles, or too many positions.
    """
    model = _model(rules)
    start = model.number(turns.start(rules))
    rows = [_row(model, number, policy) for number in range(len(model.ends), len(model.choices))]
    throw = int(model.counts)
    scores = [float(end.score) for end in model.ends]
    for end in model.uncounted:
        scores[end] -= throw
    shut = [float(end.shut) for end in model.ends]
    found = [_expected(model, rows, ends, per)[start] for ends, per in ((scores, throw), (shut, 0))]
    return Value(*map(settled, found))


def beginners_ends(rules: Profile) -> dict[End, float]:
    """How a beginner's turn ends, each end with its probability.

    Raises:
        TooLargeError: there are too many positions, or tiles can open again.
    """
    model = _model(rules)
    if model.comes_back:
        raise TooLargeError("a beginner's turn where tiles are opened again may have no end")

    def play_at(number: int, _throw: int) -> PositionPlay:
        choice = model.choices[number][0]
        return choice, tuple(
            [after[moves.index(highest_first(rules, moves))] for _, moves, after in choice.answered]
        )

    ends = ends_of(model, model.number(turns.start(rules)), play_at, 1.0)
    return {end: float(chance) for end, chance in ends.items()}


@lru_cache(maxsize=1)
def _model(rules: Profile) -> TurnModel:
    """The model of a turn; cached, because several policies are compared on it."""
    return TurnModel(rules)


def _expected(model: TurnModel, rows: list[_Row], ends: list[float], per_throw: int) -> list[float]:
    """The value of each position, backwards from the last throw that the rules allow."""
    values = [ends[stop] for stop in model.stops]
    if not model.comes_back:
        for number, (row, throws) in enumerate(rows, len(ends)):
            values[number] = sum([chance * values[after] for after, chance in row]) + throws * per_throw
        return values
    # From the last throw that the rules allow on, one without a move ends the turn; moves lead to lower
    # numbers.
    for number, (row, throws) in enumerate(rows, len(ends)):
        stop = values[number]
        going = sum([chance * (values[after] if after < number else stop) for after, chance in row])
        values[number] = (going + (throws - 1) * stop) / throws + per_throw
    for _ in range(MAX_THROWS - 1):
        before = list(values)
        for number, (row, throws) in enumerate(rows, len(ends)):
            going = sum([chance * before[after] for after, chance in row])
            values[number] = (going + (throws - 1) * before[number]) / throws + per_throw
        change = max([abs(new - old) for new, old in zip(values, before, strict=True)])
        if change <= _SETTLED * max(map(abs, values)):
            break
    return values


def _row(model: TurnModel, number: int, policy: Policy) -> _Row:
    chances: dict[int, float] = {}
    choices = model.choices[number] if policy is Policy.RANDOM else (_choose_dice(model, number),)
    lively = 0.0
    for choice in choices:
        if choice.idle and len(choices) > 1:
            continue  # thrown now and then, they only cost a throw
        share = 1.0 / choice.total / len(choices)
        lively += choice.lively * share
        for after, weight in zip(choice.forced, choice.weights, strict=True):
            chances[after] = chances.get(after, 0.0) + weight * share
        for weight, moves, each in choice.answered:
            # Opened tiles are negative, the lowest nearest to 0.
            chosen: Sequence[int] = (max(moves),)
            if moves[0] > 0:
                chosen = choose(policy, moves, [_next_chance(model, after) for after in each])
            for move in chosen:
                to = each[moves.index(move)]
                chances[to] = chances.get(to, 0.0) + weight * share / len(chosen)
    return [(after, chance / lively) for after, chance in chances.items()], 1.0 / lively


def _choose_dice(model: TurnModel, number: int) -> DiceChoice:
    """The fewest dice allowed, if they can do anything."""
    choices = model.choices[number]
    return ([choice for choice in choices if _changes(model, choice)] or choices)[-1]


def _next_chance(model: TurnModel, number: int) -> float:
    """The chance that a fixed-rule player's next throw shuts something; 1 for a shut box."""
    if not model.choices[number]:
        return float(model.ends[number].shut)
    choice = _choose_dice(model, number)
    shuts = sum(
        weight for after, weight in zip(choice.forced, choice.weights, strict=True) if _shuts(model, after)
    )
    shuts += sum(weight for weight, moves, _ in choice.answered if moves[0] > 0)
    return shuts / choice.total


def _changes(model: TurnModel, choice: DiceChoice) -> bool:
    """Whether a throw of these dice can do more than end the turn."""
    return not choice.idle and (bool(choice.after) or any(_shuts(model, after) for after in choice.forced))


def _shuts(model: TurnModel, after: int) -> bool:
    """Whether a throw that leads here has shut something: it goes on from here, or the box is shut."""
    return after >= len(model.ends) or model.ends[after].shut
