"""Everything survives the plug: every stage of a match, choices, the tally. Faults of the file itself."""

import re
import shutil
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.box import BoxUnderTest
from tests.support.chance import next_action
from tests.support.house import on_table
from tests.support.kept import alter, keep_match, sound
from tests.support.linked import linked_record

from shutthebox import __version__
from shutthebox.adapters.store import queries
from shutthebox.adapters.store.chain import read_mark
from shutthebox.adapters.store.database import Store
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.records import kept_match
from shutthebox.adapters.store.recovery import first_fault
from shutthebox.config.profiles import builtin, builtins, read
from shutthebox.game.facts import Began, Chosen, Fact, Faulted, Finished, PlayersLeft, Resumed, Signed
from shutthebox.game.mode import Mode
from shutthebox.rules.actions import Action, Advanced, Moved, Thrown, apply
from shutthebox.rules.conditions import RULES_VERSION, Conditions
from shutthebox.rules.match import Match, begin
from shutthebox.rules.orders import order_of
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import to_tiles

MS = 1_000_000


def where_it_stood(store: Store) -> Match | None:
    kept = store.running_match()
    if kept is None:
        return None
    match = kept.beginning
    for action in kept.actions:
        match = apply(match, action)
    return match


def found(folder: Path) -> Match | None:
    """Where a store opened anew says the match stood."""
    with closing(sound(folder)) as store:
        return where_it_stood(store)


def tally(folder: Path) -> list[Fraction]:
    with closing(sound(folder)) as store:
        return list(store.tally())


def keep(folder: Path, *facts: Fact) -> None:
    with closing(sound(folder)) as store:
        for fact in facts:
            store.keep(fact)


# -- round trips -------------------------------------------------------------------------------


@given(st.sampled_from(builtins()), st.integers(1, 4), st.integers(0, 10**6), st.integers(0, 60))
def test_a_match_comes_back_where_it_stood(
    tmp_path_factory: pytest.TempPathFactory, game: Profile, players: int, seed: int, actions: int
) -> None:
    folder, random = tmp_path_factory.mktemp("store"), Random(seed)
    match = begin(game, order_of(game).seats(game, players))
    with closing(Store(folder, lambda: 0.0)) as store:
        store.keep(Began(match))
        for _ in range(actions):
            if match.stage is Stage.FINISHED:
                break
            action = next_action(match, random)
            store.keep(action)
            match = apply(match, action)
        with closing(Store(folder, lambda: 0.0)) as again:
            assert where_it_stood(again) == match
            if match.stage is not Stage.FINISHED:
                # And it continues from there, not only looked at.
                action = next_action(match, random)
                again.keep(action)
                assert found(folder) == apply(match, action)
    shutil.rmtree(folder)


def test_house_rules_come_back_though_their_file_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    keys = 'like = "jouhet"\ntiles = [2, 3, 5, 7]\nfirst_move_must_include = 2\nlost_score = 99'
    file.write_text(f'{keys}\n[title]\nen = "Ours"\n', "utf-8")
    match = begin(read(file), 2)
    file.unlink()
    keep(tmp_path, Began(match))
    assert found(tmp_path) == match


def finished() -> tuple[Match, list[Fact]]:
    """A match for two that the first has won, and the facts of it."""
    actions: list[Action] = [Thrown((4, 5)), Moved(to_tiles([9]))]
    actions += [Thrown((1, 1)), Moved(to_tiles([2])), Thrown((1, 1)), Advanced()]
    actions += [Thrown((1, 1)), Moved(to_tiles([2])), Thrown((1, 1)), Advanced()]
    match = beginning = begin(builtin("pub"), 2)
    for action in actions:
        match = apply(match, action)
    assert match.stage is Stage.FINISHED
    return match, [Began(beginning, Conditions(computers=(2,))), *actions, Finished(match)]


def test_the_tally_adds_up_the_matches_that_are_played_one_after_the_other(tmp_path: Path) -> None:
    _, played = finished()
    keep(tmp_path, *played)
    assert tally(tmp_path) == [], "the match on the table is not among the earlier ones"
    keep(tmp_path, *played, Signed(0, "ABC"))
    assert tally(tmp_path) == [-1, 1]
    keep(tmp_path, *played)
    assert tally(tmp_path) == [-2, 2]
    keep(tmp_path, PlayersLeft())
    assert tally(tmp_path) == [], "nothing is owed past the evening"
    keep(tmp_path, *played, *played)
    assert tally(tmp_path) == [-1, 1], "a new evening begins from nothing"


def test_what_an_evening_leaves_in_the_file(tmp_path: Path) -> None:
    """Nothing is kept twice: a choice that is no news, an end that was kept before, a second goodbye."""
    now_s = [1_700_000_000.9]
    match, played = finished()
    with closing(Store(tmp_path, lambda: now_s[0])) as store:
        for fact in (
            *(Chosen("game.players", 2), Chosen("box.language", "fr"), Chosen("game.players", 2)),
            *(*played, Signed(0, "ANN"), Finished(match), Signed(7, "BAD"), Chosen("box.language", "en")),
            *(Advanced(), Resumed(Conditions()), PlayersLeft(), Faulted("store", "x"), Faulted("store", "x")),
            *(Began(begin(builtin("digits"), 1, 2)), Resumed(Conditions(real_dice=True)), Thrown((6, 3))),
            *(PlayersLeft(), PlayersLeft(), Began(begin(builtin("domino-bag"), 2)), Thrown((6, 3))),
        ):
            store.keep(fact)
        store.keep_health({0: 3, 4: 2, 5: 0}, {4: 7, 2: 1})
        store.keep_health({}, {})
        now_s[0] += 3600
        store.keep(Faulted("store", "x"))
        texts = store.connection.execute("select text from fact").fetchall()
        told = [re.sub(r"(begin|resume) .*", r"\1", text) for (text,) in texts]
        assert told == [
            *('choose ["game.players",2]', 'choose ["box.language","fr"]', "begin"),
            *("throw 4+5", "shut 9", "throw 1+1", "shut 2", "throw 1+1", "next"),
            *("throw 1+1", "shut 2", "throw 1+1", "next"),
            *('finish [1,[[0,34,"-1",1,0],[1,43,"1",0,0]]]', 'sign [1,0,"ANN"]'),
            *('choose ["box.language","en"]', "next", "leave [1]", 'fault [1700000000,"store","x"]'),
            *("begin", "resume", "throw 6+3", "leave [2]", "begin", "throw 6+3"),
            *("wear [[0,3,0],[2,0,1],[4,2,7]]", 'fault [1700003600,"store","x"]'),
        ]
        found = queries.read(store.connection)
        assert (found.matches, found.finished, found.given_up) == (3, 1, 1)
        assert (found.real_dice, found.with_computer, found.throws) == (1, 1, 5), (
            "neither dominoes nor real dice are the box's"
        )
        assert kept_match(store.connection, 2, "test").conditions == Conditions(
            real_dice=True, versions=(f"{__version__} rules {RULES_VERSION}",)
        )
        assert first_fault(store.connection, read_mark(store.path)) is None


def test_a_match_on_two_linked_boxes_stays_one(tmp_path: Path) -> None:
    """However often the plug is pulled: each start says the conditions that this box knows by itself."""
    played = linked_record()
    assert played.conditions
    with closing(Store(tmp_path, lambda: 0.0)) as store:
        keep_match(store, played.beginning, *played.actions, conditions=played.conditions)
        store.keep(Resumed(Conditions(out_of_play=(7,))))
        kept = kept_match(store.connection, 1, "test")
        assert kept.conditions
        assert kept.conditions.linked == played.conditions.linked
        assert kept.conditions.out_of_play == (7,)
        assert first_fault(store.connection, read_mark(store.path)) is None


# -- the box on a store that it can't go on with ----------------------------------------------


@pytest.mark.parametrize(
    ("spoil", "mode", "aside"),
    [
        ("update fact set text = 'shut 1,7' where number = 3", Mode.ATTRACT, ""),
        ("update match set players = 77", Mode.RAISING, "new memory"),
        ("drop table result", Mode.RAISING, "new memory"),
    ],
)
def test_a_match_goes_on_if_all_its_facts_are_good_whatever_else_is_damaged(
    spoil: str, mode: Mode, aside: str, tmp_path: Path
) -> None:
    """Without a move that was kept, a player would have a second throw."""
    keep(tmp_path, Began(begin(builtin("traditional"), 2)), Thrown((3, 5)), Moved(to_tiles([8])))
    alter(tmp_path, spoil)
    for said, is_told in ((aside, mode is Mode.ATTRACT), ("", False)):
        table = BoxUnderTest(tmp_path)
        assert (table.mode, table.screen.aside) == (mode, said), "said once"
        assert (table.screen.alert == "Memory damaged") is is_told
        table.box.close()
        assert len(list(tmp_path.glob("*.damaged"))) == 1, "what was kept is set aside, not thrown away"


def test_a_match_of_a_game_that_nobody_can_choose_any_more_is_played_on(tmp_path: Path) -> None:
    game = on_table('like = "pub"\nblocked = "passes"')
    keep(tmp_path, Began(begin(game, 2)), Thrown((3, 5)), Moved(to_tiles([8])), Thrown((4, 4)))
    table = BoxUnderTest(tmp_path)
    assert table.mode is Mode.FLIPPING
    table.box.close()


def test_a_match_that_other_rules_began_says_which(tmp_path: Path) -> None:
    game = on_table('name = "ours"\ntiles = 12\noperations = ["product"]\nends_turn_on = [6]')
    before = Conditions(versions=("1.0.0 rules 3",))
    keep(tmp_path, Began(begin(game, 2), before), Thrown((2, 3)), Moved(to_tiles([6])))
    with closing(sound(tmp_path)) as store, pytest.raises(StoreError) as caught:
        store.running_match()
    said = f"ours was begun on version 1.0.0 rules 3, and rules {RULES_VERSION} play it otherwise"
    assert str(caught.value).endswith(said)


def test_a_match_that_the_rules_no_longer_allow_is_left_and_the_rest_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keep(tmp_path, Chosen("box.language", "fr"), Began(begin(builtin("traditional"), 2)), Thrown((3, 5)))
    keep(tmp_path, Thrown((3, 5)))  # as a program would that has other rules
    table = BoxUnderTest(tmp_path)
    assert table.mode is Mode.ATTRACT
    table.box.close()
    assert "the last match can't be continued" in caplog.text
    assert not list(tmp_path.glob("*.damaged"))
    with closing(sound(tmp_path)) as store:
        assert store.running_match() is None
        assert store.choices() == (Chosen("box.language", "fr"),)
        (fault,) = queries.read(store.connection).faults
        assert "can't be continued" in fault.text
