"""The words in which facts are kept: stores by now are full of them."""

from fractions import Fraction

import pytest

from shutthebox.adapters.store import fact_text
from shutthebox.adapters.store.chain import seal
from shutthebox.rules.conditions import Conditions


def test_every_kind_of_fact_in_words() -> None:
    row = (1_700_000_000, "tiles = 3", 2, 1)
    results = [(0, 12, "-1/2", 1), (1, 30, "1/2", 0)]
    assert [
        fact_text.begin(7, row, "dice box\nversion 1 rules 2"),
        fact_text.finish(results),
        fact_text.sign(0, "ANN"),
        fact_text.choose("game.profile", "pub"),
        fact_text.choose("box.out_of_play", (4, 7)),
        fact_text.resume("dice real"),
        fact_text.lost(3, "dice box\nlost 3"),
        fact_text.LEAVE,
    ] == [
        f"begin 7 #{seal(*row)}\ndice box\nversion 1 rules 2",
        f"finish #{seal([0, 12, '-1/2', 1], [1, 30, '1/2', 0])}",
        "sign 1 ANN",
        'choose game.profile "pub"',
        "choose box.out_of_play [4, 7]",
        "resume\ndice real",
        "lost 3\ndice box\nlost 3",
        "leave",
    ]


@pytest.mark.parametrize(
    ("text", "word", "action", "sets", "conditions"),
    [
        ("begin 7 #1\ndice box\nlost 1", "begin", False, False, "dice box\nlost 1"),
        ("resume\ndice real", "resume", False, True, "dice real"),
        ("lost 3\n", "lost", False, True, ""),
        ("finish #12", "finish", False, False, ""),
        ("sign 1 ANN", "sign", False, False, ""),
        ("leave", "leave", False, False, ""),
        ('choose game.profile "pub"', "choose", False, False, ""),
        ("throw 3+5", "throw", True, False, ""),
        ("next", "next", True, False, ""),
        ("", "", True, False, ""),
        ("leaves", "leaves", True, False, ""),
    ],
)
def test_what_a_fact_says(text: str, word: str, action: bool, sets: bool, conditions: str) -> None:
    assert fact_text.word_of(text) == word
    assert fact_text.is_action(text) is action
    assert fact_text.sets_conditions(text) is sets
    assert fact_text.conditions_in(text) == conditions


def test_signatures_and_choices_are_read_as_they_were_written() -> None:
    assert fact_text.signed(fact_text.sign(8, "A B")) == (8, "A B")
    assert fact_text.chosen(fact_text.choose("rules.folder", "a b")) == ("rules.folder", '"a b"')
    assert fact_text.conditions_text(None) == ""
    assert fact_text.conditions_text(Conditions(real_dice=True, lost=2)) == "dice real\nlost 2"


@pytest.mark.parametrize("text", ["0", "3", "-3", "1/2", "-7/9999", "999999999999"])
def test_stakes(text: str) -> None:
    assert fact_text.stakes(text) == Fraction(text)


@pytest.mark.parametrize(
    "text", ["", "-", "1.5", "1e9", "1/0", "1/", "/2", "1/10000", "1000000000000", " 1", "1\n", "+1", "--1"]
)
def test_what_are_no_stakes(text: str) -> None:
    with pytest.raises(ValueError, match=r"are no stakes$"):
        fact_text.stakes(text)
