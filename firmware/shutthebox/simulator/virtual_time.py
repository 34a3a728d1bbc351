"""Time that passes only when told to, the same for everything in it."""

from typing import Protocol


class Timed(Protocol):
    """Something that acts at its own deadlines."""

    @property
    def deadline_ns(self) -> int:
        """When `pass_time` is due."""

    def pass_time(self, now_ns: int) -> None:
        """Does everything due by now."""


class VirtualTime:
    """A clock that jumps from deadline to deadline. Single-threaded.

    Attributes:
        now_ns: the time since the start.
    """

    def __init__(self) -> None:
        self.now_ns = 0
        self._parts: list[Timed] = []

    def add(self, part: Timed) -> None:
        """Adds a part whose deadlines are met from now on."""
        self._parts.append(part)

    def remove(self, part: Timed) -> None:
        """Removes a part; its deadlines no longer count."""
        self._parts.remove(part)

    @property
    def deadline_ns(self) -> int:
        """When something is due next."""
        return min(part.deadline_ns for part in self._parts)

    def run_until(self, t_ns: int) -> None:
        """Lets time pass; whatever is due on the way is done then, the earliest first."""
        while True:
            deadline_ns, part = t_ns + 1, None
            for each in self._parts:
                due_ns = each.deadline_ns
                if due_ns < deadline_ns:
                    deadline_ns, part = due_ns, each
            if part is None:
                break
            self.now_ns = max(self.now_ns, deadline_ns)
            part.pass_time(self.now_ns)
        self.now_ns = t_ns
