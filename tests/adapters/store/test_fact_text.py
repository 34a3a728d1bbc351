"""The words in which facts are kept: what they say is read back, and nonsense is refused."""

from fractions import Fraction

import pytest

from shutthebox.adapters.store import fact_text
from shutthebox.rules.conditions import Conditions


def test_what_is_said_is_read_back() -> None:
    values = [7, -1, None, 'name = "\xe9"\n', [[0, "-1/2"]]]
    assert fact_text.values_of(fact_text.text_of("begin", *values)) == values
    assert fact_text.text_of("sign", 7, 0, "ANN") == 'sign [7,0,"ANN"]'
    assert fact_text.conditions_text(None) == ""
    assert fact_text.conditions_text(Conditions(real_dice=True, lost=2)) == "dice real\nlost 2"


@pytest.mark.parametrize("text", ["leave", "leave 7", "leave {}", "leave [", 'leave "7"', ""])
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        fact_text.values_of(text)


@pytest.mark.parametrize(
    ("text", "action", "of_play"),
    [
        ("throw 3+5", True, True),
        ("next", True, True),
        ("clock 7", False, True),
        ("begin []", False, False),
        ("leave [7]", False, False),
        ("fault []", False, False),
        ("", True, True),
        ("leaves", True, True),
    ],
)
def test_what_needs_the_facts_before_it(text: str, action: bool, of_play: bool) -> None:
    assert (fact_text.is_action(text), fact_text.of_play(text)) == (action, of_play)


@pytest.mark.parametrize("text", ["0", "3", "-3", "1/2", "-7/9999", "999999999999"])
def test_stakes(text: str) -> None:
    assert fact_text.stakes(text) == Fraction(text)


@pytest.mark.parametrize(
    "text", ["", "-", "1.5", "1e9", "1/0", "1/", "/2", "1/10000", "1000000000000", " 1", "1\n", "+1", "--1"]
)
def test_what_are_no_stakes(text: str) -> None:
    with pytest.raises(ValueError, match=r"are no stakes$"):
        fact_text.stakes(text)
