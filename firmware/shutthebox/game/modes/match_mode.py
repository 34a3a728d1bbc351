"""The base classes of the modes in which a match is in progress, with all that a linked box may say then."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from shutthebox.game.effects import Effect, PlaySound, Sound
from shutthebox.game.facts import ClockShown, Faulted, LogSigned, PlayersLeft
from shutthebox.game.judge import Verdict
from shutthebox.game.messages import Message, Text, TileSum, message
from shutthebox.game.modes.base import BoxMode, default
from shutthebox.game.play import (
    MatchInPlay,
    apply_and_keep,
    keep_departure,
    keep_result,
    leave_peer,
    take_fact,
    tell_peer,
    tick_clock,
)
from shutthebox.game.state import Context, Shared, Step, ask_link, keep, refuse
from shutthebox.game.targets import AfterAction, BackToAttract, BreakOff, EndMatch, Tumble, after
from shutthebox.game.wording import player_name
from shutthebox.link.match import LinkedMatch, LinkError
from shutthebox.link.messages import Accept, Decline, Invite, Levers, LogSignature, Rematch, Sync
from shutthebox.link.messages import Message as LinkMessage
from shutthebox.link.rematch import hear_rematch
from shutthebox.link.requests import (
    HelperReport,
    HelperSigned,
    NotPaired,
    Paired,
    Peer,
    PeerIs,
    RoomOpened,
    Send,
    WhyNotPaired,
)
from shutthebox.rules.actions import Moved, OutOfTime
from shutthebox.rules.match import Match
from shutthebox.rules.position import Stage
from shutthebox.rules.tiles import Tiles, to_numbers
from shutthebox.texts import plural


@dataclass(frozen=True, slots=True, eq=False)
class MatchMode(BoxMode):
    """A mode in which a match is in progress.

    Attributes:
        play: the match, a throw included that the players haven't seen yet.
        hides_throw: the match's last action is a throw that the players haven't seen yet.
        awaits_link: the dice tumble once the other box has revealed its link.
        watches: the players wait for the other box.
    """

    asks_to_leave: ClassVar[bool] = True
    takes_settings: ClassVar[bool] = False
    awaits_press: ClassVar[bool] = True
    hides_throw: ClassVar[bool] = False
    awaits_link: ClassVar[bool] = False
    watches: ClassVar[bool] = False

    play: MatchInPlay

    @property
    def match_in_play(self) -> MatchInPlay:
        """The match on the box, as the rules have it."""
        return self.play

    @property
    def seen(self) -> MatchInPlay:
        """The match as far as the players have seen it."""
        return self.play

    def with_play(self, play: MatchInPlay) -> Self:
        """The mode with the match as it is now."""
        return replace(self, play=play)

    @property
    def verdict(self) -> Verdict:
        """The judgement of the levers."""
        return self.seen.verdict

    @property
    def linked(self) -> LinkedMatch | None:
        """This box's log of a linked match; None in any other."""
        return self.play.linked

    def leave(self, context: Context) -> Step[BackToAttract]:
        """Abandons a match, or leaves a finished one, on request or because nobody is there."""
        play = self.play
        noted = keep_departure(play, play.linked.seat) if play.linked else ()
        return Step(BackToAttract(), (*noted, *keep(PlayersLeft()), *leave_peer(play)))

    @default
    def deserted(self, context: Context) -> Step[Self]:
        """Stays: the match waits for its players."""
        return Step(self)

    @default
    def service(self, context: Context) -> Step[Self]:
        """Refuses to open service."""
        return refuse(self, message("Not in a match"))

    @default
    def hear(self, heard: LinkMessage, context: Context) -> Step[Self | Tumble | AfterAction | BreakOff]:
        """Hears what the other box says about the match."""
        return self.hear_of_match(heard, context)

    def hear_of_match(
        self, heard: LinkMessage, context: Context
    ) -> Step[Self | Tumble | AfterAction | BreakOff]:
        """Takes what the other box says about the match in progress, and what it has missed before it."""
        if self.linked is None:
            return Step(self)
        match heard:
            case Sync():
                return self._sync(self.linked, heard, context)
            case Levers():
                return self._see_levers(self.linked, heard, context)
            case Invite():
                return self._accept_again(self.linked, context)
            case Rematch():
                return self._confirm_rematch(self.linked, heard, context)
            case Accept() | Decline():
                return Step(self)

    @default
    def take_report(self, report: HelperReport, context: Context) -> Step[Self | EndMatch | BreakOff]:
        """Takes what the link helper says about the other box, and the signature it was asked for."""
        if self.linked is None:
            return Step(self)
        match report:
            case PeerIs():
                return self._note_peer(self.linked, report.peer, context)
            case NotPaired():
                return self._lose_peer(self.linked, report.why, context)
            case HelperSigned():
                play, signed = _take_signature(self.play, self.linked.seat, report.signed)
                mode = replace(self, play=play)
                return Step(mode, signed, refusal=context.shared.refusal) if signed else Step(self)
            case RoomOpened() | Paired():
                return Step(self)

    def _sync(
        self, linked: LinkedMatch, sync: Sync, context: Context
    ) -> Step[Self | Tumble | AfterAction | BreakOff]:
        """Takes the other box's side of the match. What it has written is kept before it's shown."""
        before, shared = self.play, context.shared._replace(sent_ns=context.now_ns, refusal=None)
        if not linked.is_about(sync):
            return Step(self, refusal=context.shared.refusal)
        try:
            play, effects, owes_answer = _receive(before, linked, sync, context.shared)
        except LinkError as error:
            if before.is_settled:  # the result stands, whatever the loser says
                return self._note_peer(linked, Peer.LEFT, context)
            why = message("The boxes don't agree. The match doesn't count.")
            return break_off(why).preceded_by(*keep(Faulted("link", str(error))))
        has_news = bool(effects)
        play, signed = _take_signature(play, linked.other, sync.signed)
        effects += signed
        if play.is_ours and not before.is_ours:
            effects += (PlaySound(Sound.WAKE),)  # players may have done something else meanwhile
        if has_news and self.awaits_link:
            return Step(Tumble(play, before.match), effects, shared)
        if not self.hides_throw:  # else both wait until the throw has been seen here
            effects += keep_result(play) if not before.is_settled else ()
            effects += tell_peer(play) if owes_answer else ()
        is_over = self.watches and play.match.stage is Stage.FINISHED and play.is_settled
        if not has_news and not is_over:
            return Step(replace(self, play=play), effects, refusal=context.shared.refusal)
        return Step(after(play), effects, shared)

    def _see_levers(self, linked: LinkedMatch, levers: Levers, context: Context) -> Step[Self]:
        """Shows the levers of the other box as they move. If one is lost, the next says it all."""
        is_late = not linked.is_about(levers) or levers.number != len(linked.entries)
        if self.play.is_ours or is_late:
            return Step(self)
        shared = context.shared._replace(peer_levers=levers.down)
        return Step(self, shared=shared, refusal=shared.refusal)

    def _accept_again(self, linked: LinkedMatch, context: Context) -> Step[Self]:
        """Accepts again, because the first acceptance was lost on its way."""
        if linked.seat == 0 or linked.confirmed is not None:
            return Step(self)
        return Step(self, ask_link(Send(acceptance(linked))), refusal=context.shared.refusal)

    def _confirm_rematch(self, linked: LinkedMatch, heard: Rematch, context: Context) -> Step[Self]:
        """Says again that a rematch has begun, because the other box doesn't know yet."""
        answer = hear_rematch(linked, self.play.match, heard)[1]
        return Step(self, ask_link(Send(answer)), refusal=context.shared.refusal) if answer else Step(self)

    def _note_peer(
        self, linked: LinkedMatch, peer: Peer, context: Context
    ) -> Step[Self | EndMatch | BreakOff]:
        """Notes where the other box is. If it has left, the match ends: with its result, or without one."""
        play, shared = self.play, context.shared
        if peer is Peer.LEFT and not play.is_settled:
            name, other = peer_name(play, shared), linked.other
            why = (
                message("{box} has left with a throw on the table. The match doesn't count.", box=name)
                if linked.has_thrown(other, play.match)
                else message("{box} has left. The match doesn't count.", box=name)
            )
            return break_off(why).preceded_by(*keep_departure(play, other))
        sent = tell_peer(play) if peer is Peer.HERE and play.awaits_answer else ()
        if not sent and peer is shared.peer:
            return Step(self)
        called = (PlaySound(Sound.WAKE),) if peer is Peer.LEFT and linked.next_secret else ()
        shared = shared._replace(peer=peer, sent_ns=context.now_ns if sent else shared.sent_ns)
        if peer is Peer.LEFT and self.watches:
            return Step(EndMatch(play), sent, shared)
        return Step(self, (*sent, *called), shared, shared.refusal)

    def _lose_peer(
        self, linked: LinkedMatch, why: WhyNotPaired, context: Context
    ) -> Step[Self | EndMatch | BreakOff]:
        """Ends a match whose keys are gone."""
        if why is not WhyNotPaired.UNKNOWN:
            return Step(self)
        if self.play.is_settled:
            return self._note_peer(linked, Peer.LEFT, context)
        return break_off(
            message(
                "{box} can't be reached any more. The match doesn't count."
                " On the other box, hold 10 s to end it.",
                box=peer_name(self.play, context.shared),
            )
        )


class TurnMode(MatchMode):
    """A mode within a turn, during which the player's clock runs, if there is one."""

    __slots__ = ()

    in_turn: ClassVar[bool] = True
    shows_tournament: ClassVar[bool] = True
    flips_tiles: ClassVar[bool] = True

    def deadline_ns(self, shared: Shared) -> int | None:
        """When the player's clock next changes."""
        return self.play.clock.next_ns if self.play.clock else None

    @default
    def time(self, context: Context) -> Step[Self | AfterAction]:
        """Advances the player's clock."""
        return self.tick(context)

    def tick(self, context: Context) -> Step[Self | AfterAction]:
        """Advances the clock of the current player; the turn ends when time runs out."""
        play = tick_clock(self.play, context)
        if not play.is_out_of_time:
            clock = play.clock
            facts = keep(ClockShown(clock.shown_s)) if clock and clock != self.play.clock else ()
            return Step(replace(self, play=play), facts, refusal=context.shared.refusal)
        play, effects = apply_and_keep(play, OutOfTime())
        return Step(after(play), effects)


def break_off(why: Message) -> Step[BreakOff]:
    """Ends a match with another box that doesn't count, and says why."""
    return Step(BreakOff(why), keep(PlayersLeft()))


def peer_name(play: MatchInPlay, shared: Shared) -> Text:
    """The other box's own name in a linked match."""
    return player_name(play.linked.other, shared) if play.linked else ""


def acceptance(linked: LinkedMatch) -> Accept:
    """The guest's acceptance of the invitation that led to this match."""
    own, seat = linked.agreement, linked.seat
    return Accept(own.names[seat], own.commitments[seat], own.keys[seat])


def _receive(
    play: MatchInPlay, linked: LinkedMatch, sync: Sync, shared: Shared
) -> tuple[MatchInPlay, tuple[Effect, ...], bool]:
    """Applies and keeps what a message from the other box adds to the match.

    Returns:
        The match after it, the effects, none if it adds nothing, and whether the other box needs an answer.

    Raises:
        LinkError: it doesn't fit this match.
    """
    effects = tuple[Effect, ...]()
    while (fact := linked.next_fact(sync, play.match)) is not None:
        match = play.match
        play, more = take_fact(play, fact)
        assert play.linked is not None, "it still is"
        linked, effects = play.linked, effects + more
        if isinstance(fact, Moved) and fact.shut and not match.turn.opens:
            play = play._replace(heard=_say_move(match, fact.shut, shared))
    owes_answer = bool(effects) or linked.owes_answer(sync, play.match)
    return play._replace(linked=linked.confirm(sync)), effects, owes_answer


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
    if linked is None or signed is None or not linked.is_new_signature(player, signed, play.match):
        return play, ()
    play = play._replace(linked=linked.with_signature(player, signed.signature))
    return play, keep(LogSigned(player, signed.signature))
