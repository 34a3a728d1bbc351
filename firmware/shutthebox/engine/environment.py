"""What both environments for reinforcement learning have in common: their actions, and what's observed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from typing import TypeAlias

from shutthebox.engine.game import Game
from shutthebox.engine.match import Match
from shutthebox.engine.turn import Turn
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import is_one_die_ever_allowed, most_in_a_move
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import Blocked, Draw
from shutthebox.rules.score import lost_score, worst_score
from shutthebox.rules.tiles import to_numbers

Choice: TypeAlias = int | tuple[int, ...]
"""A number of dice to throw, or a move."""

MAX_TILES = 12
"""The longest row; longer ones have too many moves for a list."""


def choices_of(game: Game) -> tuple[Choice, ...]:
    """Everything that can ever be chosen in a game: numbers of dice if there's a choice, and moves.

    Raises:
        ValueError: the game has two rows, one row for everybody, or too many tiles.
    """
    profile = game.profile
    if (
        profile.rows > 1
        or order_of(profile).one_row
        or not order_of(profile).has_points
        or len(game.tiles) > MAX_TILES
    ):
        raise ValueError(
            f"{game.name}: an environment has one row for each player, of up to {MAX_TILES} tiles"
        )
    dice = (profile.dice, 1) if profile.one_die.is_optional and is_one_die_ever_allowed(profile) else ()
    moves = {move for turn in _answered(game) for move in turn.legal_moves if move}
    if profile.blocked is Blocked.OPENS_ONE:
        moves |= {(-tile,) for tile in to_numbers(profile.starting)}
    return (*dice, *sorted(moves, key=lambda move: (len(move), move)))


def _answered(game: Game) -> Iterator[Turn]:
    """Enough positions with a throw on the table to have every move in some of them.

    In some games a face alone may be shut once the tiles of the others are, so those are shut in some.
    """
    profile, tiles = game.profile, to_numbers(game.profile.starting)
    most = min(profile.dice - 1, most_in_a_move(profile), 2)
    for size in range(most + 1):
        for shut in combinations(tiles, size):
            left = [tile for tile in tiles if tile not in shut]
            if not left:
                continue
            state = Turn.at(game, left).state._replace(moves=1)
            for faces in _throws(game):
                yield Turn(game, state._replace(throw=faces, throws=1))


def _throws(game: Game) -> Iterator[tuple[int, ...]]:
    profile = game.profile
    if profile.draw is Draw.DOMINOES:
        yield from turns.BAGS[profile.bag]
        return
    for dice in {1, profile.dice}:
        yield from combinations_with_replacement(range(1, profile.sides + 1), dice)


def observed(turn: Turn, *, is_next: bool = True) -> list[int]:
    """A turn as numbers: 1 for each open tile, the faces rising, spare throws, and 1 for each domino drawn.

    Args:
        turn: at any point.
        is_next: whether its player is the one to choose; otherwise no faces are shown.
    """
    profile, state = turn.game.profile, turn.state
    is_open = set(to_numbers(state.open))
    dice = 2 if profile.draw is Draw.DOMINOES else profile.dice
    faces = sorted(state.throw) if turn.awaits_move and is_next and state.throw else []
    bag = len(turns.BAGS[profile.bag]) if profile.draw is Draw.DOMINOES else 0
    return [
        *(int(tile in is_open) for tile in turn.game.tiles),
        *faces,
        *[0] * (dice - len(faces)),
        state.misses_left,
        *(state.drawn >> domino & 1 for domino in range(bag)),
    ]


def legal_choices(at: Turn | Match) -> Sequence[Choice]:
    """What can be chosen now; nothing if there's no choice: one number of dice, or a throw to pass."""
    dice, moves = at.legal_dice, at.legal_moves
    return dice if len(dice) > 1 else [move for move in moves if move]


def worst_reward(game: Game) -> float:
    """The score of the worst turn as a reward, where more is better."""
    sign = 1 if game.highest_wins else -1
    return float(min(sign * worst_score(game.profile), sign * lost_score(game.profile)))
