"""Animation: blinking, turning pages, and when to draw again."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class AnimationClock:
    """How long a picture has been shown; notes when it next changes.

    Attributes:
        elapsed_ns: since the screen was first shown.
        next_ns: when something moves next; None if nothing does.
    """

    elapsed_ns: int
    next_ns: int | None = field(default=None, init=False)

    def count(self, period_ns: int) -> int:
        """The number of whole periods that have passed."""
        passed = max(0, self.elapsed_ns) // period_ns
        due = (passed + 1) * period_ns
        self.next_ns = due if self.next_ns is None else min(self.next_ns, due)
        return passed

    def has_been_shown_for(self, lasts_ns: int) -> bool:
        """Whether the picture has been shown for at least this long."""
        if self.elapsed_ns >= lasts_ns:
            return True
        self.next_ns = lasts_ns if self.next_ns is None else min(self.next_ns, lasts_ns)
        return False

    def frames(self, period_ns: int, count: int) -> int:
        """The number of periods that have passed, at most `count`; nothing moves after that."""
        passed = max(0, self.elapsed_ns) // period_ns
        return self.count(period_ns) if passed < count else count
