"""Backs up and restores a league while it runs. A copy is always a SQLite file, on PostgreSQL too."""

import errno
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import SQLAlchemyError

from shutthebox.errors import one_line
from shutthebox.files import open_to_read, reason, sync_folder
from shutthebox_league.copying import VERSIONS, copy_league, copy_rows, snapshot
from shutthebox_league.database import in_transaction, migrate, open_database
from shutthebox_league.errors import LeagueError
from shutthebox_league.league_health import BACKUP, note_failure, note_pulse
from shutthebox_league.schema import METADATA

_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
"""Errors from file systems without hard links, such as FAT."""

_PREFIX = ".shutthebox-"
_ABANDONED_S = 24 * 3600
"""No copy takes this long: anything older was left behind by a killed process."""

_MAGIC = b"SQLite format 3\0"


def back_up(engine: Engine, file: Path) -> None:
    """Writes a consistent copy of the database, readable by its owner only, and verifies it.

    Raises:
        LeagueError: if the file exists, can't be written, lacks room, or differs from the database.
    """
    with _as_league_errors(file):
        _check_room(file.parent, _copy_size(engine))
        try:
            with _private_folder(file.parent) as folder:
                copy = _create_private(folder / "copy")
                counts = _copy(engine, copy)
                _sync(copy)
                with closing(sqlite3.connect(copy)) as db:
                    _check(db, file)
                    if counts != _counts(db):
                        raise LeagueError(f"{file}: its rows differ from the database's; try again")
                try:
                    # Unlike a rename, this replaces nothing, not even a link.
                    os.link(copy, file)
                except OSError as error:
                    if error.errno not in _NO_LINKS:
                        raise
                    copy.rename(_create_private(file))
                sync_folder(file.parent)
        except FileExistsError:
            raise LeagueError(f"{file}: exists; use a new file") from None


def keep_backups(engine: Engine, folder: Path, count: int, now_s: int) -> None:
    """Writes a timestamped copy to a folder of copies, then deletes the oldest ones.

    `/health` reports whether this worked.

    Args:
        engine: the league's database.
        folder: of copies.
        count: of copies that are kept.
        now_s: the time of day.

    Raises:
        LeagueError: as `back_up`; no copy is deleted then.
    """
    time = datetime.fromtimestamp(now_s, UTC).strftime("%Y%m%dT%H%M%SZ")
    try:
        back_up(engine, folder / f"league-{time}.sqlite3")
        with _as_league_errors(folder):
            for old in sorted(folder.glob(f"league-{'[0-9]' * 8}T{'[0-9]' * 6}Z.sqlite3"))[:-count]:
                old.unlink()
            for left in folder.glob(f"{_PREFIX}*"):
                with suppress(FileNotFoundError):  # another one has just ended
                    if left.stat().st_mtime < now_s - _ABANDONED_S:
                        shutil.rmtree(left)
    except (LeagueError, SQLAlchemyError):
        in_transaction(engine, lambda db: note_failure(db, BACKUP))
        raise
    in_transaction(engine, lambda db: note_pulse(db, BACKUP, now_s))


def restore(engine: Engine, file: Path) -> None:
    """Replaces the database's content with a copy, in one transaction. Running services can stay up.

    Raises:
        LeagueError: if the file isn't a copy of a league.
    """
    is_sqlite = engine.dialect.name == "sqlite"
    beside = Path(engine.url.database or "").parent if is_sqlite else None
    # Restores exactly what was checked, whatever happens to the file meanwhile.
    with _as_league_errors(file, f"; {_ALLOWED}"), _private_folder(beside) as folder:
        copy = folder / "copy"
        with open_to_read(file) as given, _create_private(copy).open("wb") as taken:
            if given.read(len(_MAGIC)) != _MAGIC:
                raise LeagueError(f"{file}: not a league's database; {_ALLOWED}")
            _check_room(folder, os.fstat(given.fileno()).st_size)
            given.seek(0)
            shutil.copyfileobj(given, taken)
        with closing(sqlite3.connect(copy)) as db:
            _check(db, file)
            if is_sqlite:
                with closing(_connect(engine)) as target:
                    _replace(target, db, Path(engine.url.database or ""))
                return
        restored = open_database(f"sqlite:///{copy}")
        try:
            migrate(restored)
            migrate(engine)
            with snapshot(restored) as there, engine.begin() as here:
                names = ", ".join(f'"{table.name}"' for table in METADATA.sorted_tables)
                here.exec_driver_sql(f"truncate {names}")
                copy_rows(there, here)
        finally:
            restored.dispose()


def _replace(target: sqlite3.Connection, copy: sqlite3.Connection, path: Path) -> None:
    try:
        copy.backup(target)
    except sqlite3.Error as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        raise LeagueError(
            f"{path}: {error}, so it can't be replaced; stop the league, move this file and those "
            "beside it that end in -wal and -shm away, and restore again"
        ) from None


def _copy_size(engine: Engine) -> int:
    """About how many bytes a copy of the database takes."""
    postgresql = "select sum(pg_table_size(oid)) from pg_class where relnamespace = 'public'::regnamespace"
    sqlite = "select page_count * page_size from pragma_page_count, pragma_page_size"
    with engine.connect().execution_options(reads=True) as db:
        query = sqlite if engine.dialect.name == "sqlite" else postgresql
        return int(db.exec_driver_sql(query).scalar_one())


def _check_room(folder: Path, needed: int) -> None:
    """Refuses to begin a copy that would fill the disk, which may be that of the league."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise LeagueError(
            f"{folder}: too full: a copy takes {needed / 1e6:.1f} MB, and {free / 1e6:.1f} are free"
        )


def _copy(engine: Engine, to: Path) -> Mapping[str, int]:
    """Copies the database as it is at one moment into an empty file; returns the rows of each table."""
    if engine.dialect.name == "sqlite":
        with closing(_connect(engine)) as source, closing(sqlite3.connect(to)) as db:
            source.execute("begin")
            counts = _counts(source)
            source.backup(db)
            return counts
    target = open_database(f"sqlite:///{to}")
    try:
        return copy_league(engine, target)
    finally:
        target.dispose()


def _counts(db: sqlite3.Connection) -> Mapping[str, int]:
    names = [name for kind, name, _ in _statements(db) if kind == "table" and name != VERSIONS]
    return {name: db.execute(f'select count(*) from "{name}"').fetchone()[0] for name in names}


@contextmanager
def _as_league_errors(file: Path, more: str = "") -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        raise LeagueError(f"{file}: {reason(error)}") from None
    except sqlite3.Error as error:
        raise LeagueError(f"{file}: {error}{more}") from None


_ALLOWED = "use a file that `shutthebox-league backup` wrote"


def _check(db: sqlite3.Connection, file: Path) -> None:
    """Takes a database only if it has our tables and nothing else, such as a trigger."""
    db.execute("pragma trusted_schema = off")
    try:
        (version,) = db.execute("select version_num from alembic_version").fetchone() or ("",)
        if not re.fullmatch("[0-9]{4}", str(version)):
            raise LeagueError("not one of our versions")
        foreign = _statements(db) ^ _schema_of(version)
    except (sqlite3.Error, LeagueError):
        raise LeagueError(f"{file}: not a league's database; {_ALLOWED}") from None
    if foreign:
        kind, name = min(foreign)[:2]
        raise LeagueError(f"{file}: {kind} {one_line(name)} isn't what a league has; {_ALLOWED}")
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
def _private_folder(beside: Path | None) -> Iterator[Path]:
    """A new folder there that nobody else can enter; deleted at the end."""
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=beside) as name:
        yield Path(name)


def _create_private(path: Path) -> Path:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    return path


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _connect(engine: Engine) -> sqlite3.Connection:
    assert engine.url.database is not None, "a league has a file"
    return sqlite3.connect(engine.url.database, timeout=30, isolation_level=None)
