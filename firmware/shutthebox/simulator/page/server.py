"""The box as a page in the browser: one small server, for this machine only.

It shows contacts, lamp, sound and panel to any number of pages and takes from them what a
hand can do: move a lever, press the button. There is no other message, so nothing on the
page can set dice or state.

asyncio is used here, in a thread of its own, because it serves all pages with that one
thread; the library's threaded server needs three for every page. The daemon never waits for
it: the box's callbacks only ring a bell, and every page has a mailbox of one, its latest state.
"""

import asyncio
import base64
import json
import logging
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from shutthebox.simulator.hardware.box import Change, SimulatedBox
from shutthebox.simulator.page.message import BUTTON, MAX_MESSAGE, parse
from shutthebox.simulator.page.request_guard import (
    GOODBYE_S,
    Connection,
    RequestGuard,
    connection_class,
    not_allowed,
    refusal,
)
from shutthebox.web.http import LOOPBACK, listen

if TYPE_CHECKING:
    from PIL import Image

MAX_PAGES = 32
"""Connected at the same time; one more is told to come back later."""

_POLICY_VIOLATION = 1008
_GAP_S = 0.012  # between two messages to one page: more than any screen can show
_OPEN_S = 5.0  # how long anybody may take over a request
_State = dict[str, object]


class PanelView(Protocol):
    """What the server needs of the simulated panel."""

    def image(self) -> "Image.Image":
        """The 128x64 pixels lit now, mode "1". Called in the server's thread, at any time."""

    def on_change(self, callback: Callable[[], None]) -> object:
        """Calls back, in any thread, whenever ``image()`` would give something new."""


class PageServer:
    """Serves the page on 127.0.0.1 until closed; use it as a context manager or start and close it.

    Args:
        box: the contacts that the page moves, the lamp and the sound that it shows.
        panel: what the page shows of the display.
        port: TCP port; 0 takes any free one.
    """

    def __init__(self, box: SimulatedBox, panel: PanelView, port: int = 0) -> None:
        self._box = box
        self._panel = panel
        self._wanted_port = port
        self._port = 0
        self._panel_text = ""
        self._panel_stale = True
        self._pages: set[_Page] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self._thread: threading.Thread | None = None
        self._leave: Callable[[], None] | None = None
        self._logger = logging.getLogger(__name__)
        self._logger.addFilter(_no_bad_handshakes)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def port(self) -> int:
        """The port listened on; 0 before ``start``."""
        return self._port

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        return f"http://{LOOPBACK}:{self._port}/"

    @property
    def watchers(self) -> int:
        """How many pages are connected now."""
        return len(self._pages)

    def start(self) -> None:
        """Takes the port and starts serving; returns once pages can connect.

        Raises:
            PortError: the port is in use, not allowed, or no port at all.
            RuntimeError: it has been started before.
        """
        if self._thread is not None:
            raise RuntimeError("a page server starts once")
        listener = listen(self._wanted_port)
        self._port = listener.getsockname()[1]
        self._request_guard = RequestGuard(self._port)
        # Before any page can connect, so that none misses anything.
        self._leave = self._box.subscribe(self._box_changed)
        self._panel.on_change(self._panel_changed)
        ready = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(listener, ready)), name="page-server", daemon=True
        )
        self._thread.start()
        ready.wait()

    def close(self) -> None:
        """Says goodbye to all pages, lets go of a button they held, and frees the port.

        Takes about a second at worst, for a page that does not answer; harmless when repeated.
        """
        if self._leave is not None:
            self._leave()
        self._ring(self._stop.set)
        if self._thread is not None:
            self._thread.join()

    # From here on down: called by other threads.

    def _box_changed(self, change: Change) -> None:
        self._ring(self._wake_pages)

    def _panel_changed(self) -> None:
        self._panel_stale = True
        self._ring(self._wake_pages)

    def _ring(self, bell: Callable[[], object]) -> None:
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # closed meanwhile: nobody is watching any more
                loop.call_soon_threadsafe(bell)

    # From here on down: the server's own thread.

    async def _serve(self, listener: socket.socket, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            async with serve(
                self._attend,
                sock=listener,
                process_request=self._answer,
                compression=None,
                # Beyond this the library hangs up with 1009; up to it the reason is ours to give.
                max_size=4 * MAX_MESSAGE,
                open_timeout=_OPEN_S,
                close_timeout=GOODBYE_S,
                server_header=None,
                logger=self._logger,
                create_connection=connection_class(),
            ):
                ready.set()
                await self._stop.wait()
        finally:
            self._loop = None
            ready.set()

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """Serves a file; None lets a well-formed WebSocket handshake go on."""
        response = self._request_guard.answer(request)
        if response is None and len(self._pages) >= MAX_PAGES:
            response = refusal(503, "Service Unavailable", "Too many pages are open.\n")
        if isinstance(connection, Connection) and connection.head:
            response = response or not_allowed()
            response.body = b""
        return response

    async def _attend(self, connection: ServerConnection) -> None:
        page = _Page(connection)
        self._pages.add(page)
        tasks = [asyncio.create_task(self._receive(page)), asyncio.create_task(self._send(page))]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._pages.discard(page)
            self._hold(page, False)
            for task in tasks:
                task.cancel()
            for outcome in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(outcome, Exception) and not isinstance(outcome, ConnectionClosed):
                    raise outcome

    async def _receive(self, page: "_Page") -> None:
        async for message in page.connection:
            refusal = self._take(page, message)
            if refusal:
                await page.connection.close(_POLICY_VIOLATION, refusal)
                return

    async def _send(self, page: "_Page") -> None:
        while True:
            page.news.clear()
            state = self._state()
            changed = {key: value for key, value in state.items() if page.shown.get(key, ...) != value}
            if changed:
                kind = "change" if page.shown else "box"
                page.shown = state
                await page.connection.send(json.dumps({"type": kind, **changed}, separators=(",", ":")))
                await asyncio.sleep(_GAP_S)
            await page.news.wait()

    def _state(self) -> _State:
        if self._panel_stale:
            self._panel_stale = False  # first, so that a change while it is drawn is not missed
            pixels = self._panel.image().convert("1").tobytes()
            self._panel_text = base64.b64encode(pixels).decode("ascii")
        down = self._box.levers_down
        return {
            "levers": [{"number": number, "down": number in down} for number in self._box.levers],
            "button": self._box.button_down,
            "panel": self._panel_text,
            "lamp": round(self._box.lamp, 3),
            "sound": self._box.sound,
        }

    def _take(self, page: "_Page", message: str | bytes) -> str | None:
        """Does what a page asks for; otherwise says why not."""
        wish = parse(message)
        if isinstance(wish, str):
            return wish
        switch, down = wish
        if switch == BUTTON:
            self._hold(page, down)
        elif switch in self._box.levers:
            self._box.set_lever(switch, down)
        else:
            return "no such lever"
        return None

    def _hold(self, page: "_Page", down: bool) -> None:
        """The button is down as long as any page holds it; a page that is gone holds nothing."""
        if page.holds != down:
            page.holds = down
            held = down or any(other.holds for other in self._pages)
            self._box.set_button(held)

    def _wake_pages(self) -> None:
        for page in self._pages:
            page.news.set()


class _Page:
    """One connected page: what it has been shown, and whether there may be news."""

    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection
        self.news = asyncio.Event()
        self.shown: _State = {}
        self.holds = False


def _no_bad_handshakes(record: logging.LogRecord) -> bool:
    """Keeps out what the library logs, with a traceback, when somebody talks nonsense to the port."""
    return not record.getMessage().startswith(("opening handshake failed", "connection rejected"))
