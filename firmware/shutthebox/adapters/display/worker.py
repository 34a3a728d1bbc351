"""The display worker: draws and sends the latest screen without ever holding up the game.

Its thread owns the bus. Callers put a screen into a one-slot mailbox and return at once, so a slow, unplugged
or broken display delays nobody. With virtual time, `DisplayWorker` works without a thread: see `render_now`.

Fonts, panel and luma are imported in that thread to keep startup fast.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from shutthebox.adapters.trouble_log import TroubleLog
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.settings import Brightness
from shutthebox.marker import Marker

if TYPE_CHECKING:
    from shutthebox.adapters.display.bitmap import Bitmap
    from shutthebox.adapters.display.layout import Frame
    from shutthebox.adapters.display.panel import Panel

_log = logging.getLogger(__name__)

_SECOND = 1_000_000_000
REFRESH_NS = 30 * _SECOND  # set up and send everything, in case the controller was reset
RETRY_NS = 1 * _SECOND
CONTRAST = {Brightness.DIM: 0x01, Brightness.MEDIUM: 0x60, Brightness.BRIGHT: 0xCF}
"""The controller's contrast for each brightness."""

LEAST_FRAME_NS = _SECOND // 10
STUCK_NS = 10 * _SECOND  # a transfer that takes longer counts as stuck


class _Asleep(Marker):
    """Put in the mailbox instead of a screen to switch the panel off."""

    __slots__ = ()


class _Shown(NamedTuple):
    screen: LocalizedScreen
    since_ns: int


def _render(screen: LocalizedScreen, elapsed_ns: int) -> Frame:
    from shutthebox.adapters.display.bitmap import SIZE
    from shutthebox.adapters.display.layout import render

    return render(screen, elapsed_ns, SIZE)


class DisplayWorker:
    """Shows screens on a panel that may come and go.

    Call `start` for the worker thread, then `show`, `sleep`, `brighten`, `alive` and `close` from any one
    thread. Or never call `start`, and use only `render_now` and `close`.
    """

    def __init__(
        self, connect: Callable[[], Panel], *, now_ns: Callable[[], int] = time.monotonic_ns
    ) -> None:
        """Doesn't connect yet.

        Args:
            connect: opens the panel; raises DisplayError while there is none. Called in the
                worker's thread, about once a second until it succeeds.
            now_ns: the clock, in nanoseconds. With a thread, it must run in real time.
        """
        self._connect = connect
        self._now_ns = now_ns
        self._mail = threading.Condition()
        # Guarded by _mail: what the caller wants.
        self._wanted: _Shown | _Asleep | None = None
        self._contrast: int | None = None
        self._posted = False
        self._closing = False
        # The worker's own (or the caller's, without a thread).
        self._thread: threading.Thread | None = None
        self._panel: Panel | None = None
        self._connected: bool | None = None  # None: not tried yet
        self._trouble = TroubleLog(_log, now_ns)
        self._retry_ns = 0
        self._refreshed_ns = 0
        self._busy_since_ns: int | None = None

    # The caller's side.

    def start(self, drawn: Callable[[], None] = lambda: None) -> None:
        """Starts the worker thread, which connects right away.

        Args:
            drawn: called once in that thread, when the first screen is on the panel, or couldn't be drawn.

        Raises:
            RuntimeError: it was started or closed before.
        """
        if self._thread is not None or self._closing:
            raise RuntimeError("a display starts once")
        self._thread = threading.Thread(target=self._work, args=(drawn,), name="display", daemon=True)
        self._thread.start()

    def show(self, screen: LocalizedScreen, t_ns: int) -> None:
        """Leaves a screen for the worker and returns at once. It replaces one that isn't drawn yet.

        Args:
            screen: what to show.
            t_ns: when it was first shown, by the display's clock; animation starts there.
        """
        with self._mail:
            self._post(_Shown(screen, t_ns))

    def sleep(self) -> None:
        """Switches the panel off until the next `show`; returns at once."""
        with self._mail:
            self._post(_Asleep())

    def brighten(self, brightness: Brightness) -> None:
        """Sets the brightness from now on; returns at once."""
        with self._mail:
            self._contrast = CONTRAST[brightness]
            self._posted = True
            self._mail.notify()

    @property
    def alive(self) -> bool:
        """Whether the worker is running and not stuck in a transfer; for the watchdog.

        Without a display, the worker counts as alive, too.
        """
        busy_since = self._busy_since_ns
        stuck = busy_since is not None and self._now_ns() - busy_since > STUCK_NS
        return self._thread is not None and self._thread.is_alive() and not stuck

    @property
    def connected(self) -> bool:
        """Whether the panel took the last thing sent to it."""
        return self._connected is True

    def close(self, goodbye: LocalizedScreen | None = None, timeout_s: float = 2.0) -> None:
        """Stops the worker and closes the bus. Further calls do nothing.

        Args:
            goodbye: stays on the panel; without it, the panel is switched off.
            timeout_s: how long to wait for a worker that's stuck in a transfer.
        """
        with self._mail:
            if self._closing:
                return
            self._closing = True
            self._wanted = _Asleep() if goodbye is None else _Shown(goodbye, self._now_ns())
            self._mail.notify()
        if self._thread is None:
            self._finish()
        else:
            self._thread.join(timeout_s)
            if self._thread.is_alive():
                _log.warning("the display is stuck in a transfer; stopping without it")

    def render_now(self, screen: LocalizedScreen, elapsed_ns: int) -> Bitmap:
        """Draws and sends a screen in the caller's thread, for virtual time. Don't call `start`.

        Bus errors don't raise: a later call looks for the panel again, no sooner than a second later by the
        display's clock.

        Args:
            screen: what to show.
            elapsed_ns: since it was first shown.

        Returns:
            The picture, whether or not there is a panel.

        Raises:
            RuntimeError: the worker thread is running, and owns the bus.
        """
        if self._thread is not None:
            raise RuntimeError("render_now is for a display without its thread")
        self._dim()
        frame = _render(screen, elapsed_ns)
        self._send(frame.picture)
        return frame.picture

    # The worker's side.

    def _post(self, wanted: _Shown | _Asleep) -> None:
        self._wanted = wanted
        self._posted = True
        self._mail.notify()

    def _work(self, drawn: Callable[[], None]) -> None:
        then: Callable[[], None] | None = drawn
        due_ns: int | None = self._now_ns()  # look for the panel before there is anything to show
        while True:
            with self._mail:
                while not self._posted and not self._closing:
                    wait_ns = None if due_ns is None else due_ns - self._now_ns()
                    if wait_ns is not None and wait_ns <= 0:
                        break
                    self._mail.wait(None if wait_ns is None else wait_ns / _SECOND)
                self._posted = False
                wanted = self._wanted
                if self._closing:
                    break
            self._busy_since_ns = self._now_ns()
            try:
                due_ns = self._turn(wanted)
            except Exception:
                # Just logged: the game can be played without a display.
                _log.exception("can't draw %r", wanted)
                due_ns = None
            finally:
                self._busy_since_ns = None
            if then is not None:
                then()
                then = None
        self._busy_since_ns = self._now_ns()
        try:
            self._finish()
        except Exception:
            _log.exception("can't say goodbye")
        finally:
            self._busy_since_ns = None

    def _turn(self, wanted: _Shown | _Asleep | None) -> int | None:
        """Does what's due. Returns when to come back, or None."""
        started_ns = self._now_ns()
        self._dim()
        if wanted is None:
            self._try(lambda panel: None)
            return None if self._connected else self._retry_ns
        if isinstance(wanted, _Asleep):
            self._try(lambda panel: panel.blank())
            return None if self._connected else self._retry_ns
        frame = _render(wanted.screen, started_ns - wanted.since_ns)
        self._send(frame.picture)
        if not self._connected:
            return self._retry_ns
        due_ns = self._refreshed_ns + REFRESH_NS
        if frame.next_ns is not None:
            due_ns = min(due_ns, max(wanted.since_ns + frame.next_ns, started_ns + LEAST_FRAME_NS))
        return due_ns

    def _dim(self) -> None:
        """Sets the wanted brightness, unless the panel already has it."""
        level = self._contrast
        if level is None:
            return

        def set_contrast(panel: Panel) -> None:
            panel.contrast(level)
            with self._mail:
                if self._contrast == level:
                    self._contrast = None

        self._try(set_contrast)

    def _send(self, picture: Bitmap) -> None:
        def push(panel: Panel) -> None:
            refresh = self._now_ns() - self._refreshed_ns >= REFRESH_NS
            panel.push(picture, refresh=refresh)
            if refresh:
                self._refreshed_ns = self._now_ns()

        self._try(push)

    def _try(self, use: Callable[[Panel], None]) -> None:
        """Uses the panel if it's connected, or if it's time to look for it again."""
        from shutthebox.adapters.display.panel import DisplayError

        if not self._connected and self._connected is not None and self._now_ns() < self._retry_ns:
            return
        try:
            if self._panel is None:
                self._panel = self._connect()
            if not self._connected:  # a panel that was gone is set up again by its next picture
                self._refreshed_ns = self._now_ns()
            use(self._panel)
        except DisplayError as error:
            self._trouble.warn("playing on without the display: %s", error)
            self._connected = False
            self._retry_ns = self._now_ns() + RETRY_NS
        else:
            self._trouble.clear("the display answers (%s)", self._panel.controller)
            self._connected = True

    def _finish(self) -> None:
        wanted = self._wanted
        if self._panel is None or not self._connected:
            pass
        elif isinstance(wanted, _Shown):
            self._send(_render(wanted.screen, 0).picture)
        else:
            self._try(lambda panel: panel.blank())
        if self._panel is not None:
            self._panel.close()
