"""The box as a page in the browser: a small server for this machine, or for phones on its network.

It shows contacts, lamp, sound, panel and words to any number of pages. From them it takes what hands do (a
lever, the button), the settings in the box's own menu, and makers' changes to the simulated hardware. There
are no other messages, so no page can set the dice or the state of the game.

It uses asyncio in its own thread, which then serves all pages; the library's threaded server needs three
threads per page. The daemon never waits for it: the box's callbacks only set an event, and every page has a
mailbox for one state, the latest.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, assert_never

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from shutthebox.files import read_bytes
from shutthebox.game.inputs import FormInput
from shutthebox.simulator.hardware.box import Change
from shutthebox.simulator.hardware.workshop import Workshop
from shutthebox.simulator.page.film_thread import FilmThread
from shutthebox.simulator.page.http import LOOPBACK, listen
from shutthebox.simulator.page.message import (
    MAX_SCENARIO,
    BreakLever,
    BuildBox,
    ChangeHardware,
    FillIn,
    GiveRules,
    Mend,
    MoveButton,
    MoveLever,
    OpenWorkshop,
    PageRequest,
    PressService,
    PullPlug,
    RecordScenario,
    ReplayScenario,
    parse,
)
from shutthebox.simulator.page.page_files import PageFiles, refusal
from shutthebox.simulator.page.request_guard import (
    MESSAGES_PER_S,
    SOCKET_PATH,
    Allowance,
    BoundedConnection,
    GuardedListener,
    RequestGuard,
    has_room,
    method_of,
    path_of,
    visitor_of,
)
from shutthebox.simulator.page.state import (
    View,
    box_state,
    boxes_state,
    repair,
    visitor_state,
    workshop_state,
)
from shutthebox.simulator.page.texts import pixels_text
from shutthebox.simulator.page.transcript import Transcript
from shutthebox.simulator.scenario import script

MAX_PAGES = 32
"""The most pages from this machine, and from all visitors together; one more is told to come back later."""

MAX_PAGES_OF_A_VISITOR = 8
"""The most pages from one visitor."""

HANDS_S = 10.0
"""How many seconds after its last move a page keeps control, if several machines play."""

_POLICY_VIOLATION = 1008
_GAP_S = 0.012  # between two messages to one page: more than any screen can show
_OPEN_S = 5.0  # how long anybody may take over a request
_CLOSE_S = 1.0  # how long a page may take to say goodbye
_PING_S = 10.0  # between two pings to a page, and how long it may take to answer one
_MAX_QUEUE = 4  # messages of a page that wait for us; then nothing more is read
_State = dict[str, object]


class Power(Protocol):
    """The plug of the simulated box, and its start."""

    @property
    def recording(self) -> Path:
        """The file of the current or last recording."""

    @property
    def is_recording(self) -> bool | None:
        """Whether a recording is running; None where pages can't record."""

    def cut(self) -> None:
        """Pulls the plug and puts it back: the daemon dies without a goodbye, and starts again."""

    def record(self, on: bool) -> None:
        """Restarts the box, recorded and with an empty memory; or as it was before."""

    @property
    def boxes(self) -> Sequence[int]:
        """How many levers the box may have instead; none while it can't be rebuilt."""

    def build(self, levers: int) -> None:
        """Restarts the box with this many levers."""


class PageServer:
    """Serves the page until closed. Use it as a context manager, or start and close it.

    On 127.0.0.1, all pages can play. On a network, one page at a time is in control: another gets control
    once it rests, and this machine's own page at once. Only this machine has settings, house rules and the
    workshop.

    Args:
        workshop: the simulated hardware that the page shows and controls.
        port: TCP port; 0 for any free one.
        transcript: the box's log and words; must observe the runner.
        power: the plug.
        fill_in: called with input from the page's form; must not block.
        address: of this machine to listen on, in numbers.
        names: of this machine for visitors, besides its addresses; only for a network.
        framed_by: the origin of a page that shows this one in a frame; None for none.
    """

    def __init__(
        self,
        workshop: Workshop,
        port: int,
        transcript: Transcript,
        power: Power,
        fill_in: Callable[[FormInput], None],
        *,
        address: str = LOOPBACK,
        names: Sequence[str] = (),
        framed_by: str | None = None,
    ) -> None:
        self._workshop = workshop
        self._box, self._panel = workshop.box, workshop.panel
        self._transcript = transcript
        self._power = power
        self._fill_in = fill_in
        self._wanted_port = port
        self._address, self._names, self._framed_by = address, names, framed_by
        self._in_network = not ip_address(address).is_loopback
        self._player: _Page | None = None
        self._resting: asyncio.TimerHandle | None = None
        self._port = 0
        self._panel_text = ""
        self._panel_stale = True
        self._pages: set[_Page] = set()
        self._in_workshop = False
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
        """The port it listens on; 0 before ``start``."""
        return self._port

    @property
    def url(self) -> str:
        """The address to open in a browser on this machine."""
        host = LOOPBACK if ip_address(self._address).is_unspecified else self._address
        return f"http://{f'[{host}]' if ':' in host else host}:{self._port}/"

    @property
    def watchers(self) -> int:
        """How many pages are connected now."""
        return len(self._pages)

    def start(self) -> None:
        """Starts serving; returns once pages can connect.

        Raises:
            PortError: the port is in use, not permitted, or invalid.
            RuntimeError: it has been started before.
        """
        if self._thread is not None:
            raise RuntimeError("a page server starts once")
        self._listener = GuardedListener(listen(self._wanted_port, self._address))
        self._port = self._listener.getsockname()[1]
        self._request_guard = RequestGuard(self._port, self._names)
        self._files = PageFiles(self._language, self._recording, self._framed_by)
        # Before any page can connect, so that none misses anything.
        self._leave = self._box.subscribe(self._box_changed)
        self._panel.on_change(self._panel_changed)
        self._transcript.on_change(self._transcript_changed)
        ready = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(self._listener, ready), name="page-server", daemon=True
        )
        self._thread.start()
        ready.wait()

    def close(self) -> None:
        """Says goodbye to all pages, releases a button they hold, and frees the port.

        Takes a second at worst, if a page doesn't answer. Further calls do nothing.
        """
        if self._leave is not None:
            self._leave()
        self._ring(self._stop.set)
        if self._thread is not None:
            self._thread.join()

    # From here on down: called by other threads.

    def _box_changed(self, change: Change) -> None:
        # Each edge of a bouncing contact changes a pin, but only makers look at pins.
        if change is not Change.PINS or self._in_workshop:
            self._ring(self._wake_pages)

    def _transcript_changed(self) -> None:
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

    def _run(self, listener: GuardedListener, ready: threading.Event) -> None:
        # Python's own loop, whatever a program prefers: uvloop accepts without asking the listener.
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
            runner.run(self._serve(listener, ready))

    async def _serve(self, listener: GuardedListener, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            async with serve(
                self._attend,
                sock=listener,
                create_connection=BoundedConnection,
                process_request=self._answer,
                compression=None,
                # Above this, the library closes with 1009; below it, our server answers with the reason.
                max_size=MAX_SCENARIO + 1024,
                max_queue=_MAX_QUEUE,
                open_timeout=_OPEN_S,
                close_timeout=_CLOSE_S,
                ping_interval=None,
                server_header=None,
                logger=self._logger,
            ):
                ready.set()
                await self._stop.wait()
                # asyncio leaves a connection open if it accepts it just as it closes the port.
                self._loop.remove_reader(listener)
                listener.hang_up(but={page.connection.remote_address for page in self._pages})
                self._loop.call_later(_CLOSE_S, listener.hang_up)
        finally:
            self._loop = None
            ready.set()

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """Serves a file; None lets a well-formed WebSocket handshake go on."""
        response = self._find_response(connection, request)
        if response is not None and method_of(request) == "HEAD":
            response.body = b""  # the headers are those of GET
        return response

    def _find_response(self, connection: ServerConnection, request: Request) -> Response | None:
        own = str(connection.local_address[0]) if self._in_network else LOOPBACK
        visitor = visitor_of(connection.remote_address)
        if response := self._request_guard.refuse(request, own, visitor):
            return response
        if path_of(request) != SOCKET_PATH:
            return self._files.answer(path_of(request), request.headers["Host"])
        pages_of = [page.visitor for page in self._pages]
        if not has_room(visitor, pages_of, MAX_PAGES, MAX_PAGES_OF_A_VISITOR):
            return refusal(503, "Service Unavailable", "Too many pages are open.\n")
        return None

    async def _attend(self, connection: ServerConnection) -> None:
        page = _Page(connection, visitor_of(connection.remote_address))
        self._pages.add(page)
        tasks = [asyncio.create_task(do(page)) for do in (self._receive, self._send, self._ping)]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._pages.discard(page)
            self._in_workshop = any(page.view.in_workshop for page in self._pages)
            self._hold(page, False)
            self._watch(page, None)
            if self._player is page:
                self._player = None
                self._wake_pages()
            for task in tasks:
                task.cancel()
            for outcome in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(outcome, Exception) and not isinstance(outcome, ConnectionClosed):
                    raise outcome

    async def _receive(self, page: "_Page") -> None:
        allowance = Allowance()
        why_not = None
        while not why_not:
            pieces: list[str] = []
            # The library joins pieces without counting them.
            async for piece in page.connection.recv_streaming():
                if not allowance.take():
                    why_not = f"a page sends at most {MESSAGES_PER_S} messages a second"
                    break
                if isinstance(piece, bytes):
                    why_not = "a message is text"
                    break
                pieces.append(piece)
            why_not = why_not or self._take(page, "".join(pieces))
        await page.connection.close(_POLICY_VIOLATION, why_not)

    async def _send(self, page: "_Page") -> None:
        while True:
            page.news.clear()
            if message := page.view.news(self._state_for(page), self._transcript):
                await page.connection.send(message)
                await asyncio.sleep(_GAP_S)
            await page.news.wait()

    async def _ping(self, page: "_Page") -> None:
        """Hangs up on a page that answers no ping. The library's pings wait for one that doesn't read."""
        try:
            while True:
                await asyncio.sleep(_PING_S)
                async with asyncio.timeout(_PING_S):
                    await (await page.connection.ping())
        except TimeoutError:
            self._listener.hang_up([page.connection.remote_address])

    def _state_for(self, page: "_Page") -> _State:
        """The state for this page: the box's or its film's, with the workshop if that's open."""
        state = self._state() | {"maker": not page.visitor, "watching": not self._may_move(page)}
        state["boxes"] = boxes_state(len(self._box.levers), self._power.boxes)
        if page.visitor:
            state |= visitor_state(state)
        if page.film is not None:
            state |= page.film.state
        if page.view.in_workshop:
            power: _State = {
                "recording": self._power.is_recording,
                "recorded": self._recorded_file() is not None,
            }
            state |= workshop_state(self._workshop, power)
        return state

    def _state(self) -> _State:
        if self._panel_stale:
            self._panel_stale = False  # first, so that a change while it is drawn is not missed
            self._panel_text = pixels_text(self._panel.picture())
        return box_state(self._workshop, self._transcript, self._panel_text, self._box.sound)

    def _take(self, page: "_Page", message: str) -> str | None:
        """Carries out a page's message, or returns why not."""
        request = parse(message)
        if isinstance(request, str):
            return request
        if isinstance(request, MoveLever | BreakLever) and request.lever not in self._box.levers:
            return "no such lever"
        is_hand = isinstance(request, MoveLever | MoveButton)
        if page.visitor and not is_hand:
            return "visitors only get the levers and the button"
        if not is_hand or self._takes_hands(page):
            self._do(page, request)
        return None

    def _may_move(self, page: "_Page") -> bool:
        """Whether this page is in control, or nobody is."""
        player = self._player
        if not self._in_network or not page.visitor or player is None or player is page:
            return True
        return time.monotonic() - player.moved_s >= HANDS_S

    def _takes_hands(self, page: "_Page") -> bool:
        """Puts a page in control for a move, unless another one is."""
        if not self._may_move(page):
            return False
        if self._in_network:
            page.moved_s = time.monotonic()
            before, self._player = self._player, page
            if before is not page:
                if before is not None:
                    self._hold(before, False)
                self._wake_pages()
            if self._resting is not None:
                self._resting.cancel()
            self._resting = asyncio.get_running_loop().call_later(HANDS_S, self._wake_pages)
        return True

    def _do(self, page: "_Page", request: PageRequest) -> None:
        match request:
            case MoveButton(down):
                # While a page shows a film, it can't play.
                self._hold(page, down and page.film is None)
            case MoveLever(lever, down):
                if page.film is None:
                    self._box.set_lever(lever, down)
            case FillIn(given):
                page.view.fill_in(given, self._transcript.words, self._fill_in)
                page.news.set()
            case GiveRules():
                page.view.give_rules(request, self._transcript.words, self._fill_in)
                page.news.set()
            case BuildBox(levers):
                form = self._transcript.words.form
                if form is not None and form["open"] and levers in self._power.boxes:
                    self._power.build(levers)
                page.view.resend("boxes")
                page.news.set()
            case OpenWorkshop(is_open):
                page.view.open_workshop(is_open)
                self._in_workshop = any(page.view.in_workshop for page in self._pages)
                page.news.set()
            case ChangeHardware() | BreakLever() | Mend() | PressService():
                self._note(repair(self._workshop, request))
            case ReplayScenario(scenario):
                self._watch(page, scenario)
            case PullPlug():
                self._power.cut()
            case RecordScenario(on):
                self._power.record(on)
            case _:
                assert_never(request)

    def _note(self, text: str) -> None:
        """Logs something that makers did."""
        self._transcript.note(text)
        self._wake_pages()

    def _watch(self, page: "_Page", scenario: str | None) -> None:
        """Starts a film for a page, replacing any previous one; None for no film."""
        if page.film is not None:
            page.film.stop()
            page.film = None
        if scenario is not None and (played := scenario or self._recorded_file()):
            self._hold(page, False)
            page.film = FilmThread(played, lambda: self._ring(page.news.set))
            page.view.resend("film")
        page.news.set()

    def _language(self) -> str:
        return self._transcript.words.language

    def _recorded_file(self) -> Path | None:
        """The file of the last recorded scenario, if any."""
        return self._power.recording if self._power.recording.is_file() else None

    def _recording(self) -> bytes:
        """The last recorded scenario; empty if there's none."""
        try:
            path = self._recorded_file()
            return b"" if path is None else read_bytes(path, script.MAX_BYTES)
        except OSError:
            return b""

    def _hold(self, page: "_Page", down: bool) -> None:
        """The button is down while any page holds it. A page that's gone holds nothing."""
        if page.holds != down:
            page.holds = down
            held = down or any(other.holds for other in self._pages)
            self._box.set_button(held)

    def _wake_pages(self) -> None:
        for page in self._pages:
            page.news.set()


class _Page:
    """One connected page: its view of the box, whether there may be a newer one, and its film."""

    def __init__(self, connection: ServerConnection, visitor: str = "") -> None:
        self.connection = connection
        self.news = asyncio.Event()
        self.view = View()
        self.holds = False
        self.film: FilmThread | None = None
        self.visitor = visitor
        self.moved_s = -HANDS_S


def _no_bad_handshakes(record: logging.LogRecord) -> bool:
    """Drops the library's log messages about malformed handshakes, each with a traceback."""
    return not record.getMessage().startswith(("opening handshake failed", "connection rejected"))
