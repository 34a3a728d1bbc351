"""A small kernel that never was: enough of gpiod's objects to run the factory without a chip.

Behaves as gpiod 2 on Linux does in what the factory relies on: a line has one holder; edges are
queued per request behind a real file descriptor and read without blocking; reconfiguring keeps
the queue; releasing closes the descriptor; of a chip that was unplugged, everything fails. It does
not wait out a debounce period (a real kernel does, in the virtual Pi), but notes it.

The helper that makes PWM is a thread here, with the helper's own timetable and messages.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gpiod
import mock
from gpiod.line import Bias, Direction, Edge, Value

from gpiozero_gpiod import pwm_helper


class Line:
    """One line: its request, and its level from outside."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.name = f"LINE{offset}"
        self.request: Request | None = None
        self.consumer = ""
        self.settings = gpiod.LineSettings(direction=Direction.INPUT)
        self.outside: bool | None = None
        self.written = False
        self.history: list[tuple[int, int]] = []

    @property
    def level(self) -> int:
        if self.settings.direction is Direction.OUTPUT:
            return int(self.written)
        if self.outside is not None:
            return int(self.outside)
        return int(self.settings.bias is Bias.PULL_UP)


class Request:
    """The fake of gpiod's LineRequest, for one line."""

    def __init__(self, chip: Chip, line: Line, size: int) -> None:
        self.chip, self.line = chip, line
        self.fd, self._signal = os.pipe()
        self._events: deque[Any] = deque(maxlen=size)
        self._sequence = 0
        self._lock = threading.Lock()
        self._closed = False
        self.refuses_edges = False

    def __enter__(self) -> Request:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()

    def _alive(self) -> None:
        if self._closed:
            raise gpiod.RequestReleasedError
        self.chip.plugged()

    def get_value(self, offset: int) -> Value:
        self._alive()
        assert offset == self.line.offset
        return Value.ACTIVE if self.line.level else Value.INACTIVE

    def set_value(self, offset: int, value: Value) -> None:
        self._alive()
        assert offset == self.line.offset
        if self.line.settings.direction is not Direction.OUTPUT:
            raise PermissionError(errno.EPERM, "Operation not permitted")
        self.write(value is Value.ACTIVE)

    def write(self, level: bool) -> None:
        self.line.written = level
        self.line.history.append((time.monotonic_ns(), int(level)))

    def reconfigure_lines(self, config: dict[int, gpiod.LineSettings]) -> None:
        self._alive()
        before = self.line.level
        ((offset, settings),) = config.items()
        assert offset == self.line.offset
        assert settings.direction is not Direction.AS_IS, "the kernel would leave the line alone"
        if self.refuses_edges and settings.edge_detection is not Edge.NONE:
            raise OSError(errno.ENXIO, "No such device or address")
        self.line.settings = settings
        if settings.direction is Direction.OUTPUT:
            self.write(settings.output_value is Value.ACTIVE)
        self.chip.moved(self.line, before)

    def put(self, kind: Any) -> None:
        with self._lock:
            if self._closed:
                return
            self._sequence += 1
            event = SimpleNamespace(
                event_type=kind,
                timestamp_ns=time.monotonic_ns(),
                line_offset=self.line.offset,
                line_seqno=self._sequence,
            )
            if not self._events:
                os.write(self._signal, b"!")
            self._events.append(event)

    def hang_up(self) -> None:
        """Makes the descriptor as the kernel does once the chip is gone: readable, with an error."""
        with self._lock:
            if not self._closed:
                os.write(self._signal, b"!")

    def read_edge_events(self, most: int | None = None) -> list[Any]:
        self._alive()
        with self._lock:
            if not self._events:
                os.read(self.fd, 1)  # blocks, or says that it would
                raise AssertionError("an event that was not there")
            found = [self._events.popleft() for _ in range(min(most or 64, len(self._events)))]
            if not self._events:
                os.read(self.fd, 1)
        return found

    def release(self) -> None:
        with self._lock:
            if not self._closed:
                self._closed = True
                os.close(self.fd)
                os.close(self._signal)
                self.line.request = None
                self.line.consumer = ""


class Chip:
    """One chip of the fake kernel; `FakeKernel.open` hands out handles on it."""

    def __init__(self, path: str, label: str, lines: int) -> None:
        self.path, self.label = path, label
        self.lines = [Line(offset) for offset in range(lines)]
        self.gone = False

    def plugged(self) -> None:
        """Raises as the kernel does if the chip is gone."""
        if self.gone:
            raise OSError(errno.ENODEV, "No such device")

    def moved(self, line: Line, before: int) -> None:
        """Queues an edge, if the line's level is another now and somebody wants to know."""
        if line.level == before or line.request is None:
            return
        kinds = gpiod.EdgeEvent.Type
        wanted = line.settings.edge_detection
        if line.level and wanted in (Edge.RISING, Edge.BOTH):
            line.request.put(kinds.RISING_EDGE)
        elif not line.level and wanted in (Edge.FALLING, Edge.BOTH):
            line.request.put(kinds.FALLING_EDGE)

    def drive(self, offset: int, level: bool | None) -> None:
        """The world puts a level on a line, or lets go of it."""
        line = self.lines[offset]
        before = line.level
        line.outside = level
        self.moved(line, before)


class Handle:
    """The fake of gpiod's Chip: one opening of it."""

    def __init__(self, chip: Chip) -> None:
        self._chip = chip
        self.path = chip.path
        self.closed = False

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self.closed = True

    def get_info(self) -> Any:
        # From memory, also when the chip is gone.
        return SimpleNamespace(
            label=self._chip.label, name=Path(self.path).name, num_lines=len(self._chip.lines)
        )

    def line_offset_from_id(self, name: int | str) -> int:
        for line in self._chip.lines:
            if line.name == name:
                return line.offset
        try:
            offset = int(name)
        except ValueError:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory") from None
        if not 0 <= offset < len(self._chip.lines):
            raise ValueError("line offset of out range")
        return offset

    def get_line_info(self, offset: int | str) -> Any:
        self._chip.plugged()
        line = self._chip.lines[self.line_offset_from_id(offset)]
        used = line.request is not None or bool(line.consumer)
        # The kernel remembers a pull only for as long as somebody holds the line.
        bias = line.settings.bias if used else Bias.UNKNOWN
        return SimpleNamespace(
            offset=line.offset,
            used=used,
            consumer=line.consumer,
            direction=line.settings.direction,
            bias=bias,
        )

    def request_lines(
        self, config: dict[int, gpiod.LineSettings], consumer: str, event_buffer_size: int
    ) -> Request:
        assert not self.closed, "I/O operation on closed chip"
        self._chip.plugged()
        ((offset, settings),) = config.items()
        line = self._chip.lines[self.line_offset_from_id(offset)]
        if line.request is not None or line.consumer:
            raise OSError(errno.EBUSY, "Device or resource busy")
        assert settings.direction is Direction.AS_IS
        request = line.request = Request(self._chip, line, event_buffer_size)
        line.consumer = consumer
        return request


class FakeKernel:
    """Chips, and the patches that put them in the place of the machine's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.chips: dict[str, Chip] = {}
        self.handles: list[Handle] = []

    def add(self, label: str, lines: int) -> Chip:
        path = self.folder / f"gpiochip{len(self.chips)}"
        path.touch()
        self.chips[str(path)] = Chip(str(path), label, lines)
        return self.chips[str(path)]

    def open(self, path: str) -> Handle:
        if path not in self.chips:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")
        self.handles.append(Handle(self.chips[path]))
        return self.handles[-1]

    def unplug(self, label: str) -> Chip:
        """Takes a chip away, with everything that is open on it."""
        path = next(path for path, chip in self.chips.items() if chip.label == label)
        chip = self.chips.pop(path)
        Path(path).unlink()
        chip.gone = True
        for line in chip.lines:
            if line.request is not None:
                line.request.hang_up()
        return chip

    def plug_in(self, label: str, lines: int, number: int) -> Chip:
        """Adds a chip, as new, under the number that it gets."""
        path = self.folder / f"gpiochip{number}"
        chip = self.chips[str(path)] = Chip(str(path), label, lines)
        path.touch()
        return chip

    def put_on_i2c(self, chip: Chip, device: str) -> None:
        """Shows in sysfs that a chip is this device of an I2C bus, such as "1-0021"."""
        place = self.folder / "i2c" / device / Path(chip.path).name
        place.mkdir(parents=True, exist_ok=True)
        (self.folder / "sys").mkdir(exist_ok=True)
        link = self.folder / "sys" / place.name
        link.unlink(missing_ok=True)
        link.symlink_to(place)

    def switch(self, fd: int, level: int) -> None:
        """In place of the helper's ioctl: switches the line of the request that has this descriptor."""
        inode = os.fstat(fd).st_ino
        for chip in self.chips.values():
            for line in chip.lines:
                if line.request is not None and os.fstat(line.request.fd).st_ino == inode:
                    line.request.write(bool(level))
                    return
        raise OSError(errno.ENODEV, "No such device")

    def patches(self) -> list[Any]:
        is_chip: Callable[[str], bool] = self.chips.__contains__
        return [
            mock.patch("gpiozero_gpiod.pwm.Helper", partial(ThreadHelper, self.switch)),
            mock.patch("gpiod.Chip", self.open),
            mock.patch("gpiod.is_gpiochip_device", is_chip),
            mock.patch("gpiozero_gpiod.chips.DEV", self.folder),
            mock.patch("gpiozero_gpiod.chips.SYS", self.folder / "sys"),
            mock.patch("gpiozero.pins.local.get_pi_revision", return_value=0xA03111),
        ]


class ThreadHelper:
    """The PWM helper as a thread of this process: its own code, but for the ioctl."""

    def __init__(self, switch: Callable[[int, int], None]) -> None:
        self.orders, its_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.orders.settimeout(10)
        self._thread = threading.Thread(target=self._serve, args=(its_end, switch), name="fake-pwm-helper")
        self._thread.start()

    @staticmethod
    def _serve(its_end: socket.socket, switch: Callable[[int, int], None]) -> None:
        with its_end:
            pwm_helper.serve(its_end, pwm_helper.Waves(switch))

    def close(self) -> None:
        with contextlib.suppress(OSError):  # a test may have done so already
            self.orders.shutdown(socket.SHUT_RDWR)
        self.orders.close()
        self._thread.join()

    def abandon(self) -> None:
        self.orders.close()
