"""Hands on the contacts of a box whose daemon runs in another thread."""

import threading
from collections.abc import Callable
from functools import partial

from tests.support.waiting import HANG_S

from shutthebox.game.effects import Show
from shutthebox.game.switches.debounce import DICE_BUTTON, SwitchChanged
from shutthebox.simulator.hardware.box import SimulatedBox


class Hands:
    """Hands, and what the box has shown them: `observe` is told of everything."""

    def __init__(self, box: SimulatedBox) -> None:
        self.shows: list[Show] = []
        self._box = box
        self._happened = threading.Condition()
        self._down: dict[int, bool] = {}

    def observe(self, what: object, t_ns: int) -> None:
        """Notes what the loop has done; called in its thread."""
        with self._happened:
            if isinstance(what, Show):
                self.shows.append(what)
            elif isinstance(what, SwitchChanged):
                self._down[what.switch] = what.active
            self._happened.notify_all()

    def until(self, happened: Callable[[], bool]) -> None:
        """Waits for something that the box does."""
        with self._happened:
            assert self._happened.wait_for(happened, timeout=HANG_S), "the box does not answer"

    def see_the_first_screen(self) -> None:
        """Waits until the box has shown something."""
        self.until(lambda: bool(self.shows))

    def press(self) -> None:
        """A short press, until the box has shown what came of it."""
        shows = len(self.shows)
        self.click()
        self.until(partial(self._stands, False))
        self.until(lambda: len(self.shows) > shows)

    def click(self) -> None:
        """A short press, until the box knows that the button is down; then it is let go."""
        self._box.set_button(True)
        self.until(partial(self._stands, True))
        self._box.set_button(False)

    def hold(self) -> None:
        """The button held until the box has shown what came of it."""
        self._box.set_button(True)
        self.until(partial(self._stands, True))
        shows = len(self.shows)
        self.until(lambda: len(self.shows) > shows)
        self._box.set_button(False)
        self.until(partial(self._stands, False))

    def _stands(self, down: bool) -> bool:
        return self._down.get(DICE_BUTTON, False) == down
