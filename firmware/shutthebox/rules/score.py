"""What a finished turn is worth."""

from shutthebox.rules.profile import Blocked, Profile, Scoring
from shutthebox.rules.tiles import Tiles, sum_of, to_numbers

MAX_THROWS = 999
"""A turn that a variant would let go on for ever is blocked after so many throws."""


def score(profile: Profile, open_tiles: Tiles, throws: int) -> int:
    """The score of a turn that ended with these tiles open after this many throws.

    `Scoring.SHUT_SUM` counts the tiles shut in the turn, not those that the variant starts shut.
    Digits are read from left to right (sheets 003 and 004: 1, 4, 7 open are 147), reversed
    from right to left (2, 3, 9 open are 932); a shut box is 0.
    """
    match profile.score:
        case Scoring.SUM:
            return sum_of(open_tiles)
        case Scoring.COUNT:
            return open_tiles.bit_count()
        case Scoring.DIGITS:
            return int("".join(map(str, to_numbers(open_tiles))) or "0")
        case Scoring.DIGITS_REVERSED:
            return int("".join(map(str, reversed(to_numbers(open_tiles)))) or "0")
        case Scoring.SHUT_SUM:
            return sum_of(profile.starting & ~open_tiles)
        case Scoring.THROWS:
            return throws


def worst_score(profile: Profile) -> int:
    """The score that no turn of the profile does worse than."""
    worst = min if profile.highest_wins else max
    if profile.score is Scoring.THROWS:
        # Every throw that goes on shuts a tile, unless the turn goes on without.
        longest = len(to_numbers(profile.starting))
        return worst(1, longest if profile.blocked is Blocked.ENDS_TURN else MAX_THROWS)
    # Each tile counts for itself, so the extremes are all tiles open and none.
    return worst(score(profile, profile.starting, 0), score(profile, 0, 0))


def lost_score(profile: Profile) -> int:
    """The score of a turn lost on its first move: as given, else the worst score that a turn can have."""
    return worst_score(profile) if profile.lost_score is None else profile.lost_score
