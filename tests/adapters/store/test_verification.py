"""The facts are believed and the tables are not: whoever alters a table is found out and gains nothing."""

import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from shutthebox.adapters.store import queries as statistics
from shutthebox.adapters.store.chain import Head, Mark, read_mark
from shutthebox.adapters.store.database import FILE_NAME, Store
from shutthebox.adapters.store.open_store import RESTORE_NAME, open_or_set_aside
from shutthebox.adapters.store.records import kept_match
from shutthebox.adapters.store.recovery import faults, first_fault
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began, Chosen, Faulted, Finished, Left, Signed
from shutthebox.rules.actions import Action, Advanced, Moved, Thrown, apply
from shutthebox.rules.match import begin

NOON = 1_795_262_400.0
ACTIONS: tuple[Action, ...] = (
    Thrown((4, 5)), Moved(1 << 8), Thrown((4, 5)), Moved(1 << 3), Thrown((4, 4)), Moved(1 << 7),
    Thrown((4, 4)),
)  # fmt: skip


def play(store: Store, *, leave: bool = True, finish: bool = True) -> None:
    match = begin(builtin("thai"), 1)
    store.keep(Began(match))
    for action in ACTIONS:
        store.keep(action)
        match = apply(match, action)
    if finish:
        store.keep(Finished(match, ACTIONS))
        store.keep(Signed(0, "ABC"))
        store.keep(Advanced())
    if leave:
        store.keep(Left())


def play_four(store: Store) -> None:
    """Three matches, before each a setting is chosen and after it a fault comes, and one on its way."""
    for number in range(3):
        store.keep(Chosen("game.players", number + 1))
        play(store)
        store.keep(Faulted("lever", f"lever {number} chatters"))
    play(store, finish=False, leave=False)
    store.keep_health({0: 1, 7: 2}, {7: 3})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    with closing(Store(folder, lambda: NOON)) as store:
        play_four(store)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A store with three finished matches and one that is played."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def alter(folder: Path, *statements: str) -> None:
    """Changes rows behind the box's back."""
    with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def wrong(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / FILE_NAME)) as db:
        return faults(db, read_mark(folder / FILE_NAME))


def summary(folder: Path) -> tuple[object, ...]:
    with closing(Store(folder, lambda: NOON)) as store:
        found = statistics.read(store.connection)
        records = [kept_match(store.connection, number, "test") for number in range(1, 5)]
        return found.matches, found.finished, found.fame, store.choices(), records, store.running_match()


ALTERED = {
    'update match set "left" = 0 where id = 2': "match 2",
    'update match set "left" = 1 where id = 4': "match 4",
    "update match set conditions = 'dice real' where id = 2": "match 2",
    "update match set players = 2 where id = 2": "match 2",
    "delete from match where id = 2": "match 2",
    "insert into match values (5, 99, 0, '', 1, 1, '', 0, 0)": "match 5",
    "delete from result where match = 2": "result 2",
    "update result set initials = null where match = 2": "result 2",
    "update result set score = 1 where match = 2": "result 2",
    "insert into result values (4, 0, 1, '0', 1, 0, null)": "result 4",
    "update setting set value = '9'": "setting game.players",
    "delete from setting": "setting game.players",
    "update throws set count = 99 where die = 0 and value = 8": "throws 2",
    "update lever set presses = 0 where number = 7": "lever 7",
    "update total set count = 9 where name = 'finished'": "total finished",
    "delete from fault where id = 2": "fault 2",
}  # fmt: skip


@pytest.mark.parametrize(("statement", "said"), ALTERED.items())
def test_a_row_that_the_facts_do_not_tell_is_found_and_gains_nothing(
    statement: str, said: str, folder: Path
) -> None:
    assert wrong(folder) == []
    before = summary(folder)
    alter(folder, statement)
    assert wrong(folder) == [f"{said} is not as the facts tell"]
    store, store_fault = open_or_set_aside(folder, lambda: NOON)
    assert store_fault is not None
    assert store is not None
    store.close()
    assert summary(folder) == before
    assert wrong(folder) == []


def test_the_latest_facts_are_compared_and_no_table(folder: Path) -> None:
    """There are 51 facts."""
    alter(folder, "update fact set text = 'next' where number = 34", "update setting set value = '9'")
    with closing(sqlite3.connect(folder / FILE_NAME)) as db:
        found = [bool(first_fault(db, None, most=facts)) for facts in range(53)]
    assert found == [facts >= 51 - 33 for facts in range(53)]


def test_another_history_than_the_mark_knows(folder: Path) -> None:
    head = read_mark(folder / FILE_NAME)
    assert head is not None
    mark = Mark(folder / FILE_NAME)
    for _ in range(2):
        mark.write(Head(head.number, head.checksum + 1))
    mark.close()
    assert wrong(folder) == [f"fact {head.number} is not the one that was kept last"]


def cut(folder: Path, facts: int) -> None:
    """Takes so many facts from the end, with what follows from them."""
    with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as db:
        (head,) = db.execute("select max(number) from fact").fetchone()
        db.execute("delete from fact where number > ?", (head - facts,))


def recovered(folder: Path) -> Store:
    store, mishap = open_or_set_aside(folder, lambda: NOON)
    assert mishap is not None
    assert store is not None
    assert faults(store.connection, None) == []
    return store


def test_a_result_whose_moves_are_lost_stands_and_the_match_is_over(tmp_path: Path) -> None:
    with closing(Store(tmp_path, lambda: NOON)) as store:
        play(store, leave=False)
    alter(tmp_path, "delete from fact where number = 7")
    with closing(recovered(tmp_path)) as store:
        assert store.running_match() is None
        assert [famous.initials for famous in statistics.read(store.connection).fame] == ["ABC"]
        record = kept_match(store.connection, 1, "test")
        assert record.actions == ACTIONS[:5]
        assert not record.given_up


def test_a_result_whose_moves_are_there_can_be_gone_on_with(tmp_path: Path) -> None:
    with closing(Store(tmp_path, lambda: NOON)) as store:
        play(store, leave=False)
    cut(tmp_path, 1)
    with closing(recovered(tmp_path)) as store:
        running = store.running_match()
        assert running is not None
        assert running[1] == ACTIONS


def test_a_page_that_cannot_be_read_costs_what_was_on_it(tmp_path: Path) -> None:
    with closing(Store(tmp_path, lambda: NOON)) as store:
        store.connection.execute("pragma synchronous = off")
        for _ in range(60):
            play(store)
        (root,) = store.connection.execute(
            "select rootpage from sqlite_schema where name = 'fact'"
        ).fetchone()
        store.connection.execute("pragma wal_checkpoint(truncate)")
    content = bytearray((tmp_path / FILE_NAME).read_bytes())
    page = content[(root - 1) * 4096 : root * 4096]
    assert page[0] == 5, "an inner page"
    middle = int.from_bytes(page[3:5]) // 2
    cell = int.from_bytes(page[12 + 2 * middle : 14 + 2 * middle])
    leaf = int.from_bytes(page[cell : cell + 4])
    content[(leaf - 1) * 4096 : leaf * 4096] = b"\xa5" * 4096
    (tmp_path / FILE_NAME).write_bytes(content)
    with closing(recovered(tmp_path)) as store:
        whole = 0
        for number in range(1, 61):
            with suppress(OSError):
                conditions = kept_match(store.connection, number, "test").conditions
                whole += conditions is not None and conditions.lost == 0
        assert whole > 40, "the matches before it and those behind it"
        assert kept_match(store.connection, 60, "test").actions == (*ACTIONS, Advanced())


def test_a_link_is_not_taken_over(folder: Path) -> None:
    with closing(Store(folder / "other", lambda: NOON)) as other:
        other.keep(Chosen("game.players", 9))
    (folder / RESTORE_NAME).symlink_to(folder / "other" / FILE_NAME)
    store, mishap = open_or_set_aside(folder, lambda: NOON)
    assert store is not None
    assert mishap is None
    with closing(store):
        assert store.choices() == {"game.players": 3}
