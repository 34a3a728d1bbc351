"""Opens a panel: luma's class for the controller, on luma's bus or on a model of one.

luma is imported only when a panel is opened, so a box without one doesn't need it.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from shutthebox.adapters.display.panel import DisplayError, LumaDevice, Panel, Serial, bus_errors
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import Backend, DisplayConfig, Interface

if TYPE_CHECKING:
    from gpiozero.pins import Factory

_NOTHING = 0xE3  # the no-op command, which every controller accepts
_CHARGE_PUMP = 0x8D
_RESET_S = 0.01  # low, and again to start up: data sheets ask for microseconds, modules add a capacitor
_SPI_HZ = 2_000_000  # as much as the SH1106's data sheet allows; a frame takes 4 ms


class _Recorder:
    """Stands in for the bus while luma builds a device: records its commands and sends nothing."""

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
    """Sets up a panel on a serial interface, which the panel then owns.

    Args:
        controller: 1.3 inch panels have an sh1106, whatever they were sold as.
        serial: luma's i2c or spi, or a model.
        upside_down: the panel is mounted upside down.
        name: of the display, for error messages.
        contrast: 0 to 255; None for luma's.

    Raises:
        DisplayError: no display answers, or luma.oled is missing; the serial interface is closed.
        ValueError: a contrast out of range.
    """
    if contrast is not None and not 0 <= contrast <= 255:
        raise ValueError(f"contrast {contrast} is not within 0 to 255")
    device = _luma()
    # Older versions of luma.oled lack the newer controller; its predecessor's start-up works, too.
    base = getattr(device, controller, None) or getattr(device, controller.chip.like, None)
    if base is None:
        raise DisplayError(f"this luma.oled doesn't know {controller}; a newer one may")
    try:
        # Asked first, because every luma device stays registered with atexit, whether it works or not.
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
    """Builds the luma device off the bus, recording its start-up sequence."""
    recorder = _Recorder()
    # luma clears the panel while building a device, through a deprecated Pillow call,
    # and again at exit, which would wipe the goodbye.
    quiet = type(base.__name__, (base,), {"display": lambda device, image: None})
    turns = (controller.chip.quarter_turns + 2 * upside_down) % 4
    device = quiet(recorder, *controller.chip.size, rotate=turns)
    device._serial_interface = serial
    device.persist = True
    start_up = recorder.commands
    if not controller.chip.switched_pump:
        start_up = [_without_pump(command, controller.chip.parameters) for command in start_up]
    return Panel(cast("LumaDevice", device), controller, start_up, name=name, contrast=contrast)


def _without_pump(sent: tuple[int, ...], parameters: Mapping[int, int]) -> tuple[int, ...]:
    """Leaves out the SSD1306's charge pump, which luma switches on for controllers that have none, too."""
    kept: tuple[int, ...] = ()
    at = 0
    while at < len(sent):
        end = at + 1 + (1 if sent[at] == _CHARGE_PUMP else parameters.get(sent[at], 0))
        if sent[at] != _CHARGE_PUMP:
            kept += sent[at:end]
        at = end
    return kept


def open_configured(display: DisplayConfig, controller: Controller, backend: Backend) -> Panel:
    """Sets up the configured panel on its bus.

    Args:
        display: the configuration.
        controller: of the panel.
        backend: drives the lines for D/C and reset.

    Raises:
        DisplayError: no such bus, no permission, no display answers, or a library is missing.
    """
    return open_panel(
        controller,
        open_serial(display, backend),
        upside_down=display.rotate == 180,
        name=f"the display {display.where}",
    )


def open_serial(display: DisplayConfig, backend: Backend) -> Serial:
    """Opens the configured serial interface, and resets the panel if it has a line for that.

    Raises:
        DisplayError: no such bus, no permission, or a library is missing.
    """
    if not display.lines:
        return open_i2c(display.bus, display.address)
    pins = _open_pins(backend)
    try:
        return _Wired(display, pins)
    except BaseException:
        pins.close()
        raise


@contextlib.contextmanager
def reset_on_i2c(display: DisplayConfig, backend: Backend) -> Iterator[str]:
    """Resets the panel on I2C if it has a line for that, and keeps it out of reset for the block.

    Such a panel answers nothing before. Everything that looks for panels on the bus does so in here.

    Yields:
        Why the line couldn't be driven, as while the box runs, which has reset the panel then; else "".
    """
    with contextlib.ExitStack() as stack:
        fault = ""
        if display.reset is not None:
            try:
                lines = _Lines(_open_pins(backend))
                stack.callback(lines.close)
                _reset(lines, display.reset)
            except Exception as error:  # pin libraries raise their own exception types
                fault = f"line {display.reset} can't be driven: {error or type(error).__name__}"
        yield fault


def _open_pins(backend: Backend) -> "Factory":
    from shutthebox.adapters.gpio import PinsError, open_factory

    try:
        return open_factory(backend)
    except PinsError as error:
        raise DisplayError(str(error)) from error


def _reset(lines: "_Lines", line: int) -> None:
    from luma.core.interface.serial import bitbang

    bitbang(lines, RST=line, **_RESET_TIMES)  # its only effect is the reset


_RESET_TIMES = {"reset_hold_time": _RESET_S, "reset_release_time": _RESET_S}


class _Lines:
    """A pin factory's outputs behind the API of RPi.GPIO, which luma uses."""

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
    """A serial interface with extra lines beside the bus: D/C and reset, or just reset."""

    def __init__(self, display: DisplayConfig, factory: "Factory", spi: Any = None) -> None:  # noqa: ANN401
        """Opens both; resets the panel.

        Args:
            display: the configuration.
            factory: for the lines; closed together with the interface.
            spi: an open spidev for SPI0; None to open one.

        Raises:
            DisplayError: as `open_serial`.
        """
        self._lines = _Lines(factory)
        _luma()
        try:
            if display.interface is Interface.SPI:
                self._serial = self._open_spi(display, spi)
            else:
                _reset(self._lines, display.lines["reset"])
                self._serial = open_i2c(display.bus, display.address)
        except DisplayError:
            raise
        except Exception as error:  # pin libraries raise their own exception types
            raise DisplayError(
                f"can't use the display {display.where}: {error or type(error).__name__}"
            ) from error

    def _open_spi(self, display: DisplayConfig, spi: Any) -> Any:  # noqa: ANN401
        from luma.core.interface.serial import spi as luma_spi

        if spi is None:
            try:
                from spidev import SpiDev
            except ImportError as error:
                raise DisplayError("spidev is not installed: apt install python3-spidev") from error
            spi = SpiDev()
        lines = display.lines
        return luma_spi(
            spi,
            self._lines,
            bus_speed_hz=_SPI_HZ,
            gpio_DC=lines["dc"],
            gpio_RST=lines["reset"],
            **_RESET_TIMES,
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
        DisplayError: no such bus, no permission, or luma.core is missing.
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
