"""What the box asks of its link helper, and what the helper reports: the helper knows nothing of the game.

The helper finds the other box, keeps the keys that pairing has given, and carries messages between both,
encrypted. Messages may get lost, doubled, late or out of order; `shutthebox.link.match` doesn't mind.
"""

from enum import StrEnum
from typing import NamedTuple, TypeAlias, assert_never

from shutthebox.link.messages import Message
from shutthebox.marker import Marker

DIGITS = 4
"""Digits of a room, and of a code; each is 1 to 9, so that levers can enter it."""

PAIRING_S = 120
"""A room is open for so many seconds, and its code is good for one guess."""


class OpenRoom(Marker):
    """Open a room and wait for another box. `RoomOpened` follows, or `NotPaired`."""

    __slots__ = ()


class EnterRoom(NamedTuple):
    """Find the box in this room and pair with it. `Paired` follows, or `NotPaired`.

    Attributes:
        room: `DIGITS` digits, each 1 to 9.
        code: likewise.
    """

    room: str
    code: str


class Rejoin(NamedTuple):
    """Carry messages of this session again, after a restart of the box. `PeerIs` follows, or `NotPaired`."""

    session: str


class Send(NamedTuple):
    """Send a message to the other box, once."""

    message: Message


class Leave(Marker):
    """This box knows of no match. Close the room, and leave all sessions, for ever.

    The other box hears of it, however long one of the two is cut off, after the messages asked for before.
    """

    __slots__ = ()


LinkRequest: TypeAlias = OpenRoom | EnterRoom | Rejoin | Send | Leave
"""What the box asks of the helper."""


class WhyNotPaired(StrEnum):
    """Why two boxes aren't paired."""

    NOBODY = "nobody"
    """Nobody is in that room, or nobody has come for `PAIRING_S`."""
    WRONG_CODE = "wrong-code"
    """Somebody guessed the code wrong; the room is closed."""
    NO_BROKER = "no-broker"
    """The broker can't be reached, or lets this box in no more."""
    UNKNOWN = "unknown"
    """The helper has no keys for this session."""
    NO_MEMORY = "no-memory"
    """The box can't keep a match now; its helper isn't asked."""


class RoomOpened(NamedTuple):
    """A room is open: this is what the other box enters."""

    room: str
    code: str


class Paired(NamedTuple):
    """Both boxes have the same key.

    Attributes:
        session: names the pairing, the same at both boxes: 32 lower-case hexadecimal digits.
    """

    session: str


class NotPaired(NamedTuple):
    """It came to nothing."""

    why: WhyNotPaired


class Peer(StrEnum):
    """Whether the other box can be reached."""

    HERE = "here"
    AWAY = "away"
    """The other box, or its helper, is off, or cut off."""
    OFFLINE = "offline"
    """This box is cut off, or its helper is gone."""
    LEFT = "left"
    """The players at the other box have left, or it knows of no match: it won't come back to this session."""


class PeerIs(NamedTuple):
    """Where the other box is. Also said again whenever the helper connects."""

    peer: Peer


class Received(NamedTuple):
    """A message came from the other box: authentic, but not yet believed."""

    message: Message


LinkReport: TypeAlias = RoomOpened | Paired | NotPaired | PeerIs | Received
"""What the helper reports."""


def update_standing(standing: Rejoin | Leave | None, request: LinkRequest) -> Rejoin | Leave | None:
    """Returns what every helper is asked as soon as it calls: to join a match again, or to leave all.

    Args:
        standing: what it was so far; None for nothing.
        request: what the box asks now.
    """
    match request:
        case Rejoin() | Leave():
            return request
        case OpenRoom() | EnterRoom():
            return None
        case Send():
            return standing
        case _:
            assert_never(request)


def answer_without_helper(request: LinkRequest) -> LinkReport | None:
    """Returns what the box is told at once of a request that no helper hears; None for nothing."""
    match request:
        case OpenRoom() | EnterRoom():
            return NotPaired(WhyNotPaired.NO_BROKER)
        case Rejoin() | Leave() | Send():
            return None
        case _:
            assert_never(request)
