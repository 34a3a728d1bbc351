"""The table of text sizes on the panels follows from the fonts and the panels."""

import math
import re

import pytest

from doctools import PROJECT
from shutthebox.adapters.display import tiles
from shutthebox.adapters.display.fonts import Size, ink, line
from shutthebox.adapters.display.layout import PROMPT_HEIGHT, draw
from shutthebox.game.mode import Mode
from shutthebox.game.screen import LocalizedScreen, TileState

PANELS_MM = {'0.96"': 10.86, '1.3"': 14.70, '2.42"': 27.49}
"""Height of the lit area, from the data sheets."""
LINES = 64
DISTANCE_MM = 600
USUAL_FLOOR = 16
"""Arc minutes of a text that most people read without effort."""

THROW = LocalizedScreen(
    Mode.FLIPPING,
    title="Player 1",
    dice=(3, 5),
    total=8,
    tiles=tuple((number, TileState.SHUT) for number in range(1, 10)),
    prompt="Shut 8",
)


def letters(size: Size) -> int:
    """From the top of an H to the bottom of a g."""
    return ink(line("Hg", size)).height


def digits(number: int, levers: int) -> int:
    """Of a number in the row: that of a flipped tile stands above its bar, and the others lie flat."""
    states = {number: TileState.FLIPPED}
    row = tuple((n, states.get(n, TileState.SHUT)) for n in range(1, levers + 1))
    top = 64 - PROMPT_HEIGHT - tiles.ROW_HEIGHT - 1
    box = (
        draw(LocalizedScreen(Mode.READY, tiles=row), 0).crop((0, top, 128, top + tiles.ROW_HEIGHT - 3)).ink()
    )
    assert box is not None
    return box[3] - box[1]


def shown(left: int, right: int) -> int:
    """Height of what is between title and tiles, in these columns."""
    box = draw(THROW, 0).crop((left, Size.SMALL.height, right, 64 - PROMPT_HEIGHT - tiles.ROW_HEIGHT)).ink()
    assert box is not None
    return box[3] - box[1]


ROWS = {
    "Number in the row of tiles": digits(4, levers=9),
    "The same from 10 up, on 12 levers": digits(12, levers=12),
    "Title of a full screen": letters(Size.SMALL),
    "Prompt, list, rules": letters(Size.MEDIUM),
    "Dice": shown(0, 80),
    "Total of a throw": shown(80, 128),
    "Large word": letters(Size.LARGE),
}
"""Heights in pixels."""


def arc_minutes(height_mm: float) -> float:
    return math.degrees(math.atan(height_mm / DISTANCE_MM)) * 60


@pytest.mark.parametrize("what", ROWS)
def test_a_row_of_the_table_is_right(what: str) -> None:
    page = (PROJECT / "docs" / "build.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| {re.escape(what)} \|(.*)\|$", page, re.MULTILINE)
    height, *panels = [cell.strip() for cell in row.split("|")]
    assert height == f"{ROWS[what]}"
    wanted = []
    for panel_mm in PANELS_MM.values():
        height_mm = ROWS[what] * panel_mm / LINES
        wanted.append(f"{height_mm:.1f} mm, {arc_minutes(height_mm):.0f}′")
    assert panels == wanted


def test_prompts_are_above_the_floor_on_the_panels_for_a_bar() -> None:
    assert Size.MEDIUM.height == PROMPT_HEIGHT
    for panel in ('1.3"', '2.42"'):
        for what in ("Prompt, list, rules", "Total of a throw", "Large word"):
            assert arc_minutes(ROWS[what] * PANELS_MM[panel] / LINES) > USUAL_FLOOR
