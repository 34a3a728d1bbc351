"""The whole statistics of a box, for people and for programs."""

import json
import math
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.command import printed
from tests.support.kept import keep_match, keep_throws

from shutthebox import __version__
from shutthebox.adapters.store.database import STORE_FILE, Store
from shutthebox.adapters.store.schema import COLUMNS
from shutthebox.config import schema
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began, Chosen, Faulted, PlayersLeft, Signed
from shutthebox.rules.actions import Advanced, Moved, Thrown
from shutthebox.rules.conditions import RULES_VERSION, Conditions
from shutthebox.rules.match import begin

VERSION = f"{__version__} rules {RULES_VERSION}"
DAY = time.strftime("%Y-%m-%d", time.localtime(1_700_000_000))
MINUTE = time.strftime("%Y-%m-%d %H:%M", time.localtime(1_700_000_000))
THROWS = (
    Thrown((4, 5)), Moved(1 << 8), Thrown((4, 5)), Moved(1 << 3), Thrown((4, 4)), Moved(1 << 7),
    Thrown((4, 4)), Advanced(),
)  # fmt: skip


PLAYED = Conditions(real_dice=True, computers=(2,), out_of_play=(4,))


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A box at which one has won and signed, and two have given up and begun anew; to be read only."""
    folder = tmp_path_factory.mktemp("state")
    keep_throws(folder, [(1, 2, die, *each) for die in (0, 1) for each in ((1, 545), (2, 455))])
    with closing(Store(folder, lambda: 1.7e9)) as store:
        for initials, conditions in (("ANN", PLAYED), ("BEA", Conditions())):
            keep_match(store, begin(builtin("thai"), 1), *THROWS, conditions=conditions)
            store.keep(Signed(0, initials))
            store.keep(PlayersLeft())
        store.keep(Began(begin(builtin("pub"), 2), Conditions(out_of_play=(1,), versions=("0.0.9 rules 1",))))
        store.keep(PlayersLeft())
        store.keep(Began(begin(builtin("pub"), 2), Conditions(computers=(2,))))
        store.keep(Chosen("box.out_of_play", (7, 12)))
        store.keep_health({0: 9, 7: 4, 8: 5}, {8: 123})
        store.keep(Faulted("display", "gone\x1b[31m"))
    return folder


def test_everything_at_a_glance(state: Path) -> None:
    assert (
        printed("stats", "--state", state)
        == f"""\
matches   2 finished of 4 begun, 1 given up
          1 with real dice, 2 with the computer, 2 with levers out of play
played on {VERSION}, 0.0.9 rules 1
throws    1008

1d2 total: 1000 throws, p = 0.004
    1     545 ########################################
    2     455 #################################

1d2 die 1: 1000 throws, p = 0.004
    1     545 ########################################
    2     455 #################################

2d6 total: 8 throws, too few to tell
    8       4 ########################################
    9       4 ########################################

2d6 die 1: 8 throws, too few to tell
    4       8 ########################################

2d6 die 2: 8 throws, too few to tell
    4       4 ########################################
    5       4 ########################################

hall of fame
  BEA      24  thai             {DAY}
  ANN      24  thai             {DAY}  (real dice, computer, levers out)

lever health (edges while settling: many per press mean a worn switch)
  dice button        9 presses        0 edges
  lever 7            4 presses        0 edges  out of play
  lever 8            5 presses      123 edges
  lever 12    out of play

faults
  {MINUTE}  display: gone\\x1b[31m
"""
    )


def test_everything_as_json(state: Path) -> None:
    found = json.loads(printed("stats", "--json", "--state", state))
    p_values = [entry.pop("p_value") for entry in found["dice"]]
    assert p_values == pytest.approx([math.erfc(math.sqrt(90**2 / 2000))] * 2 + [1] * 3), (
        "of z = 90/sqrt(1000)"
    )
    assert found == {
        "matches": 4,
        "finished": 2,
        "given_up": 1,
        "real_dice": 1,
        "with_computer": 2,
        "without_levers": 2,
        "with_gaps": 0,
        "versions": [VERSION, "0.0.9 rules 1"],
        "throws": 1008,
        "fame": [
            {"initials": "BEA", "score": 24, "profile": "thai", "began_s": 1_700_000_000, "unproven": []},
            {"initials": "ANN", "score": 24, "profile": "thai", "began_s": 1_700_000_000,
             "unproven": ["real dice", "computer", "levers out"]},
        ],
        "dice": [
            {"dice": 1, "sides": 2, "die": 0, "counts": {"1": 545, "2": 455}},
            {"dice": 1, "sides": 2, "die": 1, "counts": {"1": 545, "2": 455}},
            {"dice": 2, "sides": 6, "die": 0, "counts": {"8": 4, "9": 4}},
            {"dice": 2, "sides": 6, "die": 1, "counts": {"4": 8}},
            {"dice": 2, "sides": 6, "die": 2, "counts": {"4": 4, "5": 4}},
        ],
        "switches": {
            "0": {"presses": 9, "chatter": 0}, "7": {"presses": 4, "chatter": 0},
            "8": {"presses": 5, "chatter": 123},
        },
        "faults": [{"at_s": 1_700_000_000, "kind": "display", "text": "gone\x1b[31m"}],
        "out_of_play": [7, 12],
    }  # fmt: skip


def test_every_row_is_exported(state: Path) -> None:
    rows = [json.loads(line) for line in printed("export", "--state", state).splitlines()]
    assert list(dict.fromkeys(row["table"] for row in rows)) == list(COLUMNS)
    for row in rows:
        assert tuple(row) == ("table", *COLUMNS[row["table"]])
    with closing(sqlite3.connect(state / STORE_FILE)) as db:
        for table in COLUMNS:
            (count,) = db.execute(f"select count(*) from {table}").fetchone()
            assert len([row for row in rows if row["table"] == table]) == count
    facts = [row["text"] for row in rows if row["table"] == "fact"]
    assert facts[1:9] == [
        "throw 4+5", "shut 9", "throw 4+5", "shut 4", "throw 4+4", "shut 8", "throw 4+4", "next"
    ]  # fmt: skip
    assert 'choose ["box.out_of_play",[7,12]]' in facts


def test_one_match_is_exported_by_its_number_or_the_latest_that_has_ended(state: Path) -> None:
    """The match on the table would be reviewed half-way."""
    first = printed("export", "--record", "1", "--state", state)
    assert 'name = "thai"' in first
    assert first.endswith("1 4+4\n1 blocked 24\nscores 24\ntotals 24\nwinners 1\nended rounds\nowes 0\n")
    assert printed("export", "--record", "--state", state) == printed(
        "export", "--record", "2", "--state", state
    )
    assert 'name = "pub"' in printed("export", "--record", "4", "--state", state)


def test_the_services_memory_is_read_where_the_config_names_none(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "SERVICE_FOLDER", state)
    config = tmp_path / "config.toml"
    config.write_text("")
    assert "ANN" in printed("stats", "--config", config)
    Store(tmp_path / "other", lambda: 0.0).close()
    config.write_text(f'[store]\nfolder = "{tmp_path / "other"}"\n')
    assert "nobody has signed yet" in printed("stats", "--config", config)
