"""The key with which a box signs the matches that it has played with another one."""

import logging
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from shutthebox.adapters.signatures import is_genuine
from shutthebox.files import read_bytes, reason, replace_file
from shutthebox.link.messages import LogSignature, Message, Sync
from shutthebox.link.proof import text_to_sign

FILE = "signing-key"

_BYTES = 32

_log = logging.getLogger(__name__)


class Signer:
    """Signs for this box. Without its key it signs nothing, and looks for it again the next time.

    Args:
        folder: one that only the helper's user can read. The key is made there if there's none.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._key: Ed25519PrivateKey | None = None

    @property
    def public_key(self) -> str:
        """64 hexadecimal digits; empty if there's no key now."""
        key = self._find()
        return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex() if key else ""

    def sign(self, digest: str) -> LogSignature | None:
        """Signs a finished log; None without a key."""
        key = self._find()
        return LogSignature(digest, self.public_key, key.sign(text_to_sign(digest)).hex()) if key else None

    def _find(self) -> Ed25519PrivateKey | None:
        if self._key is None:
            try:
                self._key = self._read()
            except (OSError, ValueError) as error:
                why = reason(error) if isinstance(error, OSError) else error
                _log.error("%s: %s; matches aren't signed", self._path, why)
        return self._key

    def _read(self) -> Ed25519PrivateKey:
        try:
            content = read_bytes(self._path, _BYTES + 1, follow_links=False)
        except FileNotFoundError:
            key = Ed25519PrivateKey.generate()
            raw = key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
            replace_file(self._path, raw, mode=0o600, durable=True)
            return key
        if len(content) != _BYTES:
            raise ValueError(f"not a key of {_BYTES} bytes")  # once it's removed, a new one is made
        return Ed25519PrivateKey.from_private_bytes(content)


def check_signature(message: Message) -> Message:
    """A message from the other box, without its signature if that isn't genuine."""
    if not isinstance(message, Sync) or message.signed is None:
        return message
    digest, key, signature = message.signed
    return message if is_genuine(key, signature, text_to_sign(digest)) else message._replace(signed=None)
