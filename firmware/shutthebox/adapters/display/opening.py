"""Opens a panel: luma's class for the controller, on luma's bus or on a model of one.

luma is imported here and only when a panel is opened, so a box without one needs none.
"""

import contextlib
from collections.abc import Sequence
from typing import Any, cast

from shutthebox.adapters.display.panel import DisplayError, LumaDevice, Panel, Serial, bus_errors
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import DisplayConfig

_NOTHING = 0xE3  # a command that every one takes and that does nothing


class _Recorder:
    """Stands for the bus while luma builds a device: keeps its commands, sends nothing."""

    def __init__(self) -> None:
        self.commands: list[tuple[int, ...]] = []

    def command(self, *cmd: int) -> None:
        self.commands.append(cmd)

    def data(self, data: Sequence[int]) -> None:
        pass

    def cleanup(self) -> None:
        pass


def _luma() -> Any:  # noqa: ANN401 - luma has no types
    try:
        import luma.oled.device
    except ImportError as error:
        raise DisplayError(
            "luma.oled is not installed: apt install python3-luma.oled, or pip install 'shutthebox[box]'"
        ) from error
    return luma.oled.device


def open_panel(
    controller: Controller,
    serial: Serial,
    *,
    upside_down: bool = False,
    name: str = "the display",
    contrast: int | None = None,
) -> Panel:
    """Sets up a panel on a serial interface, which the panel owns from then on.

    Args:
        controller: printed on no board: a 1.3 inch one is an sh1106, whatever it was sold as.
        serial: luma's i2c or spi, or a model.
        upside_down: the panel is mounted upside down.
        name: of the display, for complaints.
        contrast: 0 to 255; None for luma's.

    Raises:
        DisplayError: no display answers, or luma.oled is missing; the serial interface is closed.
        ValueError: a contrast out of range.
    """
    if contrast is not None and not 0 <= contrast <= 255:
        raise ValueError(f"contrast {contrast} is not within 0 to 255")
    device = _luma()
    # An older luma.oled lacks a newer controller; the older one's start-up sets it up as well.
    base = getattr(device, controller, None) or getattr(device, controller.chip.like, None)
    if base is None:
        raise DisplayError(f"this luma.oled knows no {controller}; a newer one may")
    try:
        # Asked first, because every luma device, working or not, stays in atexit's list for good.
        with bus_errors(name):
            serial.command(_NOTHING)
        panel = _build(base, controller, serial, upside_down, name, contrast)
        panel.initialise()
    except BaseException:
        with contextlib.suppress(Exception):
            serial.cleanup()
        raise
    return panel


def _build(
    base: Any,  # noqa: ANN401 - a class of luma's
    controller: Controller,
    serial: Serial,
    upside_down: bool,
    name: str,
    contrast: int | None,
) -> Panel:
    """The panel around a luma device that learnt its start-up sequence off the bus."""
    recorder = _Recorder()
    # luma clears the panel while it builds a device, through a Pillow call that is going away,
    # and at exit once more, when the goodbye is already on the glass.
    quiet = type(base.__name__, (base,), {"display": lambda device, image: None})
    turns = (controller.chip.quarter_turns + 2 * upside_down) % 4
    device = quiet(recorder, *controller.chip.size, rotate=turns)
    device._serial_interface = serial
    device.persist = True
    return Panel(cast("LumaDevice", device), controller, recorder.commands, name=name, contrast=contrast)


def open_configured(display: DisplayConfig, controller: Controller) -> Panel:
    """Sets up the panel of this configuration, on its bus.

    Raises:
        DisplayError: no such bus, no right to use it, no display answers, or luma is missing.
    """
    return open_panel(
        controller,
        open_i2c(display.bus, display.address),
        upside_down=display.rotate == 180,
        name=f"the display at 0x{display.address:02X} on /dev/i2c-{display.bus}",
    )


def open_i2c(bus: int = 1, address: int = 0x3C) -> Serial:
    """Luma's serial interface on an I2C bus; `/dev/i2c-1` is the one on a Pi's header.

    Args:
        bus: the N of /dev/i2c-N.
        address: of the display, 0x3C or 0x3D.

    Raises:
        DisplayError: no such bus, no right to use it, or luma.core is missing.
    """
    _luma()
    from luma.core.error import Error as LumaError
    from luma.core.interface.serial import i2c

    try:
        return cast("Serial", i2c(port=bus, address=address))
    except (LumaError, OSError) as error:
        raise DisplayError(
            f"cannot use the I2C bus {bus} (/dev/i2c-{bus}): {error}; is I2C switched on, "
            "and may this user use it?"
        ) from error
