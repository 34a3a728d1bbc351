"""Tips on using the levers and the button, each given once in the first match on a new box."""

from __future__ import annotations

from shutthebox.game.messages import Message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.play import is_computers_turn
from shutthebox.game.state import Shared


def tip(mode: BoxMode, shared: Shared) -> tuple[Message, ...]:
    """The mode's tip, if it hasn't been given yet."""
    play = mode.match_in_play
    if mode.name not in shared.untold or play is None or is_computers_turn(play, shared):
        return ()
    return (mode.pointer,) if mode.pointer else ()


def with_tips(shared: Shared) -> Shared:
    """Starts giving tips as a match begins, if the box is new."""
    return shared._replace(untold=frozenset(Mode if shared.is_new else ()))


def mark_tip_given(before: BoxMode, after: BoxMode, shared: Shared) -> Shared:
    """Marks a mode's tip as given when the mode is left; tips end with the first finished match."""
    if after.seen is not None and after.seen.match.result is not None:
        return shared._replace(is_new=False, untold=frozenset())
    play = before.match_in_play
    if before.name is after.name or before.name not in shared.untold or play is None:
        return shared
    if before.pointer is None or is_computers_turn(play, shared):
        return shared
    return shared._replace(untold=shared.untold - {before.name})
