"""Sends a small OLED only what has changed, through any ssd1306, ssd1309, sh1106 or sh1107 of luma.oled.

    from luma.core.interface.serial import i2c
    from luma.oled.device import ssd1306
    from luma_spans import ChangedSpans

    device = ssd1306(i2c(port=1))
    device.display = ChangedSpans(device).display

From then on ``canvas(device)`` and everything else of luma works as before, for a fraction of the
bytes. The README of this distribution has figures.
"""

from .packing import Window, changed_runs, changed_windows, pack, whole
from .spans import ChangedSpans, Device

__version__ = "1.0.1.dev0"

__all__ = ["ChangedSpans", "Device", "Window", "changed_runs", "changed_windows", "pack", "whole"]
