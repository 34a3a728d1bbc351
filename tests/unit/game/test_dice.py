"""Chance, as far as it can be tested."""

from collections import Counter
from random import Random

from shutthebox.game.dice import RandomDice
from shutthebox.rules.turn import DOMINOES


def test_every_face_comes_up_about_as_often() -> None:
    dice = RandomDice(Random(1).randrange)
    counted = Counter(dice.throw(2, 6) for _ in range(36_000))
    assert len(counted) == 36
    assert all(850 < count < 1150 for count in counted.values())


def test_a_domino_comes_from_the_bag() -> None:
    dice, bag = RandomDice(Random(3).randrange), DOMINOES[4:9]
    assert {dice.draw(bag) for _ in range(200)} == set(bag)


def test_the_source_is_asked_for_nothing_else_than_a_face() -> None:
    asked: list[int] = []

    def below(end: int) -> int:
        asked.append(end)
        return end - 1

    assert RandomDice(below).throw(3, 20) == (20, 20, 20)
    assert asked == [20, 20, 20]
