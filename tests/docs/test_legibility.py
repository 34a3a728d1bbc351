"""The table of text sizes on the panels is what the fonts and the panels come to."""

import math
import re

import pytest

from doctools import PROJECT
from shutthebox.adapters.display.fonts import Size, ink, line
from shutthebox.adapters.display.layout import PROMPT_HEIGHT

PANELS_MM = {'0.96"': 10.86, '1.3"': 14.70, '2.42"': 27.49}
"""Height of the lit area, from the data sheets."""
LINES = 64
DISTANCE_MM = 600
USUAL_FLOOR = 16
"""Arc minutes of a text that most people read without effort."""

ROWS = {
    "Title of a full screen": Size.SMALL,
    "Prompt, list, rules": Size.MEDIUM,
    "Large word": Size.LARGE,
}


def pixels(size: Size) -> int:
    """From the top of an H to the bottom of a g."""
    return ink(line("Hg", size)).height


def arc_minutes(height_mm: float) -> float:
    return math.degrees(math.atan(height_mm / DISTANCE_MM)) * 60


@pytest.mark.parametrize("what", ROWS)
def test_a_row_of_the_table_is_right(what: str) -> None:
    page = (PROJECT / "docs" / "build.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| {re.escape(what)} \|(.*)\|$", page, re.MULTILINE)
    height, *panels = [cell.strip() for cell in row.split("|")]
    assert height == f"{pixels(ROWS[what])}"
    wanted = []
    for panel_mm in PANELS_MM.values():
        height_mm = pixels(ROWS[what]) * panel_mm / LINES
        wanted.append(f"{height_mm:.1f} mm, {arc_minutes(height_mm):.0f}′")
    assert panels == wanted


def test_prompts_are_above_the_floor_on_the_panels_for_a_bar() -> None:
    assert Size.MEDIUM.height == PROMPT_HEIGHT
    for panel in ('1.3"', '2.42"'):
        assert arc_minutes(pixels(Size.MEDIUM) * PANELS_MM[panel] / LINES) > USUAL_FLOOR
