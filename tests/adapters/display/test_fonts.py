"""Text: French is complete at every size that words are set in, and nothing is drawn as a box."""

import pytest

from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.fonts import (
    Size,
    enlarged,
    fitting,
    ink,
    line,
    shortened,
    spelt,
    squeezed,
    tight,
    wrapped,
)

FRENCH = "àâäçéèêëîïôöùûüÿ" + "ÀÂÄÇÉÈÊËÎÏÔÖÙÛÜ" + "«»°"
WORDS = (Size.SMALL, Size.MEDIUM, Size.LARGE)


@pytest.mark.parametrize("size", WORDS)
def test_french_letters_are_drawn_as_themselves(size: Size) -> None:
    assert [letter for letter in FRENCH if spelt(letter, size) != letter] == []
    assert [letter for letter in FRENCH if line(letter, size).ink() is None] == []


@pytest.mark.parametrize("size", WORDS)
def test_accents_make_a_difference(size: Size) -> None:
    assert len({line(letter, size).tobytes() for letter in "eéèêë"}) == 5
    assert len({line(letter, size).tobytes() for letter in "EÉÈÊË"}) == 5


@pytest.mark.parametrize(
    ("text", "small"),
    [
        ("œuf", "oeuf"), ("CŒUR", "COEUR"), ("l’as", "l'as"), ("…", "..."), ("2 €", "2 EUR"), ("a—b", "a-b"),
        ("a\u00a0!", "a !"), ("a\u202f!", "a !"), ("ŷ", "y"), ("日", "?"), ("e\u0301", "é"),
    ],
)  # fmt: skip
def test_what_the_small_size_lacks_is_spelt_out(text: str, small: str) -> None:
    assert spelt(text, Size.SMALL) == small


def test_larger_sizes_have_more_of_their_own() -> None:
    assert spelt("œ…€", Size.MEDIUM) == "œ…€"


def test_the_tiny_size_drops_accents_that_its_file_only_names() -> None:
    assert spelt("é1", Size.TINY) == "e1"


def test_glyphs_are_the_designers_own_pixels() -> None:
    # The letter E of 6x12, copied by eye from the BDF file.
    picture = line("E", Size.SMALL)
    rows = ["".join("#" if picture.lit(x, y) else "." for x in range(6)) for y in range(12)]
    letter = [".####.", "#.....", "#.....", "####..", "#.....", "#.....", "#.....", ".####."]
    assert rows == ["......", *letter, *["......"] * 3]


def test_a_line_is_as_wide_as_its_cells_and_a_tight_one_narrower() -> None:
    assert line("Player 11", Size.SMALL).width == 54
    assert tight("Player 11", Size.SMALL).width < 50


@pytest.mark.parametrize("width", range(8, 130, 7))
def test_a_shortened_line_keeps_within_its_width_and_its_beginning(width: int) -> None:
    picture = shortened("Béatrice de la Tour d'Auvergne", Size.SMALL, width)
    assert picture.width <= width
    if width > 30:
        assert picture.crop((0, 0, 5, 12)).tobytes() == line("B", Size.SMALL).crop((0, 0, 5, 12)).tobytes()


def test_what_fits_is_not_squeezed() -> None:
    assert fitting("abc", Size.SMALL, 18) is line("abc", Size.SMALL)
    assert fitting("abc", Size.SMALL, 17) is tight("abc", Size.SMALL)
    assert fitting("abc", Size.SMALL, 12) is None


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 38, ()),
        ("  a   b ", 38, ("a b",)),
        # An M is 5 pixels wide and a blank 2, with one between: "MMM MMM" has 38.
        ("MMM MMM", 38, ("MMM MMM",)),
        ("MMM MMM", 37, ("MMM", "MMM")),
        # A word is broken only where it has no line to itself.
        ("MMMM", 17, ("MMM", "M")),
        ("MMMMMMM", 17, ("MMM", "MMM", "M")),
        ("a MMMM b", 17, ("a", "MMM", "M b")),
        ("MMM", 5, ("M", "M", "M")),
        ("MMM", 1, ("M", "M", "M")),
    ],
)
def test_a_text_is_broken_between_words(text: str, width: int, lines: tuple[str, ...]) -> None:
    assert wrapped(text, Size.SMALL, width) == lines


def test_a_line_without_room_for_a_letter_and_three_dots_is_dark() -> None:
    assert shortened("MM", Size.SMALL, 10).ink() is None
    assert shortened("MM", Size.SMALL, 10).size == (1, 12)


def test_an_empty_line_is_a_dark_column() -> None:
    assert [line("", size).size for size in Size] == [(1, size.height) for size in Size]
    assert [tight("", size).size for size in Size] == [(1, size.height) for size in Size]
    assert ink(line(" ", Size.SMALL)).size == (1, 1)


def lit(picture: Bitmap) -> int:
    return sum(row.bit_count() for row in picture.rows)


def test_squeezing_takes_the_air_under_an_accent_and_no_ink() -> None:
    tall = enlarged("É", Size.LARGE, 1)
    short = squeezed(tall, tall.height - 1)
    assert short.height == tall.height - 1
    assert lit(short) == lit(tall)
    assert lit(squeezed(tall, 3)) == lit(tall), "ink never goes"
