"""The box's memory at work: what it says of a store that fails, once each, and what it keeps all the same."""

import logging
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.kept import NOON, PLAIN, SHUT, alter, broken, keep_match
from tests.support.machine import settings_for
from tests.support.writer import linked_to

from shutthebox.adapters.store.database import STORE_FILE, Store, open_to_read
from shutthebox.adapters.store.failsafe_store import FailsafeStore
from shutthebox.adapters.store.open_store import SUSPECT_NAME, StoreFault
from shutthebox.adapters.store.queries import LoggedFault, SwitchWear, health, read
from shutthebox.adapters.store.verification_worker import VerificationWorker
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began, Chosen, PlayersLeft, Resumed
from shutthebox.game.faults import Fault
from shutthebox.game.play import conditions_of
from shutthebox.game.stored_match import NO_MATCH, KeptMatch, Unread
from shutthebox.rules.actions import Thrown
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.match import begin


@pytest.fixture(autouse=True)
def everything_said(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


def logged(store: Store) -> list[LoggedFault]:
    with closing(open_to_read(store.path)) as db:
        return list(read(db).faults)


FULL = "attempt to write a readonly database; playing without memory"


def test_a_store_that_fails_is_said_once_and_everything_is_kept_in_the_end(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    memory = FailsafeStore(store)
    match = begin(PLAIN, 1)
    memory.keep(Began(match))
    assert (memory.faults(), caplog.messages) == ([], [])
    broken(store, on=True)
    memory.keep(Thrown((1, 2)))
    assert memory.faults() == [Fault.FORGETS]
    memory.catch_up()
    assert memory.faults() == []
    memory.keep(Chosen("game.players", 2))
    assert memory.faults() == [Fault.FORGETS]
    assert caplog.messages == [f"{store.path}: {FULL}"], "said once"
    memory.keep_counts({0: 1}, {})
    broken(store, on=False)
    memory.catch_up()
    assert memory.faults() == [None]
    assert caplog.messages[1:] == [f"{store.path}: saving everything again"]
    memory.catch_up()
    assert memory.faults() == []
    assert store.running_match() == KeptMatch(match, (Thrown((1, 2)),))
    assert store.choices() == (Chosen("game.players", 2),)
    assert logged(store) == [LoggedFault(NOON, Fault.FORGETS.value, f"{store.path}: {FULL}")]
    broken(store, on=True)
    memory.catch_up()
    memory.keep(PlayersLeft())
    assert memory.faults() == [Fault.FORGETS]
    assert len(caplog.messages) == 3, "said again after it was well"


def test_what_the_verification_finds_is_said_once_though_it_cannot_be_noted(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """For the note, and the start after it, see `test_daemon_store`."""
    for fact in (Began(begin(PLAIN, 1)), Thrown((1, 2)), PlayersLeft()):
        store.keep(fact)
    alter(tmp_path, "update fact set text = 'throw 6+6' where number = 2")
    worker = VerificationWorker(store.path)
    memory = FailsafeStore(store, verification=worker)
    memory.catch_up()
    assert memory.faults() == [], "nothing is found yet"
    (tmp_path / SUSPECT_NAME).mkdir()
    worker._work()
    for _ in range(3):
        memory.catch_up()
    assert memory.faults() == [Fault.STORE_DAMAGED]
    found, said = caplog.messages
    assert found == f"{store.path}: fact 2 was altered"
    assert said.startswith(f"{found}; the next start recovers the rest; [Errno 21] Is a directory: ")
    assert [fault.text for fault in logged(store)] == [said]


def test_a_match_that_needs_more_levers_is_left_and_this_is_said(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    match = begin(builtin("full-house"), 2)
    FailsafeStore(store).keep(Began(match))
    assert FailsafeStore(store).running_match(12) == KeptMatch(match)
    memory = FailsafeStore(store, clock_s=lambda: NOON)
    assert memory.running_match(11) == NO_MATCH
    text = "the last match can't be continued: full-house needs 12 levers, not 11"
    assert caplog.messages == [text]
    assert logged(store) == [LoggedFault(NOON, "store", text)]
    assert FailsafeStore(store).running_match(12) == NO_MATCH, "it was left"


@pytest.mark.parametrize("decided", [True, False])
def test_a_match_that_is_over_is_no_longer_in_the_log_alone(
    decided: bool, store: Store, tmp_path: Path
) -> None:
    """SQLite drops everything in the log behind a bad bit."""
    memory = FailsafeStore(store)
    if decided:
        keep_match(store, begin(PLAIN, 1), *SHUT)
    else:
        memory.keep(Began(begin(PLAIN, 1)))
        memory.keep(PlayersLeft())
    memory.catch_up()
    # Not in this process, where closing the file would drop SQLite's locks.
    subprocess.run(["cp", store.path, tmp_path / "without its log"], check=True)
    with closing(open_to_read(tmp_path / "without its log")) as db:
        kept = db.execute("select text from fact").fetchall()
    assert kept == store.connection.execute("select text from fact").fetchall()
    assert len(kept) > 1


def test_only_new_counts_are_added_and_none_is_lost(store: Store) -> None:
    memory = FailsafeStore(store)
    memory.keep_counts({0: 5, 3: 1}, {3: 4})
    memory.keep_counts({0: 5, 3: 2}, {3: 4, 4: 1})
    broken(store, on=True)
    memory.keep_counts({0: 6, 3: 2}, {3: 4, 4: 2})
    broken(store, on=False)
    memory.keep_counts({0: 7, 3: 2}, {3: 4, 4: 3})
    assert health(store.connection) == {0: SwitchWear(7, 0), 3: SwitchWear(2, 4), 4: SwitchWear(0, 3)}


def test_a_box_is_new_until_a_match_was_finished(store: Store, tmp_path: Path) -> None:
    """Its players are shown the way; those of a box without memory have been shown it often enough."""
    memory = FailsafeStore(store)
    assert memory.is_new()
    memory.keep(Began(begin(PLAIN, 1)))
    memory.keep(PlayersLeft())
    assert memory.is_new()
    keep_match(store, begin(PLAIN, 1), *SHUT)
    assert not memory.is_new()
    alter(tmp_path, "drop table total")
    assert not memory.is_new()
    assert not FailsafeStore(None).is_new()


class Shelf:
    """A store that can't be opened before it's there."""

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open_store, self.is_open = open_store, False

    def reopen(self) -> tuple[Store | None, StoreFault | None]:
        return (self._open_store(), None) if self.is_open else (None, StoreFault(Fault.FORGETS, "locked"))


def test_a_store_that_opens_late_has_everything_from_the_first_fact(store: Store) -> None:
    """A whole match was played with "no memory" in the corner, and lost, though the file was free again."""
    shelf, match = Shelf(lambda: store), begin(PLAIN, 1)
    memory = FailsafeStore(None, shelf.reopen, forgetting=True, clock_s=lambda: 5.0)
    memory.catch_up()
    assert memory.running_match(12) == Unread()
    for fact in (Began(match), Thrown((1, 2))):
        memory.keep(fact)
    assert (memory.is_durable, memory.rules_out_linked_match()) == (False, False)
    assert set(memory.faults()) == {Fault.FORGETS}
    shelf.is_open = True
    memory.catch_up()
    assert memory.running_match(12) == NO_MATCH
    assert (memory.is_durable, memory.rules_out_linked_match(), memory.faults()) == (True, True, [None])
    assert store.running_match() == KeptMatch(match, (Thrown((1, 2)),))
    (begun,) = store.connection.execute("select text from fact where number = 1").fetchone()
    assert begun.startswith("begin [1,5,"), "with the time at which it was"


@pytest.mark.parametrize("is_linked", [True, False])
def test_a_match_in_a_store_that_opens_late_ends_for_one_begun_meanwhile_unless_another_box_waits_for_it(
    is_linked: bool, store: Store
) -> None:
    match, begun = begin(builtin("pub"), 2), begin(PLAIN, 2)
    link = linked_to(match) if is_linked else None
    FailsafeStore(store).keep(
        Began(match, conditions_of(match, settings_for("pub"), link and link.agreement), link)
    )
    shelf = Shelf(lambda: store)
    shelf.is_open = True
    memory = FailsafeStore(None, shelf.reopen, forgetting=True)
    memory.keep(Began(begun))
    memory.catch_up()
    found = memory.running_match(12)
    if not is_linked:
        assert found == NO_MATCH
        assert store.running_match() == KeptMatch(begun)
        return
    assert isinstance(found, KeptMatch)
    assert (memory.is_durable, memory.rules_out_linked_match()) == (False, False)
    for fact in (PlayersLeft(), Resumed(Conditions())):
        memory.keep(fact)
    assert store.running_match() == found, "it goes on"
    memory.keep(PlayersLeft())
    assert memory.rules_out_linked_match()
    beginnings = store.connection.execute('select players, "left" from match').fetchall()
    assert [(players, bool(left)) for players, left in beginnings] == [(2, True), (2, True)]


def test_a_store_that_is_held_as_a_match_begins_keeps_the_rest_of_the_one_before(
    store: Store, tmp_path: Path
) -> None:
    """It was closed and forgotten, with all that waited."""
    shelf = Shelf(lambda: Store(tmp_path, lambda: NOON))
    memory = FailsafeStore(store, shelf.reopen)
    memory.keep(Began(begin(PLAIN, 1)))
    broken(store, on=True)
    for fact in (Thrown((1, 2)), PlayersLeft(), Began(begin(PLAIN, 2))):
        memory.keep(fact)
    memory.catch_up()
    shelf.is_open = True
    memory.catch_up()
    assert memory.is_durable
    with closing(open_to_read(tmp_path / STORE_FILE)) as db:
        kept = [text.split()[0] for (text,) in db.execute("select text from fact")]
    assert kept == ["begin", "throw", "fault", "leave", "begin"]
    memory.close()
