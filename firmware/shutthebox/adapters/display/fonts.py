"""Text in one-bit pixels, in the bundled Spleen fonts; text that's too long is squeezed or cut.

Every glyph is drawn at its design size or a whole multiple of it, never smoothed. The fonts are the
upstream BDF files (see `spleen/LICENSE`). A character that a size lacks is spelt out ("œ" as "oe"),
never drawn as a box.
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
    """A bundled font, by the width and height of its cells in pixels."""

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
    """Every character's bitmap, in the hexadecimal of the font's file."""
    name = f"spleen-{size.width}x{size.height}.bdf"
    source = resources.files(__package__).joinpath("spleen", name).read_bytes()
    found = re.findall(rb"(?m)^ENCODING (\d+)$(?:.|\n)*?^BITMAP$([0-9A-F\n]*)^ENDCHAR", source)
    return {chr(int(code)): lines for code, lines in found}


@lru_cache(maxsize=1024)
def _glyph(character: str, size: Size) -> Bitmap:
    """The whole cell of a character that the size has. In these fonts, every glyph fills its cell."""
    lines = _glyphs(size).get(character, b"").split()
    data = bytes.fromhex(b"".join(lines).decode()) or bytes(size.height * -(-size.width // 8))
    return Bitmap.frombytes(size.width, data)


@lru_cache(maxsize=1024)
def _has(character: str, size: Size) -> bool:
    return character == " " or (character in _glyphs(size) and _glyph(character, size).ink() is not None)


@lru_cache(maxsize=1024)
def spell_out(text: str, size: Size) -> str:
    """Spells out every character that the size lacks with those it has.

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
    """One line in natural spacing: one cell per character."""
    return Bitmap.side_by_side(
        [_glyph(character, size) for character in spell_out(text, size)], 0, size.height
    )


@lru_cache(maxsize=512)
def _trim(character: str, size: Size) -> Bitmap:
    """One glyph without the empty columns on either side."""
    glyph = _glyph(character, size)
    box = glyph.ink()
    if box is None:
        return Bitmap.of(size.width // 2 - 1, size.height)
    return glyph.crop((box[0], 0, box[2], size.height))


@lru_cache(maxsize=256)
def tighten(text: str, size: Size) -> Bitmap:
    """One line with a single empty pixel between its glyphs: about a sixth shorter."""
    glyphs = [_trim(character, size) for character in spell_out(text, size)]
    return Bitmap.side_by_side(glyphs, max(1, size.width // 8), size.height)


def fit_font(text: str, size: Size, width: int) -> Bitmap | None:
    """The line in natural spacing, or else in tight spacing; None if even that is wider than `width`."""
    for set_line in (line, tighten):
        picture = set_line(text, size)
        if picture.width <= width:
            return picture
    return None


@lru_cache(maxsize=256)
def wrap_text(text: str, size: Size, width: int) -> tuple[str, ...]:
    """The text in lines of at most `width` pixels, broken between words where possible.

    Lines don't break at a no-break space.
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
    """The line, cut short with three dots if it doesn't fit into `width` pixels."""
    whole = fit_font(text, size, width)
    if whole is not None:
        return whole
    for length in range(len(text) - 1, 0, -1):
        picture = tighten(text[:length].rstrip() + "...", size)
        if picture.width <= width:
            return picture
    return Bitmap.of(1, size.height)


def ink(picture: Bitmap) -> Bitmap:
    """The picture cropped to its lit pixels; a single dark pixel if there are none."""
    return picture.crop(picture.ink() or (0, 0, 1, 1))


@lru_cache(maxsize=64)
def embolden(text: str, size: Size) -> Bitmap:
    """One line with strokes one pixel thicker, cropped to its ink; for words read from a distance."""
    thin = line(text, size)
    return ink(Bitmap(thin.width + 1, tuple(row | row << 1 for row in thin.rows)))


@lru_cache(maxsize=64)
def enlarge(text: str, size: Size, times: int) -> Bitmap:
    """One line with every pixel drawn `times` as wide and high, cropped to its ink."""
    return ink(line(text, size)).enlarge(times)


def squeeze(picture: Bitmap, height: int) -> Bitmap:
    """Drops dark lines from the top until the picture is `height` high.

    The empty lines between a capital and its accent go first, so "É" fits where "E" does, or those above a
    "_". If that's still one line too many, the topmost goes, which lowers an accent slightly.
    """
    rows = list(picture.rows)
    while len(rows) > height and 0 in rows:
        rows.remove(0)
    return Bitmap(picture.width, tuple(rows[1:] if len(rows) == height + 1 else rows))
