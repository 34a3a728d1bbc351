"""The migrations make the tables that the program expects, with the indexes that its queries need."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from tests.support.league import plans_of, played_record

from shutthebox_league.database import migrate, open_database
from shutthebox_league.errors import LeagueError
from shutthebox_league.events import (
    confirm_by_code,
    confirm_by_landlord,
    waiting_for_landlord,
    waiting_games,
)
from shutthebox_league.formats import Format
from shutthebox_league.players import confirm, forget, protect, waiting_seats
from shutthebox_league.schema import EVENT_GAME, MATCH, METADATA
from shutthebox_league.voiding import undo, void_entrant

from .evenings import NIGHT, Cup

DESCRIBED = {
    "sqlite": "select name, sql from sqlite_master where name not like '%alembic%' and sql is not null",
    "postgresql": """
        select indexname as name, indexdef as sql from pg_indexes
        where schemaname = 'public' and indexname not like '%alembic%'
        union all
        select conname, pg_get_constraintdef(oid) from pg_constraint
        where connamespace = 'public'::regnamespace and conname not like '%alembic%'
        union all
        select table_name || '.' || column_name, concat_ws(' ', ordinal_position, data_type,
            character_maximum_length, is_nullable, column_default, is_identity)
        from information_schema.columns where table_schema = 'public' and table_name <> 'alembic_version'""",
}
"""Everything about tables, columns, constraints and indexes, as the database itself says it."""

SCANNED_RARELY = re.compile("delete from standing|from rating$", re.IGNORECASE)


@pytest.fixture
def new_engine(new_database: Callable[[], str], tmp_path: Path) -> Iterator[Callable[[], Engine]]:
    engines = list[Engine]()

    def make() -> Engine:
        url = new_database() or f"sqlite:///{tmp_path}/{len(engines)}.sqlite3"
        engines.append(open_database(url))
        return engines[-1]

    yield make
    for engine in engines:
        engine.dispose()


def described(engine: Engine) -> dict[str, list[str]]:
    with engine.connect() as db:
        rows = db.execute(text(DESCRIBED[engine.dialect.name])).all()
    # SQLite keeps the statements, in which the constraints may have another order.
    return {name: sorted(re.split(r"\s*,\s+|\s+\)$", sql)) for name, sql in rows}


def test_the_migrations_make_the_tables_of_the_program(new_engine: Callable[[], Engine]) -> None:
    """A column or an index that only `schema.py` has would be missing in every league there is."""
    migrated, declared = new_engine(), new_engine()
    migrate(migrated)
    METADATA.create_all(declared)
    assert described(migrated) == described(declared)


def test_a_league_of_a_later_version_is_left_alone(new_engine: Callable[[], Engine]) -> None:
    engine = new_engine()
    migrate(engine)
    with engine.begin() as db:
        db.execute(text("update alembic_version set version_num = '9999'"))
    before = described(engine)
    with pytest.raises(LeagueError, match="9999"):
        migrate(engine)
    assert described(engine) == before


@pytest.mark.slow
def test_an_evening_reads_no_growing_table_from_end_to_end(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    """With a million matches, each visitor and each match would wait for it."""
    with closing(Cup(tmp_path, new_database())) as cup, plans_of(cup.engine) as plans:
        events = {format_: cup.make(format_) for format_ in Format}
        codes = cup.codes
        cup.play(played_record(1), "ANN", "BOB")
        cup.review()
        cup.at("evil")
        with cup.engine.begin() as db:
            protect(db, ["CAT"], 1)
            protect(db, ["CAT"], 2)
        cup.play(played_record(2), "CAT", "DAN")
        with cup.engine.begin() as db:
            (seat,) = waiting_seats(db, 2)
            assert confirm(db, [(seat.match_id, seat.seat)], 2, cup.now_s, right=True) == 1
        cup.review()
        last = events[Format.KNOCKOUT]
        with cup.engine.begin() as db:
            assert waiting_games(db, last)
            confirm_by_code(db, list(events.values())[-1], 2, "DAN", codes["DAN"], cup.now_s)
            games = [
                (row.event_id, row.match_id, row.initials) for row in waiting_for_landlord(db, 1, cup.now_s)
            ]
            assert confirm_by_landlord(db, 1, games, cup.now_s) == len(games) > 0
        voiding = cup.void(1)
        cup.review()
        with cup.engine.begin() as db:
            undo(db, voiding, None, cup.now_s)
            void_entrant(db, last, "BOB", cup.now_s, NIGHT)
        for number in events.values():
            cup.read(number)
        with cup.engine.begin() as db:
            forget(db, "ANN", 1, cup.now_s)
            forget(db, "BOB", None, cup.now_s)
        cup.review()
    # All standings are read once a night, and all ratings once they have been computed again.
    assert [each for each in plans.scanned if not SCANNED_RARELY.search(each)] == []
    if cup.engine.dialect.name == "sqlite":  # which index PostgreSQL takes depends on the rows
        expected = {index.name for table in (EVENT_GAME, MATCH) for index in table.indexes}
        assert expected <= plans.indexes, "one that nothing uses only costs"
