"""Head starts: points on a seat's total, or tiles that start shut."""

from dataclasses import replace
from functools import lru_cache

from shutthebox.rules.profile import HeadStart, Profile
from shutthebox.rules.score import lost_score
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles


def without_tiles_of(game: Profile, seat: int) -> Profile:
    """The game without the tiles of a seat's head start; the seat is from 0."""
    shut = tiles_off(game, seat)
    return _without(game, shut) if shut else game


def points_off(game: Profile, seat: int) -> int:
    """The points of a seat's head start, from 0."""
    head_start = _of(game, seat)
    return head_start if isinstance(head_start, int) else 0


def tiles_off(game: Profile, seat: int) -> Tiles:
    """The tiles that a seat's head start shuts, of those that are open for everybody else."""
    head_start = _of(game, seat)
    return 0 if isinstance(head_start, int) else to_tiles(head_start) & game.starting


def _of(game: Profile, seat: int) -> HeadStart:
    return game.handicap[seat] if seat < len(game.handicap) else 0


@lru_cache(maxsize=32)
def _without(game: Profile, shut: Tiles) -> Profile:
    # A turn that is lost on its first move costs every seat the same.
    lost = None if game.first_move_must_include is None else lost_score(game)
    return replace(game, start_open=to_numbers(game.starting & ~shut), lost_score=lost)
