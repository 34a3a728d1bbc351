"""Whole plays, word for word: all that the box keeps, asks, plays and shows at every step.

After a change that is meant to be seen: ``python -m tests.renew_transcripts``, and read what has changed.
"""

from pathlib import Path

import pytest
from tests.support.transcript import played_again

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_same_hands_give_the_same_play(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert played_again(text) == text
