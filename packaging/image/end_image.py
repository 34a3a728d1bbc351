#!/usr/bin/python3
"""Cuts the zeros off the end of a card's image, which it names: nobody has to write them."""

import os
import sys
from pathlib import Path

MIB = 1 << 20

path = Path(sys.argv[1])
with path.open("rb") as image:
    end = image.seek(0, os.SEEK_END)
    while end:
        begin = (end - 1) // MIB * MIB
        image.seek(begin)
        if any(image.read(MIB)):
            break
        end = begin
os.truncate(path, end)
