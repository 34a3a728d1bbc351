"""What a film shows of its other box."""

from contextlib import closing
from itertools import groupby
from pathlib import Path

import pytest

from shutthebox.adapters.display.bitmap import SIZE, Bitmap
from shutthebox.config.schema import Config
from shutthebox.simulator.film import Film
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
from shutthebox.simulator.page.texts import pixels_text
from shutthebox.simulator.scenario.from_record import script_or_record
from shutthebox.simulator.scenario.script import parse, read
from shutthebox.simulator.virtual_box import VirtualBox

SCRIPT = Path(__file__).parents[1] / "scenarios" / "oled-off.scn"


def played(film: Film) -> list[object]:
    """The pictures of a film, to its end."""
    now_ns, panels = 0, list[object]()
    while not film.progress["over"]:
        now_ns = film.advance(now_ns)
        panels.append(film.state.get("panel"))
    return panels


def test_a_film_shows_an_unplugged_panel_and_compares_pictures(tmp_path: Path) -> None:
    film = Film(lambda: read(SCRIPT), tmp_path, VirtualDisplay)
    panels = played(film)
    assert film.progress == {"over": True, "complaint": ""}
    dark = pixels_text(Bitmap.of(*SIZE))
    assert [is_dark for is_dark, _ in groupby(panel == dark for panel in panels)] == [False, True, False]


@pytest.mark.parametrize("lines", [0, 1, 99])
def test_a_film_leaves_its_memory_open_to_nobody(lines: int, tmp_path: Path) -> None:
    """However far it came: a page can go away before the first line."""
    with closing(Film(lambda: read(SCRIPT), tmp_path, VirtualDisplay)) as film:
        now_ns = 0
        while lines and not film.progress["over"]:
            now_ns, lines = film.advance(now_ns), lines - 1
    VirtualBox(Config(), tmp_path).close()


def test_a_panel_that_is_pulled_off_is_dark_at_once(tmp_path: Path) -> None:
    film = Film(
        lambda: parse("config game.setup usual\npress\noled off\nwait 1", "film"), tmp_path, VirtualDisplay
    )
    assert played(film)[-1] == pixels_text(Bitmap.of(*SIZE))


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("dance", "scenario:1: dance: "),
        ("expect mode flipping", "scenario:1: expected mode flipping"),
        ("expect panel nothing", "scenario:1: expected panel nothing, got a panel unlike nothing.png"),
        ("config game.setup usual\ndice 9 9\npress\npress\nwait 3", "scenario:4: press: "),
        ("shut-the-box record 1\nplayers 99\n", "record:2: "),
    ],
)
def test_fail__a_film_that_goes_no_further_says_why_in_one_line(
    script: str, complaint: str, tmp_path: Path
) -> None:
    film = Film(lambda: script_or_record(script, tmp_path), tmp_path, VirtualDisplay)
    played(film)
    said = str(film.progress["complaint"])
    assert said.startswith(complaint)
    assert len(said.splitlines()) == 1


def test_a_film_of_two_linked_boxes_shows_both(tmp_path: Path) -> None:
    script = (
        "config game.setup usual\nconfig link.on true\nbox 2: config link.on true\n"
        "hold\ncursor 1\npress\npress\nbox 2: flip 3\nwait 1"
    )
    with closing(Film(lambda: parse(script, "film"), tmp_path, VirtualDisplay)) as film:
        now_ns = 0
        while not film.progress["over"]:
            now_ns = film.advance(now_ns)
        assert "Room" in str(film.state["words"])
        beside = film.state["beside"]
        assert isinstance(beside, dict)
        assert "Press to play" in beside["words"]
        assert beside["levers"][2] == {"number": 3, "down": True}
        assert beside["panel"] not in ("", film.state["panel"])


def test_a_film_of_one_box_has_nothing_beside_it(tmp_path: Path) -> None:
    film = Film(lambda: read(SCRIPT), tmp_path, VirtualDisplay)
    played(film)
    assert film.state["beside"] is None
