"""Makes rendered pictures small enough to commit: no empty margins, few colours."""

from __future__ import annotations

import sys
from pathlib import Path

_MARGIN = 8  # pixels of white left on each side


def shrink(path: Path) -> None:
    """Crop a PNG to its drawing, and reduce it to a palette of 128 colours."""
    from PIL import Image, ImageChops

    with Image.open(path) as image:
        picture = image.convert("RGBA")
    paper = Image.new("RGBA", picture.size, "white")
    flat = Image.alpha_composite(paper, picture).convert("RGB")
    if drawn := ImageChops.difference(flat, paper.convert("RGB")).getbbox():
        left, top, right, bottom = drawn
        flat = flat.crop(
            (
                max(left - _MARGIN, 0),
                max(top - _MARGIN, 0),
                min(right + _MARGIN, flat.width),
                min(bottom + _MARGIN, flat.height),
            )
        )
    flat.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        shrink(Path(name))
