"""Reads packaging/debian/control as far as the tests need it."""

from __future__ import annotations

import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
CONTROL = PROJECT / "packaging/debian/control"


def fields(stanza: int) -> dict[str, str]:
    """The fields of one stanza: 0 is the source's."""
    text = re.sub(r"^#.*\n", "", CONTROL.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = re.findall(r"^(\S+):((?:.*\n)(?:[ \t].*\n)*)", text.split("\n\n")[stanza] + "\n", re.MULTILINE)
    return {name: value.strip() for name, value in found}


OWN = tuple(re.findall(r"^Package: (.*)$", CONTROL.read_text(encoding="utf-8"), re.MULTILINE))
"""Our packages, in the order of their stanzas."""


def stanza_of(package: str) -> int:
    return 1 + OWN.index(package)


def relations(field: str, stanza: int) -> dict[str, str]:
    """Packages that the field of a package's stanza names, with the least version or ""."""
    found: dict[str, str] = {}
    for entry in fields(stanza)[field].split(","):
        if match := re.fullmatch(r"\s*([a-z0-9.+-]+)(?:\s+\(>= ([^)]+)\))?\s*", entry):
            found[match[1]] = match[2] or ""
    return found
