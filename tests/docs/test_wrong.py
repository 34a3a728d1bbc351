"""An owner finds what the screen says on the page that helps."""

import re

import pytest

from doctools import PROJECT
from shutthebox.cli.run import CARD_TEXTS
from shutthebox.game.faults import FAULT_TEXTS, UNDELIVERED_TEXTS

PAGE = (PROJECT / "docs/wrong.md").read_text(encoding="utf-8")
SAID = [*(prompt for prompt, _ in FAULT_TEXTS.values()), *UNDELIVERED_TEXTS.values(), *CARD_TEXTS]


@pytest.mark.parametrize("text", [said.text for said in SAID])
def test_the_words_on_the_screen_are_on_the_page(text: str) -> None:
    assert re.search(rf"^\| (.*, )?\*{re.escape(text)}\*", PAGE, re.MULTILINE)
