"""The known content of a controller's memory, and the bytes that turn it into another picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PIL import Image

from .packing import Window, changed_windows, pack, whole

_COLUMNS, _PAGES = 0x21, 0x22  # ssd1306 and its kin: a window of columns and pages
_PAGE, _LOW_COLUMN, _HIGH_COLUMN = 0xB0, 0x00, 0x10  # sh1106, sh1107: a place to begin within one page

# Bytes of a window on I2C beside its contents: address and control byte of the command,
# its bytes, and address and control byte of the data.
_WINDOW_OVERHEAD = 2 + 6 + 2
_RUN_OVERHEAD = 2 + 3 + 2


class Device(Protocol):
    """The part of a luma.oled device that is used here."""

    size: tuple[int, int]

    def command(self, *cmd: int) -> None:
        """Sends command bytes."""

    def data(self, data: Sequence[int]) -> None:
        """Sends bytes for the controller's memory."""

    def preprocess(self, image: Image.Image) -> Image.Image:
        """Turns the picture the way the panel is mounted."""


class ChangedSpans:
    """Takes the place of a luma device's ``display``: the same picture, only what has changed.

    Nobody else may write to the controller's memory meanwhile. Not thread-safe: one thread owns
    the bus, as with luma itself.
    """

    def __init__(self, device: Device) -> None:
        """Sends nothing yet; the first picture is sent whole.

        Args:
            device: A ssd1306, ssd1309, ssd1315, sh1106 or sh1107 of luma.oled, or a class derived from
                one of these, of any size and rotation.

        Raises:
            ValueError: Another device, whose memory is laid out in another way.
        """
        kinds = {kind.__name__ for kind in type(device).__mro__}
        if not kinds & {"ssd1306", "sh1106", "sh1107"}:
            raise ValueError(f"{type(device).__name__} is none of ssd1306, ssd1309, sh1106 and sh1107")
        self._device = device
        # The others know no windows, only places within a page to write on from.
        self._has_windows = "ssd1306" in kinds
        if "sh1106" in kinds:
            self._first_column = int(getattr(device, "_page_address_offset", 2))
        else:
            self._first_column = int(getattr(device, "_colstart", 0))
        self._held: list[bytes] | None = None

    @property
    def known(self) -> bool:
        """Whether the controller's memory is known; if not, the next picture is sent whole."""
        return self._held is not None

    def forget(self) -> None:
        """Has the next picture sent whole: after a reset, or if somebody else has written."""
        self._held = None

    def display(self, image: Image.Image) -> None:
        """Makes the controller's memory hold the picture.

        Args:
            image: Mode "1", of the device's size, upright; it is turned as the device turns it.

        Raises:
            ValueError: Another mode or size.
            luma.core.error.Error, OSError: The bus failed. Part of it may have arrived, so the
                next picture is sent whole.
        """
        if image.size != self._device.size:
            raise ValueError(f"a picture of {image.size} does not fit the panel's {self._device.size}")
        pages = pack(self._device.preprocess(image))
        windows, self._held = self._windows(pages), None
        for window in windows:
            self._send(window, pages)
        self._held = pages

    def _windows(self, pages: list[bytes]) -> list[Window]:
        if self._held is not None:
            overhead = _WINDOW_OVERHEAD if self._has_windows else _RUN_OVERHEAD
            return changed_windows(self._held, pages, overhead, self._has_windows)
        return whole(pages, self._has_windows)

    def _send(self, window: Window, pages: list[bytes]) -> None:
        first, end = window.first_column, window.end_column
        column = first + self._first_column
        if self._has_windows:
            last = end - 1 + self._first_column
            self._device.command(_COLUMNS, column, last, _PAGES, window.first_page, window.end_page - 1)
        else:
            self._device.command(
                _PAGE | window.first_page, _LOW_COLUMN | column & 15, _HIGH_COLUMN | column >> 4
            )
        rows = pages[window.first_page : window.end_page]
        self._device.data(list(b"".join(row[first:end] for row in rows)))
