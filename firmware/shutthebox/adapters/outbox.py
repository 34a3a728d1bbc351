"""The outbox: a folder with every finished match, for the uplink to send to a league.

The daemon has no network access. It writes each entry twice: first as the *head* in its own state folder,
then as a file in the outbox, each synced before it's renamed into place. The head continues the chain after
the uplink has emptied the outbox, and restores the entry if the plug was pulled between the two writes. So an
entry may be sent twice; the league counts it once.
"""

import logging
import os
import secrets
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from shutthebox.adapters.store.errors import UNREADABLE
from shutthebox.adapters.store.records import kept_match
from shutthebox.files import read_bytes, remove_parts, replace_file
from shutthebox.game.effects import Effect, Keep
from shutthebox.game.facts import Finished, PlayersLeft, Signed
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.outbox_entry import (
    MAX_BYTES,
    NO_HASH,
    Content,
    MatchPlayed,
    OutboxEntry,
    OutboxEntryError,
    PlayerSigned,
    entry_from_bytes,
    hash_of,
)
from shutthebox.rules.record import write

_log = logging.getLogger(__name__)

HEAD_NAME = "outbox-head.json"
"""The latest entry, in the state folder."""

ENDING = ".json"

MAX_FOLDER_BYTES = 64 * 1024 * 1024
"""The outbox keeps no more: some 15,000 matches of two players."""

_CLUSTER = 4096  # bytes that the smallest file takes on a card
_ROOM_EVERY = 64  # entries, because a full outbox takes long to look through


def entry_name(sequence: int, box: str) -> str:
    """The file name of an entry. Names sort by sequence number; no two chains share a name."""
    return f"{sequence:016d}-{box}{ENDING}"


class Outbox:
    """A runner observer that writes an entry for every finished match. Called in the main thread.

    An entry is durable when the call returns, and the runner reports a fact before showing what follows from
    it, so entries are durable before the winner is shown. A full disk or a missing folder doesn't stop the
    game: the write is retried at the next effect.

    Args:
        folder: of the entries. It must exist: the uplink's package makes it.
        state: folder of the head.
        open_store: opens a read-only connection to the store; it's closed after use.
        wall_clock_s: the time of day in seconds.
    """

    def __init__(
        self,
        folder: Path,
        state: Path,
        open_store: Callable[[], sqlite3.Connection],
        wall_clock_s: Callable[[], float],
    ) -> None:
        self._folder, self._head_path = folder, state / HEAD_NAME
        self._open_store, self._wall_clock_s = open_store, wall_clock_s
        self._head: OutboxEntry | None = None
        self._latest: tuple[int, int] | None = None
        self._sequence_of_match = 0
        self._due: list[Finished | PlayersLeft | Signed] = []
        self._contents: list[Content] = []
        self._unplaced: list[OutboxEntry] = []
        self._failing = ""
        remove_parts(folder)
        self._take_up_head()

    def _take_up_head(self) -> None:
        """Continues after the last entry, and writes that one again."""
        try:
            head = entry_from_bytes(read_bytes(self._head_path, MAX_BYTES, follow_links=False))
        except FileNotFoundError:
            return
        except (OSError, OutboxEntryError) as error:
            _log.error("%s: %s; the league gets a new chain", self._head_path, error)
            return
        self._continue_after(head)
        self._latest = head.content.number, head.content.began_s
        self._unplaced.append(head)
        self._try()

    def _continue_after(self, entry: OutboxEntry) -> None:
        self._head, content = entry, entry.content
        self._sequence_of_match = (
            entry.sequence if isinstance(content, MatchPlayed) else content.sequence_of_match
        )

    def __call__(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        """Leaves an entry for each match that ends and each signature. Tries those that failed again."""
        match what:
            case Keep(Finished() | PlayersLeft() | Signed() as fact):
                self._due.append(fact)
            case _:
                pass
        if self._due or self._contents or self._unplaced:
            self._try()

    def _try(self) -> None:
        try:
            # What is due is known from now on, though it can't be written yet and another match begins.
            while self._due:
                if content := self._content(self._due[0]):
                    self._contents.append(content)
                    self._latest = content.number, content.began_s
                self._due.pop(0)
            self._place()
            while self._contents:
                self._write(self._contents[0])
                self._contents.pop(0)
                self._place()
        except (OSError, ValueError, *UNREADABLE) as error:
            if str(error) != self._failing:
                _log.error("outbox: %s; trying again", error)
            self._failing = str(error)
        else:
            self._failing = ""

    def _content(self, fact: Finished | PlayersLeft | Signed) -> Content | None:
        """What to tell the league about this fact; None for nothing."""
        query = (
            "select id, began_s, exists (select 1 from result where match = id)"
            " from match order by id desc limit 1"
        )
        with closing(self._open_store()) as db:
            row = db.execute(query).fetchone()
            if row is None:
                return None
            number, began_s, decided = row
            is_told = self._latest == (number, began_s)
            if isinstance(fact, Signed):
                signed = PlayerSigned(number, began_s, 1, fact.player + 1, fact.initials)
                return signed if is_told else None  # its match's entry is numbered when it is written
            if is_told:
                return None  # a match that is resumed after its end ends again
            if isinstance(fact, Finished) and not decided:
                raise ValueError("the end of the match is not in the store yet")
            record = kept_match(db, number, "the store")
        if record.conditions and record.conditions.linked:
            return None  # Both boxes would send it, and neither knows who signs at the other.
        # A match of equal dice counts though it was given up.
        if decided or (record.given_up and record.conditions and record.conditions.equal_dice):
            return MatchPlayed(number, began_s, int(self._wall_clock_s()), write(record))
        return None

    def _write(self, content: Content) -> None:
        if isinstance(content, PlayerSigned):
            content = replace(content, sequence_of_match=self._sequence_of_match)
        head = self._head
        if head is None:
            entry = OutboxEntry(secrets.token_hex(16), 1, NO_HASH, content)
        else:
            entry = OutboxEntry(head.box, head.sequence + 1, hash_of(head.to_bytes()), content)
        data = entry.to_bytes()
        if len(data) > MAX_BYTES:
            _log.error("outbox: a match of %d bytes is too long for the league; leaving it out", len(data))
            self._latest = None
            return
        replace_file(self._head_path, data, mode=0o600, durable=True)
        self._continue_after(entry)
        self._unplaced.append(entry)

    def _place(self) -> None:
        """Writes entries to the outbox that are only in the head or in memory."""
        while self._unplaced:
            entry = self._unplaced[0]
            if entry.sequence % _ROOM_EVERY == 0:
                self._make_room()
            # The uplink is another user of the folder's group.
            path = self._folder / entry_name(entry.sequence, entry.box)
            replace_file(path, entry.to_bytes(), mode=0o640, durable=True)
            self._unplaced.pop(0)

    def _make_room(self) -> None:
        """Drops the oldest entries beyond the size limit."""
        room = MAX_FOLDER_BYTES
        with os.scandir(self._folder) as found:
            files = sorted(found, key=lambda file: file.name, reverse=True)
        for file in files:
            with suppress(FileNotFoundError):  # The uplink has just removed it.
                room -= -(-file.stat(follow_symlinks=False).st_size // _CLUSTER) * _CLUSTER
                if room < MAX_BYTES and not file.is_dir(follow_symlinks=False):
                    _log.warning("outbox: full; dropped %s unsent", file.name)
                    Path(file).unlink()
