"""Watching: in a linked match, waiting for the other box's player, or for that box to have the result.

The levers have nothing to do here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

from shutthebox.game.effects import Effect, PlaySound, Sound
from shutthebox.game.facts import Began, Faulted, Linked, LogSigned
from shutthebox.game.judge import FINE
from shutthebox.game.match_screen import turn_screen, with_ended_row
from shutthebox.game.messages import Message, Text, TileSum, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import MatchMode, TurnMode, part
from shutthebox.game.play import (
    MatchInPlay,
    apply_and_keep,
    begin_play,
    conditions_of,
    keep_departure,
    keep_result,
    tell_peer,
)
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step, ask_link, keep, refuse
from shutthebox.game.targets import AfterAction, AwaitLink, BeginLinked, EndMatch, Part, Tumble, Watch, after
from shutthebox.game.wording import player_name
from shutthebox.link.match import SEATS, LinkedMatch, LinkError, LinkFact, Revealed, Rolled
from shutthebox.link.messages import Accept, Invite, Levers, LogSignature, Rematch, Sync
from shutthebox.link.rematch import hear_rematch
from shutthebox.link.requests import HelperSigned, NotPaired, Peer, PeerIs, Send, WhyNotPaired
from shutthebox.rules.actions import Moved
from shutthebox.rules.faces import faces_to_text
from shutthebox.rules.match import Match, Stage
from shutthebox.rules.match import begin as begin_match
from shutthebox.rules.tiles import Tiles, to_numbers
from shutthebox.texts import plural

_SECOND_NS = 1_000_000_000

_Mode = TypeVar("_Mode", bound=MatchMode)


@dataclass(frozen=True, slots=True, eq=False)
class Watching(MatchMode):
    """The player at the other box throws and flips; this box shows the same dice and tiles.

    Attributes:
        since_ns: since when nothing has happened.
    """

    name: ClassVar[Mode] = Mode.WATCHING
    flips_tiles: ClassVar[bool] = True

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


@dataclass(frozen=True, slots=True, eq=False)
class Awaiting(TurnMode):
    """The player has thrown; the dice tumble until the other box has revealed its link.

    Attributes:
        since_ns: since when.
    """

    name: ClassVar[Mode] = Mode.AWAITING

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


_TO_LEAVE = message("End: hold 10 s")


def _limit_ns(play: MatchInPlay, since_ns: int) -> int | None:
    """The deadline of a throw that is due; None if none is."""
    linked = play.linked
    if linked is None or linked.rolled is None:
        return None
    return since_ns + linked.agreement.limit_s * _SECOND_NS


def _away_screen(mode: MatchMode, shared: Shared) -> Screen:
    title = peer_name(mode.play, shared)
    why = (
        message("{box} is away. The match goes on as soon as it's back.", box=title)
        if shared.peer is Peer.AWAY
        else message("No connection. The match goes on as soon as it's back.")
    )
    return Screen(mode.name, title=title, paragraph=why, prompt=message("Hold 10 s: end"))


def peer_name(play: MatchInPlay, shared: Shared) -> Text:
    """The other box's own name in a linked match."""
    return player_name(play.linked.other, shared) if play.linked else ""


def begin(target: BeginLinked, context: Context) -> Step[AfterAction]:
    """Begins a linked match. Both boxes have agreed on everything."""
    linked, agreement = target.linked, target.linked.agreement
    shared = context.shared._replace(boxes=agreement.names, sent_ns=context.now_ns)
    if target.again is None:
        shared = shared._replace(peer=Peer.HERE)
    settings = shared.settings
    match = begin_match(target.game, SEATS, agreement.rounds, agreement.first)
    play, asked = begin_play(match, settings)
    link = Linked(agreement, linked.seat, target.secret, linked.pairing)
    facts = keep(Began(match, conditions_of(match, settings, agreement), link))
    play = play._replace(linked=linked)
    if target.again is not None:
        told = (*ask_link(Send(target.again)), *tell_peer(play))
    else:
        told = ask_link(Send(_acceptance(linked))) if linked.seat else tell_peer(play)
    return Step(after(play), (*facts, *asked, *told), shared)


def _acceptance(linked: LinkedMatch) -> Accept:
    own, seat = linked.agreement, linked.seat
    return Accept(own.names[seat], own.commitments[seat], own.keys[seat])


def enter(target: Watch, context: Context) -> Step[Watching]:
    """Watches until the other box has moved on."""
    return Step(Watching(target.play._replace(verdict=FINE, clock=None), context.now_ns))


def await_link(target: AwaitLink, context: Context) -> Step[Awaiting]:
    """Waits for the other box's link."""
    return Step(Awaiting(target.play, context.now_ns))


def not_ours(mode: Watching, context: Context) -> Step[Watching]:
    """Refuses a press: it's the other player's turn, or the other box's."""
    return refuse(mode, mode.why_wait)


def not_yet(mode: Awaiting, context: Context) -> Step[Awaiting]:
    """Refuses a press: the dice are on their way."""
    return refuse(mode, message("One moment"))


def synced(mode: _Mode, sync: Sync, context: Context) -> Step[_Mode | Tumble | AfterAction | Part]:
    """Takes what the other box says about the match. What it has written is kept before it's shown."""
    play = mode.play
    if play.linked is None:
        return Step(mode)
    before, was_settled = play.match, play.linked.is_settled
    try:
        linked, facts, answers = play.linked.receive(sync)
    except LinkError as error:
        if was_settled:  # the result stands, whatever the loser says
            return moved(mode, PeerIs(Peer.LEFT), context)
        why = message("The boxes don't agree. The match doesn't count.")
        return part(why).preceded_by(*keep(Faulted("link", str(error))))
    was_ours = play.linked.is_ours
    play, effects = _take(play._replace(linked=None), facts, context.shared)
    play, signed = _take_signature(play._replace(linked=linked), linked.other, sync.signed)
    effects += signed
    if linked.is_ours and not was_ours:
        effects += (PlaySound(Sound.WAKE),)  # players may have done something else meanwhile
    shared = context.shared._replace(sent_ns=context.now_ns, refusal=None)
    if facts and isinstance(mode, Awaiting):
        return Step(Tumble(play._replace(match=before), play.match), effects, shared)
    if not was_settled:
        effects += keep_result(play)
    if answers and mode.name is not Mode.ROLLING:  # there, it's told once the throw has been seen here
        effects += tell_peer(play)
    is_over = isinstance(mode, Watching) and play.match.stage is Stage.FINISHED and linked.is_settled
    if not facts and not is_over:
        return Step(replace(mode, play=play), effects, refusal=context.shared.refusal)
    return Step(after(play), effects, shared)


def _take(
    play: MatchInPlay, facts: tuple[LinkFact, ...], shared: Shared
) -> tuple[MatchInPlay, tuple[Effect, ...]]:
    """Applies the other box's facts, and keeps them."""
    effects = tuple[Effect, ...]()
    for fact in facts:
        if isinstance(fact, Rolled | Revealed):
            effects += keep(fact)
        else:
            before = play.match
            play, more = apply_and_keep(play, fact)
            effects += more
            if isinstance(fact, Moved) and fact.shut and not before.turn.opens:
                play = play._replace(heard=_say_move(before, fact.shut, shared))
    return play, effects


_SHUT = plural("{box} shut {tiles}. 1 left.", "{box} shut {tiles}. {count} left.")


def _say_move(before: Match, shut: Tiles, shared: Shared) -> Message:
    """What somebody shut who can't be seen, for those who can't see the panel either."""
    left = sum(to_numbers(before.standing & ~shut))
    box, tiles = player_name(before.player, shared), TileSum(to_numbers(shut)[::-1])
    return message(_SHUT, box=box, tiles=tiles, count=left)


def _take_signature(
    play: MatchInPlay, player: int, signed: LogSignature | None
) -> tuple[MatchInPlay, tuple[Effect, ...]]:
    """Keeps a box's signature, if it's one that's still missing."""
    linked = play.linked
    if linked is None or signed is None or not linked.is_new_signature(player, signed):
        return play, ()
    play = play._replace(linked=linked.with_signature(player, signed.signature))
    return play, keep(LogSigned(player, signed.signature))


def helper_signed(mode: _Mode, came: HelperSigned, context: Context) -> Step[_Mode]:
    """Keeps this box's own signature."""
    if mode.play.linked is None:
        return Step(mode)
    play, signed = _take_signature(mode.play, mode.play.linked.seat, came.signed)
    return Step(replace(mode, play=play), signed, refusal=context.shared.refusal) if signed else Step(mode)


def levers_seen(mode: _Mode, levers: Levers, context: Context) -> Step[_Mode]:
    """Shows the levers of the other box as they move. If one is lost, the next says it all."""
    linked = mode.play.linked
    if linked is None or linked.is_ours or levers.number != len(linked.entries):
        return Step(mode)
    shared = context.shared._replace(peer_levers=levers.down)
    return Step(mode, shared=shared, refusal=shared.refusal)


def invited_again(mode: _Mode, invite: Invite, context: Context) -> Step[_Mode]:
    """Accepts again, because the first acceptance was lost on its way."""
    linked = mode.play.linked
    if linked is None or linked.seat == 0 or linked.confirmed is not None:
        return Step(mode)
    return Step(mode, ask_link(Send(_acceptance(linked))), refusal=context.shared.refusal)


def rematch_asked(mode: _Mode, heard: Rematch, context: Context) -> Step[_Mode]:
    """Says again that a rematch has begun, because the other box doesn't know yet."""
    answer = mode.play.linked and hear_rematch(mode.play.linked, heard)[1]
    return Step(mode, ask_link(Send(answer)), refusal=context.shared.refusal) if answer else Step(mode)


def moved(mode: _Mode, came: PeerIs, context: Context) -> Step[_Mode | EndMatch | Part]:
    """Notes where the other box is. Ends a match that it has left: without a result if none is settled."""
    play, shared = mode.play, context.shared
    if play.linked is None:
        return Step(mode)
    if came.peer is Peer.LEFT and not play.linked.is_settled:
        name, other = peer_name(play, shared), play.linked.other
        why = (
            message("{box} has left with a throw on the table. The match doesn't count.", box=name)
            if play.linked.has_thrown(other)
            else message("{box} has left. The match doesn't count.", box=name)
        )
        return part(why).preceded_by(*keep_departure(play, other))
    told = tell_peer(play) if came.peer is Peer.HERE and play.linked.awaits_answer else ()
    if not told and came.peer is shared.peer:
        return Step(mode)
    called = (PlaySound(Sound.WAKE),) if came.peer is Peer.LEFT and play.linked.rematch else ()
    shared = shared._replace(peer=came.peer, sent_ns=context.now_ns if told else shared.sent_ns)
    if came.peer is Peer.LEFT and isinstance(mode, Watching):
        return Step(EndMatch(play), told, shared)
    return Step(mode, (*told, *called), shared, shared.refusal)


def lost(mode: _Mode, report: NotPaired, context: Context) -> Step[_Mode | EndMatch | Part]:
    """Ends a match whose keys are gone."""
    if mode.play.linked is None or report.why is not WhyNotPaired.UNKNOWN:
        return Step(mode)
    if mode.play.linked.is_settled:
        return moved(mode, PeerIs(Peer.LEFT), context)
    name = peer_name(mode.play, context.shared)
    why = message(
        "{box} can't be reached any more. The match doesn't count. On the other box, hold 10 s to end it.",
        box=name,
    )
    return part(why)


def give_up(mode: _Mode, context: Context) -> Step[_Mode | Part]:
    """Ends the match if the other box hasn't revealed its link, or the throw, in time."""
    deadline_ns = mode.deadline_ns(context.shared)
    if deadline_ns is None or context.now_ns < deadline_ns:
        return Step(mode)
    name = peer_name(mode.play, context.shared)
    why = message("{box} has been away for too long. The match doesn't count.", box=name)
    noted = keep_departure(mode.play, mode.play.linked.other) if mode.play.linked else ()
    return part(why).preceded_by(*noted)
