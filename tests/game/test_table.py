"""The machine's table: no input of any mode is forgotten, and what holds for every mode is said once."""

from typing import get_args

import pytest

from shutthebox.game.inputs import Deserted, Held, HeldLong, LeversMoved, ServicePressed, TimePassed
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode, MatchMode, TurnMode
from shutthebox.game.modes.flipping import Flipping
from shutthebox.game.modes.raising import Raising
from shutthebox.game.modes.rolling import Rolling
from shutthebox.game.screen import Screen
from shutthebox.game.state import Shared
from shutthebox.game.table import ROWS, TABLE, ModeState, ignored, table_of

MODES = get_args(ModeState)


def test_whoever_forgets_an_input_is_told_of_which_mode() -> None:
    rows = [row for row in ROWS if (row.state, row.event) != (Flipping, Held)]
    with pytest.raises(TypeError, match="Flipping: Held has no row"):
        table_of(rows, MODES)


def test_an_input_that_is_said_twice_is_refused() -> None:
    with pytest.raises(TypeError, match="Flipping: Held has two rows"):
        table_of([*ROWS, *ignored(Flipping, Held)], MODES)


def test_a_new_mode_of_a_turn_has_what_holds_for_every_turn() -> None:
    """It asks whether to abandon, falls asleep, lets the clock run out, and shows faults in its corner."""

    class Pause(TurnMode):
        __slots__ = ()

        name = Mode.READY

        def screen(self, shared: Shared) -> Screen:
            return Screen(self.name)

    with pytest.raises(TypeError, match="Pause: Pressed has no row"):
        table_of(ROWS, [Pause])
    own = [row._replace(state=Pause) for row in ROWS if row.state is Raising]
    table = table_of([*ROWS, *own], [Pause])
    for given in (HeldLong, Deserted, TimePassed, ServicePressed):
        assert table[Pause, given] == TABLE[Raising, given]._replace(state=Pause)
    assert Pause.in_turn
    assert Pause.shows_tournament


def test_a_row_of_a_mode_counts_before_that_of_its_classes() -> None:
    assert TABLE[Rolling, Deserted].handler is None, "dice that tumble keep the box awake"
    of_match = next(row for row in ROWS if (row.state, row.event) == (MatchMode, Deserted))
    assert of_match.handler is not None


def test_a_mode_that_waits_for_a_time_does_something_then() -> None:
    waits = [mode for mode in MODES if mode.deadline_ns is not BoxMode.deadline_ns]
    assert waits
    assert all(TABLE[mode, TimePassed].handler is not None for mode in waits)
    assert all(TABLE[mode, LeversMoved].state is mode for mode in MODES)
