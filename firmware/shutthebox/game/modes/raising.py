"""Raise: the levers have to be set for the player's row before the throw."""

from __future__ import annotations

from typing import ClassVar

from shutthebox.game.facts import Began
from shutthebox.game.judge import VerdictKind
from shutthebox.game.match_screen import turn_screen
from shutthebox.game.messages import Message, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import TurnMode
from shutthebox.game.play import begun, conditions_of, judged
from shutthebox.game.pointers import pointer, with_pointers
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step, kept, refused
from shutthebox.game.targets import AwaitThrow, BeginMatch, LeversFit, RollForFirst
from shutthebox.game.wording import fault_text, player_name
from shutthebox.rules.profile import First


class Raise(TurnMode):
    """The levers do not fit the player's row yet."""

    __slots__ = ()

    name: ClassVar[Mode] = Mode.RAISE
    pointer: ClassVar[Message | None] = message("Lift all levers")

    def screen(self, shared: Shared) -> Screen:
        """Which levers are to be set."""
        big = player_name(self.play.match.player, shared)
        screen = turn_screen(self.name, self.play, shared, big=big)
        also = pointer(self, shared) if self.play.verdict.kind is VerdictKind.LIFT else ()
        # To be shown the way is no alarm.
        return screen._replace(alert="", prompt=screen.alert, also=also) if also else screen


def begin(target: BeginMatch, context: Context) -> Step[AwaitThrow | RollForFirst]:
    """A match begins, once it is known who begins it."""
    match, settings = target.match, context.shared.settings
    if match.game.first is First.ROLL and match.players > 1 and not target.rolled:
        return Step(RollForFirst(match, target.tally))
    play, asked = begun(match, settings, target.tally)
    began = kept(Began(match, conditions_of(match, settings)))
    return Step(AwaitThrow(play), (*began, *asked), with_pointers(context.shared))


def enter(target: AwaitThrow, context: Context) -> Step[Raise | LeversFit]:
    """Passed through at once if the levers fit."""
    play, effects = judged(target.play, context)
    fits = play.verdict.kind is VerdictKind.OK
    return Step(LeversFit(play) if fits else Raise(play), effects)


def press(mode: Raise, context: Context) -> Step[Raise]:
    """The levers come first."""
    return refused(mode, fault_text(mode.play.verdict, context.shared))


def levers(mode: Raise, context: Context) -> Step[AwaitThrow]:
    """Goes on as soon as the levers fit."""
    return Step(AwaitThrow(mode.play))
