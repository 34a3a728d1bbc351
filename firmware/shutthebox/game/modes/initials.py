"""Initials: the winner signs for the hall of fame."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from shutthebox.game.letters import Letters
from shutthebox.game.mode import Mode
from shutthebox.game.modes import match_over
from shutthebox.game.modes.base import MatchMode
from shutthebox.game.screen import Screen
from shutthebox.game.settings import Settings
from shutthebox.game.state import Context, Step, View


@dataclass(frozen=True, slots=True)
class Initials(MatchMode):
    """The winner signs.

    Attributes:
        letters: on their way.
    """

    name: ClassVar[Mode] = Mode.INITIALS

    letters: Letters = field(default_factory=Letters)

    def screen(self, view: View) -> Screen:
        """The letters so far and the next one."""
        _ = view.translate
        title = _("Player {number}").format(number=_signer(self, view.settings) + 1)
        return self.letters.screen(self.name, title, _("Hold: back"), view)


def levers(mode: Initials, context: Context) -> Step[Initials]:
    """A letter back or on."""
    letters, effects, why = mode.letters.moved(context)
    return Step(replace(mode, letters=letters), effects, refusal=why)


def press(mode: Initials, context: Context) -> Step[Initials | match_over.MatchOver]:
    """Takes the letter; after the last one the winner has signed."""
    letters = mode.letters.take()
    if not letters.complete:
        return Step(replace(mode, letters=letters))
    return match_over.signed(mode.play, {_signer(mode, context.settings): letters.taken}, context)


def hold(mode: Initials, context: Context) -> Step[match_over.MatchOver]:
    """Back without a signature."""
    return Step(match_over.MatchOver(mode.play))


def _signer(mode: Initials, settings: Settings) -> int:
    player = match_over.signer(mode.play, settings)
    assert player is not None, "only a winner signs"
    return player
