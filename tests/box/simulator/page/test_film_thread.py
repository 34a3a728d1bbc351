"""What a film of a scenario leaves behind."""

import os
import tempfile
from pathlib import Path

import pytest

from shutthebox.simulator.page.film_thread import clear_films


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
