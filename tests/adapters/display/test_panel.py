"""The panel shows to the byte what stock luma would make it show, for fewer bytes."""

import errno
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Any
from unittest.mock import patch

import luma.oled.device
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.controllers import CONTROLLERS

from shutthebox.adapters.display import opening
from shutthebox.adapters.display.bitmap import SIZE, Bitmap
from shutthebox.adapters.display.opening import open_i2c, open_panel
from shutthebox.adapters.display.panel import DisplayError, Panel
from shutthebox.adapters.display.pillow import image_of
from shutthebox.config.controllers import Controller
from shutthebox.errors import ShutTheBoxError
from shutthebox.simulator.hardware.panel_model import PanelModel

each_controller = pytest.mark.parametrize("controller", CONTROLLERS)


@contextmanager
def stock_luma() -> Iterator[None]:
    """Stock luma reads pixels in a way that Pillow 14 drops."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*getdata", DeprecationWarning)
        yield


def stock(controller: Controller, model: PanelModel, rotate: int) -> Any:
    with stock_luma():
        kind = getattr(luma.oled.device, controller, None) or getattr(luma.oled.device, controller.chip.like)
        device = kind(model, *controller.chip.size, rotate=(rotate + controller.chip.quarter_turns) % 4)
    device.persist = True
    return device


def noise(seed: int) -> Bitmap:
    return Bitmap.frombytes(SIZE[0], Random(seed).randbytes(1024))


@st.composite
def frames(draw: st.DrawFn) -> list[Bitmap]:
    """Pictures that follow each other: some anew, most changed in a few boxes."""
    picture = Bitmap.of(*SIZE)
    out = []
    for _ in range(draw(st.integers(1, 6))):
        if draw(st.integers(0, 5)) == 0:
            picture = noise(draw(st.integers(0, 99)))
        else:
            for _ in range(draw(st.integers(0, 6))):
                x, y = draw(st.integers(0, 127)), draw(st.integers(0, 63))
                w, h = draw(st.integers(1, 40)), draw(st.integers(1, 20))
                picture = picture.fill((x, y, x + w, y + h), lit=draw(st.booleans()))
                if draw(st.booleans()):
                    picture = picture.paste(noise(draw(st.integers(0, 9))).crop((0, 0, w, h)), x, y)
        out.append(picture)
    return out


@each_controller
@settings(max_examples=settings().max_examples // 3)
@given(upside_down=st.booleans(), pictures=frames())
def test_the_memory_is_what_stock_luma_makes_it(
    controller: Controller, upside_down: bool, pictures: list[Bitmap]
) -> None:
    ours, theirs = PanelModel(controller, seed=1), PanelModel(controller, seed=2)
    panel = open_panel(controller, ours, upside_down=upside_down)
    device = stock(controller, theirs, 2 if upside_down else 0)
    for picture in pictures:
        panel.push(picture)
        with stock_luma():
            device.display(image_of(picture))
        assert ours.memory() == theirs.memory()
        assert ours.picture() == theirs.picture()
        assert ours.lit
        assert theirs.lit


@each_controller
def test_a_picture_again_costs_nothing_and_a_pixel_little(controller: Controller) -> None:
    model = PanelModel(controller)
    panel = open_panel(controller, model)
    picture = noise(1)
    panel.push(picture)
    before = model.wire_bytes
    panel.push(picture)
    assert model.wire_bytes == before
    picture = picture.fill((77, 33, 78, 34), lit=not picture.lit(77, 33))
    panel.push(picture)
    assert model.wire_bytes - before == (11 if controller.chip.windows else 8)
    assert model.picture() == picture


@each_controller
def test_garbage_is_never_seen(controller: Controller) -> None:
    seen = []
    model = PanelModel(controller)
    model.on_change(lambda: seen.append(model.lit and model.picture()))
    picture = noise(5)
    panel = open_panel(controller, model)
    panel.push(picture)
    panel.blank()
    panel.push(picture)
    assert set(seen) == {False, picture}


@each_controller
def test_a_refresh_mends_a_reset_controller_and_does_not_flicker(controller: Controller) -> None:
    model = PanelModel(controller)
    panel = open_panel(controller, model, contrast=9)
    picture = noise(6)
    panel.push(picture)
    lit = []
    model.on_change(lambda: lit.append((model.picture(), model.contrast)))
    panel.push(picture, refresh=True)
    assert set(lit) == {(picture, 9)}
    model.on_change(lambda: None)
    model.brown_out()
    panel.push(picture)
    assert not model.lit, "a reset is not noticed by itself"
    panel.push(picture, refresh=True)
    assert model.picture() == picture
    assert model.contrast == 9


@each_controller
@pytest.mark.parametrize("error_number", [None, errno.EIO])
def test_a_bus_error_is_one_kind_of_error(controller: Controller, error_number: int | None) -> None:
    uses: list[Callable[[Panel], None]] = [
        lambda panel: panel.push(noise(2)), Panel.blank, Panel.initialise, lambda panel: panel.contrast(1)
    ]  # fmt: skip
    for use in uses:
        model = PanelModel(controller)
        panel = open_panel(controller, model)
        panel.push(noise(1))
        model.unplug(error_number)
        with pytest.raises(DisplayError, match="does not answer") as caught:
            use(panel)
        assert isinstance(caught.value, ShutTheBoxError)
        assert isinstance(caught.value, OSError)


@each_controller
def test_a_transfer_that_breaks_anywhere_is_made_good(controller: Controller) -> None:
    for transfers in range(12):
        model = PanelModel(controller)
        panel = open_panel(controller, model)
        panel.push(noise(1))
        stop = model.transfers + transfers

        def cut(model: PanelModel = model, stop: int = stop) -> None:
            if model.transfers >= stop:
                model.on_change(lambda: None)
                model._unplugged = True  # off the bus but still powered: half a picture stays

        model.on_change(cut)
        with suppress(DisplayError):
            panel.push(noise(2))
        model.on_change(lambda: None)
        model._unplugged = False
        panel.push(noise(1))  # what it held before the break, and now holds in part
        assert model.picture() == noise(1)


@each_controller
def test_without_a_display_opening_fails_clearly_and_closes_the_bus(controller: Controller) -> None:
    model = PanelModel(controller)
    model.unplugged = True
    with patch.object(PanelModel, "cleanup") as closed, pytest.raises(DisplayError, match="does not answer"):
        open_panel(controller, model)
    closed.assert_called_once()


def test_an_older_luma_that_cannot_set_a_controller_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(luma.oled.device, "sh1107", raising=False)
    with pytest.raises(DisplayError, match=r"this luma\.oled knows no sh1107; a newer one may"):
        open_panel(Controller.SH1107, PanelModel(Controller.SH1107))


def test_looking_for_an_absent_display_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    # Each device that luma makes stays in atexit's list, and a box may look once a second for months.
    monkeypatch.setattr(opening, "_build", lambda *_: pytest.fail("a device was made"))
    model = PanelModel()
    model.unplugged = True
    with pytest.raises(DisplayError):
        open_panel(Controller.SSD1306, model)


def test_a_bus_that_is_not_there_is_one_clear_line() -> None:
    with pytest.raises(DisplayError, match="/dev/i2c-97") as caught:
        open_i2c(97)
    assert "\n" not in str(caught.value)
