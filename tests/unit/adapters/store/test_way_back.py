"""After an update that did not start, the version of before goes on with the store, and nothing is lost.

A card has two systems, and one memory for both.
"""

import json
import os
import subprocess
import sys
import tarfile
from contextlib import closing
from io import BytesIO
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from tests.support.history import archive, commit_of_release
from tests.support.kept import sound
from tests.support.versions import NEXT, take_next_version
from tests.support.writer import facts_of_all_kinds

from shutthebox import __version__
from shutthebox.adapters.store.chain import add, read_mark
from shutthebox.adapters.store.database import Store
from shutthebox.adapters.store.queries import read
from shutthebox.adapters.store.records import kept_match
from shutthebox.adapters.store.recovery import first_fault
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began, Chosen
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.match import begin

FIRST = "1.0.0"
"""The version that the other system of a card may have: the oldest from which anybody updates."""

WAS_OPENED = """
import json, sys
from pathlib import Path
import shutthebox
from shutthebox.adapters.store import queries
from shutthebox.adapters.store.open_store import open_or_set_aside
from shutthebox.rules.actions import action_from_text

store, fault = open_or_set_aside(Path(sys.argv[1]), lambda: 1_700_000_100.0)
print(json.dumps({
    "from": shutthebox.__file__,
    "fault": fault and fault.text,
    "texts": [text for (text,) in store.connection.execute("select text from fact order by number")],
    "actions": [action.to_text() for action in store.running_match().actions],
    "choices": sorted(choice.entry[0] for choice in store.choices()),
    "matches": queries.read(store.connection).matches,
}))
for text in sys.argv[2:]:
    store.keep(action_from_text(text))
store.close()
"""


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """The package of the first release, out of the project's history; until then, that of the last commit."""
    is_out = __version__.partition(".dev")[0] != FIRST
    packed = archive(commit_of_release(FIRST) or ("" if is_out else "HEAD"), "firmware/shutthebox")
    if packed is None:
        pytest.skip("NO EARLIER VERSION IS RUN: the project's history is not here")
    with tarfile.open(fileobj=BytesIO(packed)) as tar:
        tar.extractall(tmp_path / "earlier", filter="data")
    return tmp_path / "earlier" / "firmware"


@pytest.mark.slow
def test_the_version_before_goes_on_with_this_ones_store_and_this_one_again(
    earlier: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    with closing(Store(state, lambda: 1_700_000_000.0)) as store:
        for fact in islice(facts_of_all_kinds(Random(2)), 400):
            store.keep(fact)
        for fact in (Began(begin(builtin("pub"), 2)), Thrown((3, 5)), Moved(0b10000000)):
            store.keep(fact)
        texts = [text for (text,) in store.connection.execute("select text from fact order by number")]
        matches, choices = read(store.connection).matches, store.choices()
    done = subprocess.run(
        [sys.executable, "-c", WAS_OPENED, str(state), "throw 4+3"],
        capture_output=True, check=False, env=os.environ | {"PYTHONPATH": str(earlier)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout) == {
        "from": str(earlier / "shutthebox/__init__.py"),
        "fault": None,
        "texts": texts,
        "actions": ["throw 3+5", "shut 8"],
        "choices": sorted(choice.entry[0] for choice in choices),
        "matches": matches,
    }
    with closing(sound(state)) as store:
        running = store.running_match()
        assert running is not None
        assert running.actions == (Thrown((3, 5)), Moved(0b10000000), Thrown((4, 3)))
        assert store.choices() == choices


@pytest.fixture
def newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of a program that has a table with a column more, and facts that this one does not know."""
    with monkeypatch.context() as later:
        take_next_version(later)
        with closing(sound(tmp_path)) as store:
            store.keep(Chosen("box.language", "fr"))
            store.keep(Began(begin(builtin("pub"), 2)))
            store.keep(Thrown((3, 5)))
            add(store.connection, "lid [1,true]")
        with closing(sound(tmp_path)) as store:
            store.keep(Moved(0b10000000))
    return tmp_path


def goes_on(store: Store, *actions: Thrown | Moved) -> None:
    running = store.running_match()
    assert running is not None
    assert running.actions == actions
    assert store.choices() == (Chosen("box.language", "fr"),)
    assert first_fault(store.connection, read_mark(store.path)) is None


def test_a_newer_store_is_gone_on_with(newer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a word to the players; and the newer program goes on from there."""
    with closing(sound(newer)) as store:
        goes_on(store, Thrown((3, 5)), Moved(0b10000000))
        (fault,) = read(store.connection).faults
        assert f"made by a newer version ({NEXT})" in fault.text
        store.keep(Thrown((4, 3)))
    assert not list(newer.glob("*.newer"))
    take_next_version(monkeypatch)
    with closing(sound(newer)) as store:
        goes_on(store, Thrown((3, 5)), Moved(0b10000000), Thrown((4, 3)))
        texts = [text for (text,) in store.connection.execute("select text from fact")]
        assert "lid [1,true]" in texts


def test_a_match_with_an_action_of_a_newer_version_waits_for_it(tmp_path: Path) -> None:
    """It can't be played on; all the rest stays, and so does its record for the newer version."""
    with closing(Store(tmp_path, lambda: 0.0)) as store:
        store.keep(Chosen("box.language", "fr"))
        store.keep(Began(begin(builtin("pub"), 2)))
        add(store.connection, "stop")
    with closing(sound(tmp_path)) as store:
        assert store.choices() == (Chosen("box.language", "fr"),)
        with pytest.raises(OSError, match="'stop' is not an action this version knows"):
            store.running_match()
        with pytest.raises(OSError, match="'stop' is not an action this version knows"):
            kept_match(store.connection, 1, "")
