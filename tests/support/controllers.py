"""The controllers, those that this luma.oled does not know yet skipped by name: Debian 13 has 3.10."""

import luma.oled.device
import pytest

from shutthebox.config.controllers import Controller


def unless_known(controller: Controller) -> pytest.MarkDecorator:
    """Skips where luma.oled doesn't know a controller."""
    return pytest.mark.skipif(
        not (hasattr(luma.oled.device, controller) or controller.chip.like),
        reason=f"this luma.oled knows no {controller}",
    )


CONTROLLERS = [pytest.param(controller, marks=unless_known(controller)) for controller in Controller]
