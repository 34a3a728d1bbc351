"""What the box in a tab keeps for offline: updates reach it whole, and it leaves its neighbours alone."""

import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.support.chromium import start_chromium
from tests.support.http_client import answering
from tests.support.tab import until, words
from tests.support.web_build import made_web

from shutthebox import __version__

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


class _Lasting(SimpleHTTPRequestHandler):
    """What it sends counts as new for ten minutes, as at GitHub Pages."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing: the test says what matters."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder with a box in `ours/`, and its address."""
    folder = tmp_path / "site"
    shutil.copytree(made_web(), folder / "ours")
    handler = partial(_Lasting, directory=str(folder))
    with answering(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as server:
        yield folder, f"http://127.0.0.1:{server.server_port}/"


MAKE_CACHES = """
const done = arguments[arguments.length - 1];
const [names, page] = arguments;
Promise.all(names.map(async (name) => (await caches.open(name)).put(page, new Response("")))).then(done);
"""
# Opens none: that would make one anew that an update has just deleted.
KEPT_STYLE = """
const done = arguments[arguments.length - 1];
(async () => {
  const names = await caches.keys();
  const answers = await Promise.all(names.map((cacheName) => caches.match("style.css", { cacheName })));
  const texts = await Promise.all(answers.map((answer) => answer?.text() ?? ""));
  return Object.fromEntries(names.map((name, index) => [name, texts[index].slice(-7)]));
})().then(done);
"""


def test_an_update_is_kept_as_it_is_on_the_server_and_only_it(site: tuple[Path, str], tmp_path: Path) -> None:
    folder, address = site
    browser = start_chromium(tmp_path / "chromium")

    def look() -> dict[str, Any]:
        return dict(browser.execute_async_script(KEPT_STYLE))

    try:
        browser.get(f"{address}ours/")
        until(lambda: words(browser), "the box starts")
        until(lambda: browser.execute_script("return navigator.serviceWorker.controller !== null"), "offline")
        (first,) = look()
        neighbours = ["another-game-7", "shutthebox-1 of a neighbour"]
        browser.execute_async_script(MAKE_CACHES, neighbours, f"{address}another/")
        browser.execute_async_script(MAKE_CACHES, ["shutthebox-0.9-earlier"], f"{address}ours/")

        style, offline = folder / "ours/style.css", folder / "ours/offline.js"
        style.write_text(style.read_text("utf-8") + "/* 2 */", "utf-8")
        offline.write_text(
            offline.read_text("utf-8").replace(f'"{__version__}-', f'"{__version__}-2'), "utf-8"
        )
        browser.refresh()
        until(lambda: first not in look() and len(look()) == 3, "the update replaces it")
        (second,) = look().keys() - set(neighbours)
        assert look()[second] == "/* 2 */"
        assert set(neighbours) < look().keys()
    finally:
        browser.quit()
