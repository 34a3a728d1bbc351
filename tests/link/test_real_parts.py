"""Whole matches over the link with real parts: daemons, helpers and broker, each in its own process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.real_parts import RealParts, real_parts

from shutthebox.game.mode import Mode

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_two_boxes_play_a_match_by_their_prompts(tmp_path: Path) -> None:
    with real_parts(tmp_path) as parts:
        parts.play()
        assert parts.has_one_record(tmp_path)


def test_a_match_survives_the_death_of_every_part(tmp_path: Path) -> None:
    with real_parts(tmp_path) as parts:
        deaths = deaths_while_tiles_are_flipped(parts)
        parts.play(deaths)
        assert next(deaths, None) is None, "all have died"
        assert parts.has_one_record(tmp_path)


def deaths_while_tiles_are_flipped(parts: RealParts) -> Iterator[None]:
    """One part after the other dies and starts again, each after another throw."""
    for part in (*parts.parts, parts.broker.process):
        while not is_flipping(parts):
            yield
        part.kill()
        part.start()
        while is_flipping(parts):
            yield


def is_flipping(parts: RealParts) -> bool:
    """Whether the dice have stopped at either box, and its player flips the tiles."""
    return any(box.screen is not None and box.screen.mode is Mode.FLIPPING for box in parts.boxes)
