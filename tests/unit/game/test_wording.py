"""Texts that several modes share: lists of tiles, luck and mistakes, what players are called."""

from fractions import Fraction
from typing import Any

import pytest
from tests.support.dictate import finish, points_box
from tests.support.machine import settings_for

from shutthebox.config.profiles import builtin
from shutthebox.game.messages import localize
from shutthebox.game.state import Shared
from shutthebox.game.wording import hint_lines, hint_title, list_tiles, luck_texts, player_name, reason_text
from shutthebox.odds.options import Advice, Option, Unit
from shutthebox.rules.match import begin
from shutthebox.rules.profile import MatchFormat, ShutWins
from shutthebox.rules.tiles import to_tiles


@pytest.mark.parametrize(
    ("keys", "scores", "text"),
    [
        ({}, [3, 4], None),
        ({"shut_wins": ShutWins.MATCH}, [3, 0], "Box shut!"),
        ({}, [3, 3, 16, 9], "Play-off 16 : 9"),
        ({}, [3, 3, 123456, 9], "After a play-off"),
        ({"match": MatchFormat.TARGET_LOSES, "limit": 100}, [103], "100 reached"),
        ({"match": MatchFormat.DROP_OUT, "limit": 9}, [9, 3], "The last one left"),
    ],
)
def test_why_a_match_is_over(keys: dict[str, Any], scores: list[int], text: str | None) -> None:
    found = reason_text(finish(begin(points_box(**keys), 2), scores))
    assert (found and found.localize(str)) == text


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((), ""),
        ((2, 9), "2, 9"),
        ((1, 2, 3), "1, 2, 3"),
        ((1, 2, 3, 4), "1-4"),
        ((1, 2, 3, 5, 8, 9, 10), "1-3, 5, 8-10"),
    ],
)
def test_more_than_three_tiles_are_listed_with_their_runs(numbers: tuple[int, ...], text: str) -> None:
    assert localize(list_tiles(to_tiles(numbers)), str) == text


@pytest.mark.parametrize(
    ("highest_wins", "luck", "given_away", "texts"),
    [
        (False, "-2.26", "0", ["lucky 2.3", "no mistakes!"]),
        (False, "2.26", "0.5", ["unlucky 2.3", "mistakes 0.5"]),
        (True, "2.26", "0", ["lucky 2.3", "no mistakes!"]),
        (False, "0", "0", ["no mistakes!"]),
        (True, "0.04", "0.01", ["mistakes 0.0"]),
    ],
)
def test_luck_and_mistakes_have_words_instead_of_signs(
    highest_wins: bool, luck: str, given_away: str, texts: list[str]
) -> None:
    profile = builtin("misere" if highest_wins else "golf")
    assert [text.localize(str) for text in luck_texts(profile, Fraction(luck), Fraction(given_away))] == texts


def test_players_are_called_by_letters_as_computers_or_by_seat() -> None:
    shared = Shared(settings_for(computers=(3,)), 0, 0, names=("", "ABC"))
    assert [localize(player_name(player, shared), str) for player in range(4)] == [
        "Player 1",
        "ABC",
        "Computer",
        "Player 4",
    ]
    shared = shared._replace(own_settings=settings_for(computers=(1, 3)))
    assert [localize(player_name(player, shared), str) for player in range(3)] == [
        "Computer 1",
        "ABC",
        "Computer 3",
    ]


def test_a_hint_ranks_nine_answers_at_most() -> None:
    options = tuple(Option(1 << at, at / 3) for at in range(12))
    lines = tuple(localize(line, str) for line in hint_lines(Advice(options, Unit.POINTS)))
    assert lines[:4] == ("1\tis best", "2\tcosts 0.3", "3\tcosts 0.7", "4\tcosts 1.0")
    assert len(lines) == 9


@pytest.mark.parametrize(
    ("unit", "title", "lines"),
    [
        (Unit.POINTS, "Best, in points", ["8\tis best", "1+7\tcosts 0.1"]),
        (Unit.THROWS, "Best, in throws", ["8\tis best", "1+7\tcosts 0.1"]),
        (Unit.STAKES, "Best, in stakes", ["8\tis best", "1+7\tcosts 0.1"]),
        (Unit.CHANCE, "Best, to win", ["8\tis best", "1+7\tcosts 12.8 %"]),
    ],
)
def test_a_hint_names_the_unit_of_its_costs(unit: Unit, title: str, lines: list[str]) -> None:
    hint = Advice((Option(to_tiles([8]), 0.0), Option(to_tiles([1, 7]), 0.128)), unit)
    assert hint_title(hint).localize(str) == title
    assert [localize(line, str) for line in hint_lines(hint)] == lines
