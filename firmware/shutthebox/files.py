"""Opens files that people name: only regular files of bounded size, so that opening never blocks.

Opening a pipe waits for its other end, opening a device can do anything, and /dev/zero never ends.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from shutthebox.errors import ShutTheBoxError

with suppress(ImportError):  # missing on some systems, where files are still read
    import fcntl

MAX_BYTES = 64 * 1024
"""The most bytes of a profile or a config, either of which is a page of text."""

MAX_NAMES = 10_000
"""The most entries of a folder that are read: on a stick, a folder may have millions, or loop."""

_NEVER_WAITS = os.O_NONBLOCK | os.O_NOCTTY
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


def shown_path(path: Path) -> str:
    """The path for error messages: on one line, whatever characters it has."""
    return str(path) if str(path).isprintable() else repr(str(path))


def reason(error: OSError | ValueError) -> str:
    """Why a file can't be used, in a few words."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "a file name can't contain a NUL byte"  # all that Python's ValueError for a path can mean


def open_to_read(path: Path, *, follow_links: bool = True) -> BinaryIO:
    """A regular file, opened without waiting.

    Args:
        path: of the file.
        follow_links: open the file that a symbolic link leads to; without, a link is an error.

    Raises:
        OSError: it can't be opened, or is no regular file.
    """
    return os.fdopen(_descriptor(path, os.O_RDONLY, follow_links=follow_links), "rb")


def open_to_write(path: Path) -> BinaryIO:
    """A regular file, new or emptied, opened without waiting.

    Raises:
        OSError: it can't be opened, or is there already and no regular file.
    """
    descriptor = _descriptor(path, os.O_WRONLY | os.O_CREAT)
    os.truncate(descriptor, 0)
    return os.fdopen(descriptor, "wb")


def replace_file(
    path: Path,
    content: bytes | Iterable[bytes],
    *,
    mode: int = 0o644,
    durable: bool = False,
    for_owner: bool = False,
) -> None:
    """Replaces a file atomically: no reader sees half of it, and no other file is touched.

    Args:
        path: of the file; a link is replaced, not followed.
        content: all of it, at once or in parts.
        mode: of the file, under any umask.
        durable: make it survive a power cut once this returns.
        for_owner: a file written by root belongs to the owner of the folder.

    Raises:
        OSError: it can't be written.
    """
    with _part(path, content, mode=mode, durable=durable, for_owner=for_owner) as (part, folder):
        os.rename(part, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        if durable:
            _sync(folder)


def new_file(path: Path, content: bytes) -> None:
    """Creates a file that only its owner may read: durable, and whole or not at all.

    On a file system without hard links, a power cut may leave an empty file.

    Args:
        path: of the file.
        content: all of it.

    Raises:
        FileExistsError: there is something already.
        OSError: it can't be written.
    """
    with _part(path, content, mode=0o600, durable=True) as (part, folder):
        try:
            os.link(part, path.name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            os.close(os.open(path.name, _NEW, 0o600, dir_fd=folder))
            os.rename(part, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        _sync(folder)


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW

_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
"""Errors of file systems that can't give a file a second name, such as FAT."""


@contextmanager
def _part(
    path: Path, content: bytes | Iterable[bytes], *, mode: int, durable: bool, for_owner: bool = False
) -> Iterator[tuple[str, int]]:
    """Creates a complete file under an unguessable name, to be put in place; deletes the name at the end.

    Another user may own the folder and put links there at any moment, so one descriptor leads to it.

    Returns:
        The name, and the descriptor of the folder.
    """
    part = f"{_PART_BEGINS}{os.urandom(16).hex()}{_PART_ENDS}"
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.fdopen(os.open(part, _NEW, 0o600, dir_fd=folder), "wb") as file:
            _lock(file.fileno())
            file.writelines((content,) if isinstance(content, bytes) else content)
            if for_owner and os.geteuid() == 0:
                owner = os.fstat(folder)
                os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
            os.fchmod(file.fileno(), mode)
            file.flush()
            if durable:
                os.fsync(file.fileno())
            yield part, folder
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part, dir_fd=folder)
        os.close(folder)


_PART_BEGINS, _PART_ENDS = ".shutthebox-", ".part"


def _lock(descriptor: int) -> bool:
    """Takes the lock that shows that a file is being written; False if another program has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        pass
    return True


def remove_parts(folder: Path) -> None:
    """Deletes partial files that killed writers left in a folder; best effort.

    Files still being written stay: their writers hold locks, which end with the process.
    """
    with suppress(OSError):
        for entry in entries_of(folder):
            if entry.name.startswith(_PART_BEGINS) and entry.name.endswith(_PART_ENDS):
                with suppress(OSError), open_to_read(Path(entry.path), follow_links=False) as part:
                    if _lock(part.fileno()):
                        Path(entry.path).unlink()


_CANNOT_SYNC = (errno.EINVAL, errno.EOPNOTSUPP)
"""Errors of file systems that can't sync a folder."""


def sync_folder(folder: Path) -> None:
    """Makes renames, new files and deletions in a folder durable, where its file system can.

    Raises:
        OSError: the disk has failed.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return  # it may be writable but not readable
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)


def _sync(folder: int) -> None:
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise


def check_regular(path: Path, *, follow_links: bool = True) -> None:
    """Checks that the path is a regular file, without opening it.

    Raises:
        OSError: it isn't one, or doesn't exist (FileNotFoundError).
    """
    try:
        _check_regular(path.stat(follow_symlinks=follow_links))
    except ValueError as error:  # a NUL in the path
        raise OSError(errno.EINVAL, reason(error)) from None


def _descriptor(path: Path, flags: int, *, follow_links: bool = True) -> int:
    with suppress(FileNotFoundError):
        # Checked before opening, because opening some devices has side effects, such as starting a watchdog.
        check_regular(path, follow_links=follow_links)
    links = 0 if follow_links else os.O_NOFOLLOW
    descriptor = os.open(path, flags | _NEVER_WAITS | links, 0o666)
    try:
        # Checked again, because something else may have been put there meanwhile.
        _check_regular(os.fstat(descriptor))
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _check_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "a link")
        raise OSError(errno.EINVAL, f"is {kind}; use a regular file")


def read_bytes(path: Path, most: int, *, follow_links: bool = True) -> bytes:
    """The content of a regular file.

    Args:
        path: of the file.
        most: the most bytes it may have.
        follow_links: as for `open_to_read`.

    Raises:
        OSError: it can't be read, is no regular file, or is larger (EFBIG).
    """
    with open_to_read(path, follow_links=follow_links) as file:
        content = file.read(most + 1)
    if content is None:  # some files of /proc have nothing to read yet
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    if len(content) > most:
        raise OSError(errno.EFBIG, f"larger than {most // 1024} KiB")
    return content


def read_text(path: Path, error_kind: type[ShutTheBoxError], what: str, most: int = MAX_BYTES) -> str:
    """The text of a file.

    Args:
        path: of the file.
        error_kind: raised, with one line, if the file can't be read, is no regular file, is larger
            than it may be or is no UTF-8. Then the line says what to do.
        what: the kind of file, for error messages.
        most: the most bytes it may have.
    """
    where = shown_path(path)
    try:
        content = read_bytes(path, most)
    except OSError as error:
        hint = f"; {what} is smaller" if error.errno == errno.EFBIG else ""
        raise error_kind(f"{where}: {reason(error)}{hint}") from None
    # Every other byte of Latin letters in UTF-16 is zero, with a mark at the beginning or not.
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or content[:2].count(0) == 1:
        raise error_kind(f"{where}: line 1: is UTF-16 text; {_SAVE_AS_UTF_8}")
    if content.startswith(b"{\\rtf"):
        raise error_kind(f"{where}: line 1: is formatted text (RTF); in the editor, make it plain text")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise error_kind(f"{where}: line {line}: is not UTF-8 text; {_SAVE_AS_UTF_8}") from None


_SAVE_AS_UTF_8 = "in the editor, use Save as with the encoding UTF-8"


def list_folder(folder: Path, ending: str) -> Sequence[Path]:
    """The entries of a folder whose names have this ending, by name; none if there's no such folder.

    Raises:
        OSError: it can't be read, or isn't a folder.
    """
    try:
        return sorted(Path(entry.path) for entry in entries_of(folder) if entry.name.endswith(ending))
    except FileNotFoundError:
        return ()
    except ValueError as error:  # a NUL in the path
        raise OSError(errno.EINVAL, reason(error)) from None


def entries_of(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The entries of a folder, unsorted, at most `MAX_NAMES`.

    Raises:
        OSError: it can't be read, or isn't a folder.
    """
    with os.scandir(folder) as found:
        yield from islice(found, MAX_NAMES)


def check_folder(folder: Path, option: str) -> None:
    """Checks that an option can name a folder. A folder that does not exist yet, or is hidden, can be named.

    Raises:
        ShutTheBoxError: naming the option, the path and what is wrong with it.
    """
    try:
        if not stat.S_ISDIR(folder.stat().st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    except (FileNotFoundError, PermissionError):
        return
    except (OSError, ValueError) as error:
        raise ShutTheBoxError(f"{option}: {shown_path(folder)}: {reason(error)}") from None


def make_folder(folder: Path, option: str) -> None:
    """Creates the folder that an option names, if it doesn't exist.

    Raises:
        ShutTheBoxError: if it can't be made; the text names the option.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise ShutTheBoxError(f"{option}: {shown_path(folder)}: {reason(error)}") from None


def write_file(path: Path, text: str, option: str) -> None:
    """Writes a text to the file that an option names.

    Raises:
        ShutTheBoxError: if it can't be written; the text names the option.
    """
    try:
        with open_to_write(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise ShutTheBoxError(f"{option}: {shown_path(path)}: {reason(error)}") from None
