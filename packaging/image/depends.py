#!/usr/bin/python3
"""Prints the packages of Debian 13 on which the card's own packages depend. Run by Makefile."""

import re
import sys
from pathlib import Path

#: Ours that the box stands on.
LIBRARIES = ["python3-gpiozero-gpiod", "python3-luma-spans", "python3-shutthebox"]
#: Our packages on the card; the league itself is for another machine.
ON_CARD = ["shutthebox", "shutthebox-scoreboard", "shutthebox-uplink", *LIBRARIES]
#: Built for the image, as it is not in Debian 13, and what it depends on itself.
GPIOZERO, FOR_GPIOZERO = "python3-gpiozero", {"python3-colorzero"}


def find_dependencies(control: str) -> set[str]:
    """The packages that the card's packages depend on, by a debian/control."""
    found: set[str] = set()
    for package in ON_CARD:
        (paragraph,) = re.findall(rf"^Package: {package}\n(?:.+\n)+", control, re.MULTILINE)
        (depends,) = re.findall(r"^Depends:((?:\n .*)+)", paragraph, re.MULTILINE)
        found |= set(re.findall(r"^ ([a-z0-9.+-]+)", depends, re.MULTILINE))
    return found


if __name__ == "__main__":
    wanted = find_dependencies(Path(sys.argv[1]).read_text()) | FOR_GPIOZERO
    print(*sorted(wanted - {GPIOZERO, *ON_CARD}))
