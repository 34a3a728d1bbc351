"""The store of all that must survive a pulled plug, in one SQLite file.

Every fact is committed (WAL, synchronous FULL) before `keep` returns, and the runner shows
nothing that has not been kept. A match is its beginning and its actions. Resuming plays them again through
the rules, so a kept match is always in a position that the rules allow.

All facts together are a chain (`shutthebox.adapters.store.chain`); the other tables follow from them and
save working them out again.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from fractions import Fraction
from pathlib import Path

from shutthebox import __version__
from shutthebox.adapters.store import fact_text, recovery, retention
from shutthebox.adapters.store.chain import Chain, Mark, knows_checksums, reseal
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.records import kept_match
from shutthebox.adapters.store.schema import UNREADABLE, VERSION, create, version_of
from shutthebox.game.facts import Began, Chosen, ClockShown, Fact, Faulted, Finished, Left, Resumed, Signed
from shutthebox.rules.actions import Action, Thrown
from shutthebox.rules.conditions import RULES_VERSION, Conditions, conditions_from_lines
from shutthebox.rules.match import Match
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import MAX_PLAYERS, Draw
from shutthebox.rules.writer import to_lines

FILE_NAME = "box.sqlite3"

PATIENCE_S = 5.0
"""Seconds that opening waits for another program to release the file."""

_BUSY_MS = 100
"""SQLite's busy timeout in ms while the box plays. The main loop blocks for at most this long."""

_THIS_BOX = Conditions(versions=(f"{__version__} rules {RULES_VERSION}",))

_FAULT_AGAIN_S = 3600


class Store:
    """The box's memory. Used by the main thread only.

    Args:
        folder: where the file is or will be; made if missing.
        wall_clock_s: the time of day in seconds, for people to read.
        count_throws: the box throws its own dice, so their fairness is counted.
        patience_s: seconds to wait for another program to release the file.

    Raises:
        StoreError: if the file cannot be opened, is no store, or is a newer program's.
    """

    def __init__(
        self,
        folder: Path,
        wall_clock_s: Callable[[], float],
        *,
        count_throws: bool = True,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self.path = folder / FILE_NAME
        self._count_throws = count_throws
        self._sides = 0
        self._db: sqlite3.Connection = None  # type: ignore[assignment]  # until it is opened below
        self._wall_clock_s = wall_clock_s
        self._mark = Mark(self.path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = connect(self.path, patience_s)
            # Nothing is written before it is known that the file is a store of ours.
            version = version_of(self._db)
            if not os.access(self.path, os.W_OK):
                # SQLite opens it for reading then, and complains only when something is to be kept.
                raise ValueError("may not be written to")
            if 0 < version < VERSION:
                self._db.close()
                recovery.bring_up_to_date(self.path, patience_s)
                self._db = connect(self.path, patience_s)
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = full")
            # The log grows past its checkpoints only during a long read by another program.
            self._db.execute(f"pragma journal_size_limit = {8 << 20}")
            if not version:
                create(self._db)
            self._chain = Chain(self._db)
            row = self._db.execute("select max(id) from match").fetchone()
            self._db.execute(f"pragma busy_timeout = {_BUSY_MS}")
        except (sqlite3.Error, OSError, ValueError) as error:
            if self._db is not None:
                self._db.close()
            raise StoreError(f"{self.path}: {error}") from error
        self._files = _Files(self.path)
        self._match: int | None = row[0]
        self._waiting: list[tuple[Fact, int]] = []

    @property
    def waiting(self) -> bool:
        """Facts are still to be written: the last `keep` or `catch_up` has failed."""
        return bool(self._waiting)

    def look(self) -> None:
        """Checks that the files are still the ones that were opened; takes some microseconds.

        SQLite reports nothing when its files have been removed or renamed.

        Raises:
            StoreError: if one of them was removed, replaced, or cut.
        """
        said = self._files.changed()
        if said is None:
            return
        if not self._files.in_place():
            # A file that was renamed still gets what only the log has.
            with suppress(*UNREADABLE):
                self._db.execute("pragma wal_checkpoint(truncate)")
        elif self._is_there():
            self._files = _Files(self.path)  # somebody has written the log back into the store
            return
        raise StoreError(f"{self.path}: {said} while the box played")

    def _is_there(self) -> bool:
        """Whether the files on the disk hold the last fact, and every page."""
        where = f"{self.path.absolute().as_uri()}?mode=ro"
        with (
            suppress(*UNREADABLE),
            closing(sqlite3.connect(where, uri=True, timeout=_BUSY_MS / 1000)) as db,
        ):
            whole = db.execute("pragma quick_check(1)").fetchone() == ("ok",)
            return whole and Chain(db).head == self._chain.head
        return False

    def keep(self, fact: Fact) -> None:
        """Makes a fact durable; when this returns, pulling the plug does not lose it.

        Raises:
            StoreError: if it could not be written. Then it waits, and all later facts too.
        """
        self._waiting.append((fact, int(self._wall_clock_s())))
        self.catch_up()

    def catch_up(self) -> None:
        """Makes all waiting facts durable, or none.

        Raises:
            StoreError: if it could not be written, or the files are not the ones that were opened.
        """
        self.look()
        if not self._waiting:
            return
        before = self._match, self._sides, self._chain.head
        try:
            with self._telling_the_file(), self._db:
                self._db.execute("begin immediate")
                for fact, at_s in self._waiting:
                    self._write(fact, at_s)
        except BaseException:
            self._match, self._sides, self._chain.head = before
            raise
        self._waiting.clear()
        self._files.grow()
        self._mark.write(self._chain.head)

    @contextmanager
    def _telling_the_file(
        self, kinds: tuple[type[Exception], ...] = (sqlite3.Error, ValueError)
    ) -> Iterator[None]:
        try:
            yield
        except kinds as error:
            raise StoreError(f"{self.path}: {error}") from error

    def _write(self, fact: Fact, at_s: int) -> None:
        match fact:
            case Began(match, conditions):
                self._begin(match, conditions, at_s)
            case Resumed(conditions):
                self._resume(conditions)
            case Left():
                self._leave()
            case Chosen(key, value):
                self._choose(key, value)
            case Finished(match):
                self._finish(match)
            case Signed(player, initials):
                self._sign(player, initials)
            case Faulted(kind, text):
                self._log(kind, text, at_s)
            case _:
                self._act(fact)

    def _begin(self, match: Match, conditions: Conditions, at_s: int) -> None:
        number = (self._match or 0) + 1
        profile = "\n".join(to_lines(match.game))
        content = (at_s, profile, match.players, match.rounds)
        text = fact_text.conditions_text(conditions.joined(_THIS_BOX))
        self._chain.add(fact_text.begin(number, content, text))
        self._db.execute(
            "insert into match (id, first, began_s, profile, players, rounds, conditions)"
            " values (?, ?, ?, ?, ?, ?, ?)",
            (number, self._chain.head.number, *content, text),
        )
        reseal(self._db, "match", "id = ?", (number,))
        self._match = number
        self._sides = match.game.sides if match.game.draw is Draw.DICE else 0
        retention.forget(self._db)

    def _resume(self, conditions: Conditions) -> None:
        row = self._db.execute("select conditions from match where id = ?", (self._match,)).fetchone()
        before = conditions_from_lines(row[0].splitlines()) if row else None
        joined = before and before.joined(conditions.joined(_THIS_BOX))
        if joined == before:
            return
        text = fact_text.conditions_text(joined)
        self._chain.add(fact_text.resume(text))
        self._db.execute("update match set conditions = ? where id = ?", (text, self._match))
        reseal(self._db, "match", "id = ?", (self._match,))

    def _leave(self) -> None:
        changed = self._db.execute('update match set "left" = 1 where id = ? and not "left"', (self._match,))
        if changed.rowcount:
            reseal(self._db, "match", "id = ?", (self._match,))
            self._chain.add(fact_text.LEAVE)

    def _choose(self, key: str, value: object) -> None:
        text = json.dumps(value)
        if self._db.execute("select 1 from setting where key = ? and value = ?", (key, text)).fetchone():
            return
        self._chain.add(fact_text.choose(key, value))
        self._db.execute("insert or replace into setting (key, value) values (?, ?)", (key, text))
        reseal(self._db, "setting", "key = ?", (key,))

    def _sign(self, player: int, initials: str) -> None:
        changed = self._db.execute(
            "update result set initials = ? where match = ? and player = ?", (initials, self._match, player)
        )
        if changed.rowcount:
            reseal(self._db, "result", "match = ? and player = ?", (self._match, player))
            self._chain.add(fact_text.sign(player, initials))

    def _act(self, action: Action | ClockShown) -> None:
        self._chain.add(action.to_text())
        if isinstance(action, Thrown) and self._count_throws and self._sides:
            self._count(action.faces)

    def _count(self, faces: Throw) -> None:
        for die, value in ((0, sum(faces)), *enumerate(faces, 1)):
            key = len(faces), self._sides, die, value
            self._db.execute(
                "insert into throws (dice, sides, die, value, count) values (?, ?, ?, ?, 1)"
                " on conflict do update set count = count + 1",
                key,
            )
            reseal(self._db, "throws", "dice = ? and sides = ? and die = ? and value = ?", key)

    def _finish(self, match: Match) -> None:
        result = match.result
        assert result is not None, "a finished match has a result"
        if self._db.execute("select 1 from result where match = ?", (self._match,)).fetchone():
            return  # a match resumed after its end ends again; its rows stay as they are
        results = [
            (i, match.totals[i], str(result.owes[i]), int(i in result.winners))
            for i in range(match.players)
            if match.scores[i] is not None or result.owes[i] or i in result.winners
        ]
        self._chain.add(fact_text.finish(results))
        self._db.executemany(
            "insert into result (match, player, score, owes, won) values (?, ?, ?, ?, ?)",
            [(self._match, *row) for row in results],
        )
        reseal(self._db, "result", "match = ?", (self._match,))

    def _log(self, kind: str, text: str, at_s: int) -> None:
        self._db.execute(
            "insert into fault (at_s, kind, text) select :at, :kind, :text where not exists"
            " (select 1 from fault where kind = :kind and text = :text and abs(at_s - :at) < :again)",
            {"at": at_s, "kind": kind, "text": text, "again": _FAULT_AGAIN_S},
        )
        reseal(self._db, "fault", "id = (select max(id) from fault)")
        retention.forget_faults(self._db)

    def keep_health(self, presses: Mapping[int, int], chatter: Mapping[int, int]) -> None:
        """Adds to the counts per switch; 0 is the button.

        Args:
            presses: how often each was pressed or flipped down.
            chatter: edges in settle windows.

        Raises:
            StoreError: if it could not be written; it is not remembered then.
        """
        with self._telling_the_file(), self._db:
            self._db.execute("begin immediate")
            self._db.executemany(
                "insert into lever (number, presses, chatter) values (?, ?, ?) on conflict do update"
                " set presses = presses + excluded.presses, chatter = chatter + excluded.chatter",
                [
                    (switch, presses.get(switch, 0), chatter.get(switch, 0))
                    for switch in sorted({*presses, *chatter})
                    if presses.get(switch) or chatter.get(switch)
                ],
            )
            reseal(self._db, "lever")

    def tally(self) -> tuple[Fraction, ...]:
        """Per player the stakes owed from earlier matches of this evening; negative: to get.

        An evening is a run of matches between which the players do not leave. The match on the table
        does not count.

        Raises:
            StoreError: if they cannot be read.
        """
        owed: dict[int, Fraction] = {}
        with self._telling_the_file(UNREADABLE):
            rows = self._db.execute(
                "select player, owes from result where match <> ?"
                ' and match > (select coalesce(max(id), 0) from match where "left")',
                (self._match,),
            )
            for player, owes in rows:
                if not 0 <= player < MAX_PLAYERS:
                    raise StoreError(f"{self.path}: there is no player {player + 1}")
                owed[player] = owed.get(player, Fraction(0)) + fact_text.stakes(owes)
        return tuple(owed.get(player, Fraction(0)) for player in range(max(owed, default=-1) + 1))

    def running_match(self) -> tuple[Match, tuple[Action, ...]] | None:
        """The match that the players have not left: its beginning, and the actions since.

        Raises:
            StoreError: if what is kept makes no match.
        """
        with self._telling_the_file(UNREADABLE):
            left = self._db.execute('select "left" from match where id = ?', (self._match,)).fetchone()
            if self._match is None or left is None or left[0]:
                return None
            kept = kept_match(self._db, self._match, str(self.path))
        beginning = kept.beginning
        self._sides = kept.profile.sides if kept.profile.draw is Draw.DICE else 0
        return beginning, kept.actions

    def running_clock(self) -> tuple[int, int] | None:
        """The seconds that the clock of the running match showed last, and how many actions came before.

        Raises:
            StoreError: if what is kept makes no sense.
        """
        actions, found = 0, None
        with self._telling_the_file(UNREADABLE):
            rows = self._db.execute(
                "select text from fact where number > (select first from match where id = ?) order by number",
                (self._match,),
            )
            for (text,) in rows:
                if (seconds := fact_text.clock(text)) is not None:
                    found = seconds, actions
                actions += fact_text.is_action(text)
        return found

    def choices(self) -> dict[str, object]:
        """The settings chosen at the box, by their keys in the config.

        Raises:
            StoreError: if they cannot be read.
        """
        with self._telling_the_file(UNREADABLE):
            return {
                key: json.loads(value) for key, value in self._db.execute("select key, value from setting")
            }

    @property
    def connection(self) -> sqlite3.Connection:
        """For reading; see `shutthebox.adapters.store.queries`."""
        return self._db

    def mark_head(self) -> None:
        """Notes in the head mark how far the facts are; to be called once the store has been checked."""
        self._mark.write(self._chain.head)

    def close(self) -> None:
        """Closes the file."""
        self._db.close()
        self._mark.close()


class _Files:
    """The files of an open store as they were when it was opened, and their sizes when it wrote last."""

    def __init__(self, store: Path) -> None:
        self._paths = tuple(store.with_name(store.name + ending) for ending in ("", "-wal", "-shm"))
        self._found = self._stats()

    def _stats(self) -> list[os.stat_result | None]:
        found: list[os.stat_result | None] = []
        for path in self._paths:
            try:
                found.append(path.lstat())
            except OSError:
                found.append(None)
        return found

    def grow(self) -> None:
        """Remembers the files as they are now, after the store has written."""
        now = self._stats()
        if self._same(now):
            self._found = now

    def in_place(self) -> bool:
        """Whether no file was removed or replaced; their sizes may have changed."""
        return self._same(self._stats())

    def _same(self, now: list[os.stat_result | None]) -> bool:
        pairs = zip(self._found, now, strict=True)
        return all(then is None or (there and os.path.samestat(then, there)) for then, there in pairs)

    def changed(self) -> str | None:
        """In words, how they have changed; None if they have not."""
        for path, then, now in zip(self._paths, self._found, self._stats(), strict=True):
            if then is None:
                continue
            if now is None:
                return f"{path.name} was removed"
            if not os.path.samestat(then, now):
                return f"{path.name} was replaced"
            if now.st_size < then.st_size:
                return f"{path.name} was cut from {then.st_size} to {now.st_size} bytes"
        return None


def connect(path: Path, patience_s: float) -> sqlite3.Connection:
    """The file, made if it is missing, as the box writes to it.

    Raises:
        sqlite3.Error: if it cannot be opened.
    """
    # A card that loses power may spoil the whole sector it was writing: psow=0 keeps the
    # next commit out of the sector in which the last one ends.
    where = f"{path.absolute().as_uri()}?psow=0"
    db = sqlite3.connect(where, uri=True, isolation_level=None, timeout=patience_s)
    knows_checksums(db)
    return db
