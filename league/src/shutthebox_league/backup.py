"""Back-up and restore of a league on SQLite while it runs. PostgreSQL brings its own: pg_dump."""

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Engine

from shutthebox_league.errors import LeagueError


def back_up(engine: Engine, file: Path) -> None:
    """Writes a copy of the database as it is at one moment.

    Raises:
        LeagueError: if it is not SQLite's, the file exists or cannot be written.
    """
    if file.exists():
        raise LeagueError(f"{file}: exists; allowed is a new file")
    new = file.with_name(f"{file.name}.new")
    try:
        with closing(sqlite3.connect(new)) as copy, closing(_source(engine)) as source:
            source.backup(copy)
        new.rename(file)
    except (sqlite3.Error, OSError) as error:
        new.unlink(missing_ok=True)
        raise LeagueError(f"{file}: {error}") from None


def restore(engine: Engine, file: Path) -> None:
    """Replaces the database by a copy, in one transaction; programs that have it open go on with the copy.

    Raises:
        LeagueError: if it is not SQLite's, or the file is no copy of a league.
    """
    if not file.is_file():
        raise LeagueError(f"{file}: not a file; allowed is one that `shutthebox-league backup` wrote")
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as copy:
            if copy.execute("pragma integrity_check").fetchone() != ("ok",):
                raise LeagueError(f"{file}: damaged; allowed is one that `shutthebox-league backup` wrote")
            copy.execute("select count(*) from entry")
            with closing(_source(engine)) as target:
                copy.backup(target)
    except sqlite3.Error as error:
        raise LeagueError(f"{file}: {error}") from None


def _source(engine: Engine) -> sqlite3.Connection:
    if engine.dialect.name != "sqlite" or not engine.url.database:
        raise LeagueError(
            "this league is on PostgreSQL: pg_dump backs it up while it runs, pg_restore restores it"
        )
    return sqlite3.connect(engine.url.database, timeout=30)
