"""A film of a scenario, on a clock that jumps: what a page sees, and when."""

import os
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from shutthebox.simulator.page import film
from shutthebox.simulator.page.film import Film, clear_films

SCRIPT = """config game.setup usual
dice 3 5
press
press
press
@3 flip 8
wait 100
lift 8
"""
FRAME_S = 0.04


@dataclass
class Cinema:
    """The films' clock, and what a page has seen of one."""

    now_s: float = 100.0
    seen: list[tuple[float, Mapping[str, Any]]] = field(default_factory=list)
    film: Film | None = None
    stop_at_s: float | None = None

    def show(self, scenario: str | Path) -> Film:
        """Shows the whole film at once."""
        ready = threading.Event()

        def changed() -> None:
            ready.wait()
            assert self.film is not None
            self.seen.append((round(self.now_s - 100.0, 3), self.film.state))
            if self.stop_at_s is not None and self.now_s - 100.0 >= self.stop_at_s:
                self.film.stop()

        self.film = Film(scenario, changed)
        ready.set()
        self.film._thread.join()
        return self.film


def test_a_film_leaves_nothing_when_the_plug_is_pulled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pulled plug replaces the process, which keeps its number. The films of other boxes go on."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, other = (tmp_path / f"shutthebox-film-{number}-x" for number in (os.getpid(), 1))
    for folder in (left, other):
        folder.mkdir()
        (folder / "box.sqlite3").touch()
    clear_films()
    assert list(tmp_path.iterdir()) == [other]


def levers_down(state: Mapping[str, Any]) -> list[int]:
    return [lever["number"] for lever in state["levers"] if lever["down"]]


@pytest.fixture
def cinema(monkeypatch: pytest.MonkeyPatch) -> Cinema:
    cinema = Cinema()

    class Jumping(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            assert timeout is not None
            assert 0 < timeout <= FRAME_S
            cinema.now_s += timeout
            return self.is_set()

    monkeypatch.setattr(film, "threading", SimpleNamespace(Event=Jumping, Thread=threading.Thread))
    monkeypatch.setattr(film, "time", SimpleNamespace(monotonic=lambda: cinema.now_s))
    return cinema


def test_a_film_that_is_stopped_ends_there_and_says_nothing_more(cinema: Cinema) -> None:
    cinema.stop_at_s = 1.1
    shown = cinema.show(SCRIPT)
    assert (shown.over, shown.complaint) == (False, "")
    assert cinema.seen[-1][0] == 1.1
    assert shown.state["button"] is True


@pytest.mark.parametrize("scenario", ["dance", "config game.profile nonsense"])
def test_a_film_without_a_picture_says_why(cinema: Cinema, scenario: str) -> None:
    shown = cinema.show(scenario)
    assert shown.over
    assert shown.complaint.startswith("scenario")
    assert cinema.seen == [(0.0, {})]


def test_a_file_that_is_gone_is_a_complaint(cinema: Cinema, tmp_path: Path) -> None:
    shown = cinema.show(tmp_path / "gone.scn")
    assert shown.over
    assert "gone.scn" in shown.complaint
