"""The box in a tab: its cost at rest, a lever while the odds think, and its memory after long play.

A plain command: .venv/bin/python tests/benchmarks/tab.py [--rest SECONDS] [--hours HOURS]

In Chromium, on a box of twelve levers: CPU of the browser while nobody plays, beside an empty page; then
the time from a click on a lever to its fall, while the odds of twelve tiles are worked out in their worker.
In Node: matches by a script in virtual time, with the memory of Python and of the process every half hour of
play. Needs Chromium, node, and npm for `make web`.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from selenium import webdriver  # noqa: E402
from tests.support.chromium import start_chromium  # noqa: E402
from tests.support.cpu import cpu_s  # noqa: E402
from tests.support.tab import press, until, words  # noqa: E402
from tests.support.web_build import made_web, serving  # noqa: E402

CLICK = """
const [number, done] = arguments;
const lever = document.querySelector(`.lever[data-number="${number}"]`);
const start = performance.now();
new MutationObserver((_, seen) => { seen.disconnect(); done(performance.now() - start); })
  .observe(lever, {attributes: true, attributeFilter: ["aria-pressed"]});
lever.click();
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rest", type=float, default=60.0, help="seconds to look at a box at rest; default: 60"
    )
    parser.add_argument("--hours", type=float, default=10.0, help="hours of virtual play; default: 10")
    args = parser.parse_args()
    built = made_web()
    with tempfile.TemporaryDirectory() as folder, serving(built) as server:
        browser = start_chromium(Path(folder))
        try:
            empty = cpu_percent(browser, args.rest)
            browser.get(f"http://127.0.0.1:{server.server_port}/?players=2&levers=12&language=en")
            until(lambda: words(browser), "the box starts")
            time.sleep(10)
            box = cpu_percent(browser, args.rest)
            print(f"at rest: {box:.2f} % of a core, an empty page {empty:.2f} %")
            press(browser, "Players?")
            press(browser, "throw")
            press(browser, "Thrown")
            lasts = [browser.execute_async_script(CLICK, 1 + count % 12) for count in range(60)]
            print(
                f"lever while the odds start and think: median {statistics.median(lasts):.0f} ms, "
                f"longest {max(lasts):.0f} ms of {len(lasts)}"
            )
        finally:
            browser.quit()
    script = Path(__file__).with_name("tab_memory.mjs")
    player = PROJECT / "tests/support/clumsy_player.py"
    subprocess.run(
        ["node", str(script), str(built / "pyodide"), str(built / "box.zip"), str(player), str(args.hours)],
        check=True,
    )


def cpu_percent(browser: webdriver.Chrome, seconds: float) -> float:
    """Of one core, used by the browser with all its processes."""
    driver = browser.service.process.pid
    before, start = cpu_s(driver), time.monotonic()
    time.sleep(seconds)
    return (cpu_s(driver) - before) / (time.monotonic() - start) * 100


if __name__ == "__main__":
    main()
