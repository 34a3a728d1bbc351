"""Watching: in a linked match, waiting for the other box's player, or for that box to have the result.

The levers have nothing to do here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shutthebox.game.facts import Began, Linked
from shutthebox.game.judge import FINE
from shutthebox.game.match_screen import turn_screen, with_ended_row
from shutthebox.game.messages import Message, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.match_mode import MatchMode, TurnMode, acceptance, break_off, peer_name
from shutthebox.game.play import (
    MatchInPlay,
    begin_play,
    conditions_of,
    keep_departure,
    tell_peer,
)
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step, ask_link, keep, refuse
from shutthebox.game.targets import AfterAction, AwaitLink, BeginLinked, BreakOff, Watch, after
from shutthebox.game.wording import player_name
from shutthebox.link.requests import Peer, Send
from shutthebox.rules.faces import faces_to_text
from shutthebox.rules.position import Stage

_SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Watching(MatchMode):
    """The player at the other box throws and flips; this box shows the same dice and tiles.

    Attributes:
        since_ns: since when nothing has happened.
    """

    name: ClassVar[Mode] = Mode.WATCHING
    flips_tiles: ClassVar[bool] = True
    watches: ClassVar[bool] = True

    since_ns: int

    def deadline_ns(self, shared: Shared) -> int | None:
        """When the other box should have shown the throw that it has rolled; None if it has rolled none."""
        return _limit_ns(self.play, self.since_ns)

    def screen(self, shared: Shared) -> Screen:
        """The other box's dice and tiles, or that it's away."""
        if shared.peer is not Peer.HERE:
            return _away_screen(self, shared)
        return self._shown(shared)._replace(also=(_TO_LEAVE,))

    def _shown(self, shared: Shared) -> Screen:
        play, match = self.play, self.play.match
        player, prompt = player_name(match.player, shared), self.why_wait
        if match.stage in (Stage.ADVANCE, Stage.FINISHED):
            score = message("Score: {score}", score=str(match.turn.score))
            thrown = faces_to_text(match.turn.throw or ())
            screen = Screen(self.name, title=player, aside=thrown, big=score, prompt=prompt)
            return with_ended_row(screen, match, shared)
        seen = shared._replace(levers=shared.peer_levers)
        mode = Mode.FLIPPING if match.turn.awaits_answer else Mode.READY
        shown = turn_screen(mode, play, seen, prompt=prompt, dice=match.turn.throw or (), big="…")
        shown = shown._replace(mode=self.name, title=player, alert="")
        if play.linked is not None and play.linked.rolled is not None:
            return shown._replace(dice=(1,) * play.linked.rolled, total=None, big="", tumbling=True)
        return shown

    @property
    def why_wait(self) -> Message:
        """Why a press does nothing."""
        is_over = self.play.match.stage is Stage.FINISHED
        return message("One moment") if is_over else message("Not your turn")

    def press(self, context: Context) -> Step[Watching]:
        """Refuses a press: it's the other player's turn, or the other box's."""
        return refuse(self, self.why_wait)

    def hold(self, context: Context) -> Step[Watching]:
        """Refuses it like a press."""
        return self.press(context)

    def levers(self, context: Context) -> Step[Watching]:
        """Ignores the levers: it's the other box's turn."""
        return Step(self)

    def time(self, context: Context) -> Step[Watching | BreakOff]:
        """Ends the match if the other box hasn't shown its throw in time."""
        return _give_up(self, context) if self.is_due(context) else Step(self)


@dataclass(frozen=True, slots=True, eq=False)
class Awaiting(TurnMode):
    """The player has thrown; the dice tumble until the other box has revealed its link.

    Attributes:
        since_ns: since when.
    """

    name: ClassVar[Mode] = Mode.AWAITING
    awaits_link: ClassVar[bool] = True

    since_ns: int

    def deadline_ns(self, shared: Shared) -> int | None:
        """When the other box should have revealed its link."""
        return _limit_ns(self.play, self.since_ns)

    def screen(self, shared: Shared) -> Screen:
        """Tumbling dice, or that the other box is away."""
        linked = self.play.linked
        dice = (1,) * ((linked and linked.rolled) or 1)
        if shared.peer is not Peer.HERE:
            return _away_screen(self, shared)
        shown = turn_screen(self.name, self.play, shared, dice=dice)
        return shown._replace(dice=dice, total=None, tumbling=True, prompt=_TO_LEAVE)

    def press(self, context: Context) -> Step[Awaiting]:
        """Refuses a press: the dice are on their way."""
        return refuse(self, message("One moment"))

    def hold(self, context: Context) -> Step[Awaiting]:
        """Refuses it like a press."""
        return self.press(context)

    def levers(self, context: Context) -> Step[Awaiting]:
        """Ignores the levers until the throw is known."""
        return Step(self)

    def time(self, context: Context) -> Step[Awaiting | BreakOff]:
        """Ends the match if the other box hasn't revealed its link in time."""
        return _give_up(self, context) if self.is_due(context) else Step(self)


_TO_LEAVE = message("End: hold 10 s")


def _limit_ns(play: MatchInPlay, since_ns: int) -> int | None:
    """The deadline of a throw that is due; None if none is."""
    linked = play.linked
    if linked is None or linked.rolled is None:
        return None
    return since_ns + linked.agreement.limit_s * _SECOND_NS


def _give_up(mode: MatchMode, context: Context) -> Step[BreakOff]:
    """Ends a match whose other box has kept it waiting for too long."""
    name = peer_name(mode.play, context.shared)
    why = message("{box} has been away for too long. The match doesn't count.", box=name)
    noted = keep_departure(mode.play, mode.play.linked.other) if mode.play.linked else ()
    return break_off(why).preceded_by(*noted)


def _away_screen(mode: MatchMode, shared: Shared) -> Screen:
    title = peer_name(mode.play, shared)
    why = (
        message("{box} is away. The match goes on as soon as it's back.", box=title)
        if shared.peer is Peer.AWAY
        else message("No connection. The match goes on as soon as it's back.")
    )
    return Screen(mode.name, title=title, paragraph=why, prompt=message("Hold 10 s: end"))


def begin(target: BeginLinked, context: Context) -> Step[AfterAction]:
    """Begins a linked match. Both boxes have agreed on everything."""
    linked, agreement = target.linked, target.linked.agreement
    shared = context.shared._replace(boxes=agreement.names, peer_levers=0, sent_ns=context.now_ns)
    if target.answer is None:
        shared = shared._replace(peer=Peer.HERE)
    settings = shared.settings
    match = agreement._replace(game=target.game).beginning
    play, asked = begin_play(match, settings)
    link = Linked(agreement, linked.seat, target.secret, linked.pairing)
    facts = keep(Began(match, conditions_of(match, settings, agreement), link))
    play = play._replace(linked=linked)
    if target.answer is not None:
        sent = (*ask_link(Send(target.answer)), *tell_peer(play))
    else:
        sent = ask_link(Send(acceptance(linked))) if linked.seat else tell_peer(play)
    return Step(after(play), (*facts, *asked, *sent), shared)


def enter(target: Watch, context: Context) -> Step[Watching]:
    """Watches until the other box has moved on."""
    return Step(Watching(target.play._replace(verdict=FINE, clock=None), context.now_ns))


def await_link(target: AwaitLink, context: Context) -> Step[Awaiting]:
    """Waits for the other box's link."""
    return Step(Awaiting(target.play, context.now_ns))
