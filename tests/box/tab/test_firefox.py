"""The box in a tab of a real Firefox, which is asked by WebDriver BiDi. Needs firefox, node and npm."""

import itertools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.support.tab import GAME, until
from tests.support.waiting import HANG_S
from tests.support.web_build import made_web, serving
from websockets.sync.client import ClientConnection, connect

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ADDRESS = re.compile(r"BiDi listening on (ws:\S+)\n")


class Firefox:
    """One page of a Firefox."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._ids = socket, itertools.count(1)
        self.ask("session.new", capabilities={})
        self._page = self.ask("browsingContext.getTree")["contexts"][0]["context"]

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        number = next(self._ids)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv(timeout=HANG_S))
            if answer.get("id") == number:
                assert answer["type"] == "success", answer
                return dict(answer["result"])

    def open(self, url: str) -> None:
        self.ask("browsingContext.navigate", context=self._page, url=url, wait="complete")

    def words(self) -> str:
        script = "document.getElementById('panel')?.getAttribute('aria-label') ?? ''"
        target = {"context": self._page}
        answer = self.ask("script.evaluate", expression=script, target=target, awaitPromise=False)
        return str(answer["result"]["value"])

    def press(self, key: str, follows: str) -> None:
        strokes = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        keys = [{"type": "key", "id": "keys", "actions": strokes}]
        self.ask("input.performActions", context=self._page, actions=keys)
        until(lambda: follows in self.words(), f"{follows!r} after {key!r}; {self.words()!r} is shown")


@pytest.fixture
def firefox(tmp_path: Path) -> Iterator[Firefox]:
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        pytest.skip("NOT TESTED: the box in a tab of Firefox, because it is not installed")
    command = [program, "--headless", "--no-remote", "--profile", str(tmp_path), "--remote-debugging-port=0"]
    environ = {**os.environ, "HOME": str(tmp_path)}
    log = tmp_path / "log"
    with log.open("w") as said, subprocess.Popen(command, stderr=said, env=environ) as process:
        try:
            until(lambda: ADDRESS.search(log.read_text()), "Firefox listens")
            with connect(f"{ADDRESS.findall(log.read_text())[0]}/session", max_size=None) as socket:
                yield Firefox(socket)
        finally:
            with suppress(ProcessLookupError):
                process.kill()


def test_firefox_plays_and_goes_on_after_the_page_was_left(firefox: Firefox) -> None:
    with serving(made_web()) as server:
        address = f"http://127.0.0.1:{server.server_port}/{GAME}"
        firefox.open(address)
        until(firefox.words, "the box starts")
        for follows in ("Players?", "throw", "6 and 2"):
            firefox.press(" ", follows)
        firefox.press("8", "Right!")
        firefox.open("about:blank")
        firefox.open(address)
        until(lambda: "6 and 2" in firefox.words(), f"the match goes on: {firefox.words()!r}")
