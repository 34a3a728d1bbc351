"""The page on the rule sheets has every sheet that is cited, and the games follow it."""

import re

import pytest

from doctools import PROJECT
from shutthebox.config.profiles import builtin
from shutthebox.rules.profile import OneDie, ShutWins, Stakes, Tie

PAGE = (PROJECT / "docs" / "rule-sheets.md").read_text(encoding="utf-8")
CITING = [path for folder in ("firmware", "tests") for path in (PROJECT / folder).rglob("*.*")]
GAME_OF_SHEET = {"000": "jouhet", "001": "traditional", "002": "pub", "003": "trac", "004": "digits"}
ONE_DIE = {
    "must, from an open sum of 6": OneDie.FORCED_SUM,
    "may, once no tile above 6 is open": OneDie.OPTIONAL_HIGH,
    "must, once no tile above 6 is open": OneDie.FORCED_HIGH,
}
TIE = {"–": Tie.PLAY_OFF, "everybody plays again": Tie.REPLAY_ALL}


def test_every_sheet_that_is_cited_is_on_the_page() -> None:
    cited = set()
    for path in CITING:
        if path.suffix in {".py", ".scn", ".toml", ".md"}:
            for numbers in re.findall(
                r"\bsheets? (\d{3}(?:(?:, | and )\d{3})*)", path.read_text(encoding="utf-8")
            ):
                cited |= set(re.findall(r"\d{3}", numbers))
    assert cited <= set(re.findall(r"^## Sheet (\d{3})$", PAGE, re.MULTILINE)) == set(GAME_OF_SHEET)
    assert len(cited) >= 4


@pytest.mark.parametrize("sheet", GAME_OF_SHEET)
def test_the_table_of_differences_holds(sheet: str) -> None:
    (row,) = re.findall(rf"^\| {sheet} \| (.+) \| (.+) \| (.+) \|$", PAGE, re.MULTILINE)
    one_die, shut, tie = row
    profile = builtin(GAME_OF_SHEET[sheet])
    assert profile.one_die is ONE_DIE[one_die]
    assert (profile.shut_wins is ShutWins.MATCH) == shut.startswith("wins the match")
    assert (profile.stakes is Stakes.POOL_DOUBLE) == shut.endswith("double stakes")
    assert profile.tie is TIE[tie]
