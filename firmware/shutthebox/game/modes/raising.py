"""Raising: the levers must be set to the player's row before the throw."""

from __future__ import annotations

from typing import ClassVar

from shutthebox.game.facts import Began
from shutthebox.game.judge import VerdictKind
from shutthebox.game.match_screen import turn_screen
from shutthebox.game.messages import Message, message, title_text
from shutthebox.game.mode import Mode
from shutthebox.game.modes.match_mode import TurnMode
from shutthebox.game.play import begin_play, conditions_of, judge_levers
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step, keep, refuse
from shutthebox.game.targets import AwaitThrow, BeginMatch, LeversFit, RollForFirst
from shutthebox.game.tips import tip, with_tips
from shutthebox.game.wording import fault_text, player_name
from shutthebox.rules.faces import faces_to_text
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import First


class Raising(TurnMode):
    """The levers don't match the player's row yet."""

    __slots__ = ()

    name: ClassVar[Mode] = Mode.RAISING

    @property
    def pointer(self) -> Message | None:
        """The tip, except for a player whose row has tiles shut."""
        play = self.play
        all_open = not play.match.turn.opens and play.match.turn.open == play.match.rules.starting
        return message("Lift all levers") if all_open and play.verdict.kind is VerdictKind.LIFT else None

    def screen(self, shared: Shared) -> Screen:
        """Which levers to set."""
        match = self.play.match
        screen = turn_screen(self.name, self.play, shared, big=player_name(match.player, shared))
        if match.round.common is not None:  # the title says who answers it
            screen = screen._replace(big=faces_to_text(match.round.common.faces))
        elif match.turn.throws:  # not the player twice
            screen = screen._replace(title=title_text(match.rules, shared.settings.box.language))
        also = tip(self, shared)
        # Showing a newcomer the way isn't an alarm.
        return screen._replace(alert="", prompt=screen.alert, also=also) if also else screen

    def press(self, context: Context) -> Step[Raising]:
        """Refuses the press: the levers come first."""
        return refuse(self, fault_text(self.play.verdict, context.shared))

    def hold(self, context: Context) -> Step[Raising]:
        """Refuses it like a press."""
        return self.press(context)

    def levers(self, context: Context) -> Step[AwaitThrow]:
        """Goes on as soon as the levers match."""
        return Step(AwaitThrow(self.play))


def begin(target: BeginMatch, context: Context) -> Step[AwaitThrow | RollForFirst]:
    """Begins a match, after a roll-off if there is one."""
    match, settings = target.match, context.shared.settings
    if match.game.first is First.ROLL and match.players > 1 and not target.rolled:
        return Step(RollForFirst(match, target.tally))
    play, asked = begin_play(match, settings, target.tally)
    began = keep(Began(match, conditions_of(match, settings)))
    return Step(AwaitThrow(play), (*began, *asked), with_tips(context.shared))


def enter(target: AwaitThrow, context: Context) -> Step[Raising | LeversFit]:
    """Goes straight on if the levers match, or if the throw for everyone leaves nothing to set them for."""
    play, effects = judge_levers(target.play, context)
    common = play.match.round.common
    ends_turn = common is not None and play.match.throw(common.faces).stage is not Stage.ANSWER
    fits = ends_turn or play.verdict.kind is VerdictKind.OK
    return Step(LeversFit(play) if fits else Raising(play), effects)
