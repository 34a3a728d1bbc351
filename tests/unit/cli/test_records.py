"""The conditions that a record does not prove: kept, exported, and said by `replay` and `stats`."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.command import Said, command, printed

from shutthebox import __version__
from shutthebox.adapters.store.database import Store
from shutthebox.adapters.store.records import kept_match
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began
from shutthebox.rules.conditions import RULES_VERSION, Conditions
from shutthebox.rules.match import begin
from shutthebox.rules.record import FIRST_LINE

VERSION = f"{__version__} rules {RULES_VERSION}"


class Box:
    """A box in virtual time whose evening is a few scenarios on one store."""

    def __init__(self, folder: Path) -> None:
        self.state, self._script, self._record = (folder / name for name in ("state", "a.scn", "record.txt"))

    def play(self, *lines: str) -> None:
        self._script.write_text("\n".join(("config game.setup usual", *lines)) + "\n")
        said = command("replay", self._script, "--state", self.state)
        assert said.code == 0, said

    def record(self) -> str:
        return printed("export", "--record", "--state", self.state)

    def replayed(self, *options: str) -> Said:
        """What `replay` says of the latest match."""
        self._record.write_text(self.record())
        return command("replay", *options, self._record)

    def stats(self, *options: str) -> str:
        return printed("stats", *options, "--state", self.state)


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path)


def head(record: str) -> list[str]:
    """The lines of the conditions."""
    lines = record.splitlines()
    assert lines[0] == FIRST_LINE
    return [
        line for line in lines if line.split()[0] in ("dice", "computers", "out-of-play", "version", "lost")
    ]


def test_a_plain_match(box: Box) -> None:
    box.play("dice 3 5", "press", "press", "press", "expect throw 3 5")
    assert head(box.record()) == ["dice box", f"version {VERSION}"]
    assert "given-up" not in box.record()
    proved = f"not proved: played on version {VERSION}\n"
    assert box.replayed() == Said(0, proved, "")
    said = box.replayed("--json")
    assert (said.code, said.err) == (0, proved)
    assert all("kind" in json.loads(line) for line in said.out.splitlines()), "only effects are on stdout"
    assert "0 with real dice, 0 with the computer, 0 with levers out of play" in box.stats()
    assert f"played on {VERSION}" in box.stats()


def test_everything_at_once(box: Box) -> None:
    box.play(
        "config game.dice real", "config game.computers [2]", "config box.out_of_play [4, 7]",
        "press", "press", "press", "press", "hold", "+1 expect mode flipping", "hold 11", "press",
        "expect mode attract",
    )  # fmt: skip
    record = box.record()
    assert head(record) == ["dice real", "computers 2", "out-of-play 4 7", f"version {VERSION}"]
    assert record.endswith("\ngiven-up\n")
    said = box.stats()
    assert "matches   0 finished of 1 begun, 1 given up\n" in said
    assert "1 with real dice, 1 with the computer, 1 with levers out of play\n" in said
    # The total of real dice can't be thrown again; what is not proved is said all the same.
    replayed = box.replayed()
    assert replayed.code == 2
    assert replayed.out.splitlines() == [
        "not proved: real dice: the players threw and entered them; the box didn't see them",
        "not proved: player 2 was the computer",
        "not proved: out of play: levers 4, 7",
        f"not proved: played on version {VERSION}",
        "not proved: given up before the end",
    ]


def test_a_match_given_up_is_given_up_again(box: Box) -> None:
    box.play("dice 3 5", "press", "press", "press", "flip 8", "+1 hold 11", "press", "expect mode attract")
    assert box.replayed().out.endswith("\nnot proved: given up before the end\n")


@pytest.mark.slow
def test_conditions_that_change_while_the_box_is_off_are_both_noted(box: Box) -> None:
    box.play("dice 3 5", "press", "press", "press", "expect throw 3 5")
    box.play("config game.dice real", "config game.computers [1]", "+1 expect throw 3 5")
    assert head(box.record()) == ["dice real", "computers 1", f"version {VERSION}"]
    box.play("+1 expect throw 3 5")
    assert head(box.record()) == ["dice real", "computers 1", f"version {VERSION}"], "what was, was"


def test_a_record_written_by_hand_plays(tmp_path: Path) -> None:
    record = tmp_path / "by-hand.txt"
    record.write_text("shut-the-box record 1\nprofile pub\nplayers 2\n1 3+5 1,7\n")
    not_known = "not proved: dice, computers, levers and version are unknown: the record doesn't say\n"
    assert printed("replay", record) == not_known


GOES_ON = """
import sys, shutthebox
from pathlib import Path
shutthebox.__version__ = "9.9"
from shutthebox.adapters.store.database import Store
from shutthebox.game.facts import Resumed
from shutthebox.rules.conditions import Conditions
store = Store(Path(sys.argv[1]), lambda: 0.0)
for _ in range(3):
    store.keep(Resumed(Conditions()))
store.close()
"""
"""A box with another version of the program goes on with the match."""


@pytest.mark.slow
def test_an_update_in_mid_match_is_noted(tmp_path: Path) -> None:
    with closing(Store(tmp_path, lambda: 0.0)) as store:
        store.keep(Began(begin(builtin("pub"), 2)))
    subprocess.run([sys.executable, "-c", GOES_ON, tmp_path], check=True)
    with closing(Store(tmp_path, lambda: 0.0)) as store:
        conditions = kept_match(store.connection, 1, "test").conditions
        assert conditions == Conditions(versions=(VERSION, f"9.9 {VERSION.partition(' ')[2]}"))
        assert store.connection.execute("select count(*) from fact").fetchone() == (2,), "noted once"
