"""Tips on using the levers and the button, each given once in the first match on a new box."""

from __future__ import annotations

from shutthebox.game.messages import Message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.modes.match_mode import MatchMode
from shutthebox.game.play import is_computers_turn
from shutthebox.game.state import Shared


def tip(mode: MatchMode, shared: Shared) -> tuple[Message, ...]:
    """The mode's tip, if it hasn't been given yet."""
    if mode.name not in shared.untold or is_computers_turn(mode.play, shared):
        return ()
    return (mode.pointer,) if mode.pointer else ()


def with_tips(shared: Shared) -> Shared:
    """Starts giving tips as a match begins, if the box is new."""
    return shared._replace(untold=frozenset(Mode if shared.is_new else ()))


def mark_tip_given(before: BoxMode, after: BoxMode, shared: Shared) -> Shared:
    """Marks a mode's tip as given when the mode is left; tips end with the first finished match."""
    if isinstance(after, MatchMode) and after.seen.match.result is not None:
        return shared._replace(is_new=False, untold=frozenset())
    if before.name is after.name or before.name not in shared.untold or not isinstance(before, MatchMode):
        return shared
    if before.pointer is None or is_computers_turn(before.play, shared):
        return shared
    return shared._replace(untold=shared.untold - {before.name})
