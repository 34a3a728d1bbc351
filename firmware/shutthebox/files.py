"""Reads the small text files that people write."""

from pathlib import Path

from shutthebox.errors import ShutTheBoxError

MAX_BYTES = 64 * 1024
"""A profile, a config or a scenario is a page of text; a larger file is something else."""


def shown(path: Path) -> str:
    """The path as complaints name it: on one line, whatever characters it has."""
    return str(path) if str(path).isprintable() else repr(str(path))


def read_text(path: Path, error_kind: type[ShutTheBoxError], what: str) -> str:
    """The text of a file that a person wrote.

    Args:
        path: of the file.
        error_kind: raised, with one line, if the file cannot be read, is larger than 64 KiB
            or is no UTF-8.
        what: the kind of file, for complaints.
    """
    where = shown(path)
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        # ValueError: a path with a NUL in it, which only a config file can spell.
        raise error_kind(f"{where}: {getattr(error, 'strerror', None) or error}") from None
    if len(raw) > MAX_BYTES:
        raise error_kind(f"{where}: larger than {MAX_BYTES // 1024} KiB; {what} is a page of text")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise error_kind(f"{where}: not UTF-8 text: byte {error.start}") from None
