"""Finds the facts in a store's files without SQLite, so that damage costs only what it hits.

Why not with SQLite: it gives up on a file whose schema has a wrong letter, on a table whose root page has a
wrong bit, and on everything in a log behind a wrong frame. Its shell's `.recover` found nothing in a healthy
store whose log hadn't been written back, and needs a process, which the box in a tab can't start.

But each fact has its own checksum, so it can be trusted wherever it is: in any page of the file or any frame
of the log, old ones included. So both are searched for what a fact's record begins with. The second fact of a
match, for example, looks like this on a page::

    1A  02  05 00 05 1F 05  73 4C 9E 11 A2 0B  74 68 72 6F 77 20 33 2B 35  5A 77 D1 40 9C 3E
    |   |   |  |  |  |  |   |                  |                           |
    |   |   |  |  |  |  |   previous: the      text: throw 3+5             checksum of all this
    |   |   |  |  |  |  |   fact before's
    |   |   |  |  |  |  |   checksum
    |   |   |  |  |  |  checksum: an integer of 6 bytes
    |   |   |  |  |  text of 9 bytes: 13 + 2 * 9 = 1F
    |   |   |  |  previous: an integer of 6 bytes
    |   |   |  number: always null here, because it's the row's key
    |   |   the header's length
    |   the row's key
    the record's length

`_FACT` is the five bytes from 05 on, as a pattern; `_CHECKPOINT` likewise. A long text goes on in overflow
pages. The format: https://www.sqlite.org/fileformat2.html, *Record Format*.
"""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from shutthebox.adapters.store.chain import Checkpoint, RawFact, has_right_checksum, sealed_checkpoint
from shutthebox.files import open_to_read

MAX_BYTES = 32 << 20
"""The largest file to search; a store of 5,000 matches has 8 MB."""

_LEAST_WORK, _MAX_WORK = 48, 2
"""Work is bounded, because a hostile file may have far more headers than records. A record counts as at least
48 bytes, and all of them together as at most twice the size of the files."""

_PAGE = 4096
"""Bytes per page: SQLite's default."""

_TRIES = 3
"""A card may fail to read a page, and read it the next time."""

_LOG_HEAD, _FRAME_HEAD = 32, 24

_MAX_LOCAL = _PAGE - 35
"""The longest record that fits into its page, in bytes; longer ones continue in overflow pages."""

_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 0, 9: 0}
"""Bytes of an integer by its serial type; the last two are 0 and 1 themselves."""

# The header's length; a null in place of the row's key; integers and one text, up to three bytes.
_INTEGER = rb"[\x01-\x06\x08\x09]"
_TEXT = rb"(?:[\x0d-\x7f]|[\x81-\xff][\x00-\x7f]|[\x81-\xff][\x80-\xff][\x00-\x7f])"
_FACT = re.compile(rb"(?=([\x05-\x07]\x00" + _INTEGER + _TEXT + _INTEGER + rb"))")
_CHECKPOINT = re.compile(rb"(?=([\x07-\x09]\x00" + _INTEGER * 3 + _TEXT + _INTEGER + rb"))")


class Salvaged(NamedTuple):
    """What was found in the files of a store.

    Attributes:
        checkpoint: the latest intact one; an empty one if there's none.
        facts: those whose checksum is right, rising; at the end, perhaps some that are only known to have
            existed. Those that the checkpoint covers may have been forgotten on purpose, and partly
            overwritten since.
    """

    checkpoint: Checkpoint
    facts: list[RawFact]


def salvage(store: Path) -> Salvaged:
    """Finds all facts in a store's files, whatever else is in them. Writes nothing.

    Args:
        store: its file, with the log beside it.

    Raises:
        OSError: it can't be read.
        ValueError: it's too large for a store, or nothing in it comes from one.
    """
    content, log = _content(store), b""
    with suppress(FileNotFoundError):
        log = _content(store.with_name(f"{store.name}-wal"))
    files = _Files(content, log)
    checkpoint = max(files.checkpoints(), default=Checkpoint())
    facts = _in_a_row(files.facts())
    if not facts and checkpoint == Checkpoint():
        raise ValueError("no box wrote this file")
    return Salvaged(checkpoint, facts)


def _content(path: Path) -> bytes:
    """A file's content, with zeros in place of pages that can't be read."""
    found = bytearray()
    with open_to_read(path, follow_links=False) as file:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_BYTES:
            raise ValueError(f"larger than {MAX_BYTES >> 20} MiB: not a box's store")
        for at in range(0, size, _PAGE):
            found += _read_page(file.fileno(), at)
    return bytes(found)


def _read_page(file: int, at: int) -> bytes:
    """A page; zeros if it can't be read, however often it's tried."""
    for _ in range(_TRIES):
        try:
            return os.pread(file, _PAGE, at)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
    return bytes(_PAGE)


def _in_a_row(found: Iterator[RawFact]) -> list[RawFact]:
    """One fact per number. If there are several, the next fact shows which was committed."""
    right, wrong, others = dict[int, RawFact](), dict[int, RawFact](), dict[int, list[RawFact]]()
    for fact in found:
        number = fact[0]
        if not has_right_checksum(fact):
            wrong[number] = fact
        elif (known := right.get(number)) is None:
            right[number] = fact
        elif fact != known:
            right[number] = fact
            others.setdefault(number, []).append(known)
    chosen = list[RawFact]()
    for number in sorted(right, reverse=True):
        fact = right[number]
        if chosen and fact[3] != chosen[-1][1]:
            fact = next((other for other in others.get(number, ()) if other[3] == chosen[-1][1]), fact)
        chosen.append(fact)
    chosen.reverse()
    # Elsewhere, a gap shows that they existed.
    while chosen and (last := wrong.get(chosen[-1][0] + 1)):
        chosen.append(last)
    return chosen


class _Files:
    """The content of a store's file and of its log."""

    def __init__(self, content: bytes, log: bytes) -> None:
        self._parts = content, log
        self._bytes = len(content) + len(log)
        self._logged: dict[int, bytes] = {}
        salts = log[16:24]
        for at in range(_LOG_HEAD, len(log) - _FRAME_HEAD - _PAGE + 1, _FRAME_HEAD + _PAGE):
            if log[at + 8 : at + 16] == salts:
                page = at + _FRAME_HEAD
                self._logged[int.from_bytes(log[at : at + 4])] = log[page : page + _PAGE]

    def facts(self) -> Iterator[RawFact]:
        for key, (previous, text, checksum) in self._rows(_FACT):
            yield key, previous, text, checksum

    def checkpoints(self) -> Iterator[Checkpoint]:
        for _, (number, head, facts, sums, checksum) in self._rows(_CHECKPOINT):
            with suppress(ValueError):
                yield sealed_checkpoint(number, head, facts, sums.decode(), checksum)

    def _rows(self, head: re.Pattern[bytes]) -> Iterator[tuple[int, list[Any]]]:
        """The key and values of every row with such a header, and of much that isn't one."""
        work = _MAX_WORK * self._bytes
        for part in self._parts:
            for found in head.finditer(part):
                at, types = found.start(), _types(found[1][2:])
                size = len(found[1]) + sum(map(_size, types))
                work -= max(_LEAST_WORK, size)
                if work < 0:
                    return
                record = self._record(part, at, size)
                if len(record) == size:
                    yield _key(part, at), _values(record[len(found[1]) :], types)

    def _record(self, part: bytes, at: int, size: int) -> bytes:
        """A record, continued in overflow pages if it's long."""
        if size <= _MAX_LOCAL:
            return part[at : at + size]
        least = (_PAGE - 12) * 32 // 255 - 23
        local = least + (size - least) % (_PAGE - 4)
        local = local if local <= _MAX_LOCAL else least
        found = part[at : at + local]
        following = int.from_bytes(part[at + local : at + local + 4])
        while following and len(found) < size:
            page = self._page(following)
            found += page[4 : 4 + size - len(found)]
            if len(page) < _PAGE:
                break
            following = int.from_bytes(page[:4])
        return found

    def _page(self, number: int) -> bytes:
        return self._logged.get(number) or self._parts[0][(number - 1) * _PAGE : number * _PAGE]


def _types(head: bytes) -> list[int]:
    """The serial types in a record's header."""
    types, value = list[int](), 0
    for byte in head:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            types.append(value)
            value = 0
    return types


def _size(kind: int) -> int:
    return (kind - 12) // 2 if kind >= 12 else _INTEGERS[kind]


def _values(body: bytes, types: list[int]) -> list[Any]:
    """The record's integers, and the bytes of its texts."""
    values = list[Any]()
    for kind in types:
        value, body = body[: _size(kind)], body[_size(kind) :]
        if kind >= 12:
            values.append(value)
        else:
            values.append(kind - 8 if kind >= 8 else int.from_bytes(value, signed=True))
    return values


def _key(part: bytes, at: int) -> int:
    """The row's key, which comes before its record."""
    start = at - 1
    while start > max(0, at - 9) and part[start - 1] & 0x80:
        start -= 1
    (key,) = _types(part[start:at]) or (0,)
    return key
