"""A real Chromium for the tests of the page."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.axe import axe_script

if TYPE_CHECKING:
    from selenium import webdriver

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
    "--lang=en-GB",
)

_SPY = """
window.tones = [];
const setValue = AudioParam.prototype.setValueAtTime;
AudioParam.prototype.setValueAtTime = function (value, when) {
  window.tones.push(value);
  return setValue.call(this, value, when);
};
window.loudness = [];
const setTarget = AudioParam.prototype.setTargetAtTime;
AudioParam.prototype.setTargetAtTime = function (value, when, constant) {
  window.loudness.push(value);
  return setTarget.call(this, value, when, constant);
};
"""


def start_chromium(folder: Path, *more: str) -> "webdriver.Chrome":
    """Starts one that keeps its things in this folder and its log for the test; skips without one.

    Args:
        folder: of its own.
        more: flags.
    """
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        missing = "chromedriver" if program else f"any of {', '.join(BROWSERS)}"
        pytest.skip(f"NOT TESTED: the page in a browser, because {missing} is not on the PATH")
    # Heavy, and most runs start no browser.
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = program
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for flag in (*FLAGS, *more, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=Service(driver))


def resize(browser: "webdriver.Chrome", width: int, height: int, *, mobile: bool = False) -> None:
    """Gives the window a size; that of a telephone is touched."""
    size = {"width": width, "height": height, "deviceScaleFactor": 2 if mobile else 1, "mobile": mobile}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": mobile})


def touch(browser: "webdriver.Chrome", *points: tuple[float, float]) -> None:
    """A finger that goes from point to point, and is lifted."""
    steps = [("touchStart", points[:1]), *(("touchMove", [point]) for point in points[1:]), ("touchEnd", [])]
    for kind, at in steps:
        dots = [{"x": x, "y": y} for x, y in at]
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": dots})


def serious_findings(browser: "webdriver.Chrome") -> list[str]:
    """What axe finds on the page as it is now that keeps people out: its rule, and where."""
    browser.execute_script(axe_script())
    found = browser.execute_async_script(
        "axe.run(document, {resultTypes: ['violations']}).then(arguments[arguments.length - 1])"
    )
    return [
        f"{violation['id']}: {node['html']}: {node['failureSummary']}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def note_tones(browser: "webdriver.Chrome") -> None:
    """Notes what reaches each page's buzzer in `window.tones` and `window.loudness`: a test has no ears."""
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": _SPY})
