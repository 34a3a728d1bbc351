"""A model of the display's controller: takes luma's bytes and gives the picture on the glass.

It replaces luma's I2C interface, keeps the memory and registers that the data sheets of the SSD1306 and
its kin, SH1106 and SH1107 describe, and can be unplugged like the real one.
"""

import errno
import random
import threading
from collections.abc import Callable, Sequence

from luma.core.error import DeviceNotFoundError

from shutthebox.adapters.display.bitmap import SIZE, Bitmap
from shutthebox.config.controllers import Controller

_HORIZONTAL, _VERTICAL, _BY_PAGE = 0, 1, 2

# A byte of the memory is eight pixels in a column: for each of the eight, its digit for every byte.
_LINES = [bytes(ord("1") if byte >> line & 1 else ord("0") for byte in range(256)) for line in range(8)]


class PanelModel:
    """A panel that shows 128 x 64 pixels, on a simulated I2C bus; pass it to luma as a serial interface.

    Powers up as the real one does: dark, its memory full of garbage.

    Attributes:
        controller: which controller this is.
        wire_bytes: sent so far, with the address and control byte of every transfer.
        transfers: sent so far, each with a start and a stop on the bus.
    """

    def __init__(
        self,
        controller: Controller = Controller.SSD1306,
        *,
        seed: int = 1,
    ) -> None:
        """Plugs it in.

        Args:
            controller: which controller to be.
            seed: of the garbage that the memory holds after power-up.
        """
        self.controller = controller
        self.wire_bytes = 0
        self.transfers = 0
        self._on_change: Callable[[], None] = lambda: None
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._unplugged = False
        self._error_number: int | None = None
        self._chip = controller.chip
        self._columns, self._most_lines = controller.chip.memory
        self._pages = self._most_lines // 8
        self._power_up()

    def _power_up(self) -> None:
        self._ram = bytearray(self._random.randbytes(self._columns * self._pages))
        self._pending: list[int] = []
        self._on = self._inverted = self._all_lit = False
        self._charge_pump = not self._chip.switched_pump
        self._remapped = self._scan_down = False
        self._contrast = self._chip.contrast
        self._start_line = self._offset = 0
        self._lines = self._most_lines
        self._mode = _BY_PAGE
        self._column = self._page = 0
        self._column_window = (0, self._columns - 1)
        self._page_window = (0, self._pages - 1)

    # Called by luma.

    def command(self, *cmd: int) -> None:
        """Takes command bytes.

        Raises:
            DeviceNotFoundError: the panel is unplugged; luma's answer to a missing display.
            OSError: it is unplugged, and the bus reports an error that luma passes on.
        """
        if self._unplugged and self._error_number is None:
            raise DeviceNotFoundError("I2C device not found on address: 0x3C")
        self._transfer(len(cmd))
        with self._lock:
            for byte in cmd:
                self._take(byte)
        self._on_change()

    def data(self, data: Sequence[int]) -> None:
        """Takes bytes for the memory.

        Raises:
            OSError: the panel is unplugged.
        """
        for start in range(0, len(data), 4096):
            self._transfer(len(data[start : start + 4096]))
        with self._lock:
            for byte in data:
                self._store(byte)
        self._on_change()

    def cleanup(self) -> None:
        """Closes the bus; the picture stays on the glass."""

    def _transfer(self, length: int) -> None:
        if self._unplugged:
            raise OSError(self._error_number or errno.EREMOTEIO, "Remote I/O error")
        self.wire_bytes += 2 + length
        self.transfers += 1

    def on_change(self, callback: Callable[[], None]) -> None:
        """Calls `callback` after every transfer that may have changed the picture.

        It runs in the thread that sent it, and must not send anything itself.
        """
        self._on_change = callback

    # Done by a hand.

    @property
    def unplugged(self) -> bool:
        """Whether the panel is off the bus; setting it pulls the plug or puts it back."""
        return self._unplugged

    @unplugged.setter
    def unplugged(self, unplugged: bool) -> None:
        if unplugged:
            self.unplug()
        else:
            self.plug_in()

    def unplug(self, error_number: int | None = None) -> None:
        """Takes the panel off the bus: the glass is dark, and transfers fail.

        Args:
            error_number: an `errno` that every transfer fails with, such as ENXIO; without it
                they fail as luma reports EREMOTEIO, which differs for commands and data.
        """
        self._unplugged = True
        self._error_number = error_number
        self._on_change()

    def plug_in(self) -> None:
        """Plugs the panel back in: powered up again, dark, its memory full of garbage."""
        self._unplugged = False
        self.brown_out()

    def brown_out(self) -> None:
        """Cuts its power for a moment: it's reset, and answers as if nothing had happened."""
        with self._lock:
            self._power_up()
        self._on_change()

    # Seen by an eye.

    @property
    def lit(self) -> bool:
        """Whether the glass shows its memory: powered, switched on, its charge pump running."""
        return self._on and self._charge_pump and not self._unplugged

    @property
    def contrast(self) -> int:
        """The contrast register, 0 to 255."""
        return self._contrast

    @property
    def inverted(self) -> bool:
        """Whether lit and dark are exchanged on the glass."""
        return self._inverted

    def picture(self) -> Bitmap:
        """The picture on the glass of a module mounted upright; dark if not lit."""
        if not self.lit or self._all_lit:
            return Bitmap.of(*SIZE, lit=self.lit)
        memory = self.memory()
        width, height = self._chip.size
        pages = (memory[first : first + width][::-1] for first in range(0, len(memory), width))
        rows = [int(page.translate(line), 2) for page in pages for line in _LINES]
        with self._lock:
            remapped, scan_down, lines = self._remapped, self._scan_down, self._lines
            shift = (self._start_line + self._offset - self._chip.first_line) % height
        glass = Bitmap(width, tuple(rows[shift:] + rows[:shift]))
        if self._inverted:
            glass = glass.invert()
        glass = glass.fill((0, lines, width, height), lit=False)
        if remapped is not self._chip.remapped:
            glass = glass.mirror()
        if scan_down is not self._chip.remapped:
            glass = glass.flip()
        for _ in range(self._chip.quarter_turns):
            glass = glass.turn_left()
        return glass

    def memory(self) -> bytes:
        """The bytes behind the visible columns, page after page."""
        columns, first, width = self._columns, self._chip.first_column, self._chip.size[0]
        with self._lock:
            return b"".join(
                self._ram[page * columns + first : page * columns + first + width]
                for page in range(self._pages)
            )

    # The controller.

    def _take(self, byte: int) -> None:
        self._pending.append(byte)
        code, parameters = self._pending[0], self._pending[1:]
        if len(parameters) < self._chip.parameters.get(code, 0):
            return  # a command may be split over several transfers
        self._pending = []
        if self._chip.windows:
            self._execute_ssd(code, parameters)
        else:
            self._execute_sh(code)
        self._execute(code, parameters)

    def _execute(self, code: int, parameters: list[int]) -> None:
        """The commands common to all controllers."""
        if parameters and code == self._chip.start_line:
            self._start_line = parameters[0] & self._most_lines - 1
        elif 0x40 <= code <= 0x7F and self._chip.start_line == 0x40:
            self._start_line = code & 0x3F
        elif code == 0x81:
            self._contrast = parameters[0]
        elif code in (0xA0, 0xA1):
            self._remapped = code == 0xA1
        elif code in (0xA4, 0xA5):
            self._all_lit = code == 0xA5
        elif code in (0xA6, 0xA7):
            self._inverted = code == 0xA7
        elif code == 0xA8:
            self._lines = max(16, (parameters[0] & self._most_lines - 1) + 1)
        elif code in (0xAE, 0xAF):
            self._on = code == 0xAF
        elif code in (0xC0, 0xC8):
            self._scan_down = code == 0xC8
        elif code == 0xD3:
            self._offset = parameters[0] & self._most_lines - 1

    def _execute_sh(self, code: int) -> None:
        if code <= 0x0F:
            self._column = self._column & 0xF0 | code
        elif code <= 0x1F:
            self._column = self._column & 0x0F | (code & 0x0F) << 4
        elif 0xB0 <= code < 0xB0 + self._pages:
            self._page = code & 0x0F

    def _execute_ssd(self, code: int, parameters: list[int]) -> None:
        if code == 0x20:
            self._mode = min(parameters[0] & 3, _BY_PAGE)
        elif code == 0x21:
            self._column_window = (parameters[0] & 0x7F, parameters[1] & 0x7F)
            self._column = self._column_window[0]
        elif code == 0x22:
            self._page_window = (parameters[0] & 7, parameters[1] & 7)
            self._page = self._page_window[0]
        elif code == 0x8D:
            self._charge_pump = not self._chip.switched_pump or bool(parameters[0] & 4)
        elif self._mode == _BY_PAGE and code <= 0x0F:
            self._column = self._column & 0x70 | code
        elif self._mode == _BY_PAGE and code <= 0x1F:
            self._column = self._column & 0x0F | (code & 7) << 4
        elif self._mode == _BY_PAGE and 0xB0 <= code <= 0xB7:
            self._page = code & 7

    def _store(self, byte: int) -> None:
        if self._column < self._columns:  # an SH1106 can point behind its last column
            self._ram[self._page * self._columns + self._column] = byte
        if not self._chip.windows:
            self._column = min(self._column + 1, 0xFF)  # stays in its page
        elif self._mode == _BY_PAGE:
            self._column = (self._column + 1) % self._columns
        elif self._mode == _HORIZONTAL:
            if self._step_column():
                self._step_page()
        elif self._step_page():
            self._step_column()

    def _step_column(self) -> bool:
        """Moves on within the column window; returns whether it wrapped around."""
        first, last = self._column_window
        wraps = self._column == last
        self._column = first if wraps else (self._column + 1) % self._columns
        return wraps

    def _step_page(self) -> bool:
        first, last = self._page_window
        wraps = self._page == last
        self._page = first if wraps else (self._page + 1) % self._pages
        return wraps
