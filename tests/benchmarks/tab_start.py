"""From an address to a box that can be played in a tab, beside Pyodide alone in the same browser.

    .venv/bin/python tests/benchmarks/tab_start.py [--starts 5]

Both are static files from the same server, each in a profile of its own that is new for every pair of starts.
The first start loads them, the second has no server any more. Pyodide alone is `loadPyodide` in a worker,
kept for offline in the same way. The ratios are to it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from string import Template

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from selenium import webdriver  # noqa: E402
from tests.support.chromium import start_chromium  # noqa: E402
from tests.support.web_build import made_web, serving  # noqa: E402

BARE_PAGE = """<!DOCTYPE html><title>Pyodide</title><p id="panel"></p><script type="module">
const worker = new Worker("worker.js", { type: "module" });
worker.onmessage = () => {
  document.getElementById("panel").setAttribute("aria-label", "ready");
  navigator.serviceWorker.register("offline.js");
};
</script>"""
BARE_WORKER = """import { loadPyodide } from "./pyodide/pyodide.mjs";
const found = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
found.runPython("1 + 1");
postMessage("ready");
"""
SHOWN = "return Boolean(document.getElementById('panel')?.getAttribute('aria-label'))"
KEPT = (
    "const done = arguments[0];"
    "const look = () => navigator.serviceWorker.controller ? done(true) : setTimeout(look, 50); look();"
)


def write_bare(box: Path, to: Path) -> None:
    """Pyodide alone, as a folder like that of the box."""
    shutil.copytree(box / "pyodide", to / "pyodide")
    (to / "index.html").write_text(BARE_PAGE)
    (to / "worker.js").write_text(BARE_WORKER)
    files = ["./", *sorted(path.relative_to(to).as_posix() for path in to.rglob("*") if path.is_file())]
    template = Template((PROJECT / "packaging/web/offline.js").read_text())
    (to / "offline.js").write_text(template.substitute(version="bare", files=json.dumps(files)))


@contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    """One with a new profile."""
    with tempfile.TemporaryDirectory(prefix="bench-") as profile:
        chromium = start_chromium(Path(profile))
        chromium.set_script_timeout(120)
        try:
            yield chromium
        finally:
            chromium.quit()


def seconds(chromium: webdriver.Chrome, address: str) -> float:
    """How long the page takes until it is ready."""
    chromium.get("about:blank")
    start = time.perf_counter()
    chromium.get(address)
    while not chromium.execute_script(SHOWN):
        if time.perf_counter() - start > 120:
            raise TimeoutError(address)
        time.sleep(0.02)
    return time.perf_counter() - start


def starts(folder: Path) -> tuple[float, float]:
    """The first start in a new profile, and the second without a server."""
    with browser() as chromium:
        with serving(folder) as server:
            address = f"http://127.0.0.1:{server.server_port}/"
            first = seconds(chromium, address)
            chromium.execute_async_script(KEPT)
        return first, seconds(chromium, address)


def main() -> None:
    """Measures, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--starts", type=int, default=5, help="pairs of starts of each")
    count = parser.parse_args().starts
    box = made_web()
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        bare = Path(name, "bare")
        bare.mkdir()
        write_bare(box, bare)
        found: dict[str, list[tuple[float, float]]] = {"Pyodide alone": [], "the box": []}
        for _ in range(count):
            for what, folder in (("Pyodide alone", bare), ("the box", box)):
                found[what].append(starts(folder))
    print(f"{'median of ' + str(count):16} {'first s':>8} {'ratio':>6} {'second s':>9} {'ratio':>6}")
    alone = [statistics.median(start) for start in zip(*found["Pyodide alone"], strict=True)]
    for what, pairs in found.items():
        first, second = (statistics.median(start) for start in zip(*pairs, strict=True))
        print(f"{what:16} {first:8.2f} {first / alone[0]:6.2f} {second:9.2f} {second / alone[1]:6.2f}")


if __name__ == "__main__":
    main()
