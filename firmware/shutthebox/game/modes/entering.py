"""Entering a throw of the players' own dice with the button."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.judge import VerdictKind
from shutthebox.game.match_screen import turn_screen
from shutthebox.game.messages import message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import TurnMode
from shutthebox.game.play import apply_and_keep, judge_levers
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step, refuse
from shutthebox.game.targets import AfterAction, AwaitThrow, EnterThrow, after
from shutthebox.game.typed_throw import TypedThrow
from shutthebox.game.wording import fault_text
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Thrown
from shutthebox.rules.faces import faces_to_text
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import Draw


@dataclass(frozen=True, slots=True, eq=False)
class Entering(TurnMode):
    """A throw of real dice is being entered.

    Attributes:
        entry: what has been entered.
    """

    name: ClassVar[Mode] = Mode.ENTERING
    flips_tiles: ClassVar[bool] = False

    entry: TypedThrow

    def screen(self, shared: Shared) -> Screen:
        """What has been entered so far, and how to continue."""
        entry = self.entry
        entered = "".join(f"{number}+" for number in entry.entered)
        heading = message("Your total?") if entry.numbers == 1 else message("Die by die?")
        prompt, also = message("Press: +1"), (message("Hold: enter"), message("Press twice: void"))
        big = f"{entered}{entry.presses}"
        shown = turn_screen(self.name, self.play, shared, prompt=prompt, also=also, big=big, lit=True)
        return shown._replace(title=heading, aside="")


def enter(target: EnterThrow, context: Context) -> Step[Entering]:
    """Starts entering a throw; the press that led here counts as its first."""
    profile, dice = target.play.match.rules, target.dice
    if profile.faces_matter or profile.draw is Draw.DOMINOES:
        entry = TypedThrow(dice, profile.sides)
    else:
        entry = TypedThrow(1, dice * profile.sides)
    if target.pressed:
        entry = entry.press(context.now_ns) or entry
    return Step(Entering(target.play, entry))


def press(mode: Entering, context: Context) -> Step[Entering | AwaitThrow]:
    """Counts a press; a double press starts the throw over."""
    entry = mode.entry.press(context.now_ns)
    if entry is None:
        return refuse(AwaitThrow(mode.play), message("Void: throw again"))
    return Step(replace(mode, entry=entry))


def hold(mode: Entering, context: Context) -> Step[Entering | AfterAction]:
    """Enters the number; the last number completes the throw."""
    if mode.play.verdict.kind is not VerdictKind.OK:
        # Levers must be right before any throw, the players' own included.
        return refuse(mode, fault_text(mode.play.verdict, context.shared))
    match = mode.play.match
    entry = mode.entry.enter()
    throw: Throw = entry.entered
    if entry.complete and turns.possible_throw(match.rules, match.turn, throw):
        play, effects = apply_and_keep(mode.play, Thrown(throw))
        return Step(after(play), effects)
    if entry.complete or not entry.entered[-1]:
        again = replace(mode, entry=entry._replace(entered=entry.entered[:-1], presses=0))
        return refuse(again, message("{throw}? Again", throw=faces_to_text(throw)))
    return Step(replace(mode, entry=entry))


def levers(mode: Entering, context: Context) -> Step[Entering]:
    """Judges the levers as before the throw."""
    play, effects = judge_levers(mode.play, context)
    return Step(replace(mode, play=play), effects)
