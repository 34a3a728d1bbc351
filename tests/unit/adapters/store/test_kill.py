"""A box that is killed at any moment goes on exactly where it was."""

import multiprocessing
import time
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import pytest
from tests.support.kept import sound
from tests.support.writer import WORDS, write

from shutthebox.adapters.store.database import Store

pytestmark = pytest.mark.slow

BOXES = 4
KILLS = 32
"""Per box, one after the other on the same store."""


def kept(store: Store) -> list[str]:
    """All that is kept, in the words of the writer; the tables have been compared with it at the start."""
    texts = [text for (text,) in store.connection.execute("select text from fact order by number")]
    words = WORDS.values()
    return [word if (word := text.partition(" ")[0]) in words else text for text in texts]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", range(BOXES))
def test_killed_at_any_moment(seed: int, tmp_path: Path) -> None:
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.support.writer", "shutthebox.adapters.store.database"])
    rng, shown = Random(f"{seed} killer"), list[str]()
    for life in range(KILLS):
        receiver, sender = processes.Pipe(duplex=False)
        child = processes.Process(target=write, args=(str(tmp_path), seed * 1000 + life, sender))
        child.start()
        sender.close()
        with closing(receiver):
            # From the first fact on, or from before the store is even open.
            if rng.random() < 0.8 and receiver.poll(30):
                shown.append(receiver.recv())
            time.sleep(rng.random() * 0.04)
            child.kill()
            child.join()
            with suppress(EOFError):
                while receiver.poll(0):
                    shown.append(receiver.recv())
        with closing(sound(tmp_path)) as store:
            there = kept(store)
            assert there[: len(shown)] == shown, "everything shown is there"
            assert len(there) <= len(shown) + 1, "and at most the one fact in the making besides"
            shown, running = there, store.running_match()
        if not shown or shown[-1] == "leave":
            assert running is None
            continue
        assert running is not None
        began = len(shown) - shown[::-1].index("begin")
        actions = [text for text in shown[began:] if text != "finish"]
        assert [action.to_text() for action in running.actions] == actions, (
            "which the rules have played again"
        )
    assert len(shown) > KILLS, "it was not idle"
