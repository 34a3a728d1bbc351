"""What the pages have people type, so that a walk brings nothing that its page doesn't name."""

import re
from textwrap import dedent

from .control import PROJECT
from .root import Root


def page(name: str) -> str:
    """The text of a page."""
    return (PROJECT / "docs" / name).read_text(encoding="utf-8")


def blocks(text: str, heading: str) -> list[str]:
    """The commands and files of one section of a page, block by block."""
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    assert section, f"the page has no section {heading!r}"
    found = re.findall(r"```(?:sh|console|toml)\n(.*?)```", section, re.DOTALL)
    return [re.sub(r"(?m)^\$ ", "", dedent(block)) for block in found]


def follow(root: Root, commands: str, folder: str = "/opt") -> str:
    """Types a block of commands in a folder, and answers apt's question; returns what they print."""
    script = re.sub(r"\bapt install (?!-y)", "apt install -y ", commands)
    return root.run("sh", "-ec", f"cd {folder}\n{script}").stdout
