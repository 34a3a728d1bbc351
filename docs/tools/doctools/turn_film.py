"""The moving picture of the README: a turn on the simulated box, as the page's own film replays it.

    PYTHONPATH=docs/tools python -m doctools.turn_film

Needs Chromium and chromedriver. Writes docs/pictures/turn.gif, from the scenario docs/pictures/turn.scn.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

from doctools import PROJECT

PICTURES = PROJECT / "docs" / "pictures"
FRAME_MS = 250
END_FRAMES = 10
WIDTH = 640
COLOURS = 48
MAX_BYTES = 1_000_000
MAX_SECONDS = 60
"""Longer than any film."""

_DROP = """
const files = new DataTransfer();
files.items.add(new File([arguments[0]], "turn.scn"));
document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
"""


def main() -> int:
    """Takes the pictures; gives 1 if they don't fit into their file."""
    script = (PICTURES / "turn.scn").read_text(encoding="utf-8")
    frames = take(script)
    to = PICTURES / "turn.gif"
    save(frames, to)
    print(f"{to}: {len(frames)} frames, {to.stat().st_size:,} bytes")
    return int(to.stat().st_size >= MAX_BYTES)


def take(script: str) -> list[Image.Image]:
    """Replays a scenario on the page of a box, and takes pictures of it."""
    with tempfile.TemporaryDirectory() as work:
        command = [sys.executable, "-m", "shutthebox", "sim", "--no-browser", "--port", "0"]
        # A box that has never been played on.
        new = {**os.environ, "HOME": work, "XDG_STATE_HOME": work, "XDG_CONFIG_HOME": work}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=work, env=new) as box:
            assert box.stdout is not None
            try:
                address = next(word for line in box.stdout for word in line.split() if "://" in word)
                browser = _chromium(Path(work))
                try:
                    return _film(browser, address, script)
                finally:
                    browser.quit()
            finally:
                box.terminate()


def _chromium(folder: Path) -> Any:  # noqa: ANN401  (selenium, which is heavy and only for this)
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser") or ""
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--lang=en-GB"):
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={folder / 'chromium'}")
    options.add_argument("--window-size=900,600")
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def _film(browser: Any, address: str, script: str) -> list[Image.Image]:  # noqa: ANN401
    browser.get(address)
    panel = browser.find_element("id", "panel")
    ends = time.monotonic() + MAX_SECONDS
    while not panel.get_attribute("aria-label") and time.monotonic() < ends:
        time.sleep(0.1)
    browser.execute_script(_DROP, script)
    while browser.find_element("id", "film").get_attribute("hidden") and time.monotonic() < ends:
        time.sleep(0.02)
    browser.execute_script("document.getElementById('film').style.visibility = 'hidden'")
    frames, began = [], time.monotonic()
    over = 'return document.getElementById("film-text").textContent'
    first = browser.execute_script(over)
    while time.monotonic() < ends and browser.execute_script(over) == first:
        frames.append(Image.open(BytesIO(browser.get_screenshot_as_png())).convert("RGB"))
        due = began + len(frames) * FRAME_MS / 1000
        time.sleep(max(0.0, due - time.monotonic()))
    # The end stays for a while, before it all begins again.
    frames += [Image.open(BytesIO(browser.get_screenshot_as_png())).convert("RGB")] * END_FRAMES
    return frames


def save(frames: list[Image.Image], to: Path) -> None:
    """Writes a moving picture with few colours; frames that show the same become one."""
    size = (WIDTH, round(frames[0].height * WIDTH / frames[0].width))
    small = [frame.resize(size, Image.Resampling.LANCZOS) for frame in frames]
    palette = small[len(small) // 2].quantize(COLOURS)
    drawn = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in small]
    kept, lengths = [drawn[0]], [FRAME_MS]
    for frame in drawn[1:]:
        if frame.tobytes() == kept[-1].tobytes():
            lengths[-1] += FRAME_MS
        else:
            kept.append(frame)
            lengths.append(FRAME_MS)
    kept[0].save(to, save_all=True, append_images=kept[1:], duration=lengths, loop=0, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
