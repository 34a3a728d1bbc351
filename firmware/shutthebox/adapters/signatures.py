"""Checks signatures, on machines that have the library for it. A box hasn't; its link helper has."""

from importlib import import_module


def can_check() -> bool:
    """Whether this machine has the library, `cryptography`, and can load it."""
    try:
        import_module("cryptography.hazmat.primitives.asymmetric.ed25519")
    except ImportError:
        return False
    return True


def is_genuine(key: str, signature: str, text: bytes) -> bool:
    """Whether an Ed25519 signature is of this key and text. Only to be called if this machine `can_check`.

    Args:
        key: the public key, in hexadecimal digits.
        signature: likewise.
        text: what was signed.
    """
    # Imported lazily: neither the box nor the tab has it.
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), text)
    except (InvalidSignature, ValueError):
        return False
    return True
