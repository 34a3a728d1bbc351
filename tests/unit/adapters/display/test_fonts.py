"""Text: French is complete at every size that words are set in, and nothing is drawn as a box."""

import pytest

from shutthebox.adapters.display.fonts import Size, line, shorten, spell_out, wrap_text

FRENCH = "àâäçéèêëîïôöùûüÿ" + "ÀÂÄÇÉÈÊËÎÏÔÖÙÛÜ" + "«»°"


@pytest.mark.parametrize("size", [Size.SMALL, Size.MEDIUM, Size.LARGE])
def test_french_letters_are_drawn_as_themselves(size: Size) -> None:
    assert [letter for letter in FRENCH if spell_out(letter, size) != letter] == []
    assert len({line(letter, size).tobytes() for letter in FRENCH}) == len(FRENCH), "an accent is seen"


@pytest.mark.parametrize(
    ("text", "small"),
    [
        ("œuf", "oeuf"), ("CŒUR", "COEUR"), ("l’as", "l'as"), ("…", "..."), ("2 €", "2 EUR"), ("a—b", "a-b"),
        ("a\u00a0!", "a !"), ("a\u202f!", "a !"), ("ŷ", "y"), ("日", "?"), ("e\u0301", "é"),
    ],
)  # fmt: skip
def test_what_the_small_size_lacks_is_spelt_out(text: str, small: str) -> None:
    assert spell_out(text, Size.SMALL) == small


@pytest.mark.parametrize("width", range(8, 130, 7))
def test_a_shortened_line_keeps_within_its_width_and_its_beginning(width: int) -> None:
    picture = shorten("Béatrice de la Tour d'Auvergne", Size.SMALL, width)
    assert picture.width <= width
    if width > 30:
        assert picture.crop((0, 0, 5, 12)).tobytes() == line("B", Size.SMALL).crop((0, 0, 5, 12)).tobytes()


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
    assert wrap_text(text, Size.SMALL, width) == lines
