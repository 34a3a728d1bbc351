"""Linking: two boxes find each other by a room and a code, and agree on a match.

Each stage is a class::

    host:  ChoosingRoom ─► FindingRoom ─► ShowingRoom ─► InvitingGuest ─► the match
    guest: ChoosingRoom ─► EnteringRoom ─► FindingRoom ─► AwaitingInvitation ─► ReadingInvitation ─► the match

Any of them may end in `LinkOver` instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from shutthebox.game.effects import Effect, PlaySound, Sound
from shutthebox.game.menu_items import why_no_room
from shutthebox.game.messages import Message, Name, Spelling, Text, message, title_text
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode, default
from shutthebox.game.picker import Flicks, Picker
from shutthebox.game.picker_screen import follow_flicks, picker_screen
from shutthebox.game.screen import Screen
from shutthebox.game.settings import Settings
from shutthebox.game.state import Context, Shared, Step, ask_link, refuse
from shutthebox.game.targets import BackToAttract, BeginLinked, BreakOff, OpenLink
from shutthebox.game.wording import list_tiles, rules_pages
from shutthebox.link.invitation import agree, invite, invited_game, linkable
from shutthebox.link.match import Agreement, LinkError, join
from shutthebox.link.messages import Accept, Decline, Invite, Levers, Rematch, Sync
from shutthebox.link.messages import Message as LinkMessage
from shutthebox.link.requests import (
    DIGITS,
    EnterRoom,
    HelperReport,
    HelperSigned,
    Leave,
    LinkRequest,
    NotPaired,
    OpenRoom,
    Paired,
    Peer,
    PeerIs,
    Rejoin,
    RoomOpened,
    Send,
    WhyNotPaired,
)
from shutthebox.rules.conditions import RULES_VERSION
from shutthebox.rules.linked_dice import DiceChain
from shutthebox.rules.match import begin
from shutthebox.texts import plural

INVITE_AGAIN_NS = 3_000_000_000
"""How long to wait for an answer before sending the invitation again."""


class Linking(BoxMode):
    """On the way to a linked match, or after a failed attempt.

    Attributes:
        at_helper: the link helper is at work for this box.
        has_met: the boxes have met.
    """

    __slots__ = ()

    name: ClassVar[Mode] = Mode.LINKING
    is_list: ClassVar[bool] = True
    takes_settings: ClassVar[bool] = False
    at_helper: ClassVar[bool] = True
    has_met: ClassVar[bool] = False

    def leave(self, context: Context) -> Step[BackToAttract]:
        """Goes back; the other box is told, if there is one."""
        return Step(BackToAttract(), ask_link(Leave()) if self.at_helper else ())

    @default
    def press(self, context: Context) -> Step[Self]:
        """Refuses it: something is under way."""
        return refuse(self, _ONE_MOMENT)

    @default
    def hold(self, context: Context) -> Step[BackToAttract]:
        """Gives up linking and goes back to attract."""
        return self.leave(context)

    @default
    def levers(self, context: Context) -> Step[Self]:
        """Ignores the levers: nothing is asked."""
        return Step(self)

    @default
    def service(self, context: Context) -> Step[Self]:
        """Ignores the service gesture until linking is over."""
        return self.ignore(context)

    @default
    def take_report(self, report: HelperReport, context: Context) -> Step[Self | LinkOver]:
        """Says so if the boxes can't meet any more."""
        return self.end_if_lost(report)

    def end_if_lost(self, report: HelperReport) -> Step[Self | LinkOver]:
        """Ends the attempt if the helper, its room or the other box has gone."""
        match report:
            case NotPaired(why):
                return _over(_WHY[why])
            case PeerIs(Peer.AWAY | Peer.LEFT) if self.has_met:
                return _over(_WHY[WhyNotPaired.UNKNOWN])
            case PeerIs(Peer.OFFLINE) if self.at_helper:
                return _over(_WHY[WhyNotPaired.NO_BROKER])
            case PeerIs() | RoomOpened() | Paired() | HelperSigned():
                return Step(self)


@dataclass(frozen=True, slots=True, eq=False)
class ChoosingRoom(Linking):
    """Who opens the room?

    Attributes:
        picker: of the answers.
    """

    at_helper: ClassVar[bool] = False

    picker: Picker

    def screen(self, shared: Shared) -> Screen:
        """Asks whether this box shows a room or enters one."""
        return picker_screen(self.name, self.picker)

    def press(self, context: Context) -> Step[FindingRoom | EnteringRoom | ChoosingRoom]:
        """Opens a room, or goes on to entering one."""
        if self.picker.cursor:
            return Step(EnteringRoom())
        if why := why_no_room(context.shared.settings):
            return refuse(self, why)
        return Step(FindingRoom(), ask_link(OpenRoom()))

    def levers(self, context: Context) -> Step[ChoosingRoom]:
        """A flick answers the question."""
        picker, effects, why = follow_flicks(self.picker, context)
        return Step(replace(self, picker=picker), effects, refusal=why)


@dataclass(frozen=True, slots=True, eq=False)
class EnteringRoom(Linking):
    """The guest's players enter room and code.

    Attributes:
        room: its digits so far.
        code: likewise.
        flicks: levers moved and not yet put back.
    """

    at_helper: ClassVar[bool] = False

    room: str = ""
    code: str = ""
    flicks: Flicks = field(default_factory=Flicks)

    def screen(self, shared: Shared) -> Screen:
        """The digits so far."""
        wants_code = len(self.room) == DIGITS
        digits = self.code if wants_code else self.room
        return Screen(
            self.name,
            title=message("Code?") if wants_code else message("Room?"),
            big=Spelling(digits, DIGITS),
            prompt=message("Flick the digits"),
            also=(message("Hold: back"),),
        ).led_by(self.flicks.reminder)

    def press(self, context: Context) -> Step[EnteringRoom]:
        """Refuses it: the levers enter the digits."""
        return refuse(self, message("Flick the digits"))

    def hold(self, context: Context) -> Step[EnteringRoom | BackToAttract]:
        """Takes back a digit; before the first one, leaves."""
        if self.code:
            return Step(replace(self, code=self.code[:-1]))
        if self.room:
            return Step(replace(self, room=self.room[:-1]))
        return self.leave(context)

    def levers(self, context: Context) -> Step[EnteringRoom | FindingRoom]:
        """A flick enters a digit; after the last one, the helper looks for the room."""
        flicks, flicked = self.flicks.follow(context.moved)
        mode = replace(self, flicks=flicks)
        if not flicked or flicked[0] > 9:
            return Step(mode)
        digit, sound = str(flicked[0]), PlaySound(Sound.CHOICE)
        if len(mode.room) < DIGITS:
            return Step(replace(mode, room=mode.room + digit), (sound,))
        code = mode.code + digit
        if len(code) < DIGITS:
            return Step(replace(mode, code=code), (sound,))
        return Step(FindingRoom(mode.room), (*ask_link(EnterRoom(mode.room, code)), sound))


class _Waiting(Linking):
    """The players have nothing to do.

    Attributes:
        why: what they wait for.
    """

    __slots__ = ()

    why: ClassVar[Message]

    def screen(self, shared: Shared) -> Screen:
        """Says what the players wait for, and how to leave."""
        return Screen(self.name, title=_TITLE, paragraph=self.why, prompt=_ONE_MOMENT, also=_LEAVE)


@dataclass(frozen=True, slots=True, eq=False)
class FindingRoom(_Waiting):
    """The helper was asked for a room, or to find one.

    Attributes:
        room: the one to find; empty for a new one.
    """

    why: ClassVar[Message] = message("Looking for the other box.")

    room: str = ""

    def deserted(self, context: Context) -> Step[FindingRoom]:
        """Stays: the helper says so soon if there's nobody."""
        return Step(self)

    def take_report(
        self, report: HelperReport, context: Context
    ) -> Step[FindingRoom | ShowingRoom | AwaitingInvitation | LinkOver]:
        """Shows the host's new room. The guest, once in a room, waits for the invitation."""
        match report:
            case RoomOpened(room, code):
                return Step(ShowingRoom(room, code))
            case Paired(session, key):
                return Step(AwaitingInvitation(session, key), _greet(session))
            case NotPaired(WhyNotPaired.NOBODY) if self.room:
                return _over(message("Nobody is in that room. Check the digits and try again."))
            case NotPaired() | PeerIs() | HelperSigned():
                return self.end_if_lost(report)


@dataclass(frozen=True, slots=True, eq=False)
class ShowingRoom(Linking):
    """The host's box shows room and code.

    Attributes:
        room: its number.
        code: for entering it.
    """

    room: str
    code: str

    def screen(self, shared: Shared) -> Screen:
        """The room and its code."""
        rows = (message("Room {room}", room=self.room), message("Code {code}", code=self.code))
        return Screen(self.name, title=_TITLE, rows=rows, prompt=message("Enter it there"), also=_LEAVE)

    def deserted(self, context: Context) -> Step[ShowingRoom]:
        """Stays: others may come to the room until it's closed."""
        return Step(self)

    def take_report(
        self, report: HelperReport, context: Context
    ) -> Step[ShowingRoom | InvitingGuest | LinkOver]:
        """Invites the guest."""
        settings = context.shared.settings
        game = linkable(settings.usual_game) if settings.usual_game else None
        if not isinstance(report, Paired) or game is None or settings.link is None:
            return self.end_if_lost(report)
        secret = context.dice.secret()
        rounds = begin(game, 2, settings.game.rounds).rounds
        invited = invite(game, rounds, settings.link, DiceChain(secret), report.key)
        mode = InvitingGuest(report.session, secret, invited, context.now_ns)
        return Step(mode, (*_greet(report.session), *ask_link(Send(invited))))


@dataclass(frozen=True, slots=True, eq=False)
class InvitingGuest(_Waiting):
    """The boxes have met, and the host has invited the guest.

    Attributes:
        session: of the pairing.
        secret: of this box's dice.
        invited: the invitation.
        since_ns: when it was last sent.
    """

    has_met: ClassVar[bool] = True
    why: ClassVar[Message] = message("The boxes have met. The other one is reading your invitation.")

    session: str
    secret: str
    invited: Invite
    since_ns: int

    def deadline_ns(self, shared: Shared) -> int:
        """When the invitation is sent again."""
        return self.since_ns + INVITE_AGAIN_NS

    def time(self, context: Context) -> Step[InvitingGuest]:
        """Sends the invitation again."""
        if not self.is_due(context):
            return Step(self)
        return Step(replace(self, since_ns=context.now_ns), ask_link(Send(self.invited)))

    def hear(self, heard: LinkMessage, context: Context) -> Step[InvitingGuest | BeginLinked | LinkOver]:
        """Begins the match, or says that the guest declined, and why if it's for the rules' version."""
        match heard:
            case Accept():
                try:
                    agreement = agree(self.invited, invited_game(self.invited), heard, self.session)
                except LinkError:
                    return _over(_WHY[WhyNotPaired.UNKNOWN])
                return _begin(agreement, 0, self.secret, context)
            case Decline(version) if version != RULES_VERSION:
                return _over(_whose_rules(version))
            case Decline():
                return _over(message("The other box has declined."))
            case Invite() | Sync() | Rematch() | Levers():
                return Step(self)


@dataclass(frozen=True, slots=True, eq=False)
class AwaitingInvitation(_Waiting):
    """The boxes have met, and the guest waits for the invitation.

    Attributes:
        session: of the pairing.
        key: this box's public key, to be signed with.
        flicks: levers moved and not yet put back.
    """

    has_met: ClassVar[bool] = True
    why: ClassVar[Message] = message("The boxes have met. The other one now invites you.")

    session: str
    key: str
    flicks: Flicks = field(default_factory=Flicks)

    def levers(self, context: Context) -> Step[AwaitingInvitation]:
        """Nothing, but a lever that's still out of place when the invitation comes has to go back."""
        return Step(replace(self, flicks=self.flicks.follow(context.moved)[0]))

    def hear(
        self, heard: LinkMessage, context: Context
    ) -> Step[AwaitingInvitation | ReadingInvitation | LinkOver]:
        """Shows the invitation, unless this box can't play by it."""
        if not isinstance(heard, Invite):
            return Step(self)
        declined = Send(Decline(RULES_VERSION))
        if heard.rules_version != RULES_VERSION:
            return _over(_whose_rules(heard.rules_version), declined)
        try:
            game = invited_game(heard)
        except LinkError:
            return _over(message("This box doesn't understand the invitation."), declined)
        settings = context.shared.settings
        if game.for_levers(settings.levers) is None:
            return _over(message("Their game has tiles up to {tile}.", tile=game.tiles[-1]), declined)
        if missing := game.starting & settings.out:
            return _over(message("Their game needs lever {tiles}.", tiles=list_tiles(missing)), declined)
        return Step(ReadingInvitation(self.session, self.key, heard, self.flicks), (PlaySound(Sound.WAKE),))


@dataclass(frozen=True, slots=True, eq=False)
class ReadingInvitation(Linking):
    """The guest reads the invitation.

    Attributes:
        session: of the pairing.
        key: this box's public key, to be signed with.
        invited: the invitation.
        flicks: levers moved and not yet put back.
        page: of the invitation's text, from 0; then come the rules.
    """

    has_met: ClassVar[bool] = True

    session: str
    key: str
    invited: Invite
    flicks: Flicks
    page: int = 0

    def screen(self, shared: Shared) -> Screen:
        """A page of the invitation."""
        return Screen(
            self.name,
            title=_TITLE,
            paragraph=self._pages(shared.settings)[self.page],
            prompt=message("Press: play"),
            also=(message("Lever 1: rules"), message("Hold: no")),
            lit=True,
        ).led_by(self.flicks.reminder)

    def leave(self, context: Context) -> Step[BackToAttract]:
        """Declines the invitation, and goes back to attract."""
        return Step(BackToAttract(), ask_link(Send(Decline(RULES_VERSION)), Leave()))

    def press(self, context: Context) -> Step[BeginLinked]:
        """Begins the match at the guest's box, and then accepts."""
        secret, name = context.dice.secret(), context.shared.settings.link or "-"
        accept = Accept(name, DiceChain(secret).commitment, self.key)
        agreement = agree(self.invited, invited_game(self.invited), accept, self.session)
        return _begin(agreement, 1, secret, context)

    def levers(self, context: Context) -> Step[ReadingInvitation]:
        """A flick turns the page."""
        flicks, flicked = self.flicks.follow(context.moved)
        mode = replace(self, flicks=flicks)
        if not flicked:
            return Step(mode)
        pages = len(self._pages(context.shared.settings))
        return Step(replace(mode, page=(self.page + 1) % pages), (PlaySound(Sound.CHOICE),))

    def _pages(self, settings: Settings) -> tuple[Text, ...]:
        """The invitation, then the rules of its game."""
        game, host = invited_game(self.invited), Name(self.invited.name)
        title = title_text(settings.recognize(game), settings.box.language)
        offer = message("{box} invites you: {game}. {box} begins.", box=host, game=title)
        if game.has_rounds:
            rounds = self.invited.rounds
            offer = message(_OFFER, box=host, game=title, rounds=rounds)
        return (offer, *rules_pages(game))


@dataclass(frozen=True, slots=True, eq=False)
class LinkOver(Linking):
    """There will be no match, and the box says why.

    Attributes:
        why: in one sentence.
    """

    at_helper: ClassVar[bool] = False

    why: Text

    def screen(self, shared: Shared) -> Screen:
        """Says why the boxes don't play together."""
        return Screen(self.name, title=_TITLE, paragraph=self.why, prompt=message("Press: back"), lit=True)

    def press(self, context: Context) -> Step[BackToAttract]:
        """Goes back to attract."""
        return self.leave(context)

    def take_report(self, report: HelperReport, context: Context) -> Step[LinkOver]:
        """Ignores reports: the link is over already."""
        return Step(self)


def enter(target: OpenLink, context: Context) -> Step[ChoosingRoom]:
    """Asks who opens the room; says why if this box can't."""
    settings, options = context.shared.settings, (message("Show a room"), message("Enter a room"))
    why = why_no_room(settings)
    return Step(ChoosingRoom(Picker(_TITLE, options, 1 if why else 0, settings.levers)), refusal=why)


def break_off(target: BreakOff, context: Context) -> Step[LinkOver]:
    """Says why it's over."""
    shared = context.shared._replace(boxes=(), peer=Peer.OFFLINE)
    return Step(LinkOver(target.why), (*ask_link(Leave()), PlaySound(Sound.BLOCKED)), shared)


def _over(why: Text, *requests: LinkRequest) -> Step[LinkOver]:
    return Step(LinkOver(why), ask_link(*requests, Leave()))


def _greet(session: str) -> tuple[Effect, ...]:
    """Wakes the players of boxes that have met."""
    # For a helper that's started again: this box hasn't left any more.
    return (PlaySound(Sound.WAKE), *ask_link(Rejoin(session)))


def _begin(agreement: Agreement, seat: int, secret: str, context: Context) -> Step[BeginLinked]:
    game = context.shared.settings.recognize(agreement.game)
    return Step(BeginLinked(join(agreement, seat, DiceChain(secret)), game, secret))


def _whose_rules(version: int) -> Message:
    if version > RULES_VERSION:
        return message("This box has an older version of the rules. Update it first.")
    return message("The other box has an older version of the rules. Update it first.")


_TITLE, _ONE_MOMENT, _LEAVE = message("Another box"), message("One moment"), (message("Hold: leave"),)

_OFFER = plural(
    "{box} invites you: {game}, 1 round. {box} begins.",
    "{box} invites you: {game}, {rounds} rounds. {box} begins.",
)

_WHY: Mapping[WhyNotPaired, Message] = {
    WhyNotPaired.NOBODY: message("Nobody came. Open a new room and try again."),
    WhyNotPaired.WRONG_CODE: message("The code was wrong. Open a new room and try again."),
    WhyNotPaired.NO_BROKER: message("No connection. Ask whoever looks after this box."),
    WhyNotPaired.UNKNOWN: message("The other box is gone."),
    WhyNotPaired.NO_MEMORY: message("Memory is off"),
}
