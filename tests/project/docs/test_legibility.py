"""What players have to read is large enough to be read across a bar, as the build guide says."""

import math

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


def letters(size: Size) -> int:
    """From the top of an H to the bottom of a g, in pixels."""
    return ink(line("Hg", size)).height


def total() -> int:
    """Of the number beside the dice, between title and tiles, in pixels."""
    row = tuple((number, TileState.SHUT) for number in range(1, 10))
    throw = LocalizedScreen(Mode.FLIPPING, title="Player 1", dice=(3, 5), total=8, tiles=row, prompt="Shut 8")
    below = LINES - PROMPT_HEIGHT - tiles.ROW_HEIGHT
    box = draw(throw, 0).crop((80, Size.SMALL.height, 128, below)).ink()
    assert box is not None
    return box[3] - box[1]


def arc_minutes(height_mm: float) -> float:
    return math.degrees(math.atan(height_mm / DISTANCE_MM)) * 60


def test_what_players_must_read_is_above_the_floor_on_the_panels_for_a_bar() -> None:
    assert Size.MEDIUM.height == PROMPT_HEIGHT
    for panel in ('1.3"', '2.42"'):
        for pixels in (letters(Size.MEDIUM), total(), letters(Size.LARGE)):
            assert arc_minutes(pixels * PANELS_MM[panel] / LINES) > USUAL_FLOOR
