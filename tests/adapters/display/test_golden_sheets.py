"""Sheets of many small pictures against golden ones: shapes, rows and lists at every size they have.

A sheet shows its pictures in frames, from left to right. It holds what single screens do not:
how one thing looks at all its sizes, and at which length another size or place begins.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from shutthebox.adapters.display import tiles as tilerow
from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.fonts import Size, enlarged, heavy, ink, line, shortened, squeezed, tight
from shutthebox.adapters.display.layout import PROMPT_NS, draw
from shutthebox.adapters.display.shapes import TURNS, die, numeral, numeral_within, tumbling_die
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen

from .test_golden import tiles

MS = 1_000_000


def sheet(pictures: Iterable[Bitmap], width: int = 560) -> Bitmap:
    """The pictures in rows of at most this width, each in a frame of one pixel."""
    places, x, y, row = [], 0, 0, 0
    for picture in pictures:
        if x and x + picture.width + 2 > width:
            x, y, row = 0, y + row + 1, 0
        places.append((picture, x, y))
        x, row = x + picture.width + 3, max(row, picture.height + 2)
    whole = Bitmap.of(width, y + row)
    for picture, left, top in places:
        whole = whole.fill((left, top, left + picture.width + 2, top + picture.height + 2))
        whole = whole.paste(picture, left + 1, top + 1)
    return whole


def numerals() -> Iterable[Bitmap]:
    """Every height of a total, and of the numbers on small dice and narrow tiles."""
    for height in (*range(5, 17), 18, 21, 25, 28, 33, 36):
        yield numeral("-1234567890", height)
    for width in (6, 10, 20, 40, 64):
        yield from (numeral_within(text, width, 30) for text in ("1", "7", "45", "-3", "100"))


def dice() -> Iterable[Bitmap]:
    """All sides that dice have: odd ones, so that the middle pip is in the middle."""
    for side in range(7, 37, 2):
        yield from (die(face, side) for face in (*range(1, 8), 12, 20))
    yield from (die(face, side) for side in (12, 14, 30) for face in (5, 6, 10))


def dice_in_the_air() -> Iterable[Bitmap]:
    for side in (7, 13, 19, 27):
        yield from (tumbling_die(1 + (turn + side) % 6, turn, side) for turn in range(TURNS + 1))
    yield from (tumbling_die(face, 1, 25) for face in range(1, 7))


def rows_of_tiles() -> Iterable[Bitmap]:
    """Few tiles stand in the middle; above twelve they have no numbers, above 24 there are three rows."""
    for count in (1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 20, 24, 25, 36, 37, 48, 54):
        for blink in (True, False):
            yield tilerow.draw_tiles(tiles("ovsfw", count), 128, blink)


def texts() -> Iterable[Bitmap]:
    """Lines at each size, in natural and in tight spacing, in heavy and in large letters, and cut short."""
    for size in Size:
        yield from (setting("Wie, j'agite : 10-12 ?", size) for setting in (line, tight))
        yield from (ink(line(text, size)) for text in ("Ég", " ", ".-_"))
        yield from (heavy(text, size) for text in ("Box!", "É"))
        yield from (enlarged("Île", size, times) for times in (2, 3))
        yield from (shortened("Player 1 wins", size, width) for width in range(12, 13 * size.width + 1, 13))
    for word in ("ÉÎ", "a_", "Ç:"):
        tall = enlarged(word, Size.LARGE, 1)
        yield from (squeezed(tall, tall.height - less) for less in range(6))


def throws() -> Iterable[Bitmap]:
    """One to nine dice, with their total, with words, alone, and in the air."""
    for count in range(1, 10):
        screen = Screen(Mode.FLIPPING, title="P", dice=(1, 2, 3, 4, 5, 6, 7, 12, 6)[:count], prompt="p")
        yield draw(replace(screen, total=7 * count), 0)
        yield draw(replace(screen, tiles=tiles("o", 9), big="ou 2"), 0)
        yield draw(screen, 0)
        yield draw(replace(screen, tumbling=True, title="", tiles=tiles("o", 4 * count)), 400 * MS * count)
    yield draw(Screen(Mode.FLIPPING, total=26, prompt="p"), 0)
    # What stands beside the dice takes half of the width at most.
    yield draw(Screen(Mode.FLIPPING, dice=(20,) * 9, total=180, prompt="p"), 0)
    yield draw(Screen(Mode.FLIPPING, title="P", dice=(6,), big="two words", prompt="p"), 0)


def dice_rolling() -> Iterable[Bitmap]:
    """The first second of two dice and of the small ones of a game with seven."""
    for dice in ((1, 1), (1,) * 7):
        screen = Screen(Mode.ROLLING, dice=dice, tumbling=True, tiles=tiles("o", 12))
        yield from (draw(screen, step * 100 * MS, (96, 64)) for step in range(10))


def words() -> Iterable[Bitmap]:
    """A word as large as it gets, or a few on several lines; above tiles it may use one line more."""
    for big in (
        "8", "45", "-12", "1000000", "1-2", "A", "SHUT!", "Égal", "ÉGALITÉ", "BLOCKED", "Player 1", "AN_",
        "7 left", "SHUT THE BOX", "Joueur 10", "Fermez la boîte", "Anna and Béatrice de la Tour",
        "Donaudampfschifffahrt", "one two three four five six seven eight nine ten eleven twelve", " ",
    ):  # fmt: skip
        screen = Screen(Mode.READY, big=big)
        yield draw(screen, 0)
        yield draw(replace(screen, title="T", prompt="p"), 0)
        yield draw(replace(screen, title="T", tiles=tiles("o", 9)), 0)
        yield draw(replace(screen, title="T", tiles=tiles("o", 54), prompt="p"), 0)


def fireworks() -> Iterable[Bitmap]:
    screen = Screen(Mode.TURN_OVER, celebrates=True, tiles=tiles("s", 9))
    return (draw(screen, step * 100 * MS) for step in range(11))


ROWS = ("1 Game: Pub", "2 On\t14", "A very long name of a game\t1000", "4", "A row that needs two lines",
        "6 Deutsch", "7 \tright", "eight", "9")  # fmt: skip


def lists_to_choose_from() -> Iterable[Bitmap]:
    """Each row chosen once, in lists of one to nine rows."""
    for count in (1, 2, 3, 4, 5, 9):
        for cursor in range(count):
            yield draw(Screen(Mode.MENU, rows=ROWS[:count], cursor=cursor, prompt="p"), 0)
    yield draw(Screen(Mode.MENU, rows=ROWS, cursor=2, prompt="p", tiles=tiles("o", 9)), 0)
    yield draw(Screen(Mode.MENU, rows=ROWS, cursor=8, prompt="p", tiles=tiles("o", 9)), 0)
    yield draw(Screen(Mode.MENU, rows=ROWS, cursor=4, prompt="p"), 0, (96, 48))
    crowded = Screen(
        Mode.SERVICE, title="T", rows=ROWS, cursor=4, tiles=tiles("o", 9), prompt="p", alert=True
    )
    yield draw(crowded, 0)
    yield draw(replace(crowded, tiles=tiles("o", 54)), 0)


def lists_to_read() -> Iterable[Bitmap]:
    """Page after page of 3 s, with the marked row wherever it is; and with a text to read."""
    wins = "The lowest score wins. A dead end ends the turn."
    shut = "Nine tiles, two dice: shut what makes the total."
    for screen in (
        Screen(Mode.MATCH_OVER, title="Scores", rows=ROWS, prompt="p"),
        Screen(Mode.MATCH_OVER, title="Scores", rows=ROWS[:5], cursor=4, prompt="p"),
        Screen(Mode.MATCH_OVER, rows=ROWS[:4]),
        Screen(Mode.MENU, rows=ROWS, cursor=4, paragraph=wins),
        Screen(Mode.MENU, title="Rules", paragraph=shut, prompt="p"),
        Screen(Mode.MENU, title="Rules", paragraph="Nine tiles.", prompt="p"),
    ):
        yield from (draw(screen, seconds * 1000 * MS) for seconds in (0, 3, 6, 9))


def first_and_last_lines() -> Iterable[Bitmap]:
    """Large letters where both have room, then small ones, then tight ones, then in turns; and prompts."""
    for title, aside in (
        ("Player 2", "1/5"),
        ("Player 10", "11/12"),
        ("Player 10", "best 26"),
        ("Joueur 2 gagne", "2/5"),
        ("Joueur 2 gagne", "à battre 26"),
        ("Joueur 2 gagne bien", "à battre 26"),
        ("", "7 more"),
        ("Hall of fame", ""),
        ("The hall of fame", ""),
        ("The hall of fame!", ""),
        ("The hall of fame, at last", "1"),
        ("The hall of fame, at the very last", ""),
    ):
        screen = Screen(Mode.READY, title=title, aside=aside, prompt=f"Lift {aside}!")
        yield draw(screen, 0)
        yield draw(replace(screen, dice=(6,), alert=True), PROMPT_NS)
        for mode in (Mode.MENU, Mode.READY):
            yield draw(replace(screen, mode=mode, rows=("a", "b"), cursor=0, also=(title,)), PROMPT_NS)


def other_panels() -> Iterable[Bitmap]:
    """The smallest panel, a low one and a large one; the attract picture drifts on each."""
    ready = Screen(Mode.READY, title="P 1", aside="2/3", big="7 left", tiles=tiles("ovs", 9), prompt="Press")
    thrown = Screen(Mode.FLIPPING, title="P 1", dice=(3, 5), total=8, tiles=tiles("ovfsw", 36), prompt="8")
    table = Screen(Mode.MATCH_OVER, title="ANN wins", rows=ROWS, cursor=1, prompt="Press")
    attract = Screen(Mode.ATTRACT, title="Box", big="SHUT", prompt="Press")
    for size in ((96, 48), (200, 50), (160, 128)):
        yield from (draw(screen, 3_000 * MS, size) for screen in (ready, thrown, table))
        yield from (draw(attract, seconds * 1000 * MS, size) for seconds in (0, 2, 6, 16, 18, 30))


SHEETS: dict[str, Callable[[], Iterable[Bitmap]]] = {
    make.__name__.replace("_", "-"): make
    for make in (
        numerals,
        dice,
        dice_in_the_air,
        rows_of_tiles,
        texts,
        throws,
        dice_rolling,
        words,
        fireworks,
        lists_to_choose_from,
        lists_to_read,
        first_and_last_lines,
        other_panels,
    )
}


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_looks_as_it_did(name: str, golden: Callable[[str, Bitmap], None]) -> None:
    golden(f"sheets/{name}", sheet(SHEETS[name]()))


def test_every_golden_sheet_is_compared() -> None:
    folder = Path(__file__).parent / "golden" / "sheets"
    assert {path.stem for path in folder.glob("*.png")} == set(SHEETS)
