"""An owner finds what the screen says on the page that helps."""

import re

from doctools import PROJECT
from doctools.messages import PACKAGE
from shutthebox.game.faults import FAULT_TEXTS, MACHINE_FAULT_TEXTS, UNDELIVERED_TEXTS
from shutthebox.game.lever_health import Ailment
from shutthebox.game.messages import localize
from shutthebox.game.modes.stick import outcome_text
from shutthebox.game.stick import Stick, StickOutcome
from shutthebox.game.switches.switch import BUTTONS, switch
from shutthebox.owner.notices import CARD_TEXTS

PAGE = (PROJECT / "docs/wrong.md").read_text(encoding="utf-8")
SAID = [
    *(prompt for prompt, _ in FAULT_TEXTS.values()),
    *MACHINE_FAULT_TEXTS.values(),
    *UNDELIVERED_TEXTS.values(),
    *CARD_TEXTS,
]
#: Ends after which nothing is wrong, and mistakes in settings, which name their files.
NOT_HERE = {
    StickOutcome.SAVED, StickOutcome.TAKEN_OVER, StickOutcome.SETTINGS_TAKEN, StickOutcome.UPDATE_WRITTEN,
    StickOutcome.BAD_SETTINGS, StickOutcome.SAME_VERSION,
}  # fmt: skip
FAILED = [
    localize(outcome_text(Stick(outcome=outcome)), str) for outcome in StickOutcome if outcome not in NOT_HERE
]


def test_the_words_on_the_screen_are_on_the_page() -> None:
    texts = [*(said.text for said in SAID), *(re.split("[.:]", text)[0] for text in FAILED)]
    assert [
        text for text in texts if not re.search(rf"^\* (.*, )?\*{re.escape(text)}\*", PAGE, re.MULTILINE)
    ] == []


def test_what_ails_a_switch_is_on_the_page() -> None:
    """In the words of a lever, whichever it is; the rarer switches are on the page as *Service …*."""
    for row in (switch(1), *BUTTONS.values()):
        texts = [localize(ailment.localize(row), str) for ailment in Ailment]
        others = f"*{re.split('[ :]', texts[0])[0]} …*"
        shown = [re.escape(text).replace("Lever\\ 1", r"Lever \d+") for text in texts]
        lacks = [text for text, each in zip(texts, shown, strict=True) if not re.search(rf"\*{each}\*", PAGE)]
        assert not lacks or others in PAGE, lacks


def test_why_two_boxes_do_not_play_is_on_the_page() -> None:
    sources = [
        (PACKAGE / f"game/modes/{name}.py").read_text("utf-8")
        for name in ("linking", "match_mode", "watching")
    ]
    texts = re.findall(r'message\(\s*"([^"]+\.)"', "".join(sources))
    said = {text.partition(".")[0] for text in texts if not text.startswith(ALL_WELL)}
    assert len(said) > 10
    shown = {text: re.sub(r"\\{\w+\\}", ".+", re.escape(text)) for text in said}
    assert [
        text for text in said if not re.search(rf"^\* (.*, )?\*{shown[text]}\*", PAGE, re.MULTILINE)
    ] == []


ALL_WELL = "Looking for the other box.", "The boxes have met.", "{box} invites you"
"""What the box says on the way to a match with another one."""
