"""Entering a throw of the players' own dice, with the button or the levers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from shutthebox.game.effects import PlaySound, Sound
from shutthebox.game.judge import VerdictKind
from shutthebox.game.match_screen import turn_screen
from shutthebox.game.messages import Message, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.match_mode import TurnMode
from shutthebox.game.picker import Flicks
from shutthebox.game.play import apply_and_keep, judge_levers
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step, refuse
from shutthebox.game.targets import AfterAction, EnterThrow, LeversFit, after
from shutthebox.game.typed_throw import TypedThrow
from shutthebox.game.wording import fault_text
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Thrown
from shutthebox.rules.faces import faces_to_text
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import Draw
from shutthebox.rules.tiles import Tiles, to_tiles


@dataclass(frozen=True, slots=True, eq=False)
class Entering(TurnMode):
    """A throw of real dice is being entered.

    Attributes:
        entry: what has been entered.
        flicks: levers moved and not yet put back.
        corrected: those of them that were in the way of a hold, so putting them back says no number.
    """

    name: ClassVar[Mode] = Mode.ENTERING
    flips_tiles: ClassVar[bool] = False

    entry: TypedThrow
    flicks: Flicks = field(default_factory=Flicks)
    corrected: Tiles = 0

    def screen(self, shared: Shared) -> Screen:
        """What has been entered so far, and how to continue."""
        entry = self.entry
        entered = "".join(f"{number}+" for number in entry.entered)
        heading, flick = _words(entry, self.play.match.rules.draw)
        prompt, also = message("Press: +1"), (flick, message("Hold: enter"), message("Press twice: void"))
        big = f"{entered}{entry.number}"
        shown = turn_screen(self.name, self.play, shared, prompt=prompt, also=also, big=big, lit=True)
        shown = shown._replace(title=heading, aside="")
        return shown if shown.alert else shown.led_by(self.flicks.reminder)

    def press(self, context: Context) -> Step[Entering | LeversFit]:
        """Counts a press; a double press starts the throw over, unless a third one follows."""
        entry = self.entry.press(context.now_ns)
        if entry.is_void:
            return refuse(LeversFit(self.play, entry), message("Void: throw again"))
        return Step(replace(self, entry=entry))

    def hold(self, context: Context) -> Step[Entering | AfterAction]:
        """Enters the number; the last number completes the throw."""
        if self.play.verdict.kind is not VerdictKind.OK:
            # Levers must be right before any throw, the players' own included.
            corrected = replace(self, corrected=self.flicks.away)
            return refuse(corrected, fault_text(self.play.verdict, context.shared))
        match = self.play.match
        entry = self.entry.enter()
        throw: Throw = entry.entered
        if entry.complete and match.why_not_throw(throw) is None:
            play, effects = apply_and_keep(self.play, Thrown(throw))
            return Step(after(play), effects)
        if entry.complete or entry.entered[-1] < entry.lowest:
            again = replace(self, entry=entry._replace(entered=entry.entered[:-1]))
            return refuse(again, message("{throw}? Again", throw=faces_to_text(throw)))
        return Step(replace(self, entry=entry))

    def levers(self, context: Context) -> Step[Entering]:
        """Judges the levers as before the throw; a lever moved and put back is a number."""
        play, effects = judge_levers(self.play, context)
        flicks, flicked = self.flicks.follow(context.moved)
        numbers = [lever for lever in flicked if not self.corrected & to_tiles([lever])]
        mode = replace(self, play=play, flicks=flicks, corrected=self.corrected & flicks.away)
        if len(numbers) != 1:
            return Step(mode, effects)
        entry = mode.entry.flick(numbers[0])
        if entry is None:
            return refuse(mode, message("No more than {highest}", highest=mode.entry.highest))
        return Step(replace(mode, entry=entry), (*effects, PlaySound(Sound.CHOICE)))


def _words(entry: TypedThrow, draw: Draw) -> tuple[Message, Message]:
    """What is asked for, and what the levers do."""
    if entry.numbers == 1:
        return message("Your total?"), message("Flick the total")
    if draw is Draw.DOMINOES:
        return message("End by end?"), message("Flick each end")
    return message("Die by die?"), message("Flick each die")


def enter(target: EnterThrow, context: Context) -> Step[Entering]:
    """Starts entering a throw; the press that led here counts as its first, a hold as a blank."""
    play, dice = target.play, target.dice
    rules = play.match.rules
    if rules.draw is Draw.DOMINOES or rules.faces_matter:
        entry = TypedThrow(dice, rules.sides, turns.lowest_face(rules))
    else:
        entry = TypedThrow(1, dice * rules.sides)
    if not target.pressed and entry.lowest == 0:
        entry = entry.enter()  # the hold that led here has entered a blank
    if target.pressed:
        entry = entry.again(target.voided, context.now_ns) if target.voided else entry.press(context.now_ns)
    return Step(Entering(play, entry))
