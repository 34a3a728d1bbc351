"""The store forgets old matches, keeps all counts, and stays small."""

from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from tests.support.writer import facts_of_all_kinds

from shutthebox.adapters.store import retention
from shutthebox.adapters.store.database import STORE_FILE, Store
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.queries import LoggedFault, Statistics, SwitchWear, read
from shutthebox.adapters.store.records import kept_match
from shutthebox.adapters.store.recovery import first_fault
from shutthebox.adapters.store.tables import KEPT_FAULTS
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began, Faulted
from shutthebox.rules.match import begin


def keep_matches(store: Store, count: int, seed: int = 1) -> None:
    store.connection.execute("pragma synchronous = off")  # nobody pulls a plug here
    begun = 0
    for fact in facts_of_all_kinds(Random(seed)):
        begun += isinstance(fact, Began)
        if begun > count:
            return
        store.keep(fact)


@pytest.mark.slow
def test_the_latest_matches_and_the_famous_stay_whole_and_no_count_changes(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Statistics] = []
    numbers: list[list[int]] = []
    for most in (1000, 5):
        monkeypatch.setattr(retention, "KEPT_MATCHES", most)
        with closing(Store(tmp_path_factory.mktemp("store"), lambda: 0.0)) as store:
            keep_matches(store, 60)
            found.append(read(store.connection))
            assert first_fault(store.connection, None) is None
            numbers.append([number for (number,) in store.connection.execute("select id from match")])
            for number in numbers[-1]:
                kept_match(store.connection, number, "test")
    assert 0 < len(found[1].linked) < len(found[0].linked), "a proof needs the facts of its match"
    assert replace(found[0], linked=found[1].linked) == found[1]
    assert found[0].matches == len(numbers[0]) == 60
    assert len(found[0].fame) == retention.FAME
    assert sorted(numbers[1])[-5:] == [56, 57, 58, 59, 60]
    assert retention.FAME < len(numbers[1]) < 5 + retention.AT_ONCE + retention.FAME


def test_matches_that_are_too_many_are_forgotten_a_few_at_a_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an update that keeps fewer: no fact waits long."""
    store.connection.execute("pragma synchronous = off")
    kept = []
    for number in range(60):
        monkeypatch.setattr(retention, "KEPT_MATCHES", 1000 if number < 40 else 5)
        store.keep(Began(begin(builtin("pub"), 2)))
        kept.append(store.connection.execute("select count(*) from match").fetchone()[0])
    assert max(before - after for before, after in pairwise(kept)) == retention.AT_ONCE - 1
    assert set(kept[-5:]) == {5, 6, 7, 8}
    assert first_fault(store.connection, None) is None


@pytest.mark.slow
def test_the_file_stops_growing(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "KEPT_MATCHES", 8)
    sizes = []
    for seed in range(6):
        keep_matches(store, 30, seed)
        store.connection.execute("pragma wal_checkpoint(truncate)")
        sizes.append((tmp_path / STORE_FILE).stat().st_size)
    assert max(sizes[2:]) < sizes[1] * 1.5, "without forgetting it would be three times as large"


@pytest.mark.slow
def test_the_latest_faults_are_kept_and_one_that_comes_again_once_an_hour(tmp_path: Path) -> None:
    now = [1e9]
    with closing(Store(tmp_path, lambda: now[0])) as store:
        store.connection.execute("pragma synchronous = off")
        for number in range(KEPT_FAULTS + 50):
            for _ in range(2):
                now[0] += 60
                store.keep(Faulted("display", f"fault {number}"))
        found = read(store.connection).faults
        assert [fault.text for fault in found] == [f"fault {number}" for number in range(249, 49, -1)]
        for _ in range(60):
            now[0] += 60
            store.keep(Faulted("lever", "no answer"))
        now[0] -= 86_400  # the clock is set back
        store.keep(Faulted("lever", "no answer"))
        store.keep(Faulted("display", "no answer"))
        found = read(store.connection).faults
    assert [fault.kind for fault in found[:4]] == ["display", "lever", "lever", "display"]
    assert found[2] == LoggedFault(int(1e9) + 60 * 501, "lever", "no answer")


def test_counts_are_added_all_or_none(store: Store) -> None:
    store.keep_health({0: 5, 3: 2**62}, {})
    with pytest.raises(StoreError, match="cannot store"):
        store.keep_health({0: 1, 3: 2**62}, {0: 1})  # more than SQLite can count to
    assert read(store.connection).switches == {0: SwitchWear(5, 0), 3: SwitchWear(2**62, 0)}
    assert first_fault(store.connection, None) is None
    store.keep_health({0: 1}, {})
    assert read(store.connection).switches[0] == SwitchWear(6, 0)
    assert first_fault(store.connection, None) is None
