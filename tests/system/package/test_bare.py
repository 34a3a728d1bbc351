"""The tools on a bare Debian 13, by the page's own lines: no gpiozero 2, no pins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .pages import blocks, follow, page
from .root import Root

LINKED = Path(__file__).parents[2] / "frozen/1.0.0/records/linked.txt"
"""A record of two boxes, as it's exported."""

pytestmark = [pytest.mark.package, pytest.mark.timeout(900, func_only=True)]


def test_the_tools_on_a_desktop(bare: Callable[..., Root]) -> None:
    root = bare("python3-shutthebox")
    (commands,) = blocks(page("package.md"), "Only the tools")
    assert "chance to shut" in follow(root, commands)
    root.put(LINKED, "/root/match.txt")
    said = root.run("shutthebox", "verify", "/root/match.txt").stdout
    assert "every throw follows from the links\nfinished: won by The Anchor, by the rules\n" in said
    assert "\nsignatures: not checked\n" in said, "the library that checks them is another package"
    for command in ("doctor", "sim --no-browser"):
        done = root.run("sh", "-c", f"shutthebox {command}", check=False)
        assert done.stderr.count("\n") == 1, done.stderr
        assert "is not installed: apt install python3-" in done.stderr
