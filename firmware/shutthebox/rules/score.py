"""What a finished turn is worth."""

from shutthebox.rules.profile import Profile, Scoring
from shutthebox.rules.tiles import Tiles, sum_of, to_numbers


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


def lost_score(profile: Profile) -> int:
    """The score of a turn lost on its first move: as given, else the sum of all tiles."""
    return sum(profile.tiles) if profile.lost_score is None else profile.lost_score
