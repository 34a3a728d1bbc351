"""Whole matches over the link with real parts: daemons, helpers and broker, each in its own process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.cpu import wakes
from tests.support.real_parts import RealParts, real_parts

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


def test_nothing_is_done_at_rest_but_to_look_at_the_levers_and_for_pings(tmp_path: Path) -> None:
    """A helper that wakes all the time warms the box, and a card of many boxes."""
    with real_parts(tmp_path) as parts:
        parts.play(rest := rest_while_tiles_are_flipped(parts))
        assert next(rest, None) is None, "they have rested"


def rest_while_tiles_are_flipped(parts: RealParts) -> Iterator[None]:
    """Counts what each process does for itself in 20 s, however long they take here."""
    while not parts.is_flipping:
        yield
    parts.come_to_rest()
    since_s, before = time.monotonic(), [wakes(pid) for pid in parts.pids]
    time.sleep(20)
    rested_s = time.monotonic() - since_s
    *boxes, host, guest, _ = (wakes(pid) - woken for pid, woken in zip(parts.pids, before, strict=True))
    assert max(boxes) <= 1.1 * rested_s + 5, "a box looks at its levers every second"
    assert max(host, guest) <= rested_s / 5 + 5


def deaths_while_tiles_are_flipped(parts: RealParts) -> Iterator[None]:
    """One part after the other dies and starts again, each after another throw."""
    for part in (*parts.parts, parts.broker.process):
        while not parts.is_flipping:
            yield
        part.kill()
        part.start()
        while parts.is_flipping:
            yield
