"""What must survive the plug being pulled, in one SQLite file.

Every fact is committed (WAL, synchronous FULL) before `keep` returns, and the runner shows
nothing that has not been kept. A match is its beginning and its actions: resuming plays them
again through the rules, so a kept match cannot be in a state that the rules do not know.
"""

import json
import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

from shutthebox.errors import ShutTheBoxError
from shutthebox.game.effects import Began, Chosen, Fact, Faulted, Finished, Left, Settled, Signed
from shutthebox.platform import retention
from shutthebox.platform.schema import migrate, version_of
from shutthebox.rules.actions import Action, Thrown, action_from_text, apply
from shutthebox.rules.match import MAX_PLAYERS, Match, begin
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import Draw, Profile
from shutthebox.rules.reader import parse_keys, to_profile
from shutthebox.rules.writer import to_lines

FILE_NAME = "box.sqlite3"

PATIENCE_S = 5.0
"""How long opening waits for another program to let the file go."""

_BUSY_MS = 100
"""How long a fact does: the levers wait for it meanwhile."""

_FAULT_AGAIN_S = 3600

_STAKES = "-?[0-9]{1,12}(/[1-9][0-9]{0,3})?"
"""What is written of them; a number like 1e99999999 would take for ever to read."""


class StoreError(ShutTheBoxError, OSError):
    """The store cannot be used; the text names the file and what is wrong."""

    exit_code = 1


class Store:
    """The box's memory. Used by the main thread only.

    Args:
        folder: where the file is or will be; made if missing.
        wall_clock_s: the time of day in seconds, for people to read.
        count_throws: the box throws its own dice, so their fairness is counted.
        patience_s: how long to wait for another program to let the file go.

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
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # A card that loses power may spoil the whole sector it was writing: psow=0 keeps the
            # next commit out of the sector in which the last one ends.
            where = f"{self.path.absolute().as_uri()}?psow=0"
            self._db = sqlite3.connect(where, uri=True, isolation_level=None, timeout=patience_s)
            # Nothing is written before it is known whose file this is.
            version = version_of(self._db)
            if not os.access(self.path, os.W_OK):
                # SQLite opens it for reading then, and complains only when something is to be kept.
                raise ValueError("may not be written to")
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = full")
            # The log grows past its checkpoints only while somebody reads for long.
            self._db.execute(f"pragma journal_size_limit = {8 << 20}")
            migrate(self._db, version)
            row = self._db.execute("select max(id) from match").fetchone()
            self._db.execute(f"pragma busy_timeout = {_BUSY_MS}")
        except (sqlite3.Error, OSError, ValueError) as error:
            if self._db is not None:
                self._db.close()
            raise StoreError(f"{self.path}: {error}") from error
        self._match: int | None = row[0]
        self._number = 0
        self._waiting: list[tuple[Fact, int]] = []

    @property
    def waiting(self) -> bool:
        """Facts are still to be written: the last `keep` or `catch_up` has failed."""
        return bool(self._waiting)

    def keep(self, fact: Fact) -> None:
        """Makes a fact durable; when this returns, pulling the plug does not lose it.

        Raises:
            StoreError: if it could not be written. It waits then, and what comes after it does.
        """
        self._waiting.append((fact, int(self._wall_clock_s())))
        self.catch_up()

    def catch_up(self) -> None:
        """Makes durable what is still waiting, all of it or nothing.

        Raises:
            StoreError: if it could not be written; it waits on.
        """
        if not self._waiting:
            return
        before = self._match, self._number, self._sides
        try:
            with self._telling_the_file(), self._db:
                self._db.execute("begin immediate")
                for fact, at_s in self._waiting:
                    self._write(fact, at_s)
        except BaseException:
            self._match, self._number, self._sides = before
            raise
        self._waiting.clear()

    @contextmanager
    def _telling_the_file(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, json.JSONDecodeError, UnicodeError) as error:
            raise StoreError(f"{self.path}: {error}") from error

    def _write(self, fact: Fact, at_s: int) -> None:
        match fact:
            case Began(match):
                retention.forget(self._db)
                cursor = self._db.execute(
                    "insert into match (began_s, profile, players, rounds) values (?, ?, ?, ?)",
                    (at_s, "\n".join(to_lines(match.profile)), match.players, match.rounds),
                )
                self._match, self._number = cursor.lastrowid, 0
                self._sides = match.profile.sides if match.profile.draw is Draw.DICE else 0
            case Left():
                self._db.execute("update match set left = 1 where id = ?", (self._match,))
            case Chosen(key, value):
                self._db.execute("insert or replace into setting values (?, ?)", (key, json.dumps(value)))
            case Finished(match):
                self._finish(match)
            case Signed(player, initials):
                self._db.execute(
                    "update result set initials = ? where match = ? and player = ?",
                    (initials, self._match, player),
                )
            case Settled():
                self._db.execute("update match set settled = 1 where not settled")
                self._db.execute("delete from owed")
            case Faulted(kind, text):
                self._log(kind, text, at_s)
            case _:
                self._act(fact)

    def _act(self, action: Action) -> None:
        self._db.execute("insert into action values (?, ?, ?)", (self._match, self._number, action.to_text()))
        self._number += 1
        if isinstance(action, Thrown) and self._count_throws and self._sides:
            self._count(action.faces)

    def _count(self, faces: Throw) -> None:
        self._db.executemany(
            "insert into throws values (?, ?, ?, ?, 1) on conflict do update set count = count + 1",
            [(len(faces), self._sides, die, value) for die, value in ((0, sum(faces)), *enumerate(faces, 1))],
        )

    def _finish(self, match: Match) -> None:
        result = match.result
        assert result is not None, "a finished match has a result"
        # A match that is resumed after its end is finished again: what is there stays.
        self._db.executemany(
            "insert into result values (?, ?, ?, ?, ?, null) on conflict do nothing",
            [
                (self._match, i, match.totals[i], str(result.owes[i]), i in result.winners)
                for i in range(match.players)
                if match.scores[i] is not None or result.owes[i] or i in result.winners
            ],
        )

    def _log(self, kind: str, text: str, at_s: int) -> None:
        self._db.execute(
            "insert into fault (at_s, kind, text) select :at, :kind, :text where not exists"
            " (select 1 from fault where kind = :kind and text = :text and abs(at_s - :at) < :again)",
            {"at": at_s, "kind": kind, "text": text, "again": _FAULT_AGAIN_S},
        )
        retention.forget_faults(self._db)

    def keep_health(self, presses: Mapping[int, int], chatter: Mapping[int, int]) -> None:
        """Adds to what has been counted per switch; 0 is the button.

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

    def ledger(self) -> tuple[Fraction, ...]:
        """Per player the stakes that earlier matches have left owed; negative: to get.

        A match that is still on the table, though decided, is left out: it is not over yet.

        Raises:
            StoreError: if they cannot be read.
        """
        owed: dict[int, Fraction] = {}
        with self._telling_the_file():
            rows = self._db.execute(
                "select player, owes from result join match on match.id = result.match"
                " where not settled and not (match.id = ? and not left)"
                " union all select player, owes from owed",
                (self._match,),
            )
            for player, owes in rows:
                if not (0 <= player < MAX_PLAYERS and re.fullmatch(_STAKES, owes)):
                    raise StoreError(f"{self.path}: player {player + 1} cannot owe {owes[:20]!r}")
                owed[player] = owed.get(player, Fraction(0)) + Fraction(owes)
        return tuple(owed.get(player, Fraction(0)) for player in range(max(owed, default=-1) + 1))

    def running_match(self) -> tuple[Match, tuple[Action, ...]] | None:
        """The match that the players have not left: its beginning, and what happened since.

        Raises:
            StoreError: if what is kept makes no match.
        """
        with self._telling_the_file():
            left = self._db.execute('select "left" from match where id = ?', (self._match,)).fetchone()
            if self._match is None or left is None or left[0]:
                return None
            beginning, actions = kept_match(self._db, self._match, str(self.path))
        self._number = len(actions)
        self._sides = beginning.profile.sides if beginning.profile.draw is Draw.DICE else 0
        return beginning, actions

    def choices(self) -> dict[str, object]:
        """The settings chosen at the box, by their keys in the config.

        Raises:
            StoreError: if they cannot be read.
        """
        with self._telling_the_file():
            return {
                key: json.loads(value) for key, value in self._db.execute("select key, value from setting")
            }

    @property
    def connection(self) -> sqlite3.Connection:
        """For reading; see `shutthebox.platform.statistics`."""
        return self._db

    def close(self) -> None:
        """Closes the file."""
        self._db.close()


def kept_match(db: sqlite3.Connection, number: int, where: str) -> tuple[Match, tuple[Action, ...]]:
    """A match that has been kept: its beginning, and what happened since.

    Args:
        db: the store.
        number: which one, its id.
        where: the file, for complaints.

    Raises:
        StoreError: if there is none, or what is kept makes no match.
    """
    row = db.execute("select profile, players, rounds from match where id = ?", (number,)).fetchone()
    if row is None:
        raise StoreError(f"{where}: no match {number} is kept there")
    texts = db.execute("select text from action where match = ? order by number", (number,))
    try:
        match = beginning = begin(_profile(row[0], where), row[1], row[2])
        actions = tuple(action_from_text(text) for (text,) in texts)
        for action in actions:
            match = apply(match, action)
    except (ValueError, TypeError) as error:
        raise StoreError(f"{where}: match {number}: {error}") from error
    return beginning, actions


def _profile(text: str, where: str) -> Profile:
    return to_profile(parse_keys(text, where, _no_model), where, "house")


def _no_model(name: str) -> dict[str, object]:
    raise KeyError("a kept profile stands alone")
