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
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

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
def _font(size: Size) -> tuple[ImageFont.FreeTypeFont, frozenset[str]]:
    """The font, and the characters its file names."""
    name = f"spleen-{size.width}x{size.height}.bdf"
    source = resources.files(__package__).joinpath("spleen", name).read_bytes()
    named = frozenset(chr(int(code)) for code in re.findall(rb"(?m)^ENCODING (\d+)", source))
    # The other layout engine needs a library that not every Pillow has, and could space differently.
    font = ImageFont.truetype(BytesIO(source), size.height, layout_engine=ImageFont.Layout.BASIC)
    return font, named


@lru_cache(maxsize=1024)
def _has(character: str, size: Size) -> bool:
    if character == " ":
        return True
    font, named = _font(size)
    return character in named and font.getmask(character, mode="1").getbbox() is not None


@lru_cache(maxsize=1024)
def spelt(text: str, size: Size) -> str:
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
def line(text: str, size: Size) -> Image.Image:
    """One line in its natural spacing, white on black, as wide as its characters' cells.

    The picture is shared between callers and must not be drawn on.
    """
    text = spelt(text, size)
    picture = Image.new("1", (max(1, len(text) * size.width), size.height))
    pen = ImageDraw.Draw(picture)
    pen.fontmode = "1"
    pen.text((0, 0), text, fill=1, font=_font(size)[0])
    return picture


@lru_cache(maxsize=512)
def _trimmed(character: str, size: Size) -> Image.Image:
    """One glyph without the empty columns beside it."""
    glyph = line(character, size)
    box = glyph.getbbox()
    if box is None:
        return Image.new("1", (size.width // 2 - 1, size.height))
    return glyph.crop((box[0], 0, box[2], size.height))


@lru_cache(maxsize=256)
def tight(text: str, size: Size) -> Image.Image:
    """One line with a single empty pixel between its glyphs: about a sixth shorter.

    The picture is shared between callers and must not be drawn on.
    """
    glyphs = [_trimmed(character, size) for character in spelt(text, size)]
    gap = max(1, size.width // 8)
    width = sum(glyph.width + gap for glyph in glyphs) - gap
    picture = Image.new("1", (max(1, width), size.height))
    x = 0
    for glyph in glyphs:
        picture.paste(glyph, (x, 0))
        x += glyph.width + gap
    return picture


def fitting(text: str, size: Size, width: int) -> Image.Image | None:
    """The line in natural or else in tight spacing, or None if even that is wider than `width`."""
    for set_line in (line, tight):
        picture = set_line(text, size)
        if picture.width <= width:
            return picture
    return None


@lru_cache(maxsize=256)
def wrapped(text: str, size: Size, width: int) -> tuple[str, ...]:
    """The text in lines that fit into `width` pixels, broken between words where that can be."""
    lines: list[str] = []
    for word in text.split():
        if lines and fitting(f"{lines[-1]} {word}", size, width) is not None:
            lines[-1] += f" {word}"
            continue
        while len(word) > 1 and fitting(word, size, width) is None:
            length = next(n for n in range(len(word) - 1, 0, -1) if n == 1 or fitting(word[:n], size, width))
            lines.append(word[:length])
            word = word[length:]
        lines.append(word)
    return tuple(lines)


@lru_cache(maxsize=256)
def shortened(text: str, size: Size, width: int) -> Image.Image:
    """The line, cut short with three dots if it cannot be had within `width` pixels."""
    whole = fitting(text, size, width)
    if whole is not None:
        return whole
    for length in range(len(text) - 1, 0, -1):
        picture = tight(text[:length].rstrip() + "...", size)
        if picture.width <= width:
            return picture
    return Image.new("1", (1, size.height))


def ink(picture: Image.Image) -> Image.Image:
    """The picture cropped to what is lit; a single dark pixel if nothing is."""
    box = picture.getbbox()
    return picture.crop(box if box is not None else (0, 0, 1, 1))


@lru_cache(maxsize=64)
def heavy(text: str, size: Size) -> Image.Image:
    """One line with strokes a pixel thicker, cropped to its ink; for words read from afar."""
    thin = line(text, size)
    thick = Image.new("1", (thin.width + 1, thin.height))
    thick.paste(thin, (0, 0))
    thick.paste(1, (1, 0), thin)
    return ink(thick)


@lru_cache(maxsize=64)
def enlarged(text: str, size: Size, times: int) -> Image.Image:
    """One line with every pixel drawn `times` as wide and high, cropped to its ink."""
    small = ink(line(text, size))
    return small.resize((small.width * times, small.height * times), Image.Resampling.NEAREST)


def squeezed(picture: Image.Image, height: int) -> Image.Image:
    """The picture without its upper dark lines, as many as must go to come down to `height`.

    The empty lines between a capital and its accent go, so "É" fits where "E" does, or those above a
    "_". If one line is still too many, the topmost goes: an accent is a little lower then.
    """
    y = 0
    while picture.height > height and y < picture.height:
        if picture.crop((0, y, picture.width, y + 1)).getbbox() is not None:
            y += 1
            continue
        closed = Image.new("1", (picture.width, picture.height - 1))
        closed.paste(picture.crop((0, 0, picture.width, y)), (0, 0))
        closed.paste(picture.crop((0, y + 1, picture.width, picture.height)), (0, y))
        picture = closed
    return picture.crop((0, 1, picture.width, picture.height)) if picture.height == height + 1 else picture
