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


def score(profile: Profile, open_tiles: Tiles, throws: int, behind: Tiles = 0) -> int:
    """The score of a turn that ended with these tiles open after this many throws.

    `behind` are the numbers whose front and back tiles are both open.

    `Scoring.SHUT_SUM` counts the tiles shut in the turn, not those that start shut.
    Digits are read from left to right (sheets 003 and 004: 1, 4, 7 open are 147), reversed
    from right to left (2, 3, 9 open are 932); a shut box is 0.
    """
    match profile.score:
        case Scoring.SUM:
            return _count(profile, open_tiles, behind, sum)
        case Scoring.COUNT:
            return _count(profile, open_tiles, behind, len)
        case Scoring.DIGITS:
            return int("".join(map(str, to_numbers(open_tiles))) or "0")
        case Scoring.DIGITS_REVERSED:
            return int("".join(map(str, reversed(to_numbers(open_tiles)))) or "0")
        case Scoring.SHUT_SUM:
            whole = _count(profile, profile.starting, profile.starting_behind, sum)
            return whole - _count(profile, open_tiles, behind, sum)
        case Scoring.THROWS:
            return throws


def _count(
    profile: Profile, open_tiles: Tiles, behind: Tiles, count: Callable[[tuple[int, ...]], int]
) -> int:
    """The score of the open tiles, with each row's points."""
    if profile.rows == 1:
        return count(to_numbers(open_tiles))
    rows = by_row(profile, open_tiles, behind)
    points = profile.row_points or (1,) * len(rows)
    return sum(each * count(row) for each, row in zip(points, rows, strict=True))


def worst_score(profile: Profile) -> int:
    """The worst score that a turn of the profile can have."""
    return (min if profile.highest_wins else max)(_extremes(profile))


def best_score(profile: Profile) -> int:
    """The best score that a turn of the profile can have."""
    return (max if profile.highest_wins else min)(_extremes(profile))


def _extremes(profile: Profile) -> tuple[int, int]:
    if profile.score is Scoring.THROWS:
        # Every throw that goes on shuts a tile, unless the turn goes on without.
        longest = len(to_numbers(profile.starting)) * profile.rows
        ends = profile.blocked is Blocked.ENDS_TURN and not profile.insurance
        return 1, longest + profile.spare_throws if ends else MAX_THROWS
    # Each tile counts for itself, so the extremes are all tiles open and none.
    return untouched_score(profile) + _most_added(profile), score(profile, 0, 0)


def untouched_score(profile: Profile) -> int:
    """The score of a turn that ends before anything is shut, or thrown."""
    return score(profile, profile.starting, 0, profile.starting_behind)


def lost_score(profile: Profile) -> int:
    """The score of a turn lost on its first move: the profile's own, otherwise the worst score."""
    return worst_score(profile) if profile.lost_score is None else profile.lost_score


def final_score(profile: Profile, turn: _Ended, *, lost: bool = False, timed_out: bool = False) -> int:
    """The score of a turn that's over.

    Args:
        profile: the rules.
        turn: as it ended.
        lost: on its first move.
        timed_out: it ran out of time. That's a blocked turn's score, or the worst if doing nothing would pay.
    """
    added = added_score(profile, turn.throw) if turn.open and turn.throw else 0
    if lost:
        return lost_score(profile) + added
    if timed_out and not idle_is_worst(profile):
        return worst_score(profile) + added
    return score(profile, turn.open, turn.throws, turn.behind) + added


def added_score(profile: Profile, throw: Throw) -> int:
    """What a throw adds to the score of a turn that it ends with tiles open."""
    return (ending_total(profile, throw) or 0) if _adds_throw(profile) else 0


def _adds_throw(profile: Profile) -> bool:
    # Odds for a race count throws.
    return profile.add_throw and profile.score is not Scoring.THROWS


def _most_added(profile: Profile) -> int:
    return max(ending_totals(profile), default=0) if _adds_throw(profile) else 0


def idle_is_worst(profile: Profile) -> bool:
    """Whether no turn scores worse than one in which nothing is shut, or thrown; a last throw aside."""
    untouched, worst = untouched_score(profile) + _most_added(profile), worst_score(profile)
    return untouched <= worst if profile.highest_wins else untouched >= worst
