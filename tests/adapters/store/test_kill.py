"""A box that is killed at any moment goes on exactly where it was."""

import multiprocessing
import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from tests.support.writer import write

from shutthebox.adapters.store.database import Store
from shutthebox.adapters.store.open_store import open_or_set_aside
from shutthebox.adapters.store.records import kept_match
from shutthebox.rules.actions import action_from_text, apply
from shutthebox.rules.match import Match

pytestmark = pytest.mark.slow

BOXES = 10
KILLS = 32
"""Per box, one after the other on the same store."""


class Shown:
    """The facts that the players have seen: per match their texts."""

    def __init__(self) -> None:
        self.matches: list[list[str]] = []
        self.kept_unseen = 0

    def take(self, text: str) -> None:
        if text == "began":
            self.matches.append([])
        else:
            self.matches[-1].append(text)

    def compare(self, store: Store) -> None:
        """Everything shown is there; at most the one fact in the making besides."""
        (count,) = store.connection.execute("select count(*) from match").fetchone()
        unseen = count - len(self.matches)
        assert unseen in (0, 1)
        for number, texts in enumerate(self.matches, 1):
            actions = kept_match(store.connection, number, "test").actions
            there = [action.to_text() for action in actions]
            seen = [text for text in texts if text not in ("finished", "left")]
            assert there[: len(seen)] == seen, f"match {number}"
            unseen += len(there) - len(seen)
            (left,) = store.connection.execute('select "left" from match where id = ?', (number,)).fetchone()
            (results,) = store.connection.execute(
                "select count(*) from result where match = ?", (number,)
            ).fetchone()
            assert left >= ("left" in texts)
            assert (results > 0) >= ("finished" in texts)
            unseen += left - ("left" in texts) + (results > 0) - ("finished" in texts)
            texts[len(texts) :] = there[len(seen) :]
            if results and "finished" not in texts:
                texts.append("finished")
            if left and "left" not in texts:
                texts.append("left")
        if count > len(self.matches):
            self.matches.append([])
        assert unseen <= 1, "more is kept than was in the making"
        self.kept_unseen += unseen
        throws = sum(text.startswith("throw") for texts in self.matches for text in texts)
        (counted,) = store.connection.execute(
            "select coalesce(sum(count), 0) from throws where die = 0"
        ).fetchone()
        assert counted == throws

    def position(self, beginning: Match) -> Match:
        match = beginning
        for text in self.matches[-1]:
            if text != "finished":
                match = apply(match, action_from_text(text))
        return match


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", range(BOXES))
def test_killed_at_any_moment(seed: int, tmp_path: Path) -> None:
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.support.writer", "shutthebox.adapters.store.database"])
    rng, shown = Random(f"{seed} killer"), Shown()
    for life in range(KILLS):
        receiver, sender = processes.Pipe(duplex=False)
        child = processes.Process(target=write, args=(str(tmp_path), seed * 1000 + life, sender))
        child.start()
        sender.close()
        with closing(receiver):
            texts = []
            # From the first fact on, or from before the store is even open.
            if rng.random() < 0.8 and receiver.poll(30):
                texts.append(receiver.recv())
            time.sleep(rng.random() * 0.04)
            child.kill()
            child.join()
            try:
                while receiver.poll(0):
                    texts.append(receiver.recv())
            except EOFError:
                pass
        for text in texts:
            assert not text.startswith("refused"), text
            shown.take(text)
        store, store_fault = open_or_set_aside(tmp_path, lambda: 0.0)
        assert store_fault is None
        assert store is not None
        with closing(store):
            shown.compare(store)
            running = store.running_match()
            if not shown.matches or "left" in shown.matches[-1]:
                assert running is None
            else:
                assert running is not None
                beginning, actions, *_ = running
                match = beginning
                for action in actions:
                    match = apply(match, action)
                expected = shown.position(beginning)
                assert match == expected
                assert (match.player, match.turn.open, match.turn.throw) == (
                    expected.player,
                    expected.turn.open,
                    expected.turn.throw,
                )
    assert sum(map(len, shown.matches)) > KILLS, "it was not idle"
