"""Changed spans on every device of luma's that they are for: what luma would show, for fewer bytes."""

from __future__ import annotations

import ast
import inspect
import itertools
import random
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import luma.oled.device
import pytest
from luma.core.render import canvas
from PIL import Image, ImageDraw
from tests.support.fast import fast_among

import luma_spans
from luma_spans import ChangedSpans
from shutthebox.config.controllers import Controller
from shutthebox.simulator.hardware.panel_model import PanelModel

SIZES = {
    "ssd1306": [(128, 64), (128, 32), (96, 16), (64, 48), (64, 32)],
    "ssd1309": [(128, 64)],
    **({"ssd1315": [(128, 64)]} if hasattr(luma.oled.device, "ssd1315") else {}),
    "sh1106": [(128, 64), (128, 32)],
    **({"sh1107": [(64, 128)]} if hasattr(luma.oled.device, "sh1107") else {}),
}
OFFSET_OF_PAGES = "page_address_offset" in inspect.signature(luma.oled.device.sh1106.__init__).parameters
"""Newer than luma.oled 3.10, which Debian 13 has."""

DEVICES = [(kind, size, rotate) for kind, sizes in SIZES.items() for size in sizes for rotate in range(4)]


@contextmanager
def old_pillow() -> Iterator[None]:
    """Stock luma reads pixels in a way that Pillow 14 drops."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*getdata", DeprecationWarning)
        yield


def device_on(model: PanelModel, size: tuple[int, int], rotate: int) -> Any:
    with old_pillow():
        device = getattr(luma.oled.device, model.controller)(model, *size, rotate=rotate)
    device.persist = True
    return device


def pictures(size: tuple[int, int]) -> Iterator[Image.Image]:
    """A bit of everything: lines, boxes, noise, nothing."""
    chance = random.Random(7)
    picture = Image.new("1", size)
    for number in range(10):
        draw = ImageDraw.Draw(picture)
        box = sorted(chance.randrange(size[0]) for _ in "xx"), sorted(chance.randrange(size[1]) for _ in "yy")
        draw.rectangle((box[0][0], box[1][0], box[0][1], box[1][1]), fill=number % 3 > 0, outline=1)
        draw.point([(chance.randrange(size[0]), chance.randrange(size[1])) for _ in range(9)], fill=1)
        if number % 8 == 7:
            picture = Image.frombytes("1", size, chance.randbytes((size[0] + 7) // 8 * size[1]))
        yield picture.copy()
    yield Image.new("1", size)


@pytest.mark.parametrize("device", fast_among(DEVICES, DEVICES[::7]), ids=str)
def test_the_controllers_memory_is_what_luma_makes_it(device: tuple[Any, tuple[int, int], int]) -> None:
    kind, size, rotate = device
    if kind == "sh1106" and rotate % 2 and not OFFSET_OF_PAGES:
        pytest.skip("this luma.oled mixes up width and height of a picture that is turned by a quarter")
    models = ours, theirs = PanelModel(Controller(kind), seed=1), PanelModel(Controller(kind), seed=1)
    here, there = (device_on(model, size, rotate) for model in models)
    here.display = ChangedSpans(here).display
    start = [model.wire_bytes for model in models]
    for picture in pictures(here.size):
        here.display(picture)
        with old_pillow():
            there.display(picture)
        assert ours.memory() == theirs.memory()
    sent = [model.wire_bytes - before for model, before in zip(models, start, strict=True)]
    assert sent[0] < 0.8 * sent[1], sent


@pytest.mark.parametrize("kind", SIZES)
def test_lumas_own_canvas_draws_through_it(kind: Any) -> None:
    model = PanelModel(Controller(kind))
    chip = model.controller.chip
    device = device_on(model, chip.size, chip.quarter_turns)
    device.display = ChangedSpans(device).display
    costs = []
    for text in ("12:00", "12:01", "12:01"):
        before = model.wire_bytes
        with canvas(device) as draw:
            draw.text((4, 4), text, fill=1)
        costs.append(model.wire_bytes - before)
    expected = Image.new("1", (128, 64))
    ImageDraw.Draw(expected).text((4, 4), "12:01", fill=1)
    assert model.picture().tobytes() == expected.tobytes()
    assert costs[0] > 1000
    assert costs[1] < 40, "one digit"
    assert costs[2] == 0, "the same again"


@pytest.mark.parametrize("kind", SIZES)
def test_after_a_failure_everything_is_sent(kind: Any) -> None:
    model = PanelModel(Controller(kind))
    chip = model.controller.chip
    device = device_on(model, chip.size, chip.quarter_turns)
    spans = ChangedSpans(device)
    first, second, third = itertools.islice(pictures((128, 64)), 3)
    spans.display(first)
    model.unplug(5)
    with pytest.raises(OSError, match="Remote"):
        spans.display(second)
    assert not spans.known
    model.unplugged = False
    before = model.wire_bytes
    spans.display(third)
    assert spans.known
    assert model.wire_bytes - before > 1024


def test_what_somebody_else_has_written_can_be_written_over() -> None:
    model = PanelModel(Controller.SSD1306)
    device = device_on(model, (128, 64), 0)
    spans = ChangedSpans(device)
    picture = next(pictures((128, 64)))
    spans.display(picture)
    wanted = model.memory()
    model.brown_out()
    spans.display(picture)
    assert model.memory() != wanted, "nothing has changed, as far as it knows"
    spans.forget()
    device.command(0x20, 0x00)  # the brown-out has reset the order of writing, too
    spans.display(picture)
    assert model.memory() == wanted


def test_a_device_with_another_memory_is_refused() -> None:
    class Other:
        size = (128, 64)

    with pytest.raises(ValueError, match="Other is none of ssd1306, ssd1309, sh1106 and sh1107"):
        ChangedSpans(Other())  # type: ignore[arg-type]


@pytest.mark.parametrize(("mode", "size"), [("1", (64, 64)), ("L", (128, 64))])
def test_a_picture_that_does_not_fit_is_refused_and_nothing_is_sent(mode: str, size: tuple[int, int]) -> None:
    model = PanelModel(Controller.SSD1306)
    spans = ChangedSpans(device_on(model, (128, 64), 0))
    before = model.wire_bytes
    with pytest.raises(ValueError, match="picture"):
        spans.display(Image.new(mode, size))
    assert model.wire_bytes == before


def test_it_can_be_used_without_the_box() -> None:
    """It needs Pillow, which luma needs anyway, and nothing of ours."""
    seen = set()
    for path in Path(luma_spans.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                seen |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                seen.add(node.module.partition(".")[0])
    assert seen - sys.stdlib_module_names == {"PIL"}


@pytest.mark.parametrize(
    ("pages", "overhead", "windows"),
    [
        (["....", "....", "...."], 4, []),
        (["#...", "#...", "#..."], 0, [(0, 1, 0, 3)]),
        # One below the other share a window only if it is no larger than the two with what another costs.
        (["##..", "..##", "...."], 4, [(0, 4, 0, 2)]),
        (["##..", "..##", "...."], 3, [(0, 2, 0, 1), (2, 4, 1, 2)]),
        (["#...", "....", "#..."], 4, [(0, 1, 0, 1), (0, 1, 2, 3)]),
        (["#..#", "#..#", "...."], 1, [(0, 1, 0, 2), (3, 4, 0, 2)]),
        (["#..#", "..#."], 1, [(0, 1, 0, 1), (2, 3, 1, 2), (3, 4, 0, 1)]),
        (["#..#", "..#."], 2, [(0, 4, 0, 1), (2, 3, 1, 2)]),
        (["#..#", "..##"], 2, [(0, 4, 0, 2)]),
        # Where many windows would cost more than everything, everything is sent.
        (["######", "##..##"], 1, [(0, 6, 0, 1), (0, 2, 1, 2), (4, 6, 1, 2)]),
        (["######", "##..##", "######"], 1, [(0, 6, 0, 3)]),
        (["#.#", "..."], 2, [(0, 3, 0, 1)]),
        (["#.#", "###"], 1, [(0, 3, 0, 2)]),
    ],
)
def test_the_windows_around_what_has_changed(
    pages: list[str], overhead: int, windows: list[tuple[int, int, int, int]]
) -> None:
    old, new = [b"." * len(page) for page in pages], [page.encode() for page in pages]
    found = luma_spans.changed_windows(old, new, overhead, tall=True)
    found.sort(key=lambda window: (window.first_column, window.first_page))
    assert found == [luma_spans.Window(*window) for window in windows]
