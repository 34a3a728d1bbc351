"""The page on the rule sheets has every sheet that is cited, and the games follow it."""

import re

import pytest

from doctools import PROJECT
from shutthebox.config.profiles import builtin
from shutthebox.rules.profile import OneDie, ShutWins, Stakes, Tie

PAGE = (PROJECT / "docs" / "rule-sheets.md").read_text(encoding="utf-8")
GAME_OF_SHEET = {"000": "jouhet", "001": "traditional", "002": "pub", "003": "trac", "004": "digits"}
ONE_DIE = {
    "must, from an open sum of 6": OneDie.FORCED_SUM,
    "may, once no tile above 6 is open": OneDie.OPTIONAL_HIGH,
    "must, once no tile above 6 is open": OneDie.FORCED_HIGH,
}
TIE = {"–": Tie.PLAY_OFF, "everybody plays again": Tie.REPLAY_ALL}


@pytest.mark.parametrize("sheet", GAME_OF_SHEET)
def test_the_table_of_differences_holds(sheet: str) -> None:
    (row,) = re.findall(rf"^\| {sheet} \| (.+) \| (.+) \| (.+) \|$", PAGE, re.MULTILINE)
    one_die, shut, tie = row
    profile = builtin(GAME_OF_SHEET[sheet])
    assert profile.one_die is ONE_DIE[one_die]
    assert (profile.shut_wins is ShutWins.MATCH) == shut.startswith("wins the match")
    assert (profile.stakes is Stakes.POOL_DOUBLE) == shut.endswith("double stakes")
    assert profile.tie is TIE[tie]
