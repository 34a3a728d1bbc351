"""The daemon and its store: backed up while it plays, broken rules, damage."""

import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.box import config_with
from tests.support.command import printed
from tests.support.daemon import Served, run_daemon

from shutthebox.adapters.store.database import STORE_FILE, Store, open_to_read
from shutthebox.adapters.store.lock import FolderLock
from shutthebox.adapters.store.open_store import FIRST_FACTS, is_suspect, open_or_set_aside
from shutthebox.adapters.store.queries import read
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began, PlayersLeft
from shutthebox.game.mode import Mode
from shutthebox.rules.actions import Thrown
from shutthebox.rules.match import begin
from shutthebox.translations import localize_screen


@pytest.mark.slow
def test_it_plays_while_its_store_is_backed_up(tmp_path: Path) -> None:
    state = tmp_path / "state"

    def act(hands: Served) -> None:
        hands.begin()
        printed("backup", tmp_path / "before", "--state", state)
        hands.press()  # a throw
        hands.until(lambda: any(show.mode is Mode.ROLLING for show in hands.shows))
        printed("backup", tmp_path / "after", "--state", state)
        printed("restore", tmp_path / "before", "--state", state)
        hands.until(lambda: hands.show.scene.throw is not None)

    served = run_daemon(config_with(), state, act)
    assert served.screen.aside != "no memory"

    for name, actions in (("after", 1), ("before", 0)):
        said = printed("restore", tmp_path / name, "--state", tmp_path / f"restored {name}")
        assert "good, 1 matches" in said
        store, store_fault = open_or_set_aside(tmp_path / f"restored {name}", time.time)
        assert store_fault is None
        assert store is not None
        with closing(store):
            running = store.running_match()
            assert running is not None
            assert len(running[1]) == actions
            assert read(store.connection).throws == actions, "the box's own dice are counted"
    # The next start is with what was restored meanwhile: the match, but not the throw.
    shows = run_daemon(config_with(), state, lambda hands: None).shows
    assert shows[0].mode is Mode.READY


def test_broken_house_rules_are_said_and_played_without(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "bad.toml").write_text("tiles = true\n")
    shows = run_daemon(config_with(rules__folder=str(rules)), tmp_path / "state", Served.begin).shows
    assert localize_screen(shows[0]).alert == "Bad house rules"
    assert shows[-1].mode is Mode.READY
    store, _ = open_or_set_aside(tmp_path / "state", time.time)
    assert store is not None
    with closing(store):
        (fault,) = read(store.connection).faults
    assert fault.kind == "rules"
    assert "bad.toml" in fault.text
    assert caplog.messages == [f"{fault.text}; left out"]


@pytest.mark.slow
def test_damage_of_long_ago_is_found_after_the_start_and_mended_at_the_next(tmp_path: Path) -> None:
    with closing(Store(tmp_path, lambda: 0.0)) as store:
        store.connection.execute("pragma synchronous = off")
        for _ in range(FIRST_FACTS // 3 + 2):
            for fact in (Began(begin(builtin("traditional"), 1)), Thrown((3, 5)), PlayersLeft()):
                store.keep(fact)
        store.connection.execute("update fact set text = 'throw 6+6' where number = 2")
        store.mark_head()

    def meet(hands: Served) -> None:
        hands.until(lambda: hands.screen.alert == "Memory damaged")
        hands.begin()
        hands.throw()

    first = run_daemon(config_with(), tmp_path, meet)
    assert localize_screen(first.shows[0]).alert != "Memory damaged", "it does not wait for the verification"
    assert not list(tmp_path.glob("*.damaged"))

    again = run_daemon(config_with(), tmp_path, lambda hands: None)
    assert localize_screen(again.shows[0]).aside == "new memory"
    assert again.shows[0].scene.throw == first.shows[-1].scene.throw, "the match goes on"
    assert len(list(tmp_path.glob("*.damaged"))) == 1
    assert not is_suspect(tmp_path)
    with closing(open_to_read(tmp_path / STORE_FILE)) as db:
        said, *_ = [fault.text for fault in read(db).faults]
    assert "fact 2 was altered" in said

    sound = run_daemon(config_with(), tmp_path, lambda hands: None)
    assert localize_screen(sound.shows[0]).aside == ""
    assert len(list(tmp_path.glob("*.damaged"))) == 1


def test_a_store_that_another_box_has_meanwhile_is_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    state = tmp_path / "state"
    state.write_text("in the way")
    other = FolderLock(state)

    def act(hands: Served) -> None:
        state.unlink()
        other.take()
        hands.begin()
        hands.until(lambda: hands.screen.aside == "no memory")

    run_daemon(config_with(), state, act)
    other.release()
    assert list(state.iterdir()) == []
    assert caplog.messages == [
        f"{state / STORE_FILE}: [Errno 17] File exists: '{state}'; playing without memory"
    ], "the box has said at its start that it plays without"
