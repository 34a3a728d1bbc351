"""The tools on a bare Debian 13, by the page's own lines: no gpiozero 2, no pins."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .pages import blocks, follow, page
from .root import Root

pytestmark = [pytest.mark.package, pytest.mark.timeout(900, func_only=True)]


def test_the_tools_on_a_desktop(bare: Callable[..., Root]) -> None:
    root = bare("python3-shutthebox")
    (commands,) = blocks(page("package.md"), "Only the tools")
    assert "chance to shut" in follow(root, commands)
    for command in ("doctor", "sim --no-browser"):
        done = root.run("sh", "-c", f"shutthebox {command}", check=False)
        assert done.stderr.count("\n") == 1, done.stderr
        assert "is not installed: apt install python3-" in done.stderr
