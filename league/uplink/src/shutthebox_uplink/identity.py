"""What a box without a league is called at Home Assistant's broker, where other boxes may be, too."""

import re
import secrets
from pathlib import Path

from shutthebox.errors import ShutTheBoxError
from shutthebox.files import read_bytes, reason, replace_file, shown_path

IDENTITY_FILE = ".identity"
"""The file in the outbox. It outlives restarts and updates, and is in no save that another box restores."""

SERIAL = Path("/sys/firmware/devicetree/base/serial-number")
"""The file of the kernel with the number of this Pi; other machines have none."""

_MAX_BYTES = 200


def find_identity(outbox: Path, serial: Path = SERIAL) -> str | None:
    """The identity made on this machine; None if none was made yet.

    A copied card takes its file to another Pi, where it doesn't count: the two would throw each other out.

    Raises:
        ShutTheBoxError: if the file can't be read.
    """
    path = outbox / IDENTITY_FILE
    try:
        words = read_bytes(path, _MAX_BYTES, follow_links=False).decode("ascii", "replace").split()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ShutTheBoxError(f"{shown_path(path)}: {reason(error)}") from None
    identity, *machine = words or [""]
    is_made_here = re.fullmatch("box-[0-9a-f]{8}", identity) and machine == _read_serial(serial)
    return identity if is_made_here else None


def keep_identity(outbox: Path, serial: Path = SERIAL) -> str:
    """The identity of this box, made once.

    Raises:
        ShutTheBoxError: if its file can't be read or written.
    """
    if (found := find_identity(outbox, serial)) is not None:
        return found
    identity = f"box-{secrets.token_hex(4)}"
    path = outbox / IDENTITY_FILE
    try:
        # The uplink is another user at every start, so everybody may read it.
        replace_file(path, " ".join((identity, *_read_serial(serial))).encode() + b"\n", durable=True)
    except OSError as error:
        raise ShutTheBoxError(f"{shown_path(path)}: {reason(error)}") from None
    return identity


def _read_serial(serial: Path) -> list[str]:
    try:
        return serial.read_bytes().decode("ascii", "replace").strip("\0\n").split()[:1]
    except OSError:
        return []
