"""The table is small, quick enough to be made at start-up, and needs nothing but Python."""

import sys
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest

from shutthebox.config import profiles
from shutthebox.odds.odds import Odds

TWELVE = replace(profiles.builtin("traditional"), tiles=tuple(range(1, 13)))


@pytest.mark.slow
def test_twelve_tiles_take_no_time() -> None:
    """In lines of Python that run, which no busy machine changes."""
    lines = 0

    def count(frame: FrameType, event: str, argument: object) -> Callable[..., Any]:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        Odds(TWELVE)
    finally:
        sys.settrace(before)
    assert lines < 1_000_000
