"""The rules in words: every key and every value of it has its own, in every language.

`words.txt` has the English ones. To renew it after a wanted change:
`pytest tests/unit/rules --update-golden`, then read what git reports as changed.
"""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from tests.support import generate

from doctools.messages import texts_of_the_source
from shutthebox.config import profiles
from shutthebox.rules import words
from shutthebox.rules.orders import Sentence
from shutthebox.rules.profile import (
    Back,
    Blocked,
    Doubles,
    Draw,
    MatchFormat,
    MoveKind,
    OneDie,
    Operation,
    Profile,
    Scoring,
    ShutWins,
    Stakes,
    Tie,
    Turns,
    Win,
)
from shutthebox.rules.words import Aim, Brief, distinction, explain, summary
from shutthebox.translations import finished_codes, translations

LANGUAGES = tuple(translations())


def told(profile: Profile, language: str) -> tuple[str, ...]:
    return explain(profile, translations()[language])


# A profile in which every key means something.
BASE = Profile("base", first_move_must_include=3)

CHANGES: list[dict[str, Any]] = [
    {"tiles": tuple(range(1, 13))},
    {"tiles": (2, 3, 5)},
    {"boxes": (9, 12)},
    {"start_open": (3, 4)},
    {"start_open": (3,)},
    {"dice": 1},
    {"dice": 3},
    {"sides": 8},
    {"min_tiles": 2},
    {"max_tiles": 1},
    {"max_tiles": 2},
    {"difference": True},
    {"rows": 2, "through": True},
    {"rows": 2, "row_points": (2, 1)},
    {"rows": 2, "row_points": (1, 3)},
    {"rows": 2, "back": Back.REVERSED},
    {"rows": 2, "back": Back.REVERSED, "through": True},
    {"draw": Draw.DOMINOES, "bag": 28},
    {"draw": Draw.DOMINOES, "bag": 28, "ends_turn_on": frozenset({0})},
    {"draw": Draw.DOMINOES, "bag": 32},
    {"strikes": 2},
    {"strikes": 3},
    {"operations": (Operation.SUM, Operation.PRODUCT)},
    {"operations": (Operation.SUM, Operation.QUOTIENT)},
    {"operations": tuple(Operation)},
    {"operations": (Operation.PRODUCT,)},
    {"operations": (Operation.SUM, Operation.DIFFERENCE), "dice": 3},
    {"first_move_must_include": None},
    {"first_move_must_include": 2},
    {"ends_turn_on": frozenset({7})},
    {"ends_turn_on": frozenset({7, 9})},
    {"lost_score": 60},
    {"add_throw": True},
    {"add_throw": True, "operations": (Operation.SUM, Operation.PRODUCT)},
    {"add_throw": True, "first_move_must_include": 2},
    {"turns": Turns.TOGETHER, "own_throws": 1},
    {"turns": Turns.TOGETHER, "own_throws": 2},
    {"shut_others": 20},
    {"shut_others": "doubled"},
    {"rounds": 3},
    {"match": MatchFormat.ROUNDS_WON},
    {"match": MatchFormat.ROUNDS_WON, "rounds": 5},
    {"match": MatchFormat.ROUNDS_WON, "limit": 3, "win": Win.HIGHEST},
    {"match": MatchFormat.ROUNDS_WON, "rounds": 5, "tie": Tie.CARRY, "stakes": Stakes.POOL_DOUBLE},
    {"match": MatchFormat.ROUNDS_WON, "rounds": 5, "win": Win.HIGHEST, "tie": Tie.CARRY},
    {"match": MatchFormat.ROUNDS_WON, "rounds": 5, "win": Win.FIRST_TO_SHUT},
    {
        "match": MatchFormat.ROUNDS_WON,
        "rounds": 5,
        "win": Win.FIRST_TO_SHUT,
        "blocked": Blocked.PASSES,
        "first_move_must_include": None,
    },
    {"tie": Tie.CARRY, "stakes": Stakes.POOL},
    {"tie": Tie.CARRY, "stakes": Stakes.POOL, "match": MatchFormat.DROP_OUT, "limit": 45},
    {"captain": True},
    {"rows": 2},
    {"insurance": True},
    {"stakes": Stakes.BANK, "stake": 2, "pays": ((0, 5), (9, 1))},
    {"stakes": Stakes.BANK, "pays": ((0, 5), (9, 1))},
    {"stakes": Stakes.BANK, "pays": ((5, 1), (45, 9)), "win": Win.HIGHEST},
    {"teams": 2},
    {"teams": 3},
    {"handicap": (0, 5)},
    {"handicap": (0, 5), "win": Win.HIGHEST},
    {"handicap": ((1,), (1, 2))},
    {"turn_seconds": 20},
    {"turn_seconds": 30},
    {"turn_seconds": 30, "turns": Turns.ALTERNATE},
    {"turn_seconds": 30, "score": Scoring.THROWS},
    {"match": MatchFormat.LADDER},
    {"match": MatchFormat.LADDER, "rounds": 3, "win": Win.HIGHEST, "limit": 20},
]
ENUM_CHANGES: list[dict[str, Any]] = [
    {key: value}
    | ({"limit": 60} if key == "match" and value is not MatchFormat.TOTAL else {})
    | ({"rows": 2} if key == "back" else {})
    for key, kind in generate.ENUMS.items()
    for value in kind
]


LADDER: dict[str, Any] = {"match": MatchFormat.LADDER, "shut_wins": ShutWins.NO}
BANK: dict[str, Any] = {"stakes": Stakes.BANK, "shut_wins": ShutWins.NO}
TOGETHER: list[dict[str, Any]] = [
    {"tiles": (1, 2)},
    {"tiles": (2, 3, 4)},
    {"tiles": (1, 3, 4)},
    {"start_open": (6, 7, 9), "one_die": OneDie.FORCED_HIGH},
    {"start_open": (7, 8, 9), "one_die": OneDie.FORCED_HIGH},
    {"start_open": (6,), "one_die": OneDie.OPTIONAL_SUM},
    {"start_open": (1, 9), "one_die": OneDie.ONLY_ONE},
    {"start_open": (2, 9), "one_die": OneDie.ONLY_ONE},
    {"dice": 3, "start_open": (7, 9), "one_die": OneDie.FORCED_SUM},
    {"dice": 1, "one_die": OneDie.FORCED_SUM},
    {"one_die": OneDie.FORCED_SUM, "one_die_at": 5},
    {"one_die": OneDie.OPTIONAL_HIGH, "one_die_at": 9},
    {"one_die": OneDie.FORCED_HIGH, "one_die_at": 9},
    {"one_die": OneDie.OPTIONAL_TILES, "one_die_at": 2},
    {"one_die": OneDie.FORCED_TILES, "one_die_at": 2},
    {"ends_turn_on": frozenset({2, 7, 12})},
    {"score": Scoring.DIGITS_REVERSED, "first_move_must_include": 2},
    {"rounds": 2, "shut_wins": ShutWins.MATCH},
    {"rounds": 2, "shut_wins": ShutWins.ROUND},
    {"match": MatchFormat.DROP_OUT, "limit": 45, "turn_seconds": 30, "score": Scoring.SHUT_SUM},
    {"win": Win.FIRST_TO_SHUT, "blocked": Blocked.PASSES},
    {"win": Win.FIRST_TO_SHUT, "blocked": Blocked.OPENS_ONE, "turn_seconds": 30},
    {"win": Win.LAST_IN, "blocked": Blocked.LOSES, "turns": Turns.SHARED, "insurance": True},
    {**LADDER, "limit": 20},
    {**LADDER, "rounds": 3, "win": Win.HIGHEST, "turn_seconds": 60},
    {**BANK, "pays": ((0, 5), (9, 1))},
    {**BANK, "pays": ((0, 5), (9, 1)), "handicap": (3,)},
    {**BANK, "pays": ((0, 5), (9, 1)), "handicap": ((9,), 0)},
    {**BANK, "pays": ((0, 5),), "stake": 3},
    {**BANK, "pays": ((20, 1), (45, 9)), "win": Win.HIGHEST},
    {"handicap": (0, 5, (1, 2), (3,)), "win": Win.HIGHEST, "captain": True, "teams": 3},
    {"draw": Draw.DOMINOES, "max_tiles": 1, "difference": True},
    {"draw": Draw.DOMINOES, "blocked": Blocked.OPENS_ONE, "score": Scoring.THROWS},
    {"move": MoveKind.FACES_FREE, "start_open": (2, 3, 4), "captain": True},
    {"rows": 2, "max_tiles": 2, "rounds": 2},
    {"dice": 4, "tiles": tuple(range(1, 25)), "blocked": Blocked.PASSES},
    {"dice": 3, "doubles": Doubles.DOUBLED},
    {"dice": 3, "insurance": True},
    {"turns": Turns.TUG, "win": Win.FIRST_TO_SHUT, "match": MatchFormat.ROUNDS_WON, "limit": 3},
    {"tie": Tie.CARRY, "match": MatchFormat.ROUNDS_WON, "limit": 3},
]
"""Keys that change the words together."""


def test_the_words_of_every_game_and_of_every_key(request: pytest.FixtureRequest) -> None:
    """Each game beside the usual one, each key beside a plain game: what is said instead."""
    usual, plain = profiles.builtin("traditional"), Profile("plain")
    blocks = ["\n".join((f"{usual.name}: {summary(usual)}", *explain(usual)))]
    blocks += [beside(usual, game, game.name) for game in profiles.builtins()[1:]]
    blocks += ["\n".join((f"plain: {summary(plain)}", *explain(plain)))]
    for change in [*CHANGES, *ENUM_CHANGES, *TOGETHER]:
        if explain(replace(plain, **change)) != explain(plain):
            name = ", ".join(f"{key} = {shown(value)}" for key, value in change.items())
            blocks.append(beside(plain, replace(plain, **change), name))
    said = "\n\n".join(blocks) + "\n"
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(said, encoding="utf-8")
    assert said == GOLDEN.read_text(encoding="utf-8"), "see the beginning of this file"


GOLDEN = Path(__file__).with_name("words.txt")


def beside(usual: Profile, game: Profile, name: str) -> str:
    said, usually = explain(game), explain(usual)
    left_out = [f"- {sentence}" for sentence in usually if sentence not in said]
    added = [f"+ {sentence}" for sentence in said if sentence not in usually]
    return "\n".join((f"{name}: {summary(game)}", *left_out, *added))


def shown(value: object) -> str:
    return str(sorted(value)) if isinstance(value, frozenset) else str(value)


def test_the_menu_tells_every_game_of_a_list_from_the_others() -> None:
    """A player who walks through the games of a group reads one sentence of each."""
    read = [(game.group, distinction(game)) for game in profiles.builtins()]
    assert len(set(read)) == len(read)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_value_of_every_choice_has_its_own_words(language: str) -> None:
    for key in generate.ENUMS:
        changes = [change for change in ENUM_CHANGES if key in change]
        assert {change[key] for change in changes} == set(generate.ENUMS[key])
        said = {told(replace(BASE, **change), language) for change in changes}
        assert len(said) == len(changes), key


def test_dominoes_have_words_of_their_own() -> None:
    changes = [change for change in [*CHANGES, *ENUM_CHANGES] if not {"dice", "sides", "draw"} & set(change)]
    for change in changes:
        if change.get("turns") is Turns.TUG or "add_throw" in change:
            continue  # dominoes are refused with it
        _, *others = told(replace(BASE, draw=Draw.DOMINOES, **change), "en")
        for sentence in others:
            if "21" not in sentence:  # the one that says that dominoes stand for dice
                assert not re.search(r"\bthrow|\bdice|\bdie\b", sentence), sentence


@pytest.mark.parametrize("language", finished_codes())
def test_no_language_says_dice_where_english_says_dominoes(language: str) -> None:
    _, said = translations()[language], [told for told in everything_said() if isinstance(told, Sentence)]
    drawn = {told.text: told.drawn for told in said if told.drawn}
    assert len(drawn) > 20
    assert [text for text in drawn if _(drawn[text]) == _(text)] == []


def test_a_double_blank_that_ends_the_turn_is_not_drawn_again() -> None:
    blanks = replace(BASE, draw=Draw.DOMINOES, bag=28)
    assert "draws again" in " ".join(told(blanks, "en"))
    for ends in ({"ends_turn_on": frozenset({0})}, {"doubles": Doubles.ENDS_TURN}):
        assert "draws again" not in " ".join(told(replace(blanks, **ends), "en"))


def test_who_buys_says_whether_it_is_for_each_round_or_for_the_match() -> None:
    def said(**keys: Any) -> str:
        return next(text for text in told(replace(BASE, **keys), "en") if "drinks" in text)

    assert said(stakes=Stakes.LOSER_PAYS, rounds=3).startswith("After each round of the match,")
    of_match = said(stakes=Stakes.LOSER_PAYS_MATCH, rounds=3)
    assert of_match.startswith("At the end of the match,")
    assert "once" in of_match
    at_limit = said(stakes=Stakes.LOSER_PAYS, match=MatchFormat.TARGET_LOSES, limit=50)
    assert at_limit.startswith("At the end of the match, the player who has reached the limit")


@cache
def everything_said() -> tuple[Sentence | Brief | Aim, ...]:
    """All that is said of games that have every key in every way."""
    found = list[Sentence | Brief | Aim]()
    race = {"win": Win.FIRST_TO_SHUT, "blocked": Blocked.PASSES, "first_move_must_include": None}
    changes = [{}, *CHANGES, *ENUM_CHANGES, {"tiles": (3,), "boxes": ()}, {"rounds": 2}, race]
    changes += [{**race, "stakes": stakes} for stakes in Stakes]
    tug = {**race, "turns": Turns.TUG, "blocked": Blocked.ENDS_TURN, "one_die": OneDie.OPTIONAL_HIGH}
    changes += [{**tug, "match": MatchFormat.ROUNDS_WON, "limit": limit} for limit in (None, 3)]
    changes += [{**tug, "start_open": tiles} for tiles in ((3,), (3, 4))]
    changes += [tug, {"dice": 3, "doubles": Doubles.DOUBLED}]
    changes += [{"one_die": kind, "one_die_at": 9} for kind in OneDie]
    common: dict[str, Any] = {"turns": Turns.TOGETHER, "one_die": OneDie.OPTIONAL_HIGH}
    changes += [{**common, "shut_wins": shut, "rounds": n} for shut in ShutWins for n in (1, 2)]
    again: dict[str, Any] = {**common, "own_throws": 1, "bag": 28}
    changes += [{**again, **spare} for spare in ({}, {"own_throws": 0}, {"insurance": True}, {"strikes": 2})]
    changes += [{**common, "match": MatchFormat.TARGET_LOSES, "limit": 45}]
    changes += [{"one_die": OneDie.ONLY_ONE, "rows": 2}, {"difference": True, "ends_turn_on": frozenset({7})}]
    for format_ in (MatchFormat.TARGET_LOSES, MatchFormat.DROP_OUT):
        loses: dict[str, Any] = {"match": format_, "limit": 45}
        changes += [{**loses, "stakes": Stakes.LOSER_PAYS}, {**loses, "tie": Tie.REPLAY_ALL}]
    # No throw can shut the 13.
    changes += [{"tiles": (2, 13), "blocked": Blocked.OPENS_ONE, "first_move_must_include": None}]
    for change in changes:
        for draw in Draw:
            game = replace(BASE, **{"draw": draw, **change})
            found += [told for words_of in words._WORDS.values() for told in words_of(game)]
            found += words._distinctions(game)
    return tuple(found)


def test_no_sentence_is_never_said() -> None:
    said = {text for told in everything_said() for text in (told.text, getattr(told, "drawn", ""))}
    written = texts_of_the_source("rules/words.py", "rules/orders.py")
    assert {text for text in written if text.endswith(".") and not text.startswith("{")} - said == set()


@settings(deadline=None)
@given(generate.profiles())
def test_words_are_whole_sentences(profile: Profile) -> None:
    for language in LANGUAGES:
        said = told(profile, language)
        assert len(set(said)) == len(said)
        for sentence in said:
            assert sentence.endswith(".")
            assert sentence[0].isupper()
            assert sentence.replace("\u00a0", " ").isprintable()
            assert not re.search(r"[{}]|  |None|frozenset|\b\w+=", sentence)
