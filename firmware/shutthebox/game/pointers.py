"""Pointers: what the hands do, told once each in the first match on a new box."""

from __future__ import annotations

from shutthebox.game.judge import VerdictKind
from shutthebox.game.messages import Message, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode, MatchMode
from shutthebox.game.play import MatchInPlay, is_computers_turn
from shutthebox.game.state import Shared

POINTERS = {
    Mode.READY: message("Press the button"),
    Mode.RAISE: message("Lift all levers"),
    Mode.FLIPPING: message("Flip, then press"),
}
"""By the mode in which it is its time."""


def pointer(mode: Mode, play: MatchInPlay, shared: Shared) -> tuple[Message, ...]:
    """The pointer of a mode, beside its prompt, where it has not been told."""
    if mode not in shared.untold or is_computers_turn(play, shared):
        return ()
    if mode is Mode.RAISE and play.verdict.kind is not VerdictKind.LIFT:
        return ()
    return (POINTERS[mode],)


def with_pointers(shared: Shared) -> Shared:
    """As a match begins: its pointers are told, if the box is new."""
    return shared._replace(untold=frozenset(POINTERS if shared.is_new else ()))


def pointed(before: BoxMode, after: BoxMode, shared: Shared) -> Shared:
    """As a mode is left: its pointer has been told; after a match was finished, none is told again."""
    if isinstance(after, MatchMode) and after.play.match.result is not None:
        return shared._replace(is_new=False, untold=frozenset())
    if before.name is after.name or not isinstance(before, MatchMode):
        return shared
    if is_computers_turn(before.play, shared):
        return shared
    return shared._replace(untold=shared.untold - {before.name})
