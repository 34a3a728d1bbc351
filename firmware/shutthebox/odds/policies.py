"""Play by a fixed rule, and its value: the comparison for best play.

None of these players thinks about dice: where there is a choice, they throw one die (if it
can do anything); the random player chooses by chance. If a tile must be opened again, they open the lowest.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

from shutthebox.odds.evaluate import PositionPlay, ends_of
from shutthebox.odds.model import DiceChoice, TurnModel
from shutthebox.odds.strengths import highest_first
from shutthebox.odds.worths import End, TooLargeError, Value
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile
from shutthebox.rules.score import MAX_THROWS

_SETTLED = 1e-14

_Row: TypeAlias = tuple[list[tuple[int, float]], float]
"""The positions after a position, each with its probability, and the expected throws until then."""


class Policy(StrEnum):
    """A fixed rule for choosing among the moves for a throw, by its name.

    Highest shuts the highest tile that can be shut, then the next highest. Lowest keeps the highest tiles
    open as long as it can. Fewest and most shut so many tiles, and the highest of those. Next chance leaves
    the best chance that the next throw has an answer, and shuts the highest tiles that do. Random takes any
    move, each with the same chance.
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
        chances: for `Policy.NEXT_CHANCE`: that the throw after each move has an answer.
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


def policy_value(profile: Profile, policy: Policy) -> Value:
    """The value of a whole turn to a player with a fixed rule.

    Raises:
        OddsError: for a key of the game that the odds do not know.
        TooLargeError: for more than 12 tiles, or rules with too many positions.
    """
    model = _model(profile)
    start = model.number(turns.start(profile))
    rows = [_row(model, number, policy) for number in range(len(model.ends), len(model.choices))]
    throw = int(model.counts)
    scores = [float(end.score) for end in model.ends]
    for end in model.uncounted:
        scores[end] -= throw
    shut = [float(end.shut) for end in model.ends]
    return Value(_expected(model, rows, scores, throw)[start], _expected(model, rows, shut, 0)[start])


def beginners_ends(profile: Profile) -> dict[End, float]:
    """How a whole turn of a beginner ends, each end with its probability.

    Raises:
        TooLargeError: for rules with too many positions, or where tiles are opened again.
    """
    model = _model(profile)
    if model.comes_back:
        raise TooLargeError("a beginner's turn where tiles are opened again may have no end")

    def play_at(number: int) -> PositionPlay:
        choice = model.choices[number][0]
        return choice, tuple(
            [after[moves.index(highest_first(profile, moves))] for _, moves, after in choice.answered]
        )

    ends = ends_of(model, model.number(turns.start(profile)), play_at, 1.0)
    return {end: float(chance) for end, chance in ends.items()}


@lru_cache(maxsize=1)
def _model(profile: Profile) -> TurnModel:
    """The model of a turn: several policies are compared on the same one."""
    return TurnModel(profile)


def _expected(model: TurnModel, rows: list[_Row], ends: list[float], per_throw: int) -> list[float]:
    """The value of each position, from the last throw that the rules allow back to the first."""
    values = [ends[stop] for stop in model.stops]
    for _ in range(MAX_THROWS):
        before = list(values)
        following = before if model.comes_back else values
        for number, (row, throws) in enumerate(rows, len(ends)):
            values[number] = sum([chance * following[after] for after, chance in row]) + throws * per_throw
        change = max([abs(new - old) for new, old in zip(values, before, strict=True)])
        if change <= _SETTLED * max(map(abs, values)):
            break
    return values


def _row(model: TurnModel, number: int, policy: Policy) -> _Row:
    chances: dict[int, float] = {}
    choices = model.choices[number] if policy is Policy.RANDOM else (_thrown(model, number),)
    lively = 0.0
    for choice in choices:
        share = 1.0 / choice.total / len(choices)
        lively += choice.lively * share
        for after, weight in zip(choice.forced, choice.weights, strict=True):
            chances[after] = chances.get(after, 0.0) + weight * share
        for weight, moves, each in choice.answered:
            # A tile that is opened is below 0, the lowest the nearest to it.
            chosen: Sequence[int] = (max(moves),)
            if moves[0] > 0:
                chosen = choose(policy, moves, [_next_chance(model, after) for after in each])
            for move in chosen:
                to = each[moves.index(move)]
                chances[to] = chances.get(to, 0.0) + weight * share / len(chosen)
    return [(after, chance / lively) for after, chance in chances.items()], 1.0 / lively


def _thrown(model: TurnModel, number: int) -> DiceChoice:
    """The fewest dice that may be thrown, if these can do anything."""
    choices = model.choices[number]
    return ([choice for choice in choices if _changes(choice, model.stops[number])] or choices)[-1]


def _next_chance(model: TurnModel, number: int) -> float:
    """The chance that the next throw of a player with a fixed rule shuts something; 1 for a shut box."""
    if not model.choices[number]:
        return float(model.ends[number].shut)
    choice, nothing = _thrown(model, number), {model.stops[number], model.lost}
    shuts = sum(
        weight for after, weight in zip(choice.forced, choice.weights, strict=True) if after not in nothing
    )
    shuts += sum(weight for weight, moves, _ in choice.answered if moves[0] > 0)
    return shuts / choice.total


def _changes(choice: DiceChoice, stop: int) -> bool:
    """Whether a throw of these dice can do more than end the turn."""
    return bool(choice.after) or any(after != stop for after in choice.forced)
