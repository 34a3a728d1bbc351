"""Pointers: what the hands do, told once each in the first match on a new box."""

from __future__ import annotations

from shutthebox.game.messages import Message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode, MatchMode
from shutthebox.game.play import is_computers_turn
from shutthebox.game.state import Shared


def tip(mode: MatchMode, shared: Shared) -> tuple[Message, ...]:
    """The pointer of a mode, beside its prompt, where it has not been told."""
    if mode.pointer is None or mode.name not in shared.untold or is_computers_turn(mode.play, shared):
        return ()
    return (mode.pointer,)


def with_tips(shared: Shared) -> Shared:
    """As a match begins: its pointers are told, if the box is new."""
    return shared._replace(untold=frozenset(Mode if shared.is_new else ()))


def mark_tip_given(before: BoxMode, after: BoxMode, shared: Shared) -> Shared:
    """As a mode is left: its pointer has been told; after a match was finished, none is told again."""
    if isinstance(after, MatchMode) and after.play.match.result is not None:
        return shared._replace(is_new=False, untold=frozenset())
    if before.name is after.name or not isinstance(before, MatchMode):
        return shared
    if is_computers_turn(before.play, shared):
        return shared
    return shared._replace(untold=shared.untold - {before.name})
