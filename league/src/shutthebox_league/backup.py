"""Back-up and restore of a league on SQLite while it runs. PostgreSQL brings its own: pg_dump."""

import errno
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Engine, create_engine

from shutthebox.errors import one_line
from shutthebox.files import open_to_read, reason
from shutthebox_league.database import migrate
from shutthebox_league.errors import LeagueError

_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
"""Errors of file systems that cannot give a file a second name, such as FAT."""


def back_up(engine: Engine, file: Path) -> None:
    """Writes a copy of the database as it is at one moment, for its owner only: a whole file, or none.

    Raises:
        LeagueError: if it is not SQLite's, the file exists or cannot be written.
    """
    with closing(_source(engine)) as source:
        try:
            with _private_folder(file.parent) as folder:
                copy = folder / "copy"
                with closing(sqlite3.connect(_new(copy))) as db:
                    source.backup(db)
                _sync(copy)
                try:
                    # Unlike a rename this takes the place of nothing, be it a link.
                    os.link(copy, file)
                except OSError as error:
                    if error.errno not in _NO_LINKS:
                        raise
                    copy.rename(_new(file))
                _sync(file.parent)
        except FileExistsError:
            raise LeagueError(f"{file}: exists; allowed is a new file") from None
        except OSError as error:
            raise LeagueError(f"{file}: {reason(error)}") from None
        except sqlite3.Error as error:
            raise LeagueError(f"{file}: {error}") from None


def restore(engine: Engine, file: Path) -> None:
    """Replaces the database by a copy, in one transaction; programs that have it open go on with the copy.

    Raises:
        LeagueError: if it is not SQLite's, or the file is no copy of a league.
    """
    with closing(_source(engine)) as target:
        assert engine.url.database is not None, "it is a source"
        try:
            # What is checked is what is restored, whatever happens to the file meanwhile.
            with _private_folder(Path(engine.url.database).parent) as folder:
                copy = folder / "copy"
                with open_to_read(file) as given, _new(copy).open("wb") as taken:
                    shutil.copyfileobj(given, taken)
                with closing(sqlite3.connect(copy)) as db:
                    _check(db, file)
                    db.backup(target)
        except OSError as error:
            raise LeagueError(f"{file}: {reason(error)}") from None
        except sqlite3.Error as error:
            raise LeagueError(f"{file}: {error}; {_ALLOWED}") from None


_ALLOWED = "allowed is a file that `shutthebox-league backup` wrote"


def _check(db: sqlite3.Connection, file: Path) -> None:
    """Takes a database only if it has our tables and nothing else, such as a trigger."""
    db.execute("pragma trusted_schema = off")
    try:
        (version,) = db.execute("select version_num from alembic_version").fetchone() or ("",)
        if not re.fullmatch("[0-9]{4}", str(version)):
            raise LeagueError("no version of ours")
        foreign = _statements(db) ^ _schema_of(version)
    except (sqlite3.Error, LeagueError):
        raise LeagueError(f"{file}: no database of a league; {_ALLOWED}") from None
    if foreign:
        kind, name = min(foreign)[:2]
        raise LeagueError(f"{file}: {kind} {one_line(name)} is not as a league has it; {_ALLOWED}")
    if db.execute("pragma integrity_check").fetchone() != ("ok",):
        raise LeagueError(f"{file}: damaged; {_ALLOWED}")


def _schema_of(version: str) -> set[tuple[str, str, str]]:
    """The statements that make an empty database of this version.

    Raises:
        LeagueError: if there is no such version.
    """
    with closing(sqlite3.connect(":memory:", check_same_thread=False)) as db:
        engine = create_engine("sqlite://", creator=lambda: db)
        migrate(engine, version)
        return _statements(db)


def _statements(db: sqlite3.Connection) -> set[tuple[str, str, str]]:
    found = db.execute("select type, name, coalesce(sql, '') from sqlite_master")
    return {(kind, name, sql) for kind, name, sql in found if not name.startswith("sqlite_stat")}


@contextmanager
def _private_folder(beside: Path) -> Iterator[Path]:
    """A new folder there that nobody else can enter; gone in the end."""
    with tempfile.TemporaryDirectory(prefix=".shutthebox-", dir=beside) as name:
        yield Path(name)


def _new(path: Path) -> Path:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    return path


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _source(engine: Engine) -> sqlite3.Connection:
    if engine.dialect.name != "sqlite" or not engine.url.database:
        raise LeagueError(
            "this league is on PostgreSQL: pg_dump backs it up while it runs, pg_restore restores it"
        )
    return sqlite3.connect(engine.url.database, timeout=30)
