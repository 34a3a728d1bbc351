"""Reads the small text files that people write."""

from pathlib import Path

from shutthebox.errors import ShutTheBoxError

MAX_BYTES = 64 * 1024
"""A profile or a config is a page of text; a larger file is something else."""


def shown_path(path: Path) -> str:
    """The path as complaints name it: on one line, whatever characters it has."""
    return str(path) if str(path).isprintable() else repr(str(path))


def read_text(path: Path, error_kind: type[ShutTheBoxError], what: str, most: int = MAX_BYTES) -> str:
    """The text of a file.

    Args:
        path: of the file.
        error_kind: raised, with one line, if the file cannot be read, is larger than it may be
            or is no UTF-8.
        what: the kind of file, for complaints.
        most: bytes that it may have.
    """
    where = shown_path(path)
    try:
        with path.open("rb") as file:
            raw = file.read(most + 1)
    except (OSError, ValueError) as error:
        # ValueError: a path with a NUL in it, which only a config file can spell.
        raise error_kind(f"{where}: {getattr(error, 'strerror', None) or error}") from None
    if len(raw) > most:
        raise error_kind(f"{where}: larger than {most // 1024} KiB; {what} is smaller")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise error_kind(f"{where}: not UTF-8 text: byte {error.start}") from None
