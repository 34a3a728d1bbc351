"""The time within one picture: blinking, scrolling, and when to draw again."""

from dataclasses import dataclass, field

_SCROLL_NS = 100_000_000  # a long line moves on by _SCROLL_PX
_SCROLL_PX = 3
_SCROLL_REST = 12  # steps that a long line rests at either end


@dataclass(slots=True)
class AnimationClock:
    """The time within one picture; remembers when the picture next changes.

    Attributes:
        elapsed_ns: since the screen was first shown.
        next_ns: the earliest later time at which something moves; None while nothing does.
    """

    elapsed_ns: int
    next_ns: int | None = field(default=None, init=False)

    def count(self, period_ns: int) -> int:
        """How many whole periods have passed."""
        passed = max(0, self.elapsed_ns) // period_ns
        due = (passed + 1) * period_ns
        self.next_ns = due if self.next_ns is None else min(self.next_ns, due)
        return passed


def scrolled(clock: AnimationClock, overhang: int) -> int:
    """How far a line is moved to the left: rests, moves to its end, rests, starts again.

    Args:
        clock: the time.
        overhang: by how many pixels the line is too long.
    """
    moves = -(-overhang // _SCROLL_PX)
    step = clock.count(_SCROLL_NS) % (2 * _SCROLL_REST + moves)
    return min(overhang, max(0, step - _SCROLL_REST) * _SCROLL_PX)
