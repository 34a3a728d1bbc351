"""The boxes' public keys, by which their messages are told from anybody else's."""

import logging
import re
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from sqlalchemy import Engine, select

from shutthebox.errors import one_line
from shutthebox_league.database import connect_to_read
from shutthebox_league.schema import KEY
from shutthebox_uplink.signing import open_entry

_log = logging.getLogger(__name__)

_NAME = re.compile(r"[a-z0-9-]{1,40}\.[1-9][0-9]{0,8}", re.ASCII)
"""Whatever has no such name is no key, and the database needn't be asked."""


class UnknownKeyError(ValueError):
    """Nobody is enrolled under this name; the text is one line."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A message whose signature holds.

    Attributes:
        name: of the key.
        message: as it came.
        entry: the bytes that are signed.
        oldest: the lowest sequence number that the box still had when it signed.
    """

    name: str
    message: bytes
    entry: bytes
    oldest: int


class Keys:
    """The keys that somebody has asked for. Thread-safe.

    They're kept for good, because a name is never given again. Whether one is revoked, the ledger looks up.

    Args:
        engine: the league's database.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[str, Ed25519PublicKey] = {}

    def known(self, name: str) -> Ed25519PublicKey | None:
        """The key, if it has been looked up before; never waits for the database."""
        return self._known.get(name)

    def find(self, name: str) -> Ed25519PublicKey:
        """The key of this name.

        Raises:
            UnknownKeyError: if there is none.
            SQLAlchemyError: if the database is unavailable.
        """
        if (known := self._known.get(name)) is not None:
            return known
        text = None
        if _NAME.fullmatch(name):
            with connect_to_read(self._engine) as db:
                text = db.execute(select(KEY.c.public_key).where(KEY.c.name == name)).scalar()
        if text is None:
            raise UnknownKeyError(f"no box is enrolled as {one_line(name[:60])}")
        try:
            key = load_pem_public_key(text.encode())
        except ValueError:
            key = None
        if not isinstance(key, Ed25519PublicKey):
            _log.error("%s: its public key in the database is damaged", name)
            raise UnknownKeyError(f"the league can't read the key {name}")
        return self._known.setdefault(name, key)


def open_signed(message: bytes, name: str, key: Ed25519PublicKey) -> Signed:
    """An entry that this key has signed.

    Raises:
        SignatureError: if it isn't signed so.
    """
    opened = open_entry(message, name, key)
    return Signed(name, message, opened.entry, opened.oldest)
