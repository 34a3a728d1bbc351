"""Reads the small text files that people write."""

from pathlib import Path

from shutthebox.errors import ShutTheBoxError

MAX_BYTES = 64 * 1024
"""A profile, a config or a scenario is a page of text; a larger file is something else."""


def read_text(path: Path, error_kind: type[ShutTheBoxError], what: str) -> str:
    """The text of a file that a person wrote.

    Args:
        path: of the file.
        error_kind: raised, with one line, if the file cannot be read, is larger than 64 KiB
            or is no UTF-8.
        what: the kind of file, for complaints.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise error_kind(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise error_kind(f"{str(path)!r}: no path: {error}") from None
    if len(raw) > MAX_BYTES:
        raise error_kind(f"{path}: larger than {MAX_BYTES // 1024} KiB; {what} is a page of text")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise error_kind(f"{path}: not UTF-8 text: byte {error.start}") from None
