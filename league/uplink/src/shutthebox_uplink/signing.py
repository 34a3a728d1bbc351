"""Signed messages between a box and a league: JSON Web Signatures (RFC 7515) with Ed25519 keys.

A box signs entries and its state, a league signs receipts. The header's `typ` says which it is, so that none
can be passed off as another.
"""

import json
from base64 import urlsafe_b64encode
from dataclasses import asdict, dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from jwt import PyJWS
from jwt.exceptions import PyJWTError

ENTRY, STATE, RECEIPT = "shutthebox-entry+jws", "shutthebox-state+jws", "shutthebox-receipt+jws"
COMMITTED, REFUSED, HELD = "committed", "refused", "held"

_ALGORITHM = "EdDSA"
_MAX_HEAD = 4096
"""The most bytes of an encoded header."""

_JWS = PyJWS()


class SignatureError(ValueError):
    """A message without a valid signature of its sender, or no message at all."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """A league's answer to an entry, or to a box's state.

    Attributes:
        box: of the entry; empty for a state.
        sequence: of the entry; 0 for a state.
        hash: of the entry or the state.
        status: `COMMITTED`: the league has it permanently. `REFUSED`: the league has it; it doesn't count.
            `HELD`: the league has not taken it, and the box has to keep it.
        reason: why it was refused or held; otherwise empty.
        version: of the box's program that the league has, which may be newer than the box's own.
        rules: the version of the rules that the league knows.
    """

    box: str
    sequence: int
    hash: str
    status: str
    reason: str = ""
    version: str = ""
    rules: int = 0


@dataclass(frozen=True, slots=True)
class SignedEntry:
    """A signed entry whose signature holds.

    Attributes:
        entry: its bytes.
        oldest: the lowest sequence number that the box still had when it signed: earlier entries that were
            never received have been dropped.
    """

    entry: bytes
    oldest: int


def sign_entry(entry: bytes, oldest: int, name: str, key: Ed25519PrivateKey) -> bytes:
    """An entry as it is sent.

    Args:
        entry: its bytes.
        oldest: the lowest sequence number in the outbox.
        name: of the key.
        key: the box's.
    """
    headers = {"typ": ENTRY, "kid": name, "oldest": oldest}
    return _JWS.encode(entry, key, algorithm=_ALGORITHM, headers=headers).encode("ascii")


def sign_state(state: bytes, name: str, key: Ed25519PrivateKey) -> bytes:
    """A box's state as it is sent; the key of this name is the box's."""
    return _JWS.encode(state, key, algorithm=_ALGORITHM, headers={"typ": STATE, "kid": name}).encode("ascii")


def signer(message: bytes, kind: str) -> str:
    """The name of the key that a message of this kind claims to be signed with.

    Only the header is read, so that nobody without a key costs more than that.

    Raises:
        SignatureError: if it is no such message.
    """
    head, dot, _ = message[: _MAX_HEAD + 1].partition(b".")
    if not dot:
        raise SignatureError("not a JSON Web Signature")
    try:
        header = _JWS.get_unverified_header(head.decode("ascii") + "..")
    except (PyJWTError, ValueError, RecursionError):
        raise SignatureError("not a JSON Web Signature") from None
    name = header.get("kid")
    if header.get("typ") != kind or not isinstance(name, str):
        raise SignatureError("signed for another purpose")
    return name


def open_entry(message: bytes, name: str, key: Ed25519PublicKey) -> SignedEntry:
    """The entry in a message.

    Raises:
        SignatureError: if the key of this name has not signed it.
    """
    header, payload = _open(message, ENTRY, key, name)
    oldest = header.get("oldest")
    if not isinstance(oldest, int) or isinstance(oldest, bool) or oldest < 1:
        raise SignatureError("no oldest sequence number")
    return SignedEntry(payload, oldest)


def open_state(message: bytes, name: str, key: Ed25519PublicKey) -> bytes:
    """The state in a message.

    Raises:
        SignatureError: if the key of this name has not signed it.
    """
    return _open(message, STATE, key, name)[1]


def sign_receipt(receipt: Receipt, key: Ed25519PrivateKey) -> bytes:
    """A receipt as it is sent; the key is the league's."""
    payload = json.dumps(asdict(receipt)).encode("ascii")
    return _JWS.encode(payload, key, algorithm=_ALGORITHM, headers={"typ": RECEIPT}).encode("ascii")


def open_receipt(message: bytes, key: Ed25519PublicKey) -> Receipt:
    """The receipt in an answer.

    Raises:
        SignatureError: if the league has not signed it.
    """
    _, payload = _open(message, RECEIPT, key)
    try:
        receipt = Receipt(**json.loads(payload))
    except (ValueError, TypeError, RecursionError):
        raise SignatureError("no receipt") from None
    if receipt.status not in (COMMITTED, REFUSED, HELD) or not isinstance(receipt.reason, str):
        raise SignatureError("no receipt")
    return receipt


def _open(
    message: bytes, kind: str, key: Ed25519PublicKey, name: str | None = None
) -> tuple[dict[str, Any], bytes]:
    """The header and the content of a message of this kind, signed under this name if it's given."""
    try:
        found = _JWS.decode_complete(message.decode("ascii"), key, algorithms=[_ALGORITHM])
    except (PyJWTError, ValueError, RecursionError):
        raise SignatureError("the signature does not hold") from None
    # The library also takes other characters that decode to the same signature.
    if message.rpartition(b".")[2] != urlsafe_b64encode(found["signature"]).rstrip(b"="):
        raise SignatureError("the signature does not hold")
    if found["header"].get("typ") != kind:
        raise SignatureError("signed for another purpose")
    if name is not None and found["header"].get("kid") != name:
        raise SignatureError("signed under another name")
    return found["header"], found["payload"]
