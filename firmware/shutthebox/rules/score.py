"""The score of a finished turn."""

from collections.abc import Callable
from typing import Protocol

from shutthebox.rules.moves import Throw, ending_total, ending_totals
from shutthebox.rules.profile import Blocked, Profile, Scoring
from shutthebox.rules.rows import by_row
from shutthebox.rules.tiles import Tiles, to_numbers


class _Ended(Protocol):
    """The parts of a `shutthebox.rules.turn.Turn` that its score depends on."""

    @property
    def open(self) -> Tiles: ...
    @property
    def behind(self) -> Tiles: ...
    @property
    def throws(self) -> int: ...
    @property
    def throw(self) -> Throw | None: ...


MAX_THROWS = 999
"""A turn that could go on forever is blocked after this many throws."""


def score(rules: Profile, open_tiles: Tiles, throws: int, behind: Tiles = 0) -> int:
    """The score of a turn that ended with these tiles open after this many throws.

    `behind` are the numbers whose front and back tiles are both open.

    `Scoring.SHUT_SUM` counts the tiles shut in the turn, not those that start shut.
    Digits are read from left to right (sheets 003 and 004: 1, 4, 7 open are 147), reversed
    from right to left (2, 3, 9 open are 932); a shut box is 0.
    """
    match rules.score:
        case Scoring.SUM:
            return _count(rules, open_tiles, behind, sum)
        case Scoring.COUNT:
            return _count(rules, open_tiles, behind, len)
        case Scoring.DIGITS:
            return int("".join(map(str, to_numbers(open_tiles))) or "0")
        case Scoring.DIGITS_REVERSED:
            return int("".join(map(str, reversed(to_numbers(open_tiles)))) or "0")
        case Scoring.SHUT_SUM:
            whole = _count(rules, rules.starting, rules.starting_behind, sum)
            return whole - _count(rules, open_tiles, behind, sum)
        case Scoring.THROWS:
            return throws


def _count(rules: Profile, open_tiles: Tiles, behind: Tiles, count: Callable[[tuple[int, ...]], int]) -> int:
    """The score of the open tiles, with each row's points."""
    if rules.rows == 1:
        return count(to_numbers(open_tiles))
    rows = by_row(rules, open_tiles, behind)
    points = rules.row_points or (1,) * len(rows)
    return sum(each * count(row) for each, row in zip(points, rows, strict=True))


def worst_score(rules: Profile) -> int:
    """The worst score that a turn can have."""
    return (min if rules.highest_wins else max)(_extremes(rules))


def best_score(rules: Profile) -> int:
    """The best score that a turn can have."""
    return (max if rules.highest_wins else min)(_extremes(rules))


def _extremes(rules: Profile) -> tuple[int, int]:
    if rules.score is Scoring.THROWS:
        # Every throw that goes on shuts a tile, unless the turn goes on without.
        longest = len(to_numbers(rules.starting)) * rules.rows
        ends = rules.blocked is Blocked.ENDS_TURN and not rules.insurance
        return 1, longest + rules.spare_throws if ends else MAX_THROWS
    # Each tile counts for itself, so the extremes are all tiles open and none.
    return untouched_score(rules) + _most_added(rules), score(rules, 0, 0)


def untouched_score(rules: Profile) -> int:
    """The score of a turn that ends before anything is shut, or thrown."""
    return score(rules, rules.starting, 0, rules.starting_behind)


def lost_score(rules: Profile) -> int:
    """The score of a turn lost on its first move: the rules' own, otherwise the worst score."""
    return worst_score(rules) if rules.lost_score is None else rules.lost_score


def final_score(rules: Profile, turn: _Ended, *, lost: bool = False, timed_out: bool = False) -> int:
    """The score of a turn that's over.

    Args:
        rules: what the player plays by.
        turn: as it ended.
        lost: on its first move.
        timed_out: it ran out of time. That's a blocked turn's score, or the worst if doing nothing would pay.
    """
    added = added_score(rules, turn.throw) if turn.open and turn.throw else 0
    if lost:
        return lost_score(rules) + added
    if timed_out and not idle_is_worst(rules):
        return worst_score(rules) + added
    return score(rules, turn.open, turn.throws, turn.behind) + added


def added_score(rules: Profile, throw: Throw) -> int:
    """What a throw adds to the score of a turn that it ends with tiles open."""
    return (ending_total(rules, throw) or 0) if _adds_throw(rules) else 0


def _adds_throw(rules: Profile) -> bool:
    # Odds for a race count throws.
    return rules.add_throw and rules.score is not Scoring.THROWS


def _most_added(rules: Profile) -> int:
    return max(ending_totals(rules), default=0) if _adds_throw(rules) else 0


def idle_is_worst(rules: Profile) -> bool:
    """Whether no turn scores worse than one in which nothing is shut, or thrown; a last throw aside."""
    untouched, worst = untouched_score(rules) + _most_added(rules), worst_score(rules)
    return untouched <= worst if rules.highest_wins else untouched >= worst
