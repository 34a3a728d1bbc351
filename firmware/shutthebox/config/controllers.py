"""The display controllers, one row each, read by config, drawing, simulator, doctor and docs.

To add a controller that luma.oled supports, add a member and its row.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

# Commands that bring parameters, and how many bytes; all others stand alone.
_SSD = {
    0x20: 1, 0x21: 2, 0x22: 2, 0x26: 6, 0x27: 6, 0x29: 5, 0x2A: 5, 0x81: 1, 0x8D: 1, 0xA3: 2,
    0xA8: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1,
}  # fmt: skip
_SH1106 = {0x81: 1, 0xA8: 1, 0xAD: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1}
_SH1107 = {0x81: 1, 0xA8: 1, 0xAD: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDB: 1, 0xDC: 1}


class Chip(NamedTuple):
    """A controller as its data sheet, luma.oled and the owners of panels describe it.

    Attributes:
        panels: the panels that usually have it.
        like: luma.oled's class for an older one whose start-up suits this one, too; "" for none.
        parameters: the commands that bring parameters, and how many bytes.
        windows: it takes windows of columns and pages; if not, a place within one page.
        memory: columns and lines of its memory; eight lines are a page.
        size: columns and lines of the panel, before it is turned.
        first_column: of the panel in the memory.
        first_line: the display offset that puts the memory's first line at the panel's top.
        quarter_turns: clockwise, from the picture as one reads it to the panel's columns and lines.
        remapped: columns and lines run as one reads once both are remapped; if not, as after a reset.
        start_line: the command that sets it; 0x40 is one with the line in its low bits.
        switched_pump: it is dark until its charge pump is switched on.
        contrast: after a reset, 0 to 255.
        readable: over I2C, its memory can be read back.
    """

    panels: str
    parameters: Mapping[int, int]
    like: str = ""
    windows: bool = True
    memory: tuple[int, int] = (128, 64)
    size: tuple[int, int] = (128, 64)
    first_column: int = 0
    first_line: int = 0
    quarter_turns: int = 0
    remapped: bool = True
    start_line: int = 0x40
    switched_pump: bool = False
    contrast: int = 0x7F
    readable: bool = False


class Controller(StrEnum):
    """The display's controller; each value is the name of luma.oled's class for it."""

    SSD1306 = "ssd1306"
    SSD1315 = "ssd1315"
    SH1106 = "sh1106"
    SSD1309 = "ssd1309"
    SH1107 = "sh1107"

    @property
    def chip(self) -> Chip:
        """The controller as its data sheet and the owners of panels describe it."""
        return _CHIPS[self]


_CHIPS = {
    Controller.SSD1306: Chip(panels="most 0.96 inch panels", parameters=_SSD, switched_pump=True),
    Controller.SSD1315: Chip(
        panels="newer 0.96 inch panels", like="ssd1306", parameters=_SSD, switched_pump=True
    ),
    Controller.SH1106: Chip(
        panels="most 1.3 inch panels",
        parameters=_SH1106,
        windows=False,
        memory=(132, 64),
        first_column=2,
        contrast=0x80,
        readable=True,
    ),
    Controller.SSD1309: Chip(panels="2.42 inch panels", parameters=_SSD),
    Controller.SH1107: Chip(
        panels="panels of 64 x 128 mounted on their side",
        parameters=_SH1107,
        windows=False,
        memory=(128, 128),
        size=(64, 128),
        first_line=0x60,
        quarter_turns=1,
        remapped=False,
        start_line=0xDC,
        contrast=0x80,
        readable=True,
    ),
}

if _forgotten := set(Controller) - _CHIPS.keys():
    raise TypeError(f"{', '.join(_forgotten)}: no row in _CHIPS")
