"""A signed message is taken as it was signed, for its purpose, or not at all."""

from base64 import b64decode, urlsafe_b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shutthebox_uplink.signing import (
    COMMITTED,
    Receipt,
    SignatureError,
    open_entry,
    open_receipt,
    sign_entry,
    sign_receipt,
    signer,
)
from shutthebox_uplink.signing import (
    ENTRY as KIND,
)

KEY = Ed25519PrivateKey.generate()
ENTRY = b'{"version": 1, "sequence": 7}\n'
RECEIPT = Receipt("0" * 32, 7, "f" * 64, COMMITTED)


def test_a_bit_altered_anywhere_is_refused() -> None:
    message = sign_entry(ENTRY, 5, "lion.1", KEY)
    opened = open_entry(message, "lion.1", KEY.public_key())
    assert (opened.entry, opened.oldest) == (ENTRY, 5)
    for place in range(len(message)):
        altered = bytearray(message)
        altered[place] ^= 1 << place % 8
        with pytest.raises(SignatureError):
            open_entry(bytes(altered), "lion.1", KEY.public_key())


@pytest.mark.parametrize("message", [b"", b".", b"..", b"\xff\xfe", b"e30.e30.", b"[" * 10_000])
def test_nonsense_is_refused(message: bytes) -> None:
    with pytest.raises(SignatureError, match="the signature does not hold"):
        open_entry(message, "lion.1", KEY.public_key())


def test_another_boxs_name_is_refused() -> None:
    with pytest.raises(SignatureError, match="signed under another name"):
        open_entry(sign_entry(ENTRY, 5, "crown.1", KEY), "lion.1", KEY.public_key())


def test_an_entry_is_no_receipt_and_a_receipt_no_entry() -> None:
    with pytest.raises(SignatureError, match="signed for another purpose"):
        open_receipt(sign_entry(ENTRY, 5, "lion.1", KEY), KEY.public_key())
    with pytest.raises(SignatureError, match="signed for another purpose"):
        open_entry(sign_receipt(RECEIPT, KEY), "lion.1", KEY.public_key())


def test_whose_message_it_is_takes_no_more_than_a_short_header() -> None:
    """A stranger's megabyte was decoded to find out whose it isn't, in a header or after it."""
    head = sign_entry(ENTRY, 5, "lion.1", KEY).partition(b".")[0]
    assert signer(head + b"." + b"!" * 2**20, KIND) == "lion.1"
    padded = urlsafe_b64encode(b64decode(head + b"==") + b" " * 4000)
    with pytest.raises(SignatureError, match="not a JSON Web Signature"):
        signer(padded + b"..", KIND)
    for nothing in (b"", b".", b"..", b"e30", b"[]..", b"\xff.."):
        with pytest.raises(SignatureError):
            signer(nothing, KIND)
