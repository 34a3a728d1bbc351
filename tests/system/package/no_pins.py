"""The unit's program in a container: `shutthebox run` with all but the pins and the panel real.

The pins are gpiozero's mock ones and the panel is the model of its controller, because a container
has neither. When it ends, the picture on the glass is saved beside the store. If the file `press` lies
there, the button is pressed once a second.
"""

import os
import sys
import threading
import time
from pathlib import Path
from unittest import mock

from gpiozero.pins.mock import MockFactory, MockPWMPin

from shutthebox.adapters import gpio
from shutthebox.adapters.display import opening
from shutthebox.adapters.display.pillow import image_of
from shutthebox.cli import main as cli
from shutthebox.simulator.hardware.panel_model import PanelModel

STATE = Path(os.environ["STATE_DIRECTORY"])
panel = PanelModel()
factory = MockFactory(pin_class=MockPWMPin)


def press() -> None:
    """Plays by presses alone."""
    while True:
        time.sleep(0.5)
        if (STATE / "press").exists():
            factory.pin(12).drive_low()
            time.sleep(0.2)
            factory.pin(12).drive_high()


threading.Thread(target=press, daemon=True).start()
with (
    mock.patch.object(gpio, "open_factory", return_value=factory),
    mock.patch.object(opening, "open_i2c", return_value=panel),
):
    code = cli.main(["run"])
image_of(panel.picture()).save(STATE / "glass.png")
sys.exit(code)
