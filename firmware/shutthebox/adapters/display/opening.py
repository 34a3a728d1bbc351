"""Opens a panel: luma's class for the controller, on luma's bus or on a model of one.

luma is imported here and only when a panel is opened, so a box without one needs none.
"""

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from shutthebox.adapters.display.panel import DisplayError, LumaDevice, Panel, Serial, bus_errors
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import Backend, DisplayConfig, Interface

if TYPE_CHECKING:
    from gpiozero.pins import Factory

_NOTHING = 0xE3  # a command that every one takes and that does nothing
_RESET_S = 0.001  # the controllers want 3 to 10 microseconds, and a little to come up
_SPI_HZ = 8_000_000  # the slowest of the controllers takes 10 MHz at 3.3 V


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


def open_configured(display: DisplayConfig, controller: Controller, backend: Backend) -> Panel:
    """Sets up the panel of this configuration, on its bus.

    Args:
        display: the configuration.
        controller: of the panel.
        backend: how the lines for D/C and reset are reached.

    Raises:
        DisplayError: no such bus, no right to use it, no display answers, or a library is missing.
    """
    return open_panel(
        controller,
        open_serial(display, backend),
        upside_down=display.rotate == 180,
        name=f"the display {display.where}",
    )


def open_serial(display: DisplayConfig, backend: Backend) -> Serial:
    """The serial interface of this configuration, after a reset if the panel has a line for it.

    Raises:
        DisplayError: no such bus, no right to use it, or a library is missing.
    """
    if not display.lines:
        return open_i2c(display.bus, display.address)
    from shutthebox.adapters.gpio import PinsError, open_factory

    try:
        factory = open_factory(backend)
    except PinsError as error:
        raise DisplayError(str(error)) from error
    try:
        return _Wired(display, factory)
    except BaseException:
        factory.close()
        raise


class _Lines:
    """Outputs of a pin factory in the words of RPi.GPIO, which luma uses."""

    OUT, LOW, HIGH = "out", 0, 1

    def __init__(self, factory: "Factory") -> None:
        self._factory = factory
        self._outputs: dict[int, Any] = {}

    def setup(self, line: int, way: str) -> None:
        from gpiozero import OutputDevice

        self._outputs[line] = OutputDevice(line, initial_value=True, pin_factory=self._factory)

    def output(self, line: int, value: int) -> None:
        self._outputs[line].value = value

    def close(self) -> None:
        for output in self._outputs.values():
            output.close()
        self._factory.close()


class _Wired:
    """A serial interface with lines of its own beside the bus: D/C and reset, or reset alone."""

    def __init__(self, display: DisplayConfig, factory: "Factory", spi: Any = None) -> None:  # noqa: ANN401
        """Opens both; resets the panel.

        Args:
            display: the configuration.
            factory: of the lines, which is closed with the interface.
            spi: SPI0 in the words of spidev; None to open it.

        Raises:
            DisplayError: as `open_serial`.
        """
        self._lines = _Lines(factory)
        _luma()
        try:
            from luma.core.interface.serial import bitbang

            waits = {"reset_hold_time": _RESET_S, "reset_release_time": _RESET_S}
            if display.interface is Interface.SPI:
                self._serial = self._open_spi(display, spi, waits)
            else:
                bitbang(self._lines, RST=display.lines["reset"], **waits)  # its only effect is the reset
                self._serial = open_i2c(display.bus, display.address)
        except DisplayError:
            raise
        except Exception as error:  # libraries of pins raise kinds of their own
            raise DisplayError(
                f"can't use the display {display.where}: {error or type(error).__name__}"
            ) from error

    def _open_spi(self, display: DisplayConfig, spi: Any, waits: dict[str, float]) -> Any:  # noqa: ANN401
        from luma.core.interface.serial import spi as luma_spi

        if spi is None:
            try:
                from spidev import SpiDev
            except ImportError as error:
                raise DisplayError("spidev is not installed: apt install python3-spidev") from error
            spi = SpiDev()
        lines = display.lines
        return luma_spi(
            spi, self._lines, bus_speed_hz=_SPI_HZ, gpio_DC=lines["dc"], gpio_RST=lines["reset"], **waits
        )

    def command(self, *cmd: int) -> None:
        self._serial.command(*cmd)

    def data(self, data: Sequence[int]) -> None:
        self._serial.data(data)

    def cleanup(self) -> None:
        try:
            self._serial.cleanup()
        finally:
            self._lines.close()


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
            f"can't use the I2C bus {bus} (/dev/i2c-{bus}): {error}; is I2C switched on, "
            "and may this user use it?"
        ) from error
