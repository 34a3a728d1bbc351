"""Initials: the winner signs for the hall of fame."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from shutthebox.game.effects import Play, Sound
from shutthebox.game.facts import Signed
from shutthebox.game.mode import Mode
from shutthebox.game.modes import attract, match_over, ready
from shutthebox.game.modes.base import MatchMode
from shutthebox.game.picker import Flicks
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Step, View, kept

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
INITIALS = 3
"""Letters that a winner signs with."""

_STEPS = {1: -1, 2: 1}
"""Lever 1 is a letter back, lever 2 one on."""


@dataclass(frozen=True, slots=True)
class Initials(MatchMode):
    """The winner signs.

    Attributes:
        taken: the letters so far.
        letter: the one that a press would take, by its place in `LETTERS`.
        flicks: levers on their way.
    """

    name: ClassVar[Mode] = Mode.INITIALS

    taken: str = ""
    letter: int = 0
    flicks: Flicks = field(default_factory=Flicks)


def levers(mode: Initials, context: Context) -> Step[Initials]:
    """A letter back or on."""
    flicks, chosen = mode.flicks.moved(context.flipped | context.lifted)
    letter = (mode.letter + sum(_STEPS.get(lever, 0) for lever in chosen)) % len(LETTERS)
    mode = replace(mode, flicks=flicks, letter=letter)
    return Step(mode, (Play(Sound.CHOICE),) if set(chosen) & set(_STEPS) else ())


def press(mode: Initials, context: Context) -> Step[Initials | match_over.MatchOver]:
    """Takes the letter; after the last one the winner has signed."""
    taken = mode.taken + LETTERS[mode.letter]
    if len(taken) < INITIALS:
        return Step(replace(mode, taken=taken, letter=0))
    return Step(match_over.MatchOver(mode.play, signed=True), kept(Signed(_winner(mode), taken)))


def hold(mode: Initials, context: Context) -> Step[match_over.MatchOver]:
    """Back without a signature."""
    return Step(match_over.MatchOver(mode.play))


def time(mode: Initials, context: Context) -> Step[attract.Attract]:
    """Nobody has touched the box for long."""
    return ready.leave(mode.play, context)


def screen(mode: Initials, view: View) -> Screen:
    """The letters so far and the next one."""
    _ = view.translate
    return Screen(
        mode.name,
        title=_("Player {player}: initials").format(player=_winner(mode) + 1),
        big=f"{mode.taken}{LETTERS[mode.letter]}".ljust(INITIALS, "_"),
        prompt=_("Levers 1 and 2, press"),
        lit=True,
    )


def _winner(mode: Initials) -> int:
    result = mode.play.match.result
    assert result is not None, "only a winner signs"
    return result.winners[0]
