"""A signed message is taken as it was signed, for its purpose, or not at all."""

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
