"""The protocol between the box and its link helper: one packet per request or report, a line of JSON each.

Both ends parse strictly, because neither trusts the other more than it has to.
"""

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar, assert_never

from shutthebox.link import messages
from shutthebox.link.requests import (
    DIGITS,
    EnterRoom,
    HelperSigned,
    Leave,
    LinkReport,
    LinkRequest,
    NotPaired,
    OpenRoom,
    Paired,
    Peer,
    PeerIs,
    Received,
    Rejoin,
    RoomOpened,
    Send,
    WhyNotPaired,
)

MAX_LINE = messages.MAX_LINE + 32
"""The most bytes of a packet: a message, and the word before it."""

_Parsed = TypeVar("_Parsed")
_NUMBER = re.compile(f"[1-9]{{{DIGITS}}}", re.ASCII)
_KEY = re.compile("[0-9a-f]{64}", re.ASCII)
_SIGNATURE = re.compile("[0-9a-f]{128}", re.ASCII)


def request_to_line(request: LinkRequest) -> bytes:
    """A request as a line."""
    match request:
        case OpenRoom():
            return _line("open-room")
        case EnterRoom(room, code):
            return _line("enter-room", room, code)
        case Rejoin(session):
            return _line("rejoin", session)
        case Send(message):
            return _line_with("send", message)
        case Leave():
            return _line("leave")
        case _:
            assert_never(request)


def request_from_line(line: bytes) -> LinkRequest:
    """Parses a request's line.

    Raises:
        ValueError: if `request_to_line` doesn't write it.
    """
    return _parse(line, _request)


def _request(words: list[Any]) -> LinkRequest:
    match words:
        case ["open-room"]:
            return OpenRoom()
        case ["enter-room", str(room), str(code)]:
            return EnterRoom(_matching(_NUMBER, room), _matching(_NUMBER, code))
        case ["rejoin", str(session)]:
            return Rejoin(_matching(messages.SESSION, session))
        case ["send", message]:
            return Send(_message(message))
        case ["leave"]:
            return Leave()
        case _:
            raise ValueError("no request")


def report_to_line(report: LinkReport) -> bytes:
    """A report as a line."""
    match report:
        case RoomOpened(room, code):
            return _line("room-opened", room, code)
        case Paired(session, key):
            return _line("paired", session, key)
        case NotPaired(why):
            return _line("not-paired", why)
        case PeerIs(peer):
            return _line("peer-is", peer)
        case Received(message):
            return _line_with("received", message)
        case HelperSigned(signed):
            return _line("signed", *signed)
        case _:
            assert_never(report)


def report_from_line(line: bytes) -> LinkReport:
    """Parses a report's line.

    Raises:
        ValueError: if `report_to_line` doesn't write it.
    """
    return _parse(line, _report)


def _report(words: list[Any]) -> LinkReport:
    match words:
        case ["room-opened", str(room), str(code)]:
            return RoomOpened(_matching(_NUMBER, room), _matching(_NUMBER, code))
        case ["paired", str(session), str(key)]:
            return Paired(_matching(messages.SESSION, session), key and _matching(_KEY, key))
        case ["not-paired", str(why)]:
            return NotPaired(WhyNotPaired(why))
        case ["peer-is", str(peer)]:
            return PeerIs(Peer(peer))
        case ["received", message]:
            return Received(_message(message))
        case ["signed", str(digest), str(key), str(signature)]:
            parts = _matching(_KEY, digest), _matching(_KEY, key), _matching(_SIGNATURE, signature)
            return HelperSigned(messages.LogSignature(*parts))
        case _:
            raise ValueError("no report")


def _line(*words: str) -> bytes:
    return json.dumps(words, separators=(",", ":")).encode() + b"\n"


def _line_with(word: str, message: messages.Message) -> bytes:
    return _line(word)[:-2] + b"," + messages.to_line(message)[:-1] + b"]\n"


def _parse(line: bytes, read: Callable[[list[Any]], _Parsed]) -> _Parsed:
    if len(line) > MAX_LINE:
        raise ValueError("a line too long")
    try:
        return read(json.loads(line))
    except RecursionError:
        raise ValueError("no line") from None


def _matching(pattern: re.Pattern[str], text: str) -> str:
    if pattern.fullmatch(text) is None:
        raise ValueError("not as it is written")
    return text


def _message(value: object) -> messages.Message:
    return messages.from_line(json.dumps(value, separators=(",", ":")).encode())
