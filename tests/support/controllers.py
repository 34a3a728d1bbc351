"""The controllers, those that this luma.oled does not know yet skipped by name: Debian 13 has 3.10."""

import luma.oled.device
import pytest

from shutthebox.config.controllers import Controller

CONTROLLERS = [
    pytest.param(
        controller,
        marks=pytest.mark.skipif(
            not (hasattr(luma.oled.device, controller) or controller.chip.like),
            reason=f"this luma.oled knows no {controller}",
        ),
    )
    for controller in Controller
]
