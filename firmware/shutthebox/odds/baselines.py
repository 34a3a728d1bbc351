"""Play by a fixed rule, and its value: the comparison for best play.

None of these players thinks about dice: where there is a choice, they throw one die (if it can do
anything); the random player chooses by chance. If a tile must be opened again, they open the lowest.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

from shutthebox.odds.state_space import Space
from shutthebox.odds.turn_graph import TurnGraph
from shutthebox.odds.values import Value
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile, Scoring
from shutthebox.rules.score import MAX_THROWS

_SETTLED = 1e-14

_Row: TypeAlias = tuple[list[tuple[int, float]], float]
"""The positions after a position, each with its probability, and the expected throws until then."""


class Policy(StrEnum):
    """A fixed rule for choosing among the moves for a throw.

    Highest shuts the highest tile that can be shut, then the next highest. Lowest keeps the highest tiles
    open as long as it can. Fewest shuts the fewest tiles, and the highest of those. Random takes any move,
    each with the same chance.
    """

    HIGHEST = "highest"
    LOWEST = "lowest"
    FEWEST = "fewest"
    RANDOM = "random"


def choose(policy: Policy, moves: Sequence[int]) -> Sequence[int]:
    """The moves that a policy may make, each equally likely; sets of tiles as bits, or dense bits."""
    match policy:
        case Policy.HIGHEST:
            return (max(moves),)
        case Policy.LOWEST:
            return (min(moves),)
        case Policy.FEWEST:
            return (min(moves, key=lambda move: (move.bit_count(), -move)),)
        case Policy.RANDOM:
            return moves


def policy_value(profile: Profile, policy: Policy) -> Value:
    """The value of a whole turn to a player with a fixed rule.

    Raises:
        TooLargeError: for more than 12 tiles, or rules with too many positions.
    """
    start = turns.start(profile)
    graph = _graph(profile)
    number = graph.number(start)
    assert number is not None, "a turn's start is in its graph"
    rows = [_row(graph, at, policy) for at in range(len(graph.stops))]
    throw = int(profile.score is Scoring.THROWS)
    scores = [float(end.score) for end in graph.ends]
    for end in graph.uncounted:
        scores[end] -= throw
    shut = [float(end.shut) for end in graph.ends]
    return Value(
        _expected(graph, rows, scores, throw)[number],
        _expected(graph, rows, shut, 0)[number],
    )


@lru_cache(maxsize=1)
def _graph(profile: Profile) -> TurnGraph:
    """The graph of a turn: several policies are compared on the same one."""
    return TurnGraph(Space(profile), turns.start(profile))


def _expected(graph: TurnGraph, rows: list[_Row], ends: list[float], per_throw: int) -> list[float]:
    """The value of each position, from the last throw that the rules allow back to the first."""
    values = [ends[stop] for stop in graph.stops]
    for _ in range(MAX_THROWS):
        before = list(values)
        following = before if graph.comes_back else values
        for number, (row, throws) in enumerate(rows[len(ends) :], len(ends)):
            values[number] = sum([chance * following[after] for after, chance in row]) + throws * per_throw
        change = max([abs(new - old) for new, old in zip(values, before, strict=True)])
        if change <= _SETTLED * max(map(abs, values)):
            break
    return values


def _row(graph: TurnGraph, number: int, policy: Policy) -> _Row:
    chances: dict[int, float] = {}
    ways = graph.ways[number]
    if len(ways) > 1 and policy is not Policy.RANDOM:
        stop = graph.stops[number]
        changing = [way for way in ways if any(after[0] not in (stop, number) for _, after in way.events)]
        ways = tuple((changing or ways)[-1:])
    for way in ways:
        for weight, after in way.events:
            chosen = after if len(after) == 1 else _chosen(graph, number, policy, after)
            share = weight / way.total / len(ways) / len(chosen)
            for each in chosen:
                chances[each] = chances.get(each, 0.0) + share
    # A throw that is passed is made again.
    lively = 1.0 - chances.pop(number, 0.0)
    return [(after, chance / lively) for after, chance in chances.items()], 1.0 / lively


def _chosen(graph: TurnGraph, number: int, policy: Policy, after: tuple[int, ...]) -> Sequence[int]:
    """The positions that a policy may choose after a throw, each equally likely."""
    mask = graph.positions[number].mask
    by_move = {graph.space.move(mask, graph.positions[each].mask): each for each in after}
    if max(after) > number:
        return (by_move[min(by_move)],)
    return [by_move[move] for move in choose(policy, list(by_move))]
