"""How two boxes agree on a secret: SPAKE2, with the code as the password.

Anybody in the middle, the broker included, can try one code each time people enter one, and learns nothing
from listening. The guest speaks first; the host accepts a single guess.

No network and no clock: packets come in, `Step`s go out.
"""

import hmac
from typing import NamedTuple

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from spake2 import SPAKE2_A, SPAKE2_B

_HELLO, _ANSWER, _CONFIRM, _CLOSED = b"h", b"a", b"c", b"x"
_SHARE = 33
"""Bytes of the message with which each side starts SPAKE2, including the byte that names the side."""
_PROOF = 32


class Step(NamedTuple):
    """What follows from a packet.

    Attributes:
        reply: to send to the other side; empty for nothing.
        secret: what both have agreed on; None until then.
        is_wrong: the code was wrong, and the room is closed.
    """

    reply: bytes = b""
    secret: bytes | None = None
    is_wrong: bool = False


_NOTHING = Step()
_WRONG = Step(_CLOSED, is_wrong=True)


def derive(secret: bytes, purpose: str, length: int = 32, context: bytes = b"") -> bytes:
    """Bytes that only holders of the secret can compute, different for each purpose."""
    info = f"shutthebox link 1: {purpose}: ".encode() + context
    return HKDF(algorithm=SHA256(), length=length, salt=None, info=info).derive(secret)


def _parts(room: str) -> dict[str, bytes]:
    return {"idA": f"shutthebox guest {room}".encode(), "idB": f"shutthebox host {room}".encode()}


def _proof(secret: bytes, of: str) -> bytes:
    return derive(secret, f"{of} has the secret", _PROOF)


class Host:
    """The box that shows the room and the code."""

    is_host = True

    def __init__(self, room: str, code: str) -> None:
        self._spake = SPAKE2_B(code.encode(), **_parts(room))
        self._share = self._spake.start()
        self._hello = b""
        self._secret: bytes | None = None

    opening = b""
    """Empty: the host waits for the guest."""

    def receive(self, packet: bytes) -> Step:
        """Handles a packet from the guest."""
        kind, rest = packet[:1], packet[1:]
        if kind == _HELLO and len(rest) == _SHARE:
            if self._hello:
                # A second guess; the broker may deliver the first one twice.
                return _NOTHING if rest == self._hello else _WRONG
            self._hello = rest
            try:
                self._secret = self._spake.finish(rest)
            except Exception:  # the library raises many kinds
                return _WRONG
            return Step(_ANSWER + self._share + _proof(self._secret, "host"))
        if self._secret is None:
            return _NOTHING
        if kind == _CONFIRM:
            right = hmac.compare_digest(rest, _proof(self._secret, "guest"))
            return Step(secret=self._secret) if right else _WRONG
        return Step(is_wrong=True) if kind == _CLOSED else _NOTHING


class Guest:
    """The box at which the room and the code are entered."""

    is_host = False

    def __init__(self, room: str, code: str) -> None:
        self._spake = SPAKE2_A(code.encode(), **_parts(room))
        self.opening = _HELLO + self._spake.start()
        self._is_answered = False

    def receive(self, packet: bytes) -> Step:
        """Handles a packet from the host."""
        kind, rest = packet[:1], packet[1:]
        if self._is_answered:
            return _NOTHING
        if kind == _CLOSED:
            return Step(is_wrong=True)
        if kind != _ANSWER or len(rest) != _SHARE + _PROOF:
            return _NOTHING
        self._is_answered = True
        try:
            secret = self._spake.finish(rest[:_SHARE])
        except Exception:  # the library raises many kinds
            return _WRONG
        if not hmac.compare_digest(rest[_SHARE:], _proof(secret, "host")):
            return _WRONG
        return Step(_CONFIRM + _proof(secret, "guest"), secret)
