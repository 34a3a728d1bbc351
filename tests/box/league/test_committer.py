"""A consumer checks the next messages while it waits for its database."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from tests.support.league import LeagueBox, Place, found_league, played_record
from tests.support.waiting import HANG_S

from shutthebox_league.committer import Committer, Messages
from shutthebox_league.ledger import Outcome


@pytest.fixture
def place(new_database: Callable[[], str], tmp_path: Path) -> Iterator[Place]:
    found = found_league(tmp_path, new_database(), with_broker=False)
    yield found
    found.engine.dispose()


@pytest.mark.slow
def test_a_batch_is_checked_while_the_one_before_is_committed(place: Place) -> None:
    boxes = [LeagueBox(place, name) for name in ("anchor", "lion")]
    messages = [(box.enrolment.name, box.sign(box.box.play(played_record(1)))) for box in boxes]
    looked, kinds = threading.Semaphore(0), list[str]()

    def read(_db: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if threading.current_thread() is threading.main_thread() and "FROM chain" in statement:
            looked.release()

    def finish(_: Messages, commit: Callable[[], list[Outcome]]) -> None:
        for _each in messages:
            assert looked.acquire(timeout=HANG_S), "the second waits for the first"
        looked.release(len(messages))
        kinds.extend(outcome.kind for outcome in commit())

    event.listen(place.engine, "after_cursor_execute", read)
    with Committer(boxes[0].ledger, finish) as committer:
        for message in messages:
            assert committer.take([message]) == 1
        committer.wait()
    assert kinds == ["committed"] * 2


@pytest.mark.slow
def test_a_box_that_does_not_wait_for_its_receipts_is_taken_entry_by_entry(place: Place) -> None:
    box, kinds = LeagueBox(place, "lion"), list[str]()
    entries = [box.box.play(played_record(seed)) for seed in range(3)]

    def finish(_: Messages, commit: Callable[[], list[Outcome]]) -> None:
        kinds.extend(outcome.kind for outcome in commit())

    with Committer(box.ledger, finish) as committer:
        for entry in entries:
            assert committer.take([(box.enrolment.name, box.sign(entry))]) == 1
    assert kinds == ["committed"] * 3


def test_a_failed_batch_is_not_taken_for_a_committed_one(place: Place) -> None:
    box = LeagueBox(place, "lion")

    def finish(_: Messages, commit: Callable[[], list[Outcome]]) -> None:
        raise OSError("no space left")

    with Committer(box.ledger, finish) as committer:
        committer.take([(box.enrolment.name, box.sign(box.box.play(played_record(1))))])
        with pytest.raises(OSError, match="no space"):
            committer.wait()
