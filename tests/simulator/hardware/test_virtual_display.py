"""The display in virtual time: what is on the glass when somebody looks, and the pictures that are saved."""

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from tests.support.controllers import CONTROLLERS

from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.layout import render
from shutthebox.adapters.display.pillow import bitmap_of, image_of
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import Config
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.simulator.hardware.virtual_display import FramesError, VirtualDisplay

MS = 1_000_000
S = 1_000 * MS
PLAIN = Screen(Mode.FLIPPING, "Player 1", "Round 1", dice=(3, 5), total=8, prompt="Shut 8")
TUMBLING = Screen(Mode.ROLLING, "Player 1", dice=(1, 1), tumbling=True)
DARK = Bitmap.of(128, 64)


def config(**display: object) -> Config:
    return replace(Config(), display=replace(Config().display, **display))  # type: ignore[arg-type]


def drawn(screen: Screen, after_ns: int = 0) -> Bitmap:
    """The screen as it is drawn so long after it came up."""
    return render(screen, after_ns).picture


@pytest.mark.parametrize("controller", [None, *CONTROLLERS])
def test_a_screen_is_on_the_glass_whatever_the_controller(controller: Controller | None) -> None:
    display = VirtualDisplay(config(controller=controller))
    assert display.panel.controller is (controller or Controller.SSD1306)
    assert display.look(0) == DARK, "nothing is shown yet"
    display.show(PLAIN, 0)
    assert display.look(0) == drawn(PLAIN)


def test_a_panel_that_is_mounted_upside_down_gets_its_picture_turned() -> None:
    display = VirtualDisplay(config(rotate=180))
    display.show(PLAIN, 0)
    assert display.look(0) == drawn(PLAIN).flip().mirror()


def test_an_animation_runs_from_the_time_of_its_screen() -> None:
    display = VirtualDisplay(Config())
    display.show(TUMBLING, 5 * S)
    for after_ms in (0, 80, 200, 330, 900):
        now_ns = 5 * S + after_ms * MS
        if after_ms == 200:
            display.show(TUMBLING, now_ns)  # the same again does not begin anew
        assert display.look(now_ns) == drawn(TUMBLING, after_ms * MS)
    display.show(PLAIN, 6 * S)
    display.show(TUMBLING, 7 * S)
    assert display.look(7 * S + 80 * MS) == drawn(TUMBLING, 80 * MS)


def test_asleep_it_is_dark_until_the_next_screen() -> None:
    display = VirtualDisplay(Config())
    display.show(PLAIN, 0)
    display.sleep()
    assert display.look(S) == DARK
    display.show(PLAIN, 2 * S)
    assert display.look(2 * S) == drawn(PLAIN)


def test_unplugged_it_is_dark_and_comes_back_with_the_present_screen() -> None:
    display = VirtualDisplay(Config())
    display.show(PLAIN, 0)
    display.look(0)
    display.plug(False)
    assert display.panel.unplugged
    assert display.look(S) == DARK
    display.plug(True)
    assert not display.panel.unplugged
    assert display.look(60 * S) == drawn(PLAIN, 60 * S)


def test_a_picture_is_compared_pixel_by_pixel(tmp_path: Path) -> None:
    display = VirtualDisplay(Config())
    display.show(PLAIN, 0)
    golden = tmp_path / "golden.png"
    image_of(display.look(0)).save(golden)
    assert display.shows(golden, 0)
    with_a_speck = image_of(display.look(0))
    with_a_speck.putpixel((127, 63), 1 - int(bool(with_a_speck.getpixel((127, 63)))))
    with_a_speck.save(golden)
    assert not display.shows(golden, 0)


@pytest.mark.parametrize("wrong", ["none", "a folder", "no picture", "half", "larger", "another kind"])
def test_a_picture_that_cannot_be_compared_is_another(tmp_path: Path, wrong: str) -> None:
    display = VirtualDisplay(Config())
    display.show(PLAIN, 0)
    golden = tmp_path / "golden.png"
    picture = image_of(display.look(0))
    match wrong:
        case "a folder":
            golden.mkdir()
        case "no picture":
            golden.write_text("hello")
        case "half":
            picture.save(golden)
            golden.write_bytes(golden.read_bytes()[:-40])
        case "larger":
            larger = Image.new("1", (128, 65))
            larger.paste(picture)
            larger.save(golden)
        case "another kind":
            picture.save(golden, "BMP")
    assert not display.shows(golden, 0)


def test_every_screen_is_saved_as_it_comes_up(tmp_path: Path) -> None:
    display = VirtualDisplay(Config(), tmp_path)
    display.show(PLAIN, 0)
    display.show(TUMBLING, S)
    display.show(TUMBLING, S + 80 * MS)
    saved = {path.name: path for path in sorted(tmp_path.iterdir())}
    assert list(saved) == ["0001-flipping.png", "0002-rolling.png", "0003-rolling.png"]
    wanted = [drawn(PLAIN), drawn(TUMBLING), drawn(TUMBLING, 80 * MS)]
    for path, picture in zip(saved.values(), wanted, strict=True):
        with Image.open(path) as image:
            assert image.format == "PNG"
            assert bitmap_of(image) == picture


def test_a_picture_that_cannot_be_saved_is_one_line(tmp_path: Path) -> None:
    display = VirtualDisplay(Config(), tmp_path / "nowhere")
    with pytest.raises(FramesError) as failed:
        display.show(PLAIN, 0)
    assert (
        str(failed.value)
        == f"--frames: {tmp_path / 'nowhere' / '0001-flipping.png'}: No such file or directory"
    )
    assert failed.value.exit_code == 1
