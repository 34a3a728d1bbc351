"""Attract: nobody plays; a press begins, a hold opens the menu."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.effects import Ask
from shutthebox.game.faults import FAULT_TEXTS
from shutthebox.game.lever_health import complaint
from shutthebox.game.match_screen import without_text
from shutthebox.game.messages import Message, Text, message, told
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.questions import Prepare
from shutthebox.game.screen import Screen
from shutthebox.game.settings import FREE_TRIES, Settings
from shutthebox.game.state import Context, Step, View, refused
from shutthebox.game.targets import AskNames, AskQuestions, BackToAttract
from shutthebox.game.wording import listed


@dataclass(frozen=True, slots=True)
class Attract(BoxMode):
    """Nobody plays."""

    name: ClassVar[Mode] = Mode.ATTRACT

    def screen(self, view: View) -> Screen:
        """The usual game, and what is wrong with the box, if anything."""
        settings, _ = view.settings, view.translate
        fault: Text | None = (
            FAULT_TEXTS[view.shared.fault][0] if view.shared.fault else complaint(view.shared)
        ) or _wrong_codes(view)
        if view.shared.notices:
            fault = "  ".join(_(notice) for notice in view.shared.notices)
        out = settings.out & settings.profile.starting
        aside = (told(without_text(out), _) if out else "", _("league?") if view.shared.undelivered else "")
        return Screen(
            self.name,
            title=settings.profile.title(settings.language, _),
            aside=" ".join(filter(None, aside)),
            big=_("SHUT THE BOX"),
            prompt=told(fault or _to_begin(settings), _),
            also=() if fault else (_("Hold: menu"),),
            alert=fault is not None,
            lit=settings.game is not None,
        )


def enter(target: BackToAttract, context: Context) -> Step[Attract]:
    """Back to waiting for players, whose names are forgotten; the odds of the usual game are got ready."""
    game, shared = context.shared.settings.game, context.shared
    asked = (Ask(Prepare(game)),) if game else ()
    return Step(Attract(), asked, replace(shared, names=()) if shared.names else None)


def press(mode: Attract, context: Context) -> Step[Attract | AskNames | AskQuestions]:
    """Begins: at once where the usual game is played, else with the questions of setup."""
    settings = context.shared.settings
    if settings.game is None:
        return refused(mode, _to_begin(settings))
    return Step(AskNames(settings.game) if settings.skips_setup else AskQuestions())


def levers(mode: Attract, context: Context) -> Step[Attract]:
    """A lever does nothing here; the screen says what does."""
    return Step(mode, refusal=_to_begin(context.shared.settings))


def _wrong_codes(view: View) -> str | None:
    """How often somebody has tried the owner's code; stays until the owner comes."""
    settings, _ = view.settings, view.translate
    if settings.wrong_codes < FREE_TRIES:
        return None
    # Two texts, since the panel shows them in two parts.
    return ", ".join((_("Wrong code"), _("{count} times").format(count=settings.wrong_codes)))


def _to_begin(settings: Settings) -> Message:
    """The prompt that says how a match begins, or what the usual game lacks."""
    if settings.game is not None:
        return message("Press to play")
    return message("Needs lever {tiles}", tiles=listed(settings.out & settings.profile.all_tiles))
