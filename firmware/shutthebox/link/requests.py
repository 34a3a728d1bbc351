"""What the box asks of its link helper, and what the helper reports. The helper knows nothing of the game.

The helper finds the other box, keeps the keys from pairing, and carries messages between the two boxes,
encrypted. Messages may be lost, doubled, late or out of order; `shutthebox.link.match` copes with that.
"""

from enum import StrEnum
from typing import NamedTuple, TypeAlias, assert_never

from shutthebox.link.messages import LogSignature, Message
from shutthebox.marker import Marker

DIGITS = 4
"""The number of digits of a room, and of a code. Each is 1 to 9, so that levers can enter it."""

PAIRING_S = 120
"""Seconds for which a room stays open. Its code is good for one guess."""


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
    """Go on with this session, after a restart of the box. `PeerIs` follows, or `NotPaired`."""

    session: str


class Send(NamedTuple):
    """Send a message to the other box, once. If it asks for a signature, `HelperSigned` follows, too."""

    message: Message


class Leave(Marker):
    """This box has no match. Close the room, and leave all sessions for good.

    The other box learns of it, however long either is cut off, after any messages sent before.
    """

    __slots__ = ()


LinkRequest: TypeAlias = OpenRoom | EnterRoom | Rejoin | Send | Leave
"""What the box asks of the helper."""


class WhyNotPaired(StrEnum):
    """Why two boxes aren't paired."""

    NOBODY = "nobody"
    """Nobody is in that room, or nobody came within `PAIRING_S`."""
    WRONG_CODE = "wrong-code"
    """The code was wrong; the room is closed."""
    NO_BROKER = "no-broker"
    """The broker can't be reached, or no longer accepts this box."""
    UNKNOWN = "unknown"
    """The helper has no keys for this session."""
    NO_MEMORY = "no-memory"
    """The box can't store a match now, or its helper a key. The box also says so itself, without asking."""


class RoomOpened(NamedTuple):
    """A room is open: this is what the other box enters."""

    room: str
    code: str


class Paired(NamedTuple):
    """Both boxes have the same key.

    Attributes:
        session: the name of the pairing, the same at both boxes: 32 lower-case hexadecimal digits.
        key: this box's public key, with which its helper signs; empty if it has none.
    """

    session: str
    key: str = ""


class NotPaired(NamedTuple):
    """The boxes haven't been paired."""

    why: WhyNotPaired


class Peer(StrEnum):
    """Whether the other box can be reached."""

    HERE = "here"
    AWAY = "away"
    """The other box, or its helper, is off, or cut off."""
    OFFLINE = "offline"
    """This box is cut off, or its helper is gone."""
    LEFT = "left"
    """The other box has left this session for good: its players have left, or it has no match."""


class PeerIs(NamedTuple):
    """Where the other box is. Repeated whenever the helper connects to the broker."""

    peer: Peer


class Received(NamedTuple):
    """A message from the other box: authentic, but not yet checked."""

    message: Message


class HelperSigned(NamedTuple):
    """The helper has signed for this box."""

    signed: LogSignature


HelperReport: TypeAlias = RoomOpened | Paired | NotPaired | PeerIs | HelperSigned
"""What the helper reports of itself and of the way to the other box."""

LinkReport: TypeAlias = HelperReport | Received
"""What the helper reports."""


def update_standing(standing: Rejoin | Leave | None, request: LinkRequest) -> Rejoin | Leave | None:
    """Returns the request to send to a helper as soon as it connects: to rejoin a match, or to leave all.

    Args:
        standing: what it has been so far; None for none.
        request: what the box asks now.
    """
    match request:
        case Rejoin() | Leave():
            return request
        case OpenRoom() | EnterRoom():
            # No helper may have heard of it yet: the wire may have died just then.
            return standing if isinstance(standing, Leave) else None
        case Send():
            return standing
        case _:
            assert_never(request)


def answer_without_helper(request: LinkRequest) -> LinkReport | None:
    """Returns the answer to a request while no helper is connected; None for no answer."""
    match request:
        case OpenRoom() | EnterRoom():
            return NotPaired(WhyNotPaired.NO_BROKER)
        case Rejoin() | Leave() | Send():
            return None
        case _:
            assert_never(request)
