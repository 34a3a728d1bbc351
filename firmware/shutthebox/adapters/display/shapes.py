"""Numerals and dice for a one-bit panel, at any size.

Every pixel follows from a formula, so the golden pictures are the same on every machine.
"""

import math
from functools import lru_cache

from shutthebox.adapters.display.bitmap import Bitmap

# Segments of a numeral, as on a scoreboard: a top, b/c right, d bottom, e/f left, g middle.
_SEGMENTS = {
    "0": "abcdef", "1": "", "2": "abged", "3": "abgcd", "4": "fgbc",
    "5": "afgcd", "6": "afgedc", "7": "abc", "8": "abcdefg", "9": "abcdfg",
}  # fmt: skip

_PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    0: (),
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}
HIGHEST_PIPS = 6  # above, a die shows its face as a number
_LEAST_SIDE = 13  # of a die with pips; in a smaller one a number is easier to read


def _stroke(height: int) -> int:
    return max(1, round(height / 5))


def _digit_width(character: str, height: int) -> int:
    stroke = _stroke(height)
    if character == "1":
        return stroke + max(1, stroke * 2 // 3)
    if character == "-":
        return max(3, height // 3)
    return max(3, round(height * 0.62))


@lru_cache(maxsize=256)
def _digit(character: str, height: int) -> Bitmap:
    width, stroke = _digit_width(character, height), _stroke(height)
    middle = (height - stroke) // 2
    corner = max(0, stroke // 2)
    if character == "1":
        flag, top = width - stroke, stroke // 2

        def lit_one(x: int, y: int) -> bool:
            # The flag of the 1 hangs one step below the top of the stem.
            return x >= flag or (top <= y and top <= y + (x - flag + 1) // 2 <= stroke + top)

        return Bitmap.plot(width, height, lit_one)
    if character == "-":
        parts = [(0, middle, width, middle + stroke)]
    else:
        boxes = {
            "a": (0, 0, width, stroke),
            "b": (width - stroke, 0, width, middle + stroke),
            "c": (width - stroke, middle, width, height),
            "d": (0, height - stroke, width, height),
            "e": (0, middle, stroke, height),
            "f": (0, 0, stroke, middle + stroke),
            "g": (0, middle, width, middle + stroke),
        }
        parts = [boxes[name] for name in _SEGMENTS[character]]
    segments = _SEGMENTS.get(character, "")
    # Round the outer corners where two strokes meet; free ends stay square.
    rounded = [
        ("b" in pair or "c" in pair, "d" in pair)
        for pair in ("af", "ab", "de", "cd")
        if set(pair) <= set(segments)
    ]

    # A waist keeps the 8 from looking like a slab with two holes.
    waist = max(1, stroke // 4) if character == "8" and height >= 12 else 0

    def lit(x: int, y: int) -> bool:
        if abs(2 * y - 2 * middle - stroke + 1) < stroke and min(x, width - 1 - x) < waist:
            return False
        for right, bottom in rounded:
            dx, dy = (width - 1 - x if right else x), (height - 1 - y if bottom else y)
            if dx + dy < corner:
                return False
        return any(left <= x < to_x and top <= y < to_y for left, top, to_x, to_y in parts)

    return Bitmap.plot(width, height, lit)


def is_number(text: str) -> bool:
    """Whether `numeral` can draw the text: digits, and a minus sign before them."""
    return text.isascii() and text.removeprefix("-").isdecimal()


@lru_cache(maxsize=64)
def numeral(text: str, height: int) -> Bitmap:
    """A whole number in heavy strokes, `height` pixels high, without a margin."""
    digits = [_digit(character, height) for character in text]
    return Bitmap.side_by_side(digits, max(1, _stroke(height) * 3 // 5), height)


def numeral_within(text: str, width: int, height: int) -> Bitmap:
    """The number as high as fits into the box, but at least five pixels."""
    while height > 5 and numeral(text, height).width > width:
        height -= 1
    return numeral(text, height)


def _pip_geometry(side: int) -> tuple[int, int]:
    """The distance of a pip's centre from the die's, and a pip's width."""
    width = round(side / 5)
    # A pip can only be centred if its width has the same parity as the die's.
    return round(side * 0.28), width - (side - width) % 2


@lru_cache(maxsize=64)
def die(face: int, side: int) -> Bitmap:
    """A die at rest: white, with its pips or number cut out, `side` pixels square.

    Args:
        face: from 0, a blank. Up to `HIGHEST_PIPS` it has pips if there's room, or else a number.
        side: in pixels, from 7; two digits need 9.
    """
    corner = max(1, side // 8)

    def body(x: int, y: int) -> bool:
        return min(x, side - 1 - x) + min(y, side - 1 - y) >= corner

    picture = Bitmap.plot(side, side, body)
    if not 0 <= face <= HIGHEST_PIPS or side < _LEAST_SIDE:
        number = numeral_within(str(face), side - 2 - side // 12, round(side * 0.62))
        left, top = (side - number.width + 1) // 2, (side - number.height) // 2
        return picture.stamp(number, left, top, lit=False)
    spread, width = _pip_geometry(side)
    pip = Bitmap.plot(
        width, width, lambda x, y: (2 * x - width + 1) ** 2 + (2 * y - width + 1) ** 2 <= width**2
    )
    for column, row in _PIPS[face]:
        left, top = (side - width) // 2 + column * spread, (side - width) // 2 + row * spread
        picture = picture.stamp(pip, left, top, lit=False)
    return picture


TURNS = 6  # pictures of a die between two positions that look alike, 15 degrees apart


@lru_cache(maxsize=128)
def tumbling_die(face: int, turn: int, side: int) -> Bitmap:
    """A die in the air, rotated by `turn` times 15 degrees, within `side` pixels square."""
    half = side * 0.40
    angle = math.radians(15 * (turn % TURNS))
    # Rounded, because the last bits of a sine differ between C libraries.
    cos, sin = round(math.cos(angle), 6), round(math.sin(angle), 6)
    pips = [(column * half * 0.55, row * half * 0.55) for column, row in _PIPS[face]]
    reach, corner = (half * 0.24) ** 2, half * 1.72

    def lit(x: int, y: int) -> bool:
        dx, dy = x - (side - 1) / 2, y - (side - 1) / 2
        u, v = dx * cos + dy * sin, dy * cos - dx * sin
        if max(abs(u), abs(v)) > half or abs(u) + abs(v) > corner:
            return False
        return all((u - a) ** 2 + (v - b) ** 2 > reach for a, b in pips)

    return Bitmap.plot(side, side, lit)
