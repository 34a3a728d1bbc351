"""Everything survives the plug: every stage of a match, choices, the tally. Faults of the file itself."""

import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.generate import next_action

from shutthebox import __version__
from shutthebox.adapters.store import queries, verification
from shutthebox.adapters.store.chain import read_mark
from shutthebox.adapters.store.database import FILE_NAME, Store
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.fact_text import text_of, values_of
from shutthebox.adapters.store.records import kept_match
from shutthebox.config.profiles import builtin, builtins, read
from shutthebox.config.schema import Config, with_value
from shutthebox.errors import ShutTheBoxError
from shutthebox.game.effects import Effect, Keep, Show
from shutthebox.game.facts import Began, Chosen, Fact, Faulted, Finished, Left, Resumed, Signed
from shutthebox.game.mode import Mode
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.rules.actions import Action, Advanced, Moved, Thrown, apply
from shutthebox.rules.conditions import RULES_VERSION, Conditions
from shutthebox.rules.match import Match, Stage, begin
from shutthebox.rules.profile import First
from shutthebox.rules.tiles import to_tiles
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.translations import told_screen

MS = 1_000_000


def open_store(folder: Path) -> Store:
    return Store(folder, lambda: 1_700_000_000.0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path)
    yield opened
    opened.close()


def where_it_stood(store: Store) -> Match | None:
    kept = store.running_match()
    if kept is None:
        return None
    match, actions = kept
    for action in actions:
        match = apply(match, action)
    return match


def found(folder: Path) -> Match | None:
    """Where a store opened anew says the match stood."""
    with closing(open_store(folder)) as store:
        return where_it_stood(store)


def tally(folder: Path) -> list[Fraction]:
    with closing(open_store(folder)) as store:
        return list(store.tally())


def keep(folder: Path, *facts: Fact) -> None:
    store = open_store(folder)
    for fact in facts:
        store.keep(fact)
    store.close()


# -- round trips -------------------------------------------------------------------------------


def test_a_new_store_knows_nothing(store: Store) -> None:
    assert store.running_match() is None
    assert store.choices() == {}
    assert store.tally() == ()


@pytest.mark.parametrize("name", [profile.name for profile in builtins()])
def test_a_match_of_every_game_comes_back(name: str, tmp_path: Path) -> None:
    match = begin(builtin(name), 1 if builtin(name).is_solo else 3, 2)
    keep(tmp_path, Began(match))
    assert found(tmp_path) == match


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(
        ["traditional", "jouhet", "digits", "trac", "lucky-seven", "young", "open-one", "domino-bag"]
    ),
    st.integers(1, 4),
    st.integers(0, 10**6),
    st.integers(0, 60),
)
def test_a_match_comes_back_where_it_stood(
    tmp_path_factory: pytest.TempPathFactory, name: str, players: int, seed: int, actions: int
) -> None:
    folder, random = tmp_path_factory.mktemp("store"), Random(seed)
    match = begin(builtin(name), players)
    store = open_store(folder)
    store.keep(Began(match))
    for _ in range(actions):
        if match.stage is Stage.FINISHED:
            break
        action = next_action(match, random)
        store.keep(action)
        match = apply(match, action)
    again = open_store(folder)
    assert where_it_stood(again) == match
    if match.stage is not Stage.FINISHED:
        # And it continues from there, not only looked at.
        action = next_action(match, random)
        again.keep(action)
        again.close()
        again = open_store(folder)
        assert where_it_stood(again) == apply(match, action)
    store.close()
    again.close()
    shutil.rmtree(folder)


@pytest.mark.parametrize("stage", Stage)
def test_it_comes_back_in_every_stage(stage: Stage, tmp_path: Path) -> None:
    random, match = Random(4), begin(builtin("pub"), 2)
    store = open_store(tmp_path)
    store.keep(Began(match))
    while match.stage is not stage or match.turns_over < 1:
        action = next_action(match, random)
        store.keep(action)
        match = apply(match, action)
    store.close()
    assert found(tmp_path) == match


def test_a_match_that_the_loser_of_another_began_comes_back(tmp_path: Path) -> None:
    match = begin(replace(builtin("trac-100"), first=First.LOSER), 3, first=2)
    keep(tmp_path, Began(match, Conditions(first=3)), Thrown((6, 3)))
    assert found(tmp_path) == match.throw((6, 3))


def test_house_rules_come_back_though_their_file_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text('like = "jouhet"\ntiles = [2, 3, 5, 7]\nlost_score = 99\n[title]\nen = "Ours"\n', "utf-8")
    match = begin(read(file), 2)
    file.unlink()
    keep(tmp_path, Began(match))
    assert found(tmp_path) == match


def test_a_match_that_was_left_does_not_come_back(tmp_path: Path) -> None:
    keep(tmp_path, Began(begin(builtin("pub"), 2)), Thrown((3, 5)), Left())
    assert found(tmp_path) is None


def test_the_last_match_begun_is_the_one_that_runs(tmp_path: Path) -> None:
    first, second = begin(builtin("pub"), 2), begin(builtin("digits"), 3)
    keep(tmp_path, Began(first), Thrown((3, 5)), Began(second), Thrown((1, 2)))
    assert found(tmp_path) == second.throw((1, 2))


def test_choices_come_back_the_latest_of_each(tmp_path: Path) -> None:
    keep(
        tmp_path,
        Chosen("box.language", "fr"),
        Chosen("game.players", 3),
        Chosen("box.sound", False),
        Chosen("game.players", 4),
        Chosen("game.rounds", None),
    )
    with closing(open_store(tmp_path)) as store:
        choices = store.choices()
    assert choices == {
        "box.language": "fr", "game.players": 4, "box.sound": False, "game.rounds": None
    }  # fmt: skip


def finished(name: str = "pub") -> tuple[Match, list[Action]]:
    """A match for two that the first has won."""
    actions: list[Action] = [
        Thrown((4, 5)),
        Moved(to_tiles([9])),
        Thrown((1, 1)),
        Moved(2),
        Thrown((1, 1)),
        Advanced(),
    ]
    actions += [Thrown((1, 1)), Moved(2), Thrown((1, 1)), Advanced()]
    match = begin(builtin(name), 2)
    for action in actions:
        match = apply(match, action)
    assert match.stage is Stage.FINISHED
    return match, actions


def test_the_tally_adds_up_the_matches_that_are_played_one_after_the_other(tmp_path: Path) -> None:
    match, actions = finished()
    played = (Began(begin(match.game, 2)), *actions, Finished(match, tuple(actions)))
    keep(tmp_path, *played)
    assert tally(tmp_path) == [], "the match on the table is not among the earlier ones"
    keep(tmp_path, *played, Signed(0, "ABC"))
    assert tally(tmp_path) == [-1, 1]
    keep(tmp_path, *played)
    assert tally(tmp_path) == [-2, 2]


@pytest.mark.parametrize(
    ("player", "owes", "said"),
    [
        (8, "1/2", None),
        (9, "1/2", "there is no player 10"),
        (-1, "1/2", "there is no player 0"),
        (1, "much", "'much' are no stakes"),
    ],
)
def test_a_tally_that_makes_no_sense_is_named(player: int, owes: str, said: str | None, store: Store) -> None:
    store.keep(Began(begin(builtin("pub"), 9)))
    store.keep(Began(begin(builtin("pub"), 9)))
    store.connection.execute("insert into result values (1, ?, 3, ?, 1, 0, null)", (player, owes))
    if said is None:
        assert store.tally() == (*[Fraction(0)] * 8, Fraction(1, 2))
        return
    with pytest.raises(StoreError) as raised:
        store.tally()
    assert str(raised.value) == f"{store.path}: {said}"


def test_a_kept_profile_stands_alone(store: Store) -> None:
    store.keep(Began(begin(builtin("pub"), 2)))
    (text,) = store.connection.execute("select text from fact").fetchone()
    number, began_s, _, *more = values_of(text)
    altered = text_of("begin", number, began_s, 'like = "pub"', *more)
    store.connection.execute("update fact set text = ?", (altered,))
    with pytest.raises(StoreError, match=f"^{store.path}: match 1: ") as raised:
        store.running_match()
    assert "like" in str(raised.value)


def test_nothing_is_owed_past_the_evening(tmp_path: Path) -> None:
    match, actions = finished()
    played = (Began(begin(match.game, 2)), *actions, Finished(match, tuple(actions)))
    keep(tmp_path, *played, *played, Left())
    assert tally(tmp_path) == []
    keep(tmp_path, *played, *played)
    assert tally(tmp_path) == [-1, 1], "a new evening begins from nothing"


def test_finished_twice_counts_once(tmp_path: Path) -> None:
    match, actions = finished()
    keep(
        tmp_path,
        Began(begin(match.game, 2)),
        *actions,
        Finished(match, tuple(actions)),
        Finished(match, tuple(actions)),
    )
    keep(tmp_path, Began(begin(match.game, 2)))
    assert tally(tmp_path) == [-1, 1]


def rows(store: Store, columns_and_table: str) -> list[tuple[object, ...]]:
    columns, _, table = columns_and_table.rpartition(" ")
    return store.connection.execute(f"select {columns} from {table}").fetchall()


def test_what_an_evening_leaves_in_the_file(tmp_path: Path) -> None:
    """Nothing is kept twice: a choice that is no news, an end that was kept before, a second goodbye."""
    now_s = [1_700_000_000.9]
    match, actions = finished()
    with closing(Store(tmp_path, lambda: now_s[0])) as store:
        for fact in (
            *(Chosen("game.players", 2), Chosen("box.language", "fr"), Chosen("game.players", 2)),
            *(
                Began(begin(match.game, 2), Conditions(computers=(2,))),
                *actions,
                Finished(match, tuple(actions)),
            ),
            *(
                Signed(0, "ANN"),
                Finished(match, tuple(actions)),
                Signed(7, "BAD"),
                Chosen("box.language", "en"),
            ),
            *(Advanced(), Resumed(Conditions()), Left(), Faulted("store", "x"), Faulted("store", "x")),
            *(Began(begin(builtin("digits"), 1, 2)), Thrown((6, 3)), Resumed(Conditions(real_dice=True))),
            *(Left(), Left(), Began(begin(builtin("domino-bag"), 2)), Thrown((6, 3))),
        ):
            store.keep(fact)
        store.keep_health({0: 3, 4: 2, 5: 0}, {4: 7, 2: 1})
        store.keep_health({}, {})
        now_s[0] += 3600
        store.keep(Faulted("store", "x"))
        told = [re.sub(r"(begin|resume) .*", r"\1", str(text)) for (text,) in rows(store, "text fact")]
        assert told == [
            *('choose ["game.players",2]', 'choose ["box.language","fr"]', "begin"),
            *("throw 4+5", "shut 9", "throw 1+1", "shut 2", "throw 1+1", "next"),
            *("throw 1+1", "shut 2", "throw 1+1", "next"),
            *('finish [1,[[0,34,"-1",1,0],[1,43,"1",0,0]]]', 'sign [1,0,"ANN"]'),
            *('choose ["box.language","en"]', "next", "leave [1]", 'fault [1700000000,"store","x"]'),
            *("begin", "throw 6+3", "resume", "leave [2]", "begin", "throw 6+3"),
            *("wear [[0,3,0],[2,0,1],[4,2,7]]", 'fault [1700003600,"store","x"]'),
        ]
        found = queries.read(store.connection)
        assert (found.matches, found.finished, found.given_up) == (3, 1, 1)
        assert (found.real_dice, found.with_computer, found.throws) == (1, 1, 6), "dominoes are no dice"
        assert kept_match(store.connection, 2, "test").conditions == Conditions(
            real_dice=True, versions=(f"{__version__} rules {RULES_VERSION}",)
        )
        assert list(verification.faults(store.connection, read_mark(store.path))) == []


@pytest.mark.parametrize(
    ("name", "counted"),
    [("pub", [(2, 6, 0, 9, 2), (2, 6, 1, 6, 2), (2, 6, 2, 3, 2)]), ("domino-bag", [])],
)
def test_after_a_restart_throws_are_counted_as_before(
    name: str, counted: list[tuple[int, ...]], tmp_path: Path
) -> None:
    keep(tmp_path, Began(begin(builtin(name), 2)), Thrown((6, 3)))
    with closing(open_store(tmp_path)) as store:
        assert store.running_match() is not None
        store.keep(Thrown((6, 3)))
        assert rows(store, "dice, sides, die, value, count throws") == counted


# -- the plug ----------------------------------------------------------------------------------


def test_every_fact_is_durable_when_keep_returns(tmp_path: Path) -> None:
    """The files as they lie there, without a goodbye of the store that writes them."""
    store, match = open_store(tmp_path / "a"), begin(builtin("pub"), 2)
    facts: list[Fact] = [Began(match), Thrown((3, 5)), Moved(to_tiles([8])), Thrown((1, 1)), Left()]
    for number, fact in enumerate(facts):
        store.keep(fact)
        shutil.copytree(tmp_path / "a", tmp_path / str(number), ignore=shutil.ignore_patterns("*-shm"))
        stood = found(tmp_path / str(number))
        if not isinstance(fact, Began | Left):
            match = apply(match, fact)  # type: ignore[arg-type]
        assert stood == (None if isinstance(fact, Left) else match)
    store.close()


def test_it_is_written_through_to_the_disk(store: Store) -> None:
    assert store.connection.execute("pragma synchronous").fetchone() == (2,), "FULL"
    assert store.connection.execute("pragma journal_mode").fetchone() == ("wal",)
    assert store.connection.execute("pragma journal_size_limit").fetchone() == (8 * 1024 * 1024,), (
        "a log that grew during a long read is cut again"
    )


# -- faults of the file ------------------------------------------------------------------------


def complaint(folder: Path) -> str:
    with pytest.raises(StoreError) as raised:
        open_store(folder)
    text = str(raised.value)
    assert raised.value.exit_code == 1
    assert "\n" not in text
    assert isinstance(raised.value, OSError)
    return text


def test_a_file_that_is_no_store(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("a shopping list, and long enough to be looked at " * 50, "utf-8")
    assert complaint(tmp_path) == f"{tmp_path / FILE_NAME}: file is not a database"


def test_a_store_of_a_newer_program(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    db = sqlite3.connect(tmp_path / FILE_NAME)
    db.execute("pragma user_version = 99")
    db.close()
    assert "made by a newer version (99)" in complaint(tmp_path)


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    assert str(tmp_path / "file") in complaint(tmp_path / "file" / "state")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o500)
    assert str(folder) in complaint(folder)


def broken(store: Store, *, on: bool) -> None:
    """Lets every write fail, as a full or a read-only card does."""
    store.connection.execute(f"pragma query_only = {int(on)}")


def test_a_fact_that_cannot_be_written_says_so(store: Store) -> None:
    broken(store, on=True)
    for fact in (Chosen("box.sound", True), Began(begin(builtin("pub"), 2)), Left()):
        with pytest.raises(StoreError, match=r"box\.sqlite3: "):
            store.keep(fact)
    with pytest.raises(StoreError):
        store.keep_health({1: 2}, {1: 2})


def test_actions_that_could_not_be_written_are_caught_up_with(store: Store, tmp_path: Path) -> None:
    """Without them the later ones would make no match, and the box would not start again."""
    match = begin(builtin("pub"), 2)
    store.keep(Began(match))
    broken(store, on=True)
    for action in (Thrown((3, 5)), Moved(to_tiles([8]))):
        with pytest.raises(StoreError):
            store.keep(action)
    assert store.waiting
    assert found(tmp_path) == match
    broken(store, on=False)
    store.catch_up()
    assert not store.waiting
    assert found(tmp_path) == match.throw((3, 5)).move(to_tiles([8]))
    store.keep(Thrown((1, 1)))
    assert found(tmp_path) == match.throw((3, 5)).move(to_tiles([8])).throw((1, 1))
    counted = store.connection.execute("select sum(count) from throws where die = 0").fetchone()
    assert counted == (2,)
    assert list(verification.faults(store.connection, read_mark(store.path))) == []


def test_a_match_whose_beginning_was_not_kept_does_not_spoil_the_one_before(
    store: Store, tmp_path: Path
) -> None:
    match, actions = finished()
    before: list[Fact] = [Began(begin(match.game, 2)), *actions, Finished(match, tuple(actions))]
    for fact in before:
        store.keep(fact)
    broken(store, on=True)
    other = begin(builtin("digits"), 1)
    later: list[Fact] = [Began(other), Thrown((3, 5)), Signed(0, "BAD")]
    for fact in later:
        with pytest.raises(StoreError):
            store.keep(fact)
    assert found(tmp_path) == match
    broken(store, on=False)
    store.catch_up()
    assert found(tmp_path) == other.throw((3, 5))
    assert store.connection.execute("select count(*) from result where initials = 'BAD'").fetchone() == (0,)
    assert list(verification.faults(store.connection, read_mark(store.path))) == []


# -- the box on a store that it cannot go on with ----------------------------------------------


def config_with(**values: object) -> Config:
    config = with_value(Config(), "game.setup", "usual", "test")
    for key, value in values.items():
        config = with_value(config, key.replace("__", "."), value, "test")
    return config


def show_of(folder: Path, config: Config) -> Show:
    shows: list[Show] = []

    def observe(what: Effect | SwitchChanged, t_ns: int) -> None:
        if isinstance(what, Show):
            shows.append(what)

    VirtualBox(config, folder, observers=[observe], advised=False).close()
    return shows[-1]


@pytest.mark.parametrize(
    ("spoil", "mode"),
    [
        ("update fact set text = 'shut 1,7' where number = 3", Mode.FLIPPING),
        ("update fact set text = 'throw 4+4' where number = 2", Mode.READY),
        ("update fact set text = 'nonsense' where number = 2", Mode.READY),
        ("delete from fact where number = 2", Mode.READY),
        ("delete from fact where number = 3", Mode.FLIPPING),
        ("update match set profile = 'tiles = 99'", Mode.RAISE),
        ("update match set players = 77", Mode.RAISE),
        ("drop table fact", Mode.ATTRACT),
    ],
)
def test_a_spoiled_match_goes_on_from_the_last_good_fact(spoil: str, mode: Mode, tmp_path: Path) -> None:
    keep(tmp_path, Began(begin(builtin("traditional"), 2)), Thrown((3, 5)), Moved(to_tiles([8])))
    db = sqlite3.connect(tmp_path / FILE_NAME)
    db.execute(spoil)
    db.commit()
    db.close()
    show = show_of(tmp_path, config_with())
    said = told_screen(show).prompt if mode is Mode.ATTRACT else told_screen(show).aside
    assert (show.mode, said) == (mode, "Memory damaged" if mode is Mode.ATTRACT else "new memory")
    assert list(tmp_path.glob("*.damaged")), "what was kept is set aside, not thrown away"
    again = show_of(tmp_path, config_with())
    assert again.mode is mode
    assert "memory" not in (told_screen(again).prompt + told_screen(again).aside).casefold(), "said once"
    assert len(list(tmp_path.glob("*.damaged"))) == 1


def test_a_match_that_the_rules_no_longer_allow_is_left_and_the_rest_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keep(tmp_path, Chosen("box.language", "fr"), Began(begin(builtin("traditional"), 2)), Thrown((3, 5)))
    with closing(open_store(tmp_path)) as store:
        store.keep(Thrown((3, 5)))  # as a program would that has other rules
    assert show_of(tmp_path, config_with()).mode is Mode.ATTRACT
    assert "the last match cannot be continued" in caplog.text
    assert not list(tmp_path.glob("*.damaged"))
    with closing(open_store(tmp_path)) as store:
        assert store.running_match() is None
        assert store.choices() == {"box.language": "fr"}
        (fault,) = queries.read(store.connection).faults
        assert "cannot be continued" in fault.text


def test_a_match_for_more_levers_is_not_gone_on_with(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keep(tmp_path, Began(begin(builtin("full-house"), 2)))
    assert show_of(tmp_path, config_with(game__profile="traditional", box__levers=9)).mode is Mode.ATTRACT
    assert "full-house needs 12 levers, not 9" in caplog.text


def test_a_chosen_game_that_is_gone_takes_no_other_choice_with_it(tmp_path: Path) -> None:
    keep(tmp_path, Chosen("game.profile", "gone"), Chosen("box.language", "fr"))
    show = show_of(tmp_path, config_with())
    assert told_screen(show).title == "Traditionnel" != builtin("traditional").title()


def test_a_match_is_gone_on_with_whatever_is_configured_now(tmp_path: Path) -> None:
    keep(tmp_path, Began(begin(builtin("digits"), 3)), Thrown((3, 5)))
    show = show_of(tmp_path, config_with(game__profile="pub", game__players=2))
    assert (show.mode, show.throw, len(show.scores)) == (Mode.FLIPPING, (3, 5), 3)


def test_what_is_kept_is_what_the_machine_recorded(tmp_path: Path) -> None:
    """Every record reaches the store, in its order, before the show that follows."""
    kept: list[object] = []
    shown_with: list[int] = []

    def observe(what: Effect | SwitchChanged, t_ns: int) -> None:
        if isinstance(what, Keep):
            kept.append(what.fact)
        elif isinstance(what, Show):
            db = sqlite3.connect(f"file:{tmp_path / FILE_NAME}?mode=ro", uri=True)
            (facts,) = db.execute("select count(*) from fact").fetchone()
            db.close()
            shown_with.append(facts - len(kept))

    box = VirtualBox(config_with(), tmp_path, observers=[observe], advised=False)
    for _ in range(3):
        box.press(100 * MS)
        box.run_until(box.now_ns + 1_000 * MS)
    box.close()
    assert len(kept) >= 2
    assert set(shown_with) == {0}


def test_the_root_of_its_errors() -> None:
    assert issubclass(StoreError, ShutTheBoxError)
