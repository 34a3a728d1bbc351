"""`shutthebox blank`: switches the display off. systemd runs it when the box has ended, however it ended."""

import argparse
import os
import time
from pathlib import Path
from typing import Any

from shutthebox.commands.run import find_config
from shutthebox.config import Controller

GOODBYE_S = 1.5
"""How long the goodbye of a box that ended well can be read."""


def add_parser(subparsers: Any) -> None:  # noqa: ANN401  (argparse does not name its type)
    """Adds the command."""
    parser = subparsers.add_parser("blank", help="switch the display off")
    parser.add_argument("--config", metavar="F", type=Path, help="a config file; default: the box's own")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Switches the panel off; DisplayError if it does not answer."""
    from shutthebox.platform.opening import open_i2c
    from shutthebox.platform.panel import DISPLAY_OFF, bus_errors

    display = find_config(args.config)[0].display
    if display.controller is Controller.NONE:
        return 0
    serial = open_i2c(display.bus, display.address)
    # systemd says in SERVICE_RESULT how the service ended: after a crash there is nothing to read.
    if os.environ.get("SERVICE_RESULT") == "success":
        time.sleep(GOODBYE_S)
    with bus_errors():
        serial.command(DISPLAY_OFF)
        serial.cleanup()
    return 0
