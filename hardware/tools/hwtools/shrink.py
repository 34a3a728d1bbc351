"""Makes rendered pictures small enough to be committed: a palette instead of full colour."""

from __future__ import annotations

import sys
from pathlib import Path


def shrink(path: Path) -> int:
    """Reduce a PNG to a palette of 128 colours and return its new size in bytes."""
    from PIL import Image

    with Image.open(path) as image:
        picture = image.convert("RGBA")
        paper = Image.new("RGBA", picture.size, "white")
        small = Image.alpha_composite(paper, picture).convert("RGB").quantize(128, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
    return path.stat().st_size


if __name__ == "__main__":
    for name in sys.argv[1:]:
        shrink(Path(name))
