"""Head starts: points on a seat's total, or tiles that start shut."""

from dataclasses import replace
from functools import lru_cache

from shutthebox.rules.profile import HeadStart, Profile
from shutthebox.rules.score import lost_score
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles


def without_tiles_of(profile: Profile, seat: int) -> Profile:
    """The game without the tiles of a seat's head start; the seat is from 0."""
    shut = tiles_off(profile, seat)
    return _without(profile, shut) if shut else profile


def points_off(profile: Profile, seat: int) -> int:
    """The points of a seat's head start, from 0."""
    head_start = _of(profile, seat)
    return head_start if isinstance(head_start, int) else 0


def tiles_off(profile: Profile, seat: int) -> Tiles:
    """The tiles that a seat's head start shuts, of those that are open for everybody else."""
    head_start = _of(profile, seat)
    return 0 if isinstance(head_start, int) else to_tiles(head_start) & profile.starting


def _of(profile: Profile, seat: int) -> HeadStart:
    return profile.handicap[seat] if seat < len(profile.handicap) else 0


@lru_cache(maxsize=32)
def _without(profile: Profile, shut: Tiles) -> Profile:
    # A turn that is lost on its first move costs every seat the same.
    lost = None if profile.first_move_must_include is None else lost_score(profile)
    return replace(profile, start_open=to_numbers(profile.starting & ~shut), lost_score=lost)
