"""An address as a QR code, as large as a square of the panel allows."""

from functools import lru_cache

from shutthebox.adapters.display.bitmap import Bitmap

LEAST_MODULE = 2
"""Pixels of a module, at least: telephones do not find smaller ones on a panel of 22 mm."""

_QUIET = 1.5
"""Modules of lit ground on each side, at least. The largest code at two pixels has so much in 64 lines."""


@lru_cache(maxsize=2)
def qr_code(address: str, side: int) -> Bitmap | None:
    """A lit square with the code in dark modules; None where the address is too long for this side.

    Args:
        address: to lead to.
        side: of the square, in pixels.
    """
    import segno  # some MB, which a box without a scoreboard does without

    try:
        # The smallest code has the largest modules; what is left of it goes into correction.
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
