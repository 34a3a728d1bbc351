"""The recipes of a page: blocks marked `python`, each with the block after it, which is what it prints."""

import re
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

_BLOCKS = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXTRA = re.compile(r"# shutthebox\[(\w+)\]\n")


class Recipe(NamedTuple):
    """A block of code.

    Attributes:
        page: the page's name.
        line: of the block's first line on the page.
        code: what runs.
        prints: what it prints; None if no block of text follows.
        extra: what has to be installed with the package; empty for nothing.
    """

    page: str
    line: int
    code: str
    prints: str | None
    extra: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def recipes_of(page: Path) -> list[Recipe]:
    """The recipes of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for block, after in pairwise([*_BLOCKS.finditer(text), None]):
        if block is None or block[1] != "python":
            continue
        line, extra = text.count("\n", 0, block.start()) + 2, _EXTRA.match(block[2])
        prints = (
            after[2]
            if after and after[1] == "text" and not text[block.end() : after.start()].strip()
            else None
        )
        found.append(Recipe(page.name, line, block[2], prints, extra[1] if extra else ""))
    return found
