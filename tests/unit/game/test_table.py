"""The machine's table: no input of any mode is forgotten, and what holds for every mode is said once."""

from typing import get_args

import pytest

from shutthebox.game.inputs import Deserted, Held, LeversMoved, TimePassed
from shutthebox.game.modes.base import BoxMode, MatchMode
from shutthebox.game.modes.flipping import Flipping
from shutthebox.game.modes.rolling import Rolling
from shutthebox.game.table import ROWS, TABLE, ModeState, ignored, table_of

MODES = get_args(ModeState)


def test_whoever_forgets_an_input_is_told_of_which_mode() -> None:
    rows = [row for row in ROWS if (row.state, row.event) != (Flipping, Held)]
    with pytest.raises(TypeError, match="Flipping: Held has no row"):
        table_of(rows, MODES)


def test_an_input_that_is_said_twice_is_refused() -> None:
    with pytest.raises(TypeError, match="Flipping: Held has two rows"):
        table_of([*ROWS, *ignored(Flipping, Held)], MODES)


def test_a_row_of_a_mode_counts_before_that_of_its_classes() -> None:
    assert TABLE[Rolling, Deserted].handler is None, "dice that tumble keep the box awake"
    of_match = next(row for row in ROWS if (row.state, row.event) == (MatchMode, Deserted))
    assert of_match.handler is not None


def test_a_mode_that_waits_for_a_time_does_something_then() -> None:
    waits = [mode for mode in MODES if mode.deadline_ns is not BoxMode.deadline_ns]
    assert waits
    assert all(TABLE[mode, TimePassed].handler is not None for mode in waits)
    assert all(TABLE[mode, LeversMoved].state is mode for mode in MODES)
