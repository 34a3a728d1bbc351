"""Draws the machine's diagram into ARCHITECTURE.md again, after its table has changed.

A plain command: python tests/project/renew_diagram.py
"""

import re
from pathlib import Path

import shutthebox
from shutthebox.game.table import diagram

if __name__ == "__main__":
    page = Path(shutthebox.__file__).parent / "ARCHITECTURE.md"
    text = re.sub(
        r"(?s)(```mermaid\n).*?(```)", lambda found: found[1] + diagram() + found[2], page.read_text()
    )
    page.write_text(text)
