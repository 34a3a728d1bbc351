"""What every mode has to say."""

from typing import Any, ClassVar

import pytest

from doctools.diagram import modes
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.modes.rolling import Rolling
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step


class _Forgetful(BoxMode):
    """A mode that somebody has written without `hold`."""

    name: ClassVar[Mode] = Mode.ATTRACT

    def screen(self, shared: Shared) -> Screen:
        return Screen(self.name)

    def press(self, context: Context) -> Step["_Forgetful"]:
        return Step(self)

    def levers(self, context: Context) -> Step["_Forgetful"]:
        return Step(self)


def test_whoever_forgets_an_input_is_told_which() -> None:
    forgetful: Any = _Forgetful
    with pytest.raises(TypeError, match=r"abstract method '?hold'?$"):
        forgetful()


def test_only_dice_that_tumble_keep_the_box_awake() -> None:
    assert [mode for classes in modes().values() for mode in classes if mode.keeps_awake] == [Rolling]


def test_a_mode_that_waits_for_a_time_does_something_then() -> None:
    waits = [
        mode
        for classes in modes().values()
        for mode in classes
        if mode.deadline_ns is not BoxMode.deadline_ns and mode.time is BoxMode.time
    ]
    assert waits == []
