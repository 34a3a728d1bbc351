"""The panel shows each picture whole, in few bytes, whatever happens to its bus."""

import atexit
import errno
from collections.abc import Callable
from contextlib import suppress
from random import Random

import luma.oled.device
import pytest
from tests.support.controllers import CONTROLLERS
from tests.support.fast import fast_among

from shutthebox.adapters.display.bitmap import SIZE, Bitmap
from shutthebox.adapters.display.opening import open_i2c, open_panel
from shutthebox.adapters.display.panel import DisplayError, Panel
from shutthebox.config.controllers import Controller
from shutthebox.errors import ShutTheBoxError
from shutthebox.simulator.hardware.panel_model import PanelModel

each_controller = pytest.mark.parametrize("controller", CONTROLLERS)


def noise(seed: int) -> Bitmap:
    return Bitmap.frombytes(SIZE[0], Random(seed).randbytes(1024))


@each_controller
@pytest.mark.parametrize("upside_down", [False, True])
def test_pictures_one_after_the_other_are_on_the_glass(controller: Controller, upside_down: bool) -> None:
    model = PanelModel(controller, seed=1)
    panel = open_panel(controller, model, upside_down=upside_down)
    for picture in (noise(1), noise(1).fill((77, 33, 90, 40)), Bitmap.of(*SIZE), noise(2)):
        panel.push(picture)
        assert model.picture() == (picture.mirror().flip() if upside_down else picture)


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


@pytest.mark.parametrize("controller", fast_among(CONTROLLERS, CONTROLLERS[:1]))
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
    closed = list[PanelModel]()

    class Closed(PanelModel):
        def cleanup(self) -> None:
            closed.append(self)

    model = Closed(controller)
    model.unplugged = True
    with pytest.raises(DisplayError, match="does not answer"):
        open_panel(controller, model)
    assert closed == [model]


def test_an_older_luma_that_cannot_set_a_controller_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(luma.oled.device, "sh1107", raising=False)
    with pytest.raises(DisplayError, match=r"this luma\.oled doesn't know sh1107; a newer one may"):
        open_panel(Controller.SH1107, PanelModel(Controller.SH1107))


def test_looking_for_an_absent_display_leaves_nothing_behind() -> None:
    """Each device that luma makes stays in atexit's list, and a box may look once a second for months."""
    model = PanelModel()
    model.unplugged = True
    before = atexit._ncallbacks()
    with pytest.raises(DisplayError):
        open_panel(Controller.SSD1306, model)
    assert atexit._ncallbacks() == before


def test_a_bus_that_is_not_there_is_one_clear_line() -> None:
    with pytest.raises(DisplayError, match="/dev/i2c-97") as caught:
        open_i2c(97)
    assert "\n" not in str(caught.value)
