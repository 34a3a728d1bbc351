"""Entering a throw of real dice: a press counts up, a flicked lever says the number, a hold confirms."""

from typing import NamedTuple

from shutthebox.rules.moves import Throw

DOUBLE_PRESS_NS = 350_000_000
"""Two presses closer than this void the throw: a die lay askew or left the tray. Three are pips."""

QUIET_NS = 400_000_000
"""How long no press may have come before those two."""


class TypedThrow(NamedTuple):
    """A throw being entered.

    Attributes:
        numbers: how many numbers to enter: one per die, or just the total.
        highest: the highest valid number; counting wraps round to the lowest after it.
        lowest: the lowest: 1, or 0 for dominoes with blanks.
        entered: the numbers entered so far.
        number: the next number so far.
        presses_ns: when the last two presses came.
        is_flicked: the next number was flicked with a lever, not counted.
        is_void: the last press made it a double press. Another one soon after takes that back.
    """

    numbers: int
    highest: int
    lowest: int = 1
    entered: Throw = ()
    number: int = 0
    presses_ns: tuple[int, ...] = ()
    is_flicked: bool = False
    is_void: bool = False

    def press(self, t_ns: int) -> "TypedThrow":
        """Counts a press, and notices a double press.

        >>> tapped = TypedThrow(1, 12)
        >>> for tenths in (0, 3, 6):
        ...     tapped = tapped.press(tenths * 100_000_000)
        ...     print(tapped.number, tapped.is_void)
        1 False
        2 True
        3 False
        """
        *before, last = self.presses_ns or (t_ns - DOUBLE_PRESS_NS,)
        is_quick = t_ns - last < DOUBLE_PRESS_NS
        is_alone = all(last - earlier > QUIET_NS for earlier in before)
        number = self.lowest + (self.number + 1 - self.lowest) % (self.highest + 1 - self.lowest)
        presses_ns = (*self.presses_ns[-1:], t_ns)
        return self._replace(
            number=number, presses_ns=presses_ns, is_flicked=False, is_void=is_quick and is_alone
        )

    def again(self, voided: "TypedThrow", t_ns: int) -> "TypedThrow":
        """Begins again after a void throw, with a press; if that comes soon enough, nothing was void."""
        if t_ns - voided.presses_ns[-1] < DOUBLE_PRESS_NS:
            return voided.press(t_ns)
        return self._replace(presses_ns=voided.presses_ns).press(t_ns)

    def flick(self, lever: int) -> "TypedThrow | None":
        """Takes the number of a flicked lever; None if it can't be one.

        A total of two digits is flicked digit by digit, as no total is as low as its own first digit. Of
        several numbers, the next flick enters the one before.

        >>> TypedThrow(1, 12).flick(1).flick(1).number
        11
        >>> TypedThrow(2, 6).flick(3).flick(4)[3:5]
        ((3,), 4)
        """
        both = 10 * self.number + lever
        if self.is_flicked and self.numbers == 1 and lever < 10 and both <= self.highest:
            return self._replace(number=both)
        if lever > self.highest:
            return None
        is_next = self.is_flicked and len(self.entered) + 1 < self.numbers
        entry = self.enter() if is_next else self
        return entry._replace(number=lever, is_flicked=True, is_void=False)

    def enter(self) -> "TypedThrow":
        """Enters the number counted or flicked as the throw's next number."""
        entered = (*self.entered, self.number)
        return self._replace(entered=entered, number=0, presses_ns=(), is_flicked=False)

    @property
    def complete(self) -> bool:
        """Every number of the throw has been entered."""
        return len(self.entered) == self.numbers
