"""What is taken over of a damaged store, fact by fact."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.adapters.store.test_verification import NOON, forge, play, play_four

from shutthebox import __version__
from shutthebox.adapters.store import retention, verification
from shutthebox.adapters.store.chain import read_mark
from shutthebox.adapters.store.database import FILE_NAME, Store
from shutthebox.adapters.store.fact_text import word_of
from shutthebox.adapters.store.open_store import open_or_set_aside
from shutthebox.adapters.store.queries import read
from shutthebox.adapters.store.records import kept_match
from shutthebox.adapters.store.recovery import Recovered, copy
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began, Faulted, Resumed
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.conditions import RULES_VERSION, Conditions
from shutthebox.rules.match import begin
from shutthebox.rules.tiles import to_tiles

LETTERS = {
    "begin": " B", "throw": "t", "shut": "s", "next": "n", "finish": "F", "sign": "S", "leave": "L",
    "choose": "c",
}  # fmt: skip

WHOLE = "BtstststFSnL"
"""A match that was played, signed and left."""


def letters(db: sqlite3.Connection) -> str:
    """A letter for each fact, matches apart; the facts that say how many are lost have the number."""
    texts = [text for (text,) in db.execute("select text from fact order by number")]
    told = (LETTERS.get(word_of(text)) or f"({text.split()[1]})" for text in texts)
    return "".join(told).strip()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    with closing(Store(folder, lambda: NOON)) as store:
        play_four(store)
        store.keep_health({0: 3, 4: 2}, {4: 9})
        assert letters(store.connection) == f"c {WHOLE}c {WHOLE}c {WHOLE} Btststst"
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A store with four matches: before each of the first three a setting is chosen, the fourth is played.

    Facts 1, 14 and 27 are the choices; the matches begin with facts 2, 15, 28 and 40, and the last is 47.
    """
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def recovered(folder: Path, begun: int = 4) -> tuple[str, Recovered]:
    """The facts of a copy of the store there, which is sound, and what is said of it.

    Args:
        folder: of the store.
        begun: so many matches have been begun, as far as can be known.
    """
    with closing(sqlite3.connect(folder / FILE_NAME)) as db:
        said = copy(db, folder / "new", read_mark(folder / FILE_NAME))
    with closing(sqlite3.connect(folder / "new")) as db:
        assert list(verification.faults(db, None)) == []
        assert db.execute("select count(*) from match").fetchone() == (said.matches,)
        assert read(db).matches == begun
        assert db.execute("select number, presses, chatter from lever").fetchall() == [(0, 3, 0), (4, 2, 9)]
        assert [text for (text,) in db.execute("select text from fault order by id")] == [
            f"lever {number} chatters" for number in range(3)
        ]
        return letters(db), said


BETWEEN = "delete from fact where number between {} and {}"


@pytest.mark.parametrize(
    ("damage", "facts", "matches", "lost"),
    [
        ("select 1", f"{WHOLE}c {WHOLE}c {WHOLE} Btstststc", 4, 0),
        # A fact of a match, or several: what comes before stays, and its result, signature and end.
        ("update fact set text = 'shut 1' where number = 5", f"Bts(10)FSL {WHOLE}c {WHOLE} Btstststc", 4, 10),
        (BETWEEN.format(5, 5), f"Bts(10)FSL {WHOLE}c {WHOLE} Btstststc", 4, 10),
        (BETWEEN.format(2, 2), f"B(12)FSL {WHOLE}c {WHOLE} Btstststc", 4, 12),
        (BETWEEN.format(2, 13), f"B(12)FSL {WHOLE}c {WHOLE} Btstststc", 4, 12),
        (BETWEEN.format(3, 13), f"B(12)FSL {WHOLE}c {WHOLE} Btstststc", 4, 12),
        (BETWEEN.format(10, 10), f"Btststst(5)FSL {WHOLE}c {WHOLE} Btstststc", 4, 5),
        (BETWEEN.format(11, 11), f"BtstststF(4)SL {WHOLE}c {WHOLE} Btstststc", 4, 4),
        (BETWEEN.format(13, 13), f"BtstststFSn(2)L {WHOLE}c {WHOLE} Btstststc", 4, 2),
        (BETWEEN.format(11, 17), f"BtstststF(4)SL B(12)FSL {WHOLE} Btstststc", 4, 16),
        # A fact behind the end of a match costs no match anything.
        (BETWEEN.format(14, 14), f"{WHOLE} {WHOLE}c {WHOLE} Btstststc", 4, 1),
        # The end, as far as the head mark knows of it.
        (BETWEEN.format(45, 99), f"{WHOLE}c {WHOLE}c {WHOLE} Btsts(3)c", 4, 3),
        (BETWEEN.format(38, 99), f"{WHOLE}c {WHOLE}c BtstststFS(2)L B(7)c", 4, 9),
        (BETWEEN.format(37, 99), f"{WHOLE}c {WHOLE}c BtstststF(3)SL B(7)c", 4, 10),
        (BETWEEN.format(35, 99), f"{WHOLE}c {WHOLE}c Btststs(5)FSL B(7)c", 4, 12),
        # The row of a match, with all its facts; and of a result.
        ("delete from match where id = 1", f"{WHOLE}c {WHOLE} Btstststc", 3, 13),
        ("delete from match where id = 2", f"{WHOLE}c {WHOLE} Btstststc", 3, 13),
        ("delete from match where id < 3", f"{WHOLE} Btstststc", 2, 26),
        ("delete from match where id = 4", f"{WHOLE}c {WHOLE}c {WHOLE}c", 3, 8),
        ("delete from match", "c", 0, 46),
        ("delete from result where match = 2", f"{WHOLE}c Btststst(5)L {WHOLE} Btstststc", 4, 5),
        ("update result set score = 5 where match = 2", f"{WHOLE}c Btststst(5)FSL {WHOLE} Btstststc", 4, 5),
    ],
)
def test_what_is_good_is_taken_over(damage: str, facts: str, matches: int, lost: int, folder: Path) -> None:
    forge(folder, damage)
    # A lost match counts as begun where a later one is there.
    told, said = recovered(
        folder, begun={"delete from match where id = 4": 3, "delete from match": 0}.get(damage, 4)
    )
    assert told == facts
    assert said == Recovered(matches, sum(told.count(letter) for letter in "Btsn(FSLc"), lost)


def test_without_the_mark_nobody_knows_of_a_lost_end(folder: Path) -> None:
    forge(folder, BETWEEN.format(45, 99))
    (folder / f"{FILE_NAME}-mark").unlink()
    assert recovered(folder) == (f"{WHOLE}c {WHOLE}c {WHOLE} Btstsc", Recovered(4, 44, 0))


@pytest.mark.parametrize(
    ("statements", "players"),
    [
        (["delete from setting"], 3),
        (["update setting set value = '9'"], 3),
        (["update setting set value = '[[['"], 3),
        # The last choice is among the lost facts: the row is newer than the choice before it.
        ([BETWEEN.format(27, 27)], 3),
        (["delete from setting", BETWEEN.format(27, 27)], 2),
        (["update setting set value = '[[['", BETWEEN.format(27, 27)], 2),
        (["insert into setting values ('game.rounds', '[[[', 0)", BETWEEN.format(27, 27)], 3),
    ],
)
def test_a_setting_is_what_was_chosen_last_as_far_as_that_can_be_known(
    statements: list[str], players: int, folder: Path
) -> None:
    forge(folder, *statements, "update match set conditions = ''")
    store, store_fault = open_or_set_aside(folder, lambda: NOON)
    assert store is not None
    assert store_fault is not None
    assert "4 matches that are good" in store_fault.text
    with closing(store):
        assert store.choices() == {"game.players": players}


def test_what_was_forgotten_on_purpose_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "KEPT_MATCHES", 1)
    with closing(Store(tmp_path, lambda: NOON)) as store:
        for number in range(5):
            play(store, finish=number == 2)
        play(store, finish=False, leave=False)
        store.keep_health({0: 3, 4: 2}, {4: 9})
        for number in range(3):
            store.keep(Faulted("lever", f"lever {number} chatters"))
        assert letters(store.connection) == f"{WHOLE} Btststst", "the famous one and the latest"
        (before,) = store.connection.execute("select * from forgotten").fetchall()
    told, said = recovered(tmp_path, begun=6)
    assert (told, said) == (f"{WHOLE} Btststst", Recovered(2, 20, 0))
    with closing(sqlite3.connect(tmp_path / "new")) as db:
        counted = "matches, finished, given_up, real_dice, with_computer, without_levers"
        assert db.execute(f"select facts, {counted} from forgotten").fetchone() == (0, *before[2:8])
        assert before[2:8] == (4, 0, 4, 0, 0, 0)


@pytest.mark.parametrize(
    ("damaged", "real_dice", "computers", "lost"),
    [
        (5, True, (2,), 3),
        (3, False, (2,), 5),
        # Without its beginning only the row tells of it, with all that came later.
        (1, True, (2,), 6),
    ],
)
def test_the_conditions_say_what_was_lost_and_how_it_was_played_before(
    damaged: int, real_dice: bool, computers: tuple[int, ...], lost: int, tmp_path: Path
) -> None:
    match = begin(builtin("pub"), 2)
    with closing(Store(tmp_path, lambda: NOON)) as store:
        for fact in (
            *(Began(match, Conditions(computers=(2,))), Thrown((3, 5)), Resumed(Conditions(real_dice=True))),
            *(Moved(to_tiles([8])), Thrown((3, 4)), Moved(to_tiles([7])), Thrown((1, 1))),
        ):
            store.keep(fact)
    forge(tmp_path, f"update fact set text = 'next', checksum = 1 where number = {damaged}")
    store_again, store_fault = open_or_set_aside(tmp_path, lambda: NOON)
    assert store_again is not None
    assert store_fault is not None
    assert store_fault.text.endswith(f", {lost} facts are lost")
    with closing(store_again) as store:
        record = kept_match(store.connection, 1, "test")
        assert record.actions == (Thrown((3, 5)), Moved(to_tiles([8])))[: (0, 0, 1, 1, 2, 2)[damaged]]
        versions = (f"{__version__} rules {RULES_VERSION}",)
        assert record.conditions == Conditions(real_dice, computers, versions=versions, lost=lost)
        running = store.running_match()
        assert running == (match, record.actions)
        store.keep(Resumed(Conditions(out_of_play=(4,))))
        again = kept_match(store.connection, 1, "test").conditions
        assert again == Conditions(real_dice, computers, (4,), versions, lost)
