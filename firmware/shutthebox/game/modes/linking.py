"""Linking: two boxes find each other by a room and a code, and agree on a match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import ClassVar

from shutthebox.game.effects import PlaySound, Sound
from shutthebox.game.menu_items import why_no_room
from shutthebox.game.messages import Message, Name, Spelling, Text, message, title_text
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.picker import Flicks, Picker
from shutthebox.game.picker_screen import follow_flicks, picker_screen
from shutthebox.game.screen import Screen
from shutthebox.game.settings import Settings
from shutthebox.game.state import Context, Shared, Step, ask_link, refuse
from shutthebox.game.targets import BackToAttract, BeginLinked, OpenLink, Part
from shutthebox.game.wording import list_tiles, rules_pages
from shutthebox.link.invitation import agree, invite, invited_game, linkable
from shutthebox.link.match import Agreement, LinkError, join
from shutthebox.link.messages import Accept, Decline, Invite
from shutthebox.link.requests import (
    DIGITS,
    EnterRoom,
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


class LinkStage(Enum):
    """How far two boxes have come."""

    CHOOSING = auto()
    """Who opens the room."""
    OPENING = auto()
    """The helper was asked for a room, or to find one."""
    OPEN = auto()
    """This box shows room and code."""
    ENTERING = auto()
    """Players enter room and code."""
    INVITING = auto()
    """Paired; the host has invited the guest."""
    PAIRED = auto()
    """Paired; the guest waits for the invitation."""
    INVITED = auto()
    """The guest reads the invitation."""
    OVER = auto()
    """There will be no match, and the box says why."""


_MET = (LinkStage.INVITING, LinkStage.PAIRED, LinkStage.INVITED)
_AT_HELPER = (LinkStage.OPENING, LinkStage.OPEN, *_MET)


@dataclass(frozen=True, slots=True, eq=False)
class Linking(BoxMode):
    """On the way to a linked match, or after a failed attempt.

    Attributes:
        stage: how far.
        picker: of the first question.
        room: its number, or the digits entered so far.
        code: likewise.
        flicks: levers moved and not yet put back.
        session: of the pairing.
        key: this box's public key, to be signed with.
        secret: of this box's dice.
        invited: the invitation sent or received.
        page: of the invitation's text, from 0; then come the rules.
        since_ns: when the invitation was last sent.
        why: why it's over.
    """

    name: ClassVar[Mode] = Mode.LINKING
    is_list: ClassVar[bool] = True

    stage: LinkStage
    picker: Picker | None = None
    room: str = ""
    code: str = ""
    flicks: Flicks = field(default_factory=Flicks)
    session: str = ""
    key: str = ""
    secret: str = ""
    invited: Invite | None = None
    page: int = 0
    since_ns: int = 0
    why: Text = ""

    def deadline_ns(self, shared: Shared) -> int | None:
        """When the invitation is sent again."""
        return self.since_ns + INVITE_AGAIN_NS if self.stage is LinkStage.INVITING else None

    def screen(self, shared: Shared) -> Screen:
        """The question, the room and its code, or the invitation."""
        title, back = message("Another box"), (message("Hold: leave"),)
        match self.stage:
            case LinkStage.CHOOSING:
                assert self.picker is not None, "the question has answers"
                return picker_screen(self.name, self.picker)
            case LinkStage.OPEN:
                told = (message("Room {room}", room=self.room), message("Code {code}", code=self.code))
                return Screen(self.name, title=title, rows=told, prompt=message("Enter it there"), also=back)
            case LinkStage.ENTERING:
                wants_code = len(self.room) == DIGITS
                digits = self.code if wants_code else self.room
                return Screen(
                    self.name,
                    title=message("Code?") if wants_code else message("Room?"),
                    big=Spelling(digits, DIGITS),
                    prompt=message("Flick the digits"),
                    also=(message("Hold: back"),),
                ).led_by(self.flicks.reminder)
            case LinkStage.OPENING | LinkStage.PAIRED | LinkStage.INVITING:
                paragraph = _WAITING[self.stage]
                return Screen(
                    self.name, title=title, paragraph=paragraph, prompt=message("One moment"), also=back
                )
            case LinkStage.INVITED:
                pages = _pages(self, shared.settings)
                return Screen(
                    self.name,
                    title=title,
                    paragraph=pages[self.page],
                    prompt=message("Press: play"),
                    also=(message("Lever 1: rules"), message("Hold: no")),
                    lit=True,
                ).led_by(self.flicks.reminder)
            case LinkStage.OVER:
                return Screen(
                    self.name, title=title, paragraph=self.why, prompt=message("Press: back"), lit=True
                )


_WAITING: Mapping[LinkStage, Message] = {
    LinkStage.OPENING: message("Looking for the other box."),
    LinkStage.PAIRED: message("The boxes have met. The other one now invites you."),
    LinkStage.INVITING: message("The boxes have met. The other one is reading your invitation."),
}

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


def enter(target: OpenLink, context: Context) -> Step[Linking]:
    """Asks who opens the room; says why if this box can't."""
    settings, options = context.shared.settings, (message("Show a room"), message("Enter a room"))
    why = why_no_room(settings)
    picker = Picker(message("Another box"), options, 1 if why else 0, settings.levers)
    return Step(Linking(LinkStage.CHOOSING, picker), refusal=why)


def part(target: Part, context: Context) -> Step[Linking]:
    """Says why it's over."""
    shared = context.shared._replace(boxes=(), peer=Peer.OFFLINE)
    effects = ask_link(Leave())
    return Step(Linking(LinkStage.OVER, why=target.why), (*effects, PlaySound(Sound.BLOCKED)), shared)


def _over(why: Text, *requests: LinkRequest) -> Step[Linking]:
    return Step(Linking(LinkStage.OVER, why=why), ask_link(*requests, Leave()))


def levers(mode: Linking, context: Context) -> Step[Linking]:
    """A flick answers the question, enters a digit, or turns the invitation's page."""
    if mode.stage is LinkStage.CHOOSING and mode.picker is not None:
        picker, effects, why = follow_flicks(mode.picker, context)
        return Step(replace(mode, picker=picker), effects, refusal=why)
    flicks, flicked = mode.flicks.follow(context.moved)
    mode = replace(mode, flicks=flicks)
    if not flicked:
        return Step(mode)
    if mode.stage is LinkStage.INVITED:
        pages = len(_pages(mode, context.shared.settings))
        return Step(replace(mode, page=(mode.page + 1) % pages), (PlaySound(Sound.CHOICE),))
    if mode.stage is not LinkStage.ENTERING or flicked[0] > 9:
        return Step(mode)
    digit = str(flicked[0])
    if len(mode.room) < DIGITS:
        return Step(replace(mode, room=mode.room + digit), (PlaySound(Sound.CHOICE),))
    mode = replace(mode, code=mode.code + digit)
    if len(mode.code) < DIGITS:
        return Step(mode, (PlaySound(Sound.CHOICE),))
    found = ask_link(EnterRoom(mode.room, mode.code))
    return Step(replace(mode, stage=LinkStage.OPENING), (*found, PlaySound(Sound.CHOICE)))


def press(mode: Linking, context: Context) -> Step[Linking | BackToAttract | BeginLinked]:
    """Chooses, accepts the invitation, or goes on."""
    match mode.stage:
        case LinkStage.CHOOSING if mode.picker is not None and mode.picker.cursor == 0:
            if why := why_no_room(context.shared.settings):
                return refuse(mode, why)
            return Step(Linking(LinkStage.OPENING), ask_link(OpenRoom()))
        case LinkStage.CHOOSING:
            return Step(Linking(LinkStage.ENTERING))
        case LinkStage.INVITED:
            return _accept(mode, context)
        case LinkStage.OVER:
            return Step(BackToAttract())
        case LinkStage.ENTERING:
            return refuse(mode, message("Flick the digits"))
        case LinkStage.OPENING | LinkStage.OPEN | LinkStage.INVITING | LinkStage.PAIRED:
            return refuse(mode, message("One moment"))


def hold(mode: Linking, context: Context) -> Step[Linking | BackToAttract]:
    """Takes back a digit, declines, or leaves."""
    if mode.stage is LinkStage.ENTERING and mode.room:
        if mode.code:
            return Step(replace(mode, code=mode.code[:-1]))
        return Step(replace(mode, room=mode.room[:-1]))
    return leave(mode, context)


def leave(mode: Linking, context: Context) -> Step[BackToAttract]:
    """Goes back; the other box is told, if there is one."""
    match mode.stage:
        case LinkStage.CHOOSING | LinkStage.ENTERING | LinkStage.OVER:
            return Step(BackToAttract())
        case LinkStage.INVITED:
            return Step(BackToAttract(), ask_link(Send(Decline(RULES_VERSION)), Leave()))
        case LinkStage.OPENING | LinkStage.OPEN | LinkStage.INVITING | LinkStage.PAIRED:
            return Step(BackToAttract(), ask_link(Leave()))


def desert(mode: Linking, context: Context) -> Step[Linking | BackToAttract]:
    """Leaves, but not a room: others may come to it until it's closed."""
    if mode.stage in (LinkStage.OPENING, LinkStage.OPEN):
        return Step(mode)
    return leave(mode, context)


def time(mode: Linking, context: Context) -> Step[Linking]:
    """Sends the invitation again."""
    deadline_ns = mode.deadline_ns(context.shared)
    if deadline_ns is None or context.now_ns < deadline_ns or mode.invited is None:
        return Step(mode)
    return Step(replace(mode, since_ns=context.now_ns), ask_link(Send(mode.invited)))


def opened(mode: Linking, room: RoomOpened, context: Context) -> Step[Linking]:
    """Shows the room."""
    if mode.stage is not LinkStage.OPENING:
        return Step(mode)
    return Step(replace(mode, stage=LinkStage.OPEN, room=room.room, code=room.code))


def paired(mode: Linking, came: Paired, context: Context) -> Step[Linking]:
    """The host invites; the guest waits."""
    settings = context.shared.settings
    # For a helper that's started again: this box hasn't left any more.
    wakes, stays = PlaySound(Sound.WAKE), ask_link(Rejoin(came.session))
    if mode.stage is LinkStage.OPENING:
        return Step(Linking(LinkStage.PAIRED, session=came.session, key=came.key), (wakes, *stays))
    game = linkable(settings.usual_game) if settings.usual_game else None
    if mode.stage is not LinkStage.OPEN or game is None or settings.link is None:
        return Step(mode)
    secret = context.dice.secret()
    rounds = begin(game, 2, settings.game.rounds).rounds
    invited = invite(game, rounds, settings.link, DiceChain(secret), came.key)
    inviting = Linking(
        LinkStage.INVITING, session=came.session, secret=secret, invited=invited, since_ns=context.now_ns
    )
    return Step(inviting, (wakes, *stays, *ask_link(Send(invited))))


def not_paired(mode: Linking, came: NotPaired, context: Context) -> Step[Linking]:
    """Says why the boxes haven't met."""
    if mode.stage is LinkStage.OPENING and mode.room and came.why is WhyNotPaired.NOBODY:
        return _over(message("Nobody is in that room. Check the digits and try again."))
    return Step(mode) if mode.stage is LinkStage.OVER else _over(_WHY[came.why])


def invited(mode: Linking, came: Invite, context: Context) -> Step[Linking]:
    """Shows the invitation, unless this box can't play by it."""
    if mode.stage is not LinkStage.PAIRED:
        return Step(mode)
    declined = Send(Decline(RULES_VERSION))
    if came.rules_version != RULES_VERSION:
        return _over(_whose_rules(came.rules_version), declined)
    try:
        game = invited_game(came)
    except LinkError:
        return _over(message("This box doesn't understand the invitation."), declined)
    settings = context.shared.settings
    if game.for_levers(settings.levers) is None:
        return _over(message("Their game has tiles up to {tile}.", tile=game.tiles[-1]), declined)
    if missing := game.starting & settings.out:
        return _over(message("Their game needs lever {tiles}.", tiles=list_tiles(missing)), declined)
    return Step(replace(mode, stage=LinkStage.INVITED, invited=came), (PlaySound(Sound.WAKE),))


def _whose_rules(version: int) -> Message:
    if version > RULES_VERSION:
        return message("This box has an older version of the rules. Update it first.")
    return message("The other box has an older version of the rules. Update it first.")


def declined(mode: Linking, came: Decline, context: Context) -> Step[Linking]:
    """Says that the guest declined, and why if it's because of the rules' version."""
    if mode.stage is not LinkStage.INVITING:
        return Step(mode)
    if came.rules_version != RULES_VERSION:
        return _over(_whose_rules(came.rules_version))
    return _over(message("The other box has declined."))


def moved(mode: Linking, came: PeerIs, context: Context) -> Step[Linking]:
    """Reports it if the other box, or the helper with its room, has gone before the match."""
    if came.peer in (Peer.AWAY, Peer.LEFT) and mode.stage in _MET:
        return _over(_WHY[WhyNotPaired.UNKNOWN])
    if came.peer is Peer.OFFLINE and mode.stage in _AT_HELPER:
        return _over(_WHY[WhyNotPaired.NO_BROKER])
    return Step(mode)


def accepted(mode: Linking, came: Accept, context: Context) -> Step[Linking | BeginLinked]:
    """Begins the match at the host's box."""
    if mode.stage is not LinkStage.INVITING or mode.invited is None:
        return Step(mode)
    try:
        agreement = agree(mode.invited, invited_game(mode.invited), came, mode.session)
    except LinkError:
        return _over(_WHY[WhyNotPaired.UNKNOWN])
    return _begin(agreement, 0, mode.secret, context)


def _accept(mode: Linking, context: Context) -> Step[BeginLinked]:
    """Begins the match at the guest's box, and then accepts."""
    assert mode.invited is not None, "there is an invitation"
    secret, name = context.dice.secret(), context.shared.settings.link or "-"
    accept = Accept(name, DiceChain(secret).commitment, mode.key)
    agreement = agree(mode.invited, invited_game(mode.invited), accept, mode.session)
    return _begin(agreement, 1, secret, context)


def _begin(agreement: Agreement, seat: int, secret: str, context: Context) -> Step[BeginLinked]:
    game = context.shared.settings.recognize(agreement.game)
    return Step(BeginLinked(join(agreement, seat, DiceChain(secret)), game, secret))


def _pages(mode: Linking, settings: Settings) -> tuple[Text, ...]:
    """The invitation, then the rules of its game."""
    assert mode.invited is not None, "there is an invitation"
    game, host = invited_game(mode.invited), Name(mode.invited.name)
    title = title_text(settings.recognize(game), settings.box.language)
    offer = message("{box} invites you: {game}. {box} begins.", box=host, game=title)
    if game.has_rounds:
        rounds = mode.invited.rounds
        offer = message(_OFFER, box=host, game=title, rounds=rounds)
    return (offer, *rules_pages(game))
