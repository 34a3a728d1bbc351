"""Whole evenings: all that the box keeps, asks, plays and shows at every step, without the screen's words.

To renew them after a wanted change: `pytest tests/unit/game --update-golden`, then read what git reports as
changed.
"""

from pathlib import Path

import pytest
from tests.support.transcript import played_again

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_same_hands_give_the_same_play(path: Path, request: pytest.FixtureRequest) -> None:
    played = played_again(path.read_text(encoding="utf-8"))
    if request.config.getoption("--update-golden"):
        path.write_text(played, encoding="utf-8")
    assert played == path.read_text(encoding="utf-8")
