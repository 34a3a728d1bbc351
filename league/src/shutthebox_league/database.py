"""Opens a league's database, SQLite or PostgreSQL, and brings it up to date."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import (
    JSON,
    Column,
    ColumnElement,
    Connection,
    Engine,
    Executable,
    Row,
    Select,
    String,
    Table,
    TableValuedAlias,
    Text,
    Update,
    any_,
    bindparam,
    create_engine,
    event,
    func,
    insert,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import (
    ArgumentError,
    DisconnectionError,
    InterfaceError,
    NoSuchModuleError,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import ConnectionPoolEntry

from shutthebox.errors import one_line
from shutthebox_league.errors import LeagueError

_Result = TypeVar("_Result")

_BUSY_S = 10.0
_IDLE_S = 0.5
_MIGRATION_LOCK, _BOOKS_LOCK = 5748123, 5748124
_TRIES = 4

UNAVAILABLE = (OperationalError, InterfaceError, PoolTimeoutError, sqlite3.OperationalError, OSError)
"""Errors of a database that is down, locked or full. Any other error is the fault of the operation."""


def _is_deadlock(error: Exception) -> bool:
    """Whether PostgreSQL rolled back this transaction because of a deadlock."""
    return getattr(getattr(error, "orig", None), "sqlstate", None) == "40P01"


def in_a_line(error: Exception) -> str:
    """The database's own message, without the statement and its parameters."""
    return one_line(str(error).partition("\n")[0])


def open_database(url: str) -> Engine:
    """Opens the database at this URL, such as ``sqlite:////var/lib/shutthebox-league/league.sqlite3``.

    Raises:
        LeagueError: if it isn't a SQLite or PostgreSQL URL.
    """
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() == "postgresql" and "+" not in parsed.drivername:
            parsed = parsed.set(drivername="postgresql+psycopg")
        if parsed.get_backend_name() not in ("sqlite", "postgresql"):
            raise ArgumentError("another kind of database")
        options: dict[str, Any] = {}
        if parsed.get_backend_name() == "sqlite":
            options = {"connect_args": {"timeout": _BUSY_S}}
        engine = create_engine(parsed, **options)
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        raise LeagueError(
            f"--database: {one_line(str(error))}; use sqlite:///FILE or postgresql://USER@HOST/NAME"
        ) from None
    if engine.dialect.name == "postgresql":
        event.listen(engine, "checkin", _note_use)
        event.listen(engine, "checkout", partial(_check_idle, engine))
    else:
        if engine.url.database and engine.url.database != ":memory:":
            _keep_private(Path(engine.url.database))
        event.listen(engine, "connect", _sqlite_connected)
        event.listen(engine, "begin", _sqlite_begins)
    return engine


def _note_use(_: object, record: ConnectionPoolEntry) -> None:
    record.info["used_s"] = time.monotonic()


def _check_idle(engine: Engine, connection: DBAPIConnection, record: ConnectionPoolEntry, _: object) -> None:
    """Replaces a connection that the server has closed. Asks only after a pause, because it takes a trip."""
    if time.monotonic() - record.info.get("used_s", 0.0) < _IDLE_S:
        return
    try:
        engine.dialect.do_ping(connection)
    except engine.dialect.loaded_dbapi.Error as error:
        raise DisconnectionError from error


def _keep_private(path: Path) -> None:
    """Lets nobody else read the database. SQLite gives its log the rights of the file."""
    with suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        for file in (path, *(path.with_name(path.name + ending) for ending in ("-wal", "-shm"))):
            if file.exists() and file.stat().st_mode & 0o077:
                file.chmod(0o600)


def _sqlite_connected(connection: sqlite3.Connection, _: object) -> None:
    # The driver begins transactions late, so two writers could begin at once.
    connection.isolation_level = None
    for pragma in (
        "journal_mode = wal",
        "synchronous = full",
        "foreign_keys = on",
        "trusted_schema = off",
        "secure_delete = on",  # What is forgotten is in no free page.
    ):
        connection.execute(f"pragma {pragma}")


def _sqlite_begins(connection: Any) -> None:  # noqa: ANN401  (SQLAlchemy's own)
    options = connection.get_execution_options()
    connection.exec_driver_sql("begin" if options.get("reads") else "begin immediate")


def in_transaction(engine: Engine, do: Callable[[Connection], _Result]) -> _Result:
    """Runs `do` in a transaction; retries it after a deadlock.

    Every transaction that changes single rows beside others goes through here.
    """
    for _ in range(_TRIES):
        try:
            with engine.begin() as db:
                return do(db)
        except UNAVAILABLE as error:
            if not _is_deadlock(error):
                raise
    with engine.begin() as db:
        return do(db)


def connect_to_read(engine: Engine) -> Connection:
    """A connection for queries that need no transaction: its beginning and end are trips to PostgreSQL."""
    if engine.dialect.name == "postgresql":
        return engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    return engine.connect().execution_options(reads=True)


def lock_books(db: Connection) -> None:
    """Lets one transaction at a time change standings, ratings and events, as SQLite does for all writes.

    Call it before reading anything that the transaction depends on. Held until the transaction ends.
    """
    if db.dialect.name == "postgresql":
        db.exec_driver_sql(f"select pg_advisory_xact_lock({_BOOKS_LOCK})")


def hold_workers(db: Connection) -> None:
    """Makes workers wait until the transaction ends, as they do on SQLite.

    A worker has either committed an entry before this, or sees what this transaction has changed.
    """
    if db.dialect.name == "postgresql":
        db.exec_driver_sql("lock table chain in exclusive mode")


def upsert(db: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """An `insert` of this dialect, which supports `on_conflict_do_...`."""
    return (postgresql.insert if db.dialect.name == "postgresql" else sqlite.insert)(table)


def one_of(dialect: str, column: ColumnElement[Any], values: str) -> ColumnElement[bool]:
    """Matches rows whose column has one of the values in a list, given as the parameter of this name.

    Build a statement that runs for every message only once per dialect: building takes longer than running.
    The list is one parameter, an array or JSON, so that the statement stays the same for any number.
    """
    if dialect == "postgresql":
        return column == any_(bindparam(values, type_=_array_of(column)))
    return column.in_(select(_json_rows(values).c.value))


def select_any(
    db: Connection,
    query: Select[Any],
    columns: tuple[ColumnElement[Any], ...],
    keys: AbstractSet[Sequence[object]],
) -> Sequence[Row[Any]]:
    """Runs a query for rows whose columns have one of these combinations of values, by the columns' index.

    There must be at least one, and none twice: SQLite would find its rows twice.

    Args:
        db: the database.
        query: always the same object, with the columns.
        columns: of a table.
        keys: the combinations.
    """
    if db.dialect.name == "postgresql":
        values = {f"of_{i}": list(values) for i, values in enumerate(zip(*keys, strict=True))}
        return db.execute(_among_unnested(query, columns), values).all()
    return db.execute(_among_json(query, columns), {"keys": [list(key) for key in keys]}).all()


@lru_cache(100)
def _among_unnested(query: Select[Any], columns: tuple[ColumnElement[Any], ...]) -> Select[Any]:
    arrays = (bindparam(f"of_{i}", type_=_array_of(column)) for i, column in enumerate(columns))
    return query.where(tuple_(*columns).in_(_unnest(arrays)))


@lru_cache(100)
def _among_json(query: Select[Any], columns: tuple[ColumnElement[Any], ...]) -> Select[Any]:
    # Joined, because SQLite scans the whole table for a list of row values.
    key = _json_rows("keys").c.value
    parts = (column == func.json_extract(key, f"$[{i}]") for i, column in enumerate(columns))
    return query.where(*parts)


def _json_rows(values: str) -> TableValuedAlias:
    """Rows made of a list, given as the parameter of this name."""
    return func.json_each(bindparam(values, type_=JSON())).table_valued("value")


def insert_all(
    db: Connection, table: Table, rows: Sequence[Mapping[str, Any]], *returning: Column[Any]
) -> Sequence[Row[Any]]:
    """Inserts rows that all have the same keys; returns these of their columns, in any order."""
    if db.dialect.name == "postgresql":
        values = {key: [row[key] for row in rows] for key in rows[0]}
        done = db.execute(_insert_unnested(table, tuple(values), returning), values)
    else:
        done = db.execute(insert(table).returning(*returning) if returning else insert(table), rows)
    return done.all() if returning else ()


@cache
def _insert_unnested(table: Table, keys: tuple[str, ...], returning: tuple[Column[Any], ...]) -> Executable:
    columns = [table.c[key] for key in keys]
    arrays = (bindparam(column.name, type_=_array_of(column)) for column in columns)
    statement = insert(table).from_select(columns, _unnest(arrays))
    return statement.returning(*returning) if returning else statement


def update_all(
    db: Connection, table: Table, key: tuple[Column[Any], ...], rows: Sequence[Mapping[str, Any]]
) -> None:
    """Updates the row of each of these keys; all have the same columns, those of the key among them."""
    names = tuple(rows[0])
    if db.dialect.name == "postgresql" and len(rows) > 1:
        values = {f"new_{name}": [row[name] for row in rows] for name in names}
        db.execute(_update_unnested(table, key, names), values)
    else:
        each = [{f"new_{name}": value for name, value in row.items()} for row in rows]
        db.execute(_update_one(table, key, names), each if len(each) > 1 else each[0])


@cache
def _update_unnested(table: Table, key: tuple[Column[Any], ...], names: tuple[str, ...]) -> Update:
    arrays = (bindparam(f"new_{name}", type_=_array_of(table.c[name])) for name in names)
    new = _unnest(arrays).subquery()
    return _update(table, key, dict(zip(names, new.c, strict=True)))


@cache
def _update_one(table: Table, key: tuple[Column[Any], ...], names: tuple[str, ...]) -> Update:
    return _update(table, key, {name: bindparam(f"new_{name}") for name in names})


def _update(table: Table, key: tuple[Column[Any], ...], new: dict[str, ColumnElement[Any]]) -> Update:
    where = [column == new.pop(column.name) for column in key]
    return update(table).where(*where).values(new)


def _array_of(column: ColumnElement[Any]) -> postgresql.ARRAY[Any]:
    # A cast to a type with a length would cut what's too long, in place of refusing it.
    return postgresql.ARRAY(Text() if isinstance(column.type, String) else column.type)


def _unnest(arrays: Iterable[ColumnElement[Any]]) -> Select[Any]:
    """Rows made of an array for each column."""
    columns = list(arrays)
    rows = func.unnest(*columns).table_valued(*(f"c{i}" for i in range(len(columns)))).render_derived()
    return select(*rows.c)


def empty_log(engine: Engine) -> None:
    """Truncates SQLite's write-ahead log, which still holds deleted rows. Does nothing on PostgreSQL."""
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            raw = connection.connection.driver_connection
            assert isinstance(raw, sqlite3.Connection), "it is SQLite's"
            raw.execute("pragma wal_checkpoint(truncate)").fetchall()


def migrate(engine: Engine, version: str = "head") -> None:
    """Migrates the database, or creates its tables if it's empty. Takes no lock if it's up to date.

    Raises:
        LeagueError: if a later version of this program made it, or it can't be reached.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    try:
        with engine.connect().execution_options(reads=True) as connection:
            current = MigrationContext.configure(connection).get_current_revision()
        head = ScriptDirectory.from_config(config).get_current_head()
        if current == (head if version == "head" else version):
            return
        with engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                # Several programs start at once, and one of them does it.
                connection.exec_driver_sql(f"select pg_advisory_xact_lock({_MIGRATION_LOCK})")
            config.attributes["connection"] = connection
            command.upgrade(config, version)
    except Exception as error:  # Alembic's exceptions have no common base class
        raise LeagueError(f"--database: {in_a_line(error)}") from error
