"""What two paired boxes send through a broker they don't trust: encrypted, authenticated, and fresh.

For each connection to the broker, a helper picks a random *name*, and challenges the other helper with a
random number. A box counts as here once it has answered the challenge. Each challenge admits a single name,
so replaying an old packet proves nothing. When a connection ends, the broker sends its last will, which is
encrypted, too. A box that has left a session never comes back, so that news never goes stale, and the broker
retains it.

The message keys depend on both names, and messages are numbered. So no key is ever used twice with the same
number, even after a restart, and a message that is replayed, or from an earlier connection, is dropped. A
broker can still drop everything, or hide that a box has gone.

No network and no clock. `renew` may be called from another thread.
"""

import os
import threading
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from shutthebox.link.messages import MAX_LINE
from shutthebox.link.requests import Peer
from shutthebox_link.pairing import derive

_PRESENCE, _MESSAGE = b"p", b"m"
_HERE, _ASKS, _AWAY, _LEFT, _KNOWS = b"h", b"q", b"a", b"l", b"k"
_RANDOM, _NONCE, _NUMBER, _TAG = 16, 12, 8, 16
"""Bytes of a name and of a challenge; of the cipher's parts."""
_NOTHING_YET = bytes(_RANDOM)

MAX_PACKET = 1 + _NUMBER + MAX_LINE + _TAG
"""Bytes of the largest packet."""


class OpenedPacket(NamedTuple):
    """What a packet says.

    Attributes:
        peer: where the other box is now; None if that hasn't changed.
        message: a line for the box; None if there's none.
        reply: to send back; empty for nothing.
        knows: the other box has left, and knows that this one has, too.
        doubt: True if the other box was here, but this packet came from another of its connections, which now
            has to answer a challenge; False if a connection has just answered one; None for neither.
    """

    peer: Peer | None = None
    message: bytes | None = None
    reply: bytes = b""
    knows: bool = False
    doubt: bool | None = None


_NOTHING = OpenedPacket()


def session_of(secret: bytes) -> str:
    """The name of the session, derived from its secret: 32 hexadecimal digits."""
    return derive(secret, "session", 16).hex()


def is_presence(packet: bytes) -> bool:
    """Whether a packet, if authentic, says where a box is, as opposed to carrying a message."""
    return packet[:1] == _PRESENCE


class Channel:
    """One end of a session.

    Args:
        secret: shared by both ends.
        is_host: whether this is the host's end.
    """

    def __init__(self, secret: bytes, *, is_host: bool) -> None:
        self.session, self.is_host = session_of(secret), is_host
        topic = f"shutthebox/link/{derive(secret, 'topic', 16).hex()}/"
        self._own_role, self._others_role = ("host", "guest") if is_host else ("guest", "host")
        self.own_topic, self.others_topic = topic + self._own_role, topic + self._others_role
        self._secret = secret
        self._presence_sealer = ChaCha20Poly1305(derive(secret, f"presence of {self._own_role}"))
        self._presence_opener = ChaCha20Poly1305(derive(secret, f"presence of {self._others_role}"))
        self._lock = threading.Lock()
        self.renew()

    def renew(self) -> None:
        """Starts over on a new connection to the broker: the other box has to prove again that it's here."""
        with self._lock:
            self._own_name, self._challenge = os.urandom(_RANDOM), os.urandom(_RANDOM)
            self._peer_name = self._numbered_name = self._answered_challenge = _NOTHING_YET
            self._sent = self._received = 0
            self._sealer: ChaCha20Poly1305 | None = None
            self._opener: ChaCha20Poly1305 | None = None

    def here(self) -> bytes:
        """The packet that says that this box is here, and whether it's still looking for the other one."""
        with self._lock:
            return self._here()

    def away(self) -> bytes:
        """The packet that says that this connection has ended; also its last will."""
        with self._lock:
            return self._seal_presence(_AWAY)

    def left(self, *, knows: bool) -> bytes:
        """The packet that says that this box has left for good; true whenever it's read.

        Args:
            knows: whether this box knows that the other one has left, too.
        """
        with self._lock:
            return self._seal_presence(_KNOWS if knows else _LEFT)

    def seal(self, line: bytes) -> bytes | None:
        """A message's packet; None while the other box isn't here."""
        with self._lock:
            if self._sealer is None:
                return None
            self._sent += 1
            number = self._sent.to_bytes(_NUMBER, "big")
            return _MESSAGE + number + self._sealer.encrypt(_nonce(number), line, _MESSAGE)

    def receive(self, packet: bytes) -> OpenedPacket:
        """Opens a packet. One that isn't authentic, or is stale, has nothing to say."""
        if len(packet) > MAX_PACKET:
            return _NOTHING
        kind, rest = packet[:1], packet[1:]
        with self._lock:
            try:
                if kind == _PRESENCE:
                    return self._open_presence(
                        self._presence_opener.decrypt(rest[:_NONCE], rest[_NONCE:], _PRESENCE)
                    )
                if kind == _MESSAGE and self._opener is not None:
                    return self._open_message(self._opener, rest[:_NUMBER], rest[_NUMBER:])
            except (InvalidTag, ValueError):  # forged, or too short
                pass
            return _NOTHING

    def _here(self) -> bytes:
        return self._seal_presence(_ASKS if self._peer_name == _NOTHING_YET else _HERE)

    def _seal_presence(self, kind: bytes) -> bytes:
        nonce, said = os.urandom(_NONCE), kind + self._own_name + self._challenge + self._answered_challenge
        return _PRESENCE + nonce + self._presence_sealer.encrypt(nonce, said, _PRESENCE)

    def _open_presence(self, said: bytes) -> OpenedPacket:
        kind, *numbers = (said[:1], *(said[at : at + _RANDOM] for at in range(1, len(said), _RANDOM)))
        other, asked, answered = numbers
        if kind == _AWAY and other != self._peer_name:
            return _NOTHING  # an earlier connection
        if kind in (_AWAY, _LEFT, _KNOWS):
            self._challenge, self._peer_name = os.urandom(_RANDOM), _NOTHING_YET
            self._sealer = self._opener = None
            return OpenedPacket(Peer.AWAY if kind == _AWAY else Peer.LEFT, knows=kind == _KNOWS)
        peer, is_fresh, doubt = None, answered == self._challenge, None
        if self._peer_name != _NOTHING_YET and (is_fresh or other != self._peer_name):
            doubt = not is_fresh
        if is_fresh and other != self._peer_name:
            peer, self._peer_name, self._challenge = Peer.HERE, other, os.urandom(_RANDOM)
            # Otherwise the broker sent a last will too early: the keys stay the same.
            if other != self._numbered_name:
                self._numbered_name, self._received = other, 0
            self._sealer = self._key(self._own_role, self._own_name + other)
            self._opener = self._key(self._others_role, other + self._own_name)
        # An answer may get lost, so a box that's still looking is answered again.
        if is_fresh and self._answered_challenge == asked and kind != _ASKS:
            return OpenedPacket(peer, doubt=doubt)
        self._answered_challenge = asked
        return OpenedPacket(peer, reply=self._here(), doubt=doubt)

    def _open_message(self, key: ChaCha20Poly1305, number: bytes, sealed: bytes) -> OpenedPacket:
        line = key.decrypt(_nonce(number), sealed, _MESSAGE)
        if int.from_bytes(number, "big") <= self._received:
            return _NOTHING
        self._received = int.from_bytes(number, "big")
        return OpenedPacket(message=line)

    def _key(self, sender: str, names: bytes) -> ChaCha20Poly1305:
        return ChaCha20Poly1305(derive(self._secret, f"messages of {sender}", context=names))


def _nonce(number: bytes) -> bytes:
    if len(number) != _NUMBER:
        raise ValueError("no number")
    return bytes(_NONCE - _NUMBER) + number
