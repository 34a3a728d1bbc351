"""A small OLED through luma's own classes, sending only what changed.

luma knows the controllers and drives the bus, but its `display()` loops over every pixel in Python and sends
the whole frame for every changed digit, so a `Panel` uses `luma_spans` instead. Because a box runs for years,
it also sets the controller up again whenever it may have been reset. `opening` creates panels.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Protocol

from luma_spans import ChangedSpans, Device
from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.pillow import image_of
from shutthebox.config.controllers import Controller
from shutthebox.errors import ShutTheBoxError

_DISPLAY_OFF, _DISPLAY_ON, _CONTRAST = 0xAE, 0xAF, 0x81


class DisplayError(ShutTheBoxError, OSError):
    """The display doesn't answer, or can't be used as configured."""


class Serial(Protocol):
    """luma's serial interface: its own i2c or spi, or a model of a panel."""

    def command(self, *cmd: int) -> None:
        """Sends command bytes; raises an OSError or a luma error if they aren't acknowledged."""

    def data(self, data: Sequence[int]) -> None:
        """Sends bytes for the controller's memory; raises like `command`."""

    def cleanup(self) -> None:
        """Closes the bus."""


class LumaDevice(Device, Protocol):
    """The part of a luma.oled device that a panel uses."""

    def cleanup(self) -> None:
        """Closes the bus."""


@contextlib.contextmanager
def bus_errors(name: str) -> Iterator[None]:
    """Turns both kinds of luma's bus errors into a DisplayError that names the display."""
    from luma.core.error import Error as LumaError

    try:
        yield
    except DisplayError:
        raise
    except (LumaError, OSError) as error:
        raise DisplayError(f"{name} does not answer: {error}") from error


class Panel:
    """A 128 x 64 panel, with a copy of what's known of its memory.

    Every method that sends raises DisplayError if the bus fails. The panel's state is unknown then, so the
    next `push` starts with `initialise`. Not thread-safe: one thread owns the bus.
    """

    def __init__(
        self,
        device: LumaDevice,
        controller: Controller,
        start: Sequence[Sequence[int]],
        *,
        name: str = "the display",
        contrast: int | None = None,
    ) -> None:
        """Takes over a device without sending anything yet.

        Args:
            device: a luma.oled device of `SIZE`; nobody else may draw on it.
            controller: the controller behind the panel.
            start: the commands that set the controller up, as luma sends them.
            name: of the display, for error messages.
            contrast: 0 to 255; None for luma's.
        """
        self.controller = controller
        self._name = name
        self._device = device
        self._start = [tuple(command) for command in start]
        self._contrast = contrast
        self._spans = ChangedSpans(device)
        self._closed = False

    def initialise(self, *, dark: bool = True) -> None:
        """Sets the controller up again and forgets what its memory held.

        Args:
            dark: switch the panel off first, so that nobody sees garbage in its memory.
                Otherwise a panel that's showing a picture keeps showing it.
        """
        self._spans.forget()
        with self._sending():
            for command in self._start:
                if command[0] == _DISPLAY_OFF and not dark:
                    command = command[1:]
                elif command[0] == _CONTRAST and self._contrast is not None:
                    command = (_CONTRAST, self._contrast)
                # luma's last command lights the panel; we leave that to the first picture.
                if command != (_DISPLAY_ON,):
                    self._device.command(*command)

    def push(self, picture: Bitmap, *, refresh: bool = False) -> None:
        """Shows the picture, and lights the panel if it's dark.

        Args:
            picture: of `SIZE`, upright; turned if the panel is mounted upside down.
            refresh: set the controller up again and send everything, without flicker, in case it
                lost power for a moment.

        Raises:
            DisplayError: the bus failed.
            ValueError: another size.
        """
        anew = refresh or not self._spans.known
        if anew:
            self.initialise(dark=not self._spans.known)
        with self._sending():
            self._spans.display(image_of(picture))
            if anew:
                self._device.command(_DISPLAY_ON)

    def blank(self) -> None:
        """Switches the panel off. The next `push`, perhaps hours later, sets it up again."""
        with self._sending():
            self._device.command(_DISPLAY_OFF)
        self._spans.forget()

    def contrast(self, level: int) -> None:
        """Sets the contrast, 0 to 255; it dims an OLED only a little."""
        if not 0 <= level <= 255:
            raise ValueError(f"contrast {level} is not within 0 to 255")
        self._contrast = level
        with self._sending():
            self._device.command(_CONTRAST, level)

    def close(self) -> None:
        """Closes the bus and leaves the panel as it is. Further calls do nothing."""
        if not self._closed:
            self._closed = True
            with contextlib.suppress(DisplayError), bus_errors(self._name):
                self._device.cleanup()

    @contextlib.contextmanager
    def _sending(self) -> Iterator[None]:
        try:
            with bus_errors(self._name):
                yield
        except BaseException:
            # Whatever the exception, part of the transfer may have arrived.
            self._spans.forget()
            raise
