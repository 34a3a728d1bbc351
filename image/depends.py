#!/usr/bin/python3
"""Prints what our packages depend on and Debian 13 has: its own, for the image. Run by Makefile."""

import re
import sys
from pathlib import Path

#: Built for the image, as they are not in Debian 13.
BUILT = {"python3-gpiozero", "python3-gpiozero-gpiod", "shutthebox"}
#: What gpiozero itself depends on.
FOR_BUILT = {"python3-colorzero"}


def names(control: str) -> set[str]:
    """The packages that the Depends of a debian/control name."""
    found: set[str] = set()
    for field in re.findall(r"^Depends:((?:\n .*)+)", control, re.MULTILINE):
        found |= set(re.findall(r"^ ([a-z0-9.+-]+)", field, re.MULTILINE))
    return found


print(*sorted((names(Path(sys.argv[1]).read_text()) | FOR_BUILT) - BUILT))
