"""A small OLED through luma's own classes, sending only what changed.

luma knows the controllers and their start-up sequences and drives the bus; its `display()`
however walks over every pixel in Python and sends the whole memory for every changed digit.
A `Panel` packs the picture in C and sends the changed parts; what the glass shows is the
same to the byte. `opening` makes one.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Literal, Protocol

from PIL import Image

from shutthebox.errors import ShutTheBoxError
from shutthebox.platform.packing import Window, changed_windows, pack

Controller = Literal["ssd1306", "sh1106", "ssd1309"]
SIZE = (128, 64)

_DISPLAY_OFF, _DISPLAY_ON, _CONTRAST = 0xAE, 0xAF, 0x81
_COLUMNS, _PAGES, _PAGE, _LOW_COLUMN, _HIGH_COLUMN = 0x21, 0x22, 0xB0, 0x00, 0x10
_SH1106_FIRST_COLUMN = 2  # the glass shows columns 2 to 129 of 132

# What a window costs on I2C beside its contents: address and control byte of the command,
# its bytes, and address and control byte of the data.
_WINDOW_OVERHEAD = 2 + 6 + 2
_RUN_OVERHEAD = 2 + 3 + 2


class DisplayError(ShutTheBoxError, OSError):
    """The display does not answer, or cannot be used as configured."""


class Serial(Protocol):
    """What luma calls a serial interface: luma's own i2c or spi, or a model of a panel."""

    def command(self, *cmd: int) -> None:
        """Sends command bytes; raises an OSError or a luma error if nobody takes them."""

    def data(self, data: Sequence[int]) -> None:
        """Sends bytes for the controller's memory; raises like `command`."""

    def cleanup(self) -> None:
        """Closes the bus."""


class LumaDevice(Protocol):
    """The part of a luma.oled device that a panel uses."""

    size: tuple[int, int]

    def command(self, *cmd: int) -> None:
        """Sends command bytes."""

    def data(self, data: Sequence[int]) -> None:
        """Sends bytes for the controller's memory."""

    def preprocess(self, image: Image.Image) -> Image.Image:
        """Turns the picture the way the panel is mounted."""

    def cleanup(self) -> None:
        """Closes the bus."""


@contextlib.contextmanager
def bus_errors() -> Iterator[None]:
    """Turns the two ways in which luma reports a bus error into DisplayError."""
    from luma.core.error import Error as LumaError

    try:
        yield
    except DisplayError:
        raise
    except (LumaError, OSError) as error:
        raise DisplayError(f"the display does not answer: {error}") from error


class Panel:
    """A 128 x 64 panel and what its memory is known to hold.

    Every method that sends raises DisplayError if the bus fails; the panel is then taken
    to be in an unknown state, and the next `push` begins with `initialise`. Not thread-safe:
    one thread owns the bus.
    """

    def __init__(
        self,
        device: LumaDevice,
        controller: Controller,
        start: Sequence[Sequence[int]],
        *,
        contrast: int | None = None,
    ) -> None:
        """Takes over a device; sends nothing yet.

        Args:
            device: a luma.oled device of `SIZE`; nobody else may draw on it.
            controller: which of the three it is.
            start: the commands that set the controller up, as luma sends them.
            contrast: 0 to 255, instead of luma's; None for luma's.
        """
        self.controller = controller
        self._device = device
        self._start = [tuple(command) for command in start]
        self._contrast = contrast
        self._held: list[bytes] | None = None  # None: unknown, so set up and send everything
        self._lit = False
        self._closed = False

    def initialise(self, *, dark: bool = True) -> None:
        """Sets the controller up anew and forgets what its memory held.

        Args:
            dark: switch the panel off first, so that the memory's garbage is never seen.
                Without it a panel that is showing a picture goes on showing it.
        """
        self._held = None
        with self._sending():
            for command in self._start:
                if command[0] == _DISPLAY_OFF and not dark:
                    command = command[1:]
                elif command[0] == _CONTRAST and self._contrast is not None:
                    command = (_CONTRAST, self._contrast)
                # luma's last command lights the panel: here that waits for a picture.
                if command != (_DISPLAY_ON,):
                    self._device.command(*command)
        self._lit = self._lit and not dark

    def push(self, image: Image.Image, *, refresh: bool = False) -> None:
        """Makes the panel show the picture, and lights it if it is dark.

        Args:
            image: mode "1", of `SIZE`, upright; it is turned as the panel is mounted.
            refresh: set the controller up again and send everything, without a flicker:
                a controller that lost its power for a moment does not say so.

        Raises:
            DisplayError: the bus failed.
            ValueError: another mode or size.
        """
        if image.size != self._device.size:
            raise ValueError(f"a picture of {image.size} does not fit the panel's {self._device.size}")
        pages = pack(self._device.preprocess(image))
        if refresh or self._held is None:
            self.initialise(dark=self._held is None)
        with self._sending():
            self._send_pages(pages)
            if not self._lit or refresh:
                self._device.command(_DISPLAY_ON)
        self._held = pages
        self._lit = True

    def blank(self) -> None:
        """Switches the panel off. The next `push` sets it up again, for it may be hours away."""
        with self._sending():
            self._device.command(_DISPLAY_OFF)
        self._held = None
        self._lit = False

    def contrast(self, level: int) -> None:
        """Sets the contrast, 0 to 255; it dims an OLED only a little."""
        if not 0 <= level <= 255:
            raise ValueError(f"contrast {level} is not within 0 to 255")
        self._contrast = level
        with self._sending():
            self._device.command(_CONTRAST, level)

    def close(self) -> None:
        """Closes the bus and leaves the panel as it is; more calls do nothing."""
        if not self._closed:
            self._closed = True
            with contextlib.suppress(DisplayError), bus_errors():
                self._device.cleanup()

    @contextlib.contextmanager
    def _sending(self) -> Iterator[None]:
        try:
            with bus_errors():
                yield
        except BaseException:
            # Whatever interrupts a transfer: part of it may have arrived.
            self._held = None
            self._lit = False
            raise

    def _send_pages(self, pages: list[bytes]) -> None:
        tall = self.controller != "sh1106"
        if self._held is None:
            width = len(pages[0])
            windows = [Window(0, width, 0, len(pages))] if tall else [
                Window(0, width, page, page + 1) for page in range(len(pages))
            ]  # fmt: skip
        else:
            overhead = _WINDOW_OVERHEAD if tall else _RUN_OVERHEAD
            windows = changed_windows(self._held, pages, overhead, tall)
        for window in windows:
            first, end = window.first_column, window.end_column
            if tall:
                self._device.command(_COLUMNS, first, end - 1, _PAGES, window.first_page, window.end_page - 1)
            else:
                column = first + _SH1106_FIRST_COLUMN
                self._device.command(
                    _PAGE | window.first_page, _LOW_COLUMN | column & 15, _HIGH_COLUMN | column >> 4
                )
            rows = pages[window.first_page : window.end_page]
            self._device.data(list(b"".join(row[first:end] for row in rows)))
