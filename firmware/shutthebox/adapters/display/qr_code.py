"""An address as a QR code, as large as a square of the panel allows."""

from functools import lru_cache

from shutthebox.adapters.display.bitmap import Bitmap

LEAST_MODULE = 2
"""The smallest module, in pixels: phones don't find smaller ones on a panel 22 mm wide."""

_QUIET = 1.5
"""The narrowest margin, in modules: what the largest code at two pixels leaves of 64 lines."""


@lru_cache(maxsize=2)
def qr_code(address: str, side: int) -> Bitmap | None:
    """A lit square with the code in dark modules; None if the address is too long for it.

    Args:
        address: to lead to.
        side: of the square, in pixels.
    """
    import segno  # imported lazily: several MB that only the scoreboard needs

    try:
        # The smallest version has the largest modules; spare room goes into error correction.
        matrix = segno.make_qr(address, error="l").matrix
    except segno.DataOverflowError:
        return None
    modules = len(matrix)
    pixels = int(side / (modules + 2 * _QUIET))
    if pixels < LEAST_MODULE:
        return None
    dark = Bitmap.plot(modules, modules, lambda x, y: bool(matrix[y][x])).enlarge(pixels)
    margin = (side - dark.width) // 2
    return Bitmap.of(side, side, lit=True).stamp(dark, margin, margin, lit=False)
