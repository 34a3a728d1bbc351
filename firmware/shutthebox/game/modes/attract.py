"""Attract mode: nobody is playing. A press begins a match, and a hold opens the menu."""

from __future__ import annotations

from typing import ClassVar

from shutthebox.game.effects import Ask
from shutthebox.game.faults import FAULT_TEXTS
from shutthebox.game.lever_health import complaint
from shutthebox.game.match_screen import without_text
from shutthebox.game.messages import TIMES, CommaList, Message, Text, message, title_text
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.screen import Screen
from shutthebox.game.settings import FREE_TRIES, Settings
from shutthebox.game.state import Context, Shared, Step, refuse
from shutthebox.game.targets import AskNames, AskQuestions, BackToAttract, OpenMenu
from shutthebox.game.wording import list_tiles
from shutthebox.odds.questions import Prepare


class Attract(BoxMode):
    """Nobody plays."""

    __slots__ = ()

    name: ClassVar[Mode] = Mode.ATTRACT
    shows_tournament: ClassVar[bool] = True
    awaits_press: ClassVar[bool] = True

    def screen(self, shared: Shared) -> Screen:
        """The usual game, and what's wrong with the box, if anything."""
        settings = shared.settings
        fault: Text | None = (
            FAULT_TEXTS[shared.fault][0] if shared.fault else complaint(shared)
        ) or _wrong_codes(settings)
        if shared.notices:
            fault = CommaList(tuple(map(Message, shared.notices)))
        prompts: tuple[Text, ...] = (_to_begin(settings), message("Hold: menu"))
        if shared.stick is not None:
            stick = message("Update found") if shared.stick.is_card else message("Stick found")
            if shared.stick.is_out:
                stick = message("Restart needed")
            if shared.stick_is_new:
                # Somebody has just inserted it, perhaps because of the fault.
                prompts, fault = (stick, *((fault,) if fault else ()), *prompts), None
            else:
                prompts = (prompts[0], stick, *prompts[1:])
        out = settings.out & settings.profile.starting
        corner = (
            *((without_text(out),) if out else ()),
            *((message("league?"),) if shared.undelivered else ()),
        )
        return Screen(
            self.name,
            title=title_text(settings.profile, settings.box.language),
            aside=CommaList(corner) if corner else "",
            big=message("SHUT THE BOX"),
            alert=fault or "",
            prompt=prompts[0],
            also=prompts[1:],
            lit=settings.usual_game is not None,
        )

    def press(self, context: Context) -> Step[Attract | AskNames | AskQuestions]:
        """Begins a match: at once if set to play the usual game, otherwise with the questions of setup."""
        settings = context.shared.settings
        if settings.usual_game is None:
            return refuse(self, _to_begin(settings))
        return Step(AskNames(settings.usual_game) if settings.skips_setup else AskQuestions())

    def hold(self, context: Context) -> Step[OpenMenu]:
        """Opens the menu."""
        return Step(OpenMenu())

    def levers(self, context: Context) -> Step[Attract]:
        """Levers do nothing here; the screen says what does."""
        return Step(self, refusal=_to_begin(context.shared.settings))

    def deserted(self, context: Context) -> Step[Attract]:
        """Stays: nobody is there to leave."""
        return Step(self)


def enter(target: BackToAttract, context: Context) -> Step[Attract]:
    """Waits for players. Forgets all names, and asks for the usual game's odds to be prepared."""
    game, shared = context.shared.settings.usual_game, context.shared
    asked = (Ask(Prepare(game)),) if game else ()
    is_named = shared.names or shared.boxes
    return Step(Attract(), asked, shared._replace(names=(), boxes=()) if is_named else None)


def _wrong_codes(settings: Settings) -> Text | None:
    """How many wrong codes were entered; shown until the owner opens service."""
    if settings.wrong_codes < FREE_TRIES:
        return None
    # Two texts, since the panel shows them in two parts.
    return CommaList((message("Wrong code"), message(TIMES, count=settings.wrong_codes)))


def _to_begin(settings: Settings) -> Message:
    """The prompt: how to begin a match, or what the usual game lacks."""
    if settings.usual_game is not None:
        return message("Press to play")
    return message("Needs lever {tiles}", tiles=list_tiles(settings.out & settings.profile.all_tiles))
