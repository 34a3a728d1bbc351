"""Text in one-bit pixels, in the bundled Spleen fonts; a text that is too long is squeezed or cut.

Every glyph is drawn at the size its designer drew it, so nothing is ever smoothed or
scaled by a fraction. The fonts are the upstream BDF files (see `spleen/LICENSE`); a
character that a size lacks is spelt out with others ("œ" as "oe") and never drawn as a box.
"""

import re
import unicodedata
from enum import Enum
from functools import cache, lru_cache
from importlib import resources

from shutthebox.adapters.display.bitmap import Bitmap

_SPELT = {
    "œ": "oe", "Œ": "OE", "æ": "ae", "Æ": "AE", "’": "'", "‘": "'", "“": '"', "”": '"', "„": '"',
    "…": "...", "€": "EUR", "–": "-", "—": "-", "−": "-", "•": "·", "→": ">", "←": "<", "▶": ">",
    "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\t": " ", "\n": " ",
}  # fmt: skip


class Size(Enum):
    """A bundled font, by the width and height of its cell in pixels."""

    TINY = (5, 8)  # ASCII only: upstream leaves the accented letters blank
    SMALL = (6, 12)
    MEDIUM = (8, 16)
    LARGE = (16, 32)

    @property
    def width(self) -> int:
        """Pixels from one character to the next."""
        return self.value[0]

    @property
    def height(self) -> int:
        """Pixels from the top of an accented capital to the foot of a "g"."""
        return self.value[1]


@cache
def _glyphs(size: Size) -> dict[str, bytes]:
    """The lines of every character's bitmap, in hexadecimal, as they stand in the font's file."""
    name = f"spleen-{size.width}x{size.height}.bdf"
    source = resources.files(__package__).joinpath("spleen", name).read_bytes()
    found = re.findall(rb"(?m)^ENCODING (\d+)$(?:.|\n)*?^BITMAP$([0-9A-F\n]*)^ENDCHAR", source)
    return {chr(int(code)): lines for code, lines in found}


@lru_cache(maxsize=1024)
def _glyph(character: str, size: Size) -> Bitmap:
    """A character that the size has, in its whole cell. Every glyph of these fonts fills its cell."""
    lines = _glyphs(size).get(character, b"").split()
    data = bytes.fromhex(b"".join(lines).decode()) or bytes(size.height * -(-size.width // 8))
    return Bitmap.frombytes(size.width, data)


@lru_cache(maxsize=1024)
def _has(character: str, size: Size) -> bool:
    return character == " " or (character in _glyphs(size) and _glyph(character, size).ink() is not None)


@lru_cache(maxsize=1024)
def spell_out(text: str, size: Size) -> str:
    """The text with every character that the size lacks spelt out with those it has.

    Accents that a size lacks are dropped, and what is still unknown becomes "?".
    """
    out = []
    for character in unicodedata.normalize("NFC", text):
        for candidate in (character, _SPELT.get(character, "")):
            if candidate and all(_has(c, size) for c in candidate):
                out.append(candidate)
                break
        else:
            base = unicodedata.normalize("NFKD", character)[:1]
            out.append(base if base and _has(base, size) else "?")
    return "".join(out)


@lru_cache(maxsize=256)
def line(text: str, size: Size) -> Bitmap:
    """One line in its natural spacing, as wide as its characters' cells."""
    return Bitmap.side_by_side(
        [_glyph(character, size) for character in spell_out(text, size)], 0, size.height
    )


@lru_cache(maxsize=512)
def _trimmed(character: str, size: Size) -> Bitmap:
    """One glyph without the empty columns beside it."""
    glyph = _glyph(character, size)
    box = glyph.ink()
    if box is None:
        return Bitmap.of(size.width // 2 - 1, size.height)
    return glyph.crop((box[0], 0, box[2], size.height))


@lru_cache(maxsize=256)
def tighten(text: str, size: Size) -> Bitmap:
    """One line with a single empty pixel between its glyphs: about a sixth shorter."""
    glyphs = [_trimmed(character, size) for character in spell_out(text, size)]
    return Bitmap.side_by_side(glyphs, max(1, size.width // 8), size.height)


def fit_font(text: str, size: Size, width: int) -> Bitmap | None:
    """The line in natural or else in tight spacing, or None if even that is wider than `width`."""
    for set_line in (line, tighten):
        picture = set_line(text, size)
        if picture.width <= width:
            return picture
    return None


@lru_cache(maxsize=256)
def wrap_text(text: str, size: Size, width: int) -> tuple[str, ...]:
    """The text in lines that fit into `width` pixels, broken between words where that can be.

    A no-break space does not part words.
    """
    lines: list[str] = []
    for word in filter(None, text.split(" ")):
        if lines and fit_font(f"{lines[-1]} {word}", size, width) is not None:
            lines[-1] += f" {word}"
            continue
        while len(word) > 1 and fit_font(word, size, width) is None:
            length = next(n for n in range(len(word) - 1, 0, -1) if n == 1 or fit_font(word[:n], size, width))
            lines.append(word[:length])
            word = word[length:]
        lines.append(word)
    return tuple(lines)


@lru_cache(maxsize=256)
def shorten(text: str, size: Size, width: int) -> Bitmap:
    """The line, cut short with three dots if it can't be had within `width` pixels."""
    whole = fit_font(text, size, width)
    if whole is not None:
        return whole
    for length in range(len(text) - 1, 0, -1):
        picture = tighten(text[:length].rstrip() + "...", size)
        if picture.width <= width:
            return picture
    return Bitmap.of(1, size.height)


def ink(picture: Bitmap) -> Bitmap:
    """The picture cropped to what is lit; a single dark pixel if nothing is."""
    return picture.crop(picture.ink() or (0, 0, 1, 1))


@lru_cache(maxsize=64)
def embolden(text: str, size: Size) -> Bitmap:
    """One line with strokes a pixel thicker, cropped to its ink; for words read from afar."""
    thin = line(text, size)
    return ink(Bitmap(thin.width + 1, tuple(row | row << 1 for row in thin.rows)))


@lru_cache(maxsize=64)
def enlarge(text: str, size: Size, times: int) -> Bitmap:
    """One line with every pixel drawn `times` as wide and high, cropped to its ink."""
    return ink(line(text, size)).enlarge(times)


def squeeze(picture: Bitmap, height: int) -> Bitmap:
    """The picture without its upper dark lines, as many as must go to come down to `height`.

    The empty lines between a capital and its accent go, so "É" fits where "E" does, or those above a
    "_". If one line is still too many, the topmost goes: an accent is a little lower then.
    """
    rows = list(picture.rows)
    while len(rows) > height and 0 in rows:
        rows.remove(0)
    return Bitmap(picture.width, tuple(rows[1:] if len(rows) == height + 1 else rows))
