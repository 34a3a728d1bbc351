"""Counts over whole trees of play, as of perft in chess programs.

All lines of so many throws, each with every way the dice can fall and every move.
A wrong rule anywhere in the tree changes them.
"""

from functools import cache
from itertools import product

import pytest

from shutthebox.config import profiles
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Profile
from shutthebox.rules.turn import Outcome, Turn

MOVES = [1, 2, 2, 3, 4, 5, 6, 8, 9, 10, 12]
"""Moves for the totals 2 to 12 on a full box of nine."""


def engine_lines(profile: Profile, depth: int) -> tuple[int, int]:
    """Lines that go on after `depth` throws, and lines that have shut the box by then."""

    @cache
    def count(turn: Turn, left: int) -> tuple[int, int]:
        if turn.outcome is not None:
            return (0, 1) if turn.outcome is Outcome.SHUT else (0, 0)
        if left == 0:
            return (1, 0)
        going = shut = 0
        for dice in dice_allowed(profile, turn.open):
            for faces in product(range(1, profile.sides + 1), repeat=dice):
                thrown = turns.throw(profile, turn, faces)
                for tiles in turns.answers(profile, thrown):
                    after = turns.move(profile, thrown, tiles)
                    # Positions are told apart by what matters for the future only.
                    after = after if after.outcome else Turn(after.open, moves=1)
                    more, done = count(after, left - 1)
                    going, shut = going + more, shut + done
        return going, shut

    return count(turns.start(profile), depth)


@pytest.mark.slow
def test_known_counts() -> None:
    """Pinned, so that engine and oracle can't go wrong together unseen."""
    profile = profiles.builtin("traditional")
    counts = [engine_lines(profile, depth) for depth in range(4)]
    assert counts == [(1, 0), (194, 0), (16_800, 0), (810_360, 0)]
    # By hand: the ways to throw each total, times its moves.
    assert sum(w * m for w, m in zip([1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1], MOVES, strict=True)) == 194


@pytest.mark.slow
def test_a_known_count_in_which_boxes_are_shut() -> None:
    assert engine_lines(profiles.builtin("traditional"), 4) == (23_236_986, 3888)
