"""`shutthebox blank`: switches the display off. systemd runs it when the daemon ends, even by a crash.

It must be fast, because the box may be restarting, so for a panel on I2C it uses only the standard library.
"""

import argparse
import os
import sys
import time

from shutthebox.cli.own_config import add_config_option, load_config_or_default
from shutthebox.cli.parser import Subparsers
from shutthebox.config.schema import Config, Interface

GOODBYE_S = 1.5
"""Seconds for which the goodbye of a box that ended cleanly stays readable."""

_I2C_SLAVE = 0x0703  # linux/i2c-dev.h
_SWITCH_OFF = b"\x00\xae"  # commands follow; the display off, on all controllers


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox blank`."""
    parser = subparsers.add_parser(
        "blank",
        help="switch the display off",
        description="Switches the display off. The service runs this when the box has "
        "stopped, even after a crash.",
        example="shutthebox blank",
    )
    add_config_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Switches the panel off; 1 if it does not answer."""
    import fcntl  # imported lazily: the other commands also run where it's missing

    config = load_config_or_default(args.config, "switching off what")
    display = config.display
    if display.controller is None:
        return 0
    # systemd says in SERVICE_RESULT how the service ended: after a crash there is nothing to read.
    if os.environ.get("SERVICE_RESULT") == "success":
        time.sleep(GOODBYE_S)
    if display.interface is Interface.SPI:
        return _by_spi(config)
    path = f"/dev/i2c-{display.bus}"
    try:
        bus = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.ioctl(bus, _I2C_SLAVE, display.address)
            os.write(bus, _SWITCH_OFF)
        finally:
            os.close(bus)
    except OSError as error:
        print(f"shutthebox blank: {path}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


def _by_spi(config: Config) -> int:
    """Switches a panel on SPI off. It needs its D/C line, and so the pin libraries."""
    from shutthebox.adapters.display.opening import open_serial
    from shutthebox.adapters.display.panel import DisplayError

    try:
        serial = open_serial(config.display, config.gpio.backend)
        serial.command(_SWITCH_OFF[1])
        serial.cleanup()
    except (DisplayError, OSError) as error:
        print(f"shutthebox blank: {error}", file=sys.stderr)
        return 1
    return 0
