"""The facts are believed and the tables are not; of a damaged store the good part is kept, fact by fact."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.fast import fast_among
from tests.support.kept import NOON, alter, mended, sound

from shutthebox import __version__
from shutthebox.adapters.store import retention
from shutthebox.adapters.store.chain import Head, Mark, read_mark
from shutthebox.adapters.store.contents import RESTORE_NAME
from shutthebox.adapters.store.database import STORE_FILE, Store
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.queries import latest, read
from shutthebox.adapters.store.records import kept_match
from shutthebox.adapters.store.recovery import first_fault, good_part
from shutthebox.adapters.store.stored_facts import FactsLost, fact_from_text
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began, Chosen, Faulted, Finished, PlayersLeft, Resumed, Signed
from shutthebox.rules.actions import Action, Advanced, Moved, Thrown, apply
from shutthebox.rules.conditions import RULES_VERSION, Conditions
from shutthebox.rules.match import begin
from shutthebox.rules.tiles import to_tiles

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
        store.keep(Finished(match))
        store.keep(Signed(0, "ABC"))
        store.keep(Advanced())
    if leave:
        store.keep(PlayersLeft())


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


def wrong(folder: Path) -> str | None:
    with closing(sqlite3.connect(folder / STORE_FILE)) as db:
        return first_fault(db, read_mark(folder / STORE_FILE))


def summary(folder: Path) -> tuple[object, ...]:
    with closing(Store(folder, lambda: NOON)) as store:
        found = read(store.connection)
        records = [kept_match(store.connection, number, "test") for number in range(1, 5)]
        return found.matches, found.finished, found.fame, store.choices(), records, store.running_match()


ALTERED = {
    'update match set "left" = 0 where id = 2': "match 2",
    "delete from match where id = 2": "match 2",
    "insert into match values (5, 99, 0, '', 1, 1, '', 0, 0)": "match 5",
    "delete from result where match = 2": "result 2",
    "update result set score = 1 where match = 2": "result 2",
    "update setting set value = '9'": "setting game.players",
    "update throws set count = 99 where die = 0 and value = 8": "throws 2",
    "update lever set presses = 0 where number = 7": "lever 7",
    "update total set count = 9 where name = 'finished'": "total finished",
    "delete from fault where id = 2": "fault 2",
}  # fmt: skip


@pytest.mark.parametrize("statement", fast_among(ALTERED, list(ALTERED)[::3]))
def test_a_row_that_the_facts_do_not_tell_is_found_and_gains_nothing(statement: str, folder: Path) -> None:
    assert wrong(folder) is None
    before = summary(folder)
    alter(folder, statement)
    assert wrong(folder) == f"{ALTERED[statement]} differs from the facts"
    mended(folder)[0].close()
    assert summary(folder) == before
    assert wrong(folder) is None


def test_the_latest_facts_are_compared_and_no_table(folder: Path) -> None:
    altered = 34
    alter(folder, f"update fact set text = 'next' where number = {altered}", "update setting set value = '9'")
    with closing(sqlite3.connect(folder / STORE_FILE)) as db:
        (count,) = db.execute("select max(number) from fact").fetchone()
        found = [bool(first_fault(db, None, most=facts)) for facts in range(count + 2)]
    assert found == [facts > count - altered for facts in range(count + 2)]


def test_another_history_than_the_mark_knows(folder: Path) -> None:
    head = read_mark(folder / STORE_FILE)
    assert head is not None
    mark = Mark(folder / STORE_FILE)
    for _ in range(2):
        mark.write(Head(head.number, head.checksum + 1))
    assert wrong(folder) == f"fact {head.number} is not the last one kept"


def test_a_result_whose_moves_are_lost_stands_but_is_not_ranked(tmp_path: Path) -> None:
    with closing(Store(tmp_path, lambda: NOON)) as store:
        play(store, leave=False)
    alter(tmp_path, "delete from fact where number = 7")
    with closing(mended(tmp_path)[0]) as store:
        assert first_fault(store.connection, None) is None
        with pytest.raises(StoreError, match="2 of its facts are lost"):
            store.running_match()
        assert [player.initials for player in latest(store.connection, 1)[0].players] == ["ABC"]
        assert (read(store.connection).fame, read(store.connection).with_gaps) == ((), 1)
        record = kept_match(store.connection, 1, "test")
        assert record.actions == ACTIONS[:5]
        assert not record.given_up


def test_a_link_is_not_taken_over(folder: Path) -> None:
    with closing(Store(folder / "other", lambda: NOON)) as other:
        other.keep(Chosen("game.players", 9))
    (folder / RESTORE_NAME).symlink_to(folder / "other" / STORE_FILE)
    with closing(sound(folder)) as store:
        assert store.choices() == (Chosen("game.players", 3),)


# -- what is taken over, fact by fact ----------------------------------------------------------

LETTERS = {
    "begin": " B", "throw": "t", "shut": "s", "next": "n", "finish": "F", "sign": "S", "leave": "L",
    "choose": "c", "fault": "f", "wear": "w",
}  # fmt: skip

WHOLE = "BtstststFSnLf"
"""A match that was played, signed and left; then a lever chattered."""

LATEST = "Btststst"
"""The match on the table."""


def letters(db: sqlite3.Connection) -> str:
    """A letter for each fact, matches apart; the facts that say how many are lost have the number."""
    told = []
    for (text,) in db.execute("select text from fact order by number"):
        fact = fact_from_text(text)
        told.append(f"({fact.facts})" if isinstance(fact, FactsLost) else LETTERS[text.partition(" ")[0]])
    return "".join(told).strip()


def recovered(folder: Path) -> tuple[str, int, tuple[int, int, int]]:
    """A sound copy of the store there: its facts; matches begun; matches, facts, and how many are lost."""
    said = good_part(folder / STORE_FILE, read_mark(folder / STORE_FILE))
    (folder / "new").write_bytes(said.content)
    with closing(sqlite3.connect(folder / "new")) as db:
        assert first_fault(db, None) is None
        return letters(db), read(db).matches, (said.matches, said.facts, said.lost)


BETWEEN = "delete from fact where number between {} and {}"


@pytest.mark.parametrize(
    ("damage", "facts", "begun", "matches", "lost"),
    [
        ("select 1", f"c {WHOLE}c {WHOLE}c {WHOLE} {LATEST}w", 4, 4, 0),
        # A fact of a match, or several: what comes before stays, and its result, signature and end. What is
        # lost behind the result is no gap of the match; it may be the beginning of the next.
        ("update fact set text = 'x' where number = 5", f"c BtsFS(5)Lfc {WHOLE}c {WHOLE} {LATEST}w", 4, 4, 6),
        (BETWEEN.format(11, 11), f"c BtstststFLfc {WHOLE}c {WHOLE} {LATEST}w", 4, 4, 2),
        (BETWEEN.format(13, 13), f"c BtstststFSnfc {WHOLE}c {WHOLE} {LATEST}w", 4, 4, 1),
        # Without its beginning nothing is left of it but that it was begun, and what is of no match.
        (BETWEEN.format(2, 2), f"cfc {WHOLE}c {WHOLE} {LATEST}w", 4, 3, 12),
        (BETWEEN.format(11, 17), f"c BtstststFfc {WHOLE} {LATEST}w", 4, 3, 17),
        # A fact behind the end of a match costs no match anything.
        (BETWEEN.format(15, 15), f"c {WHOLE} {WHOLE}c {WHOLE} {LATEST}w", 4, 4, 1),
        # The end, as far as the head mark knows of it.
        (BETWEEN.format(48, 99), f"c {WHOLE}c {WHOLE}c {WHOLE} Btsts(4)", 4, 4, 4),
        (BETWEEN.format(41, 99), f"c {WHOLE}c {WHOLE}c BtstststFSn", 3, 3, 11),
    ],
)  # fmt: skip
def test_what_is_good_is_taken_over(
    damage: str, facts: str, begun: int, matches: int, lost: int, folder: Path
) -> None:
    """A lost match counts as begun where a later one is there."""
    alter(folder, damage)
    count = sum(facts.count(letter) for letter in "Btsn(FSLcfw")
    assert recovered(folder) == (facts, begun, (matches, count, lost))


@pytest.fixture
def forgetful(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with a famous match and the latest; the checkpoint has what follows from four others."""
    monkeypatch.setattr(retention, "KEPT_MATCHES", 1)
    with closing(Store(tmp_path, lambda: NOON)) as store:
        store.keep(Chosen("game.players", 5))
        store.keep_health({0: 3, 4: 2}, {4: 9})
        for number in range(5):
            play(store, finish=number == 2)
        play(store, finish=False, leave=False)
        store.keep(Faulted("lever", "lever 3 chatters"))
        assert letters(store.connection) == f"{WHOLE[:-1]} {LATEST}f", "the famous one and the latest"
    return tmp_path


def test_what_was_forgotten_on_purpose_is_not_lost(forgetful: Path) -> None:
    with closing(Store(forgetful, lambda: NOON)) as store:
        before = read(store.connection)
        assert (before.matches, before.finished, before.given_up, before.throws) == (6, 1, 4, 24)
        assert store.choices() == (Chosen("game.players", 5),)
    assert recovered(forgetful) == (f"{WHOLE[:-1]} {LATEST}f", 6, (2, 21, 0))
    with closing(sqlite3.connect(forgetful / "new")) as db:
        assert read(db) == before


@pytest.mark.parametrize(
    ("damage", "said", "famous"),
    [
        ("update fact set text = 'x' where number < 40", "fact 21 was altered, and 11 more", ""),
        ("delete from fact where text = 'leave [3]'", "1 facts are missing, or there", WHOLE[:-2]),
        ("update checkpoint set sums = '{}'", "the checkpoint was altered", WHOLE[:-1]),
        ("delete from checkpoint", "facts 1 to 20 are missing, and 1 more", WHOLE[:-1]),
    ],
)
def test_damage_of_what_the_chain_begins_with(damage: str, said: str, famous: str, forgetful: Path) -> None:
    alter(forgetful, damage)
    store, store_fault = mended(forgetful)
    with closing(store):
        assert read(store.connection).matches == 6
        assert letters(store.connection) == f"{famous} {LATEST}ff".strip()
    assert f"{STORE_FILE}: {said}" in store_fault.text


def test_a_store_of_which_only_the_checkpoint_is_left_goes_on(forgetful: Path) -> None:
    """Its facts are numbered on from there, so it stays sound."""
    alter(forgetful, "delete from fact")
    with closing(mended(forgetful)[0]) as store:
        assert read(store.connection).matches >= 4
        play(store)
        assert first_fault(store.connection, read_mark(store.path)) is None


def test_the_conditions_say_what_was_lost_and_how_it_was_played_before(tmp_path: Path) -> None:
    match = begin(builtin("pub"), 2)
    with closing(Store(tmp_path, lambda: NOON)) as store:
        for fact in (
            *(Began(match, Conditions(computers=(2,))), Thrown((3, 5)), Resumed(Conditions(real_dice=True))),
            *(Moved(to_tiles([8])), Thrown((3, 4)), Moved(to_tiles([7])), Thrown((1, 1))),
        ):
            store.keep(fact)
    alter(tmp_path, "update fact set text = 'next', checksum = 1 where number = 5")
    store, store_fault = mended(tmp_path)
    assert store_fault.text.endswith(", 3 facts are lost")
    with closing(store):
        versions = (f"{__version__} rules {RULES_VERSION}",)
        record = kept_match(store.connection, 1, "test")
        assert record.actions == (Thrown((3, 5)), Moved(to_tiles([8])))
        assert record.conditions == Conditions(True, (2,), versions=versions, lost=3)
        with pytest.raises(StoreError, match="3 of its facts are lost"):
            store.running_match()
        store.keep(Resumed(Conditions(out_of_play=(4,))))
        again = kept_match(store.connection, 1, "test").conditions
        assert again == Conditions(True, (2,), (4,), versions, 3)
