"""`make duel`: two simulated boxes in the browser, side by side, joined by a link in this process."""

import argparse
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, nullcontext
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, SimpleQueue
from secrets import randbits
from typing import TYPE_CHECKING, TextIO

from shutthebox.adapters import signatures
from shutthebox.adapters.buzzer import Buzzer
from shutthebox.adapters.display.opening import open_panel
from shutthebox.adapters.display.worker import DisplayWorker
from shutthebox.config.schema import Config, read_config, with_value
from shutthebox.config.settings_loader import levers_needed
from shutthebox.errors import ShutTheBoxError
from shutthebox.game.effects import Effect, PlaySound
from shutthebox.game.inputs import FormInput
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.link.messages import LogSignature
from shutthebox.runtime.ports import Observer
from shutthebox.simulator.form_input import as_line
from shutthebox.simulator.hardware.box import BUZZER_LINE
from shutthebox.simulator.hardware.panel_model import PanelModel
from shutthebox.simulator.hardware.workshop import Workshop
from shutthebox.simulator.page.http import LOOPBACK
from shutthebox.simulator.page.server import PageServer
from shutthebox.simulator.page.transcript import Transcript
from shutthebox.simulator.scenario.recorder import LinkedRecorder, create
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.simulator.virtual_link import LinkEnd, VirtualLink
from shutthebox.simulator.virtual_time import VirtualTime

if TYPE_CHECKING:  # not on every machine
    from shutthebox_link.signing import Signer

NAMES = "The Anchor", "The Crown"

PAGE = """<!doctype html><meta charset="utf-8"><title>Two boxes</title>
<meta name="viewport" content="width=device-width">
<style>
body{{margin:0;display:grid;grid:auto auto 1fr/1fr 1fr;height:100vh}}
body{{font:16px/1.4 system-ui,sans-serif;color-scheme:light dark}}
p{{grid-column:1/3;margin:.5em 1em}}
h1{{margin:0;padding:.2em;text-align:center;font-size:1.1em}}
iframe{{width:100%;height:100%;border:0}}
</style>
<p>Two boxes that can play with each other. On the left one, hold the button for the menu, choose <i>Another
box</i>, then <i>Show a room</i>. On the right one, choose <i>Another box</i>, then <i>Enter a room</i>, and
flick the levers for the eight digits that the left one shows.</p>
<h1>{left}</h1><h1>{right}</h1>
<iframe src="{left_url}" title="{left}"></iframe><iframe src="{right_url}" title="{right}"></iframe>
"""


def page_of(duel: "Duel") -> str:
    """The page with both boxes, and what to do first."""
    left_url, right_url = duel.urls
    return PAGE.format(left=NAMES[0], right=NAMES[1], left_url=left_url, right_url=right_url)


class _Plug:
    """The plug of one box. No page can record or rebuild it: recording takes both boxes, from the start."""

    recording = Path("/nonexistent")
    is_recording = None
    boxes: Sequence[int] = ()

    def __init__(self, duel: "Duel", box: int) -> None:
        self._duel, self._box = duel, box

    def cut(self) -> None:
        self._duel.wake(partial(self._duel.cut_power, self._box))

    def record(self, on: bool) -> None:
        pass

    def build(self, levers: int) -> None:
        pass


class Duel:
    """Two boxes whose virtual time follows the real one.

    Args:
        config: of both, apart from the link.
        folder: for what they keep.
        framed_by: the origin of the page with both in it.
        record: where to record what hands do; None not to.
    """

    def __init__(self, config: Config, folder: Path, framed_by: str, record: TextIO | None = None) -> None:
        self._start_ns = time.monotonic_ns()
        self._time = VirtualTime()
        self._seed = randbits(62)
        self.link = SigningLink(self._seed, lambda: self._time.now_ns, folder)
        self._time.add(self.link)
        self._mail: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._stack = ExitStack()
        self.boxes: list[VirtualBox] = []
        self._buzzers: list[Buzzer] = []
        self.urls: list[str] = []
        config = with_value(config, "link.on", True, "duel")
        configs = [with_value(config, "link.name", name, "duel") for name in NAMES]
        levers = levers_needed(config, "duel")
        self._recorder = (
            None if record is None else LinkedRecorder(record, configs, (levers, levers), self._seed)
        )
        with self._stack:
            for end in range(2):
                self._add_box(configs[end], folder / f"box-{end + 1}", end, framed_by)
            self._stack = self._stack.pop_all()

    def _add_box(self, config: Config, state: Path, end: int, framed_by: str) -> None:
        state.mkdir()
        panel = PanelModel()
        display = DisplayWorker(lambda: open_panel(panel.controller, panel), now_ns=self._now_ns)
        transcript = Transcript(config.box.language)
        observers: list[Observer] = [transcript, partial(self._play_sound, end)]
        if self._recorder is not None:
            observers.append(self._recorder.observer(end))
        box = VirtualBox(
            config,
            state,
            seed=self._seed + end,
            display=display,
            observers=observers,
            epoch_s=time.time(),
            link=LinkEnd(self.link, end),
            time=self._time,
            contacts_ns=self._now_ns,
        )
        self._stack.callback(box.close)
        self.boxes.append(box)
        self._buzzers.append(Buzzer(box.box.factory, BUZZER_LINE))
        self._stack.callback(lambda: self._buzzers[end].close())
        display.start()
        self._stack.callback(display.close)
        box.box.subscribe(lambda change: self._mail.put(box.take_edges))
        server = PageServer(
            Workshop(box.box, panel, tell=partial(self._note, end)),
            0,
            transcript,
            _Plug(self, end),
            partial(self._fill_in, end),
            framed_by=framed_by,
        )
        self._stack.enter_context(server)
        self.urls.append(server.url)

    def _fill_in(self, end: int, given: FormInput) -> None:
        self._note(end, as_line(given))
        self.wake(partial(self.boxes[end].fill_in, given))

    def _note(self, end: int, line: str) -> None:
        if self._recorder is not None:
            self._recorder.note(end, line, self._now_ns())

    def cut_power(self, end: int) -> None:
        """Pulls a box's plug and puts it back. Only in the loop."""
        box = self.boxes[end]
        if self._recorder is not None:
            self._recorder.cut_power(end, self._now_ns(), box.box.levers_down)
        self._buzzers[end].close()
        box.cut_power()
        self._buzzers[end] = Buzzer(box.box.factory, BUZZER_LINE)

    def _play_sound(self, end: int, what: Effect | SwitchChanged, t_ns: int) -> None:
        if isinstance(what, PlaySound):
            self._buzzers[end].play(what.sound)

    def _now_ns(self) -> int:
        return time.monotonic_ns() - self._start_ns

    def wake(self, do: Callable[[], None]) -> None:
        """Runs `do` in the loop's thread, at the present time. May be called from any thread."""

        def act() -> None:
            self._time.run_until(max(self._now_ns(), self._time.now_ns))
            do()

        self._mail.put(act)

    def run(self) -> None:
        """Plays until interrupted."""
        while True:
            try:
                # Hands come first: time that has passed meanwhile must not turn a late press into a hold.
                self._mail.get(timeout=max(0, self._time.deadline_ns - self._now_ns()) / 1e9)()
            except Empty:
                self._time.run_until(max(self._now_ns(), self._time.now_ns))
                for box in self.boxes:
                    box.take_edges()

    def close(self) -> None:
        """Closes pages and boxes."""
        self._stack.close()


class SigningLink(VirtualLink):
    """A link whose helpers sign matches with new keys, if this machine has the library.

    Args:
        seed: of everything that happens.
        now_ns: the clock.
        folder: for the keys.
    """

    def __init__(self, seed: int, now_ns: Callable[[], int], folder: Path) -> None:
        super().__init__(seed, now_ns)
        self._signers = list["Signer"]()
        if signatures.can_check():
            from shutthebox_link.signing import Signer

            for end in range(2):
                key = folder / f"key-{end + 1}"
                key.mkdir()
                self._signers.append(Signer(key))

    def public_key(self, box: int) -> str:
        """The key of a box's helper; empty without the library."""
        return self._signers[box].public_key if self._signers else ""

    def sign(self, box: int, unsigned: LogSignature) -> LogSignature | None:
        """Signs a finished log, or leaves it as it is without the library."""
        return self._signers[box].sign(unsigned.digest) if self._signers else unsigned


class Page(ThreadingHTTPServer):
    """Serves one page on loopback, which shows the pages of both boxes side by side."""

    daemon_threads = True
    content = b""

    def __init__(self) -> None:
        super().__init__((LOOPBACK, 0), _Request)
        threading.Thread(target=self.serve_forever, name="page", daemon=True).start()

    @property
    def url(self) -> str:
        """The page's address, which is the origin that may frame the boxes."""
        return f"http://{LOOPBACK}:{self.server_port}"

    def close(self) -> None:
        """Ends the thread and frees the port."""
        self.shutdown()
        self.server_close()


class _Request(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        content = self.server.content  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


def main() -> int:
    """Opens two boxes; returns the exit status."""
    parser = argparse.ArgumentParser(prog="make duel", description="Opens two linked boxes side by side.")
    parser.add_argument("--config", metavar="F", type=Path, help="a config file for both boxes")
    parser.add_argument("--record", metavar="F", type=Path, help="record what is played as a scenario")
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    args = parser.parse_args()
    try:
        config = read_config(args.config) if args.config else Config()
        with (
            create(args.record) if args.record else nullcontext() as record,
            tempfile.TemporaryDirectory(prefix="shutthebox-duel-", ignore_cleanup_errors=True) as folder,
            closing(Page()) as page,
            closing(Duel(config, Path(folder), page.url, record)) as duel,
        ):
            page.content = page_of(duel).encode()
            print(f"The boxes are at {page.url}/  (Ctrl-C ends)", flush=True)
            if not args.no_browser:
                webbrowser.open(f"{page.url}/")
            duel.run()
    except ShutTheBoxError as error:
        print(f"make: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Goodbye.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
