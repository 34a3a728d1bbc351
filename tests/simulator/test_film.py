"""What a film shows of its other box."""

from itertools import groupby
from pathlib import Path

from shutthebox.adapters.display.bitmap import SIZE, Bitmap
from shutthebox.simulator.film import Film
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
from shutthebox.simulator.page.texts import pixels_text
from shutthebox.simulator.scenario.script import read

SCRIPT = Path(__file__).parents[1] / "scenarios" / "oled-off.scn"


def test_a_film_shows_an_unplugged_panel_and_compares_pictures(tmp_path: Path) -> None:
    film = Film(lambda: read(SCRIPT), tmp_path, VirtualDisplay)
    now_ns, panels = 0, []
    while not film.progress["over"]:
        now_ns = film.advance(now_ns)
        panels.append(film.state["panel"])
    assert film.progress == {"over": True, "complaint": ""}
    dark = pixels_text(Bitmap.of(*SIZE))
    assert [is_dark for is_dark, _ in groupby(panel == dark for panel in panels)] == [False, True, False]
