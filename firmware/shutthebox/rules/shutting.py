"""Whether a turn can shut the box at all, and whether it can be left with tiles that no throw can shut."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import prod

from shutthebox.rules import rows
from shutthebox.rules.moves import (
    Throw,
    can_ever_move,
    dice_allowed,
    ends_turn,
    is_one_die_ever_allowed,
)
from shutthebox.rules.profile import Doubles, Draw, OneDie, Profile
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.rules.turn import BAGS, Turn, answers, reopenings

_MAX_TRIED = 20_000
"""The most throws and moves to try."""

_MAX_LEFTOVERS = 4_096

_Position = tuple[Tiles, Tiles]
"""The open columns, and those whose front tile is open."""


@lru_cache(maxsize=64)
def can_get_stuck(profile: Profile) -> bool:
    """Whether tiles can be left that no throw can shut, so that a turn ends although blocked throws don't.

    Two dice never show a 1, for example. That such tiles are left by some play is taken for granted.
    """
    # If one of the foremost tiles can be shut alone, something always can.
    states = [_hard_states(profile, column) for column in to_numbers(profile.starting)]
    if prod(map(len, states)) > _MAX_LEFTOVERS:
        return True
    for choice in product(*states):
        opened = sum(each[0] for each in choice)
        if opened and not can_ever_move(profile, opened, behind=sum(each[1] for each in choice)):
            return True
    return False


def _hard_states(profile: Profile, column: int) -> list[_Position]:
    """A column shut, and with a foremost tile that perhaps no throw can shut alone."""
    tile = to_tiles([column])
    found: list[_Position] = [(tile, 0)] if profile.rows == 1 else [(tile, 0), (tile, tile)]
    all_dice = replace(profile, one_die=OneDie.NEVER, one_die_at=None)
    # Where a single die is forced, the tile has to be one of its faces.
    is_forced = is_one_die_ever_allowed(profile) and not profile.one_die.is_optional
    return [(0, 0)] + [
        state
        for state in found
        if not can_ever_move(all_dice, state[0], behind=state[1])
        or (is_forced and rows.numbers_in_play(profile, *state)[0] > profile.sides)
    ]


@lru_cache(maxsize=64)
def can_be_shut(profile: Profile) -> bool | None:
    """Whether any throws and moves shut the box; None if too many of them would have to be tried."""
    never_ends = not profile.ends_turn_on and profile.doubles is not Doubles.ENDS_TURN
    if never_ends and not can_get_stuck(profile):
        return True
    start = (profile.starting, profile.starting_behind)
    if not all(_can_ever_go(profile, number) for number in to_numbers(profile.starting)):
        return False
    waiting, seen, tried = [start], {start}, 0
    while waiting:
        position = waiting.pop()
        for throw in _throws(profile, *position):
            after = _after(profile, position, throw)
            tried += 1 + len(after)
            if any(not opened for opened, _ in after):
                return True
            if tried > _MAX_TRIED:
                return None
            waiting += [each for each in after if each not in seen]
            seen.update(after)
    return False


def _after(profile: Profile, position: _Position, throw: Throw) -> list[_Position]:
    """The positions in which a turn may go on after a throw."""
    turn = Turn(position[0], throw, throws=1, moves=1, behind=position[1])
    if ends_turn(profile, throw):
        return []
    moves = [rows.after(profile, *position, move) for move in answers(profile, turn)]
    return moves + [
        (position[0] | to_tiles([tile]), position[1]) for tile in to_numbers(reopenings(profile, turn))
    ]


def _can_ever_go(profile: Profile, number: int) -> bool:
    """Whether any throw shuts a tile of the front row, whatever else is open."""
    one_die = number <= profile.sides and is_one_die_ever_allowed(profile)
    all_dice = replace(profile, one_die=OneDie.NEVER, one_die_at=None)
    return one_die or can_ever_move(
        all_dice, profile.starting, to_tiles([number]), behind=profile.starting_behind
    )


def _throws(profile: Profile, opened: Tiles, behind: Tiles) -> Iterator[Throw]:
    if profile.draw is Draw.DOMINOES:
        yield from BAGS[profile.bag]
        return
    for dice in dice_allowed(profile, opened, behind):
        yield from combinations_with_replacement(range(1, profile.sides + 1), dice)
