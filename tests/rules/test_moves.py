"""The worked cases of the sheets, and every kind of move against trying all subsets."""

from dataclasses import replace
from itertools import combinations, product
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from tests.support import generate, oracle

from shutthebox.config import profiles
from shutthebox.rules.moves import can_ever_move, dice_allowed, legal_moves, most_moves
from shutthebox.rules.profile import MoveKind, OneDie, Profile
from shutthebox.rules.tiles import Tiles, from_text, to_numbers, to_text, to_tiles

FULL = to_tiles(range(1, 10))


def shown(found: tuple[Tiles, ...]) -> set[str]:
    return {to_text(tiles) for tiles in found}


def test_three_and_five_on_a_full_box_as_in_the_booklet() -> None:
    jouhet = profiles.builtin("jouhet")
    expected = {"8", "1,7", "2,6", "3,5", "1,2,5", "1,3,4"}
    assert shown(legal_moves(jouhet, FULL, (3, 5))) == expected


def test_numbers_of_moves_for_totals_of_two_dice() -> None:
    profile = Profile("plain")
    counts = [len(legal_moves(profile, FULL, (total,))) for total in range(2, 13)]
    assert counts == [1, 2, 2, 3, 4, 5, 6, 8, 9, 10, 12]


@pytest.mark.parametrize(
    ("name", "opened", "throw", "expected"),
    [
        ("trac", "1,2,3,4,5,6,7,8,9", (3, 4), {"3,4", "7"}),
        ("trac-free", "1,2,3,4,5,6,7,8,9", (3, 4), {"3,4", "7", "3", "4"}),
        ("trac", "1,2,3,4,5,6,7,8,9", (5, 5), {"5"}),
        ("trac", "1,2,3,4,6,7,8", (5, 4), {"4"}),
        ("trac", "1,2,3,4,5,6,7,8,9", (6, 6), {"6"}),
        ("trac", "6,12", (6, 6), {"6", "12"}),
        ("trac", "1,2,4,5,6,7,8,9", (3, 4), {"4", "7"}),
        ("trac", "1,2,5,6,8,9", (3, 4), set()),
        ("trac", "1,2,3", (2,), {"2"}),
        ("thai", "1,2,3,4,5,6,7,8,9", (3, 4), {"3", "4", "7"}),
        ("thai", "1,2,3,4,5,6,7,8,9", (6, 6), {"6"}),
        ("exact", "1,2,3,4,5,6,7,8,9", (3, 4), {"7", "3,4"}),
        ("exact", "1,2,3,5,6,7,8,9", (3, 4), {"7"}),
        ("exact", "1,2,3,4,5,6,7,8,9", (2, 2), {"4"}),
        ("max-two", "1,2,3,4,5,6,7,8,9", (3, 3), {"6", "1,5", "2,4"}),
        ("add-or-subtract", "1,2,3,4,5,6,7,8,9", (3, 1), {"4", "1,3", "2"}),
        ("add-or-subtract", "1,2,3,4,5,6,7,8,9", (2, 2), {"4", "1,3"}),
        ("traditional", "2,3,5", (1,), set()),
        ("traditional", "1,5,9", (2, 2), set()),
        ("traditional", "1,2,3", (3,), {"3", "1,2"}),
        ("traditional", "1,2,3", (1,), {"1"}),
        ("traditional", "1,2,3", (2,), {"2"}),
        ("add-or-subtract", "1,2,9", (6, 5), {"1", "2,9"}),
        ("the-300", "1,2,3,24", (1, 1, 1, 1), {"1,3"}),
        ("young", "1,2,3,4,5,6,7,8,9", (5, 5), {"5"}),
        ("young", "1,2,3,4,5,6,7,8,9", (1, 2), {"1", "2", "1,2", "3"}),
    ],
)
def test_worked_moves(name: str, opened: str, throw: tuple[int, ...], expected: set[str]) -> None:
    assert shown(legal_moves(profiles.builtin(name), from_text(opened), throw)) == expected


@pytest.mark.parametrize(("name", "losing"), [("two-to-go", {4}), ("three-to-go", {2})])
def test_totals_that_lose_a_turn_that_must_start_with_a_tile(name: str, losing: set[int]) -> None:
    profile = profiles.builtin(name)
    found = {t for t in range(2, 13) if not legal_moves(profile, profile.starting, (t,), first=True)}
    assert found == losing
    assert shown(legal_moves(profile, profile.starting, (9,))) > {"9", "4,5"}, "later any move will do"


@pytest.mark.parametrize(
    ("one_die", "opened", "allowed"),
    [
        ("never", "1", (2,)),
        ("optional-high", "1,6", (2, 1)),
        ("optional-high", "7", (2,)),
        ("forced-high", "1,2,3,4,5,6", (1,)),
        ("forced-high", "1,7", (2,)),
        ("optional-sum", "1,5", (2, 1)),
        ("optional-sum", "1,6", (2,)),
        ("forced-sum", "1,5", (1,)),
        ("forced-sum", "1,6", (2,)),
        ("only-one", "1", (1,)),
        ("only-one", "2", (2,)),
        ("only-one", "1,2", (2,)),
    ],
)
def test_dice_allowed(one_die: str, opened: str, allowed: tuple[int, ...]) -> None:
    name = {"never": "thai", "optional-high": "pub", "forced-high": "trac", "forced-sum": "jouhet"}.get(
        one_die
    )
    profile = (
        profiles.builtin(name) if name else replace(Profile("x"), one_die=type(Profile("x").one_die)(one_die))
    )
    assert profile.one_die == one_die
    assert dice_allowed(profile, from_text(opened)) == allowed


@pytest.mark.parametrize(
    ("opened", "behind", "allowed"),
    [("1,2", "1,2", (1,)), ("3", "3", (1,)), ("1,2,3", "-", (1,)), ("1,2,3", "1", (2,)), ("4", "4", (2,))],
)
def test_the_sum_for_one_die_counts_both_rows(opened: str, behind: str, allowed: tuple[int, ...]) -> None:
    profile = replace(Profile("x"), rows=2, one_die=OneDie.FORCED_SUM)
    assert dice_allowed(profile, from_text(opened), from_text(behind)) == allowed


def test_one_die_does_not_apply_to_dominoes_nor_to_a_single_die() -> None:
    assert dice_allowed(profiles.builtin("domino-bag"), 1) == (2,)
    assert dice_allowed(profiles.builtin("2012"), 1) == (1,)


@settings(deadline=None)
@given(profile=generate.profiles(), data=st.data())
def test_moves_are_what_trying_all_subsets_finds(profile: Profile, data: st.DataObject) -> None:
    opened = frozenset(data.draw(st.sets(st.sampled_from(profile.tiles))))
    dice = data.draw(st.sampled_from(sorted(oracle.dice_counts(profile, opened))))
    faces = tuple(data.draw(st.lists(st.integers(1, profile.sides), min_size=dice, max_size=dice)))
    first = data.draw(st.booleans())
    found = legal_moves(profile, to_tiles(opened), faces, first=first)
    assert len(set(found)) == len(found)
    assert {oracle.row(tiles) for tiles in found} == oracle.moves(profile, opened, faces, first=first)
    assert set(dice_allowed(profile, to_tiles(opened))) == oracle.dice_counts(profile, opened)


def test_two_dice_for_one_low_tile_never_shut_it_exactly() -> None:
    profile = Profile("exact", tiles=(1, 2, 20, 21), move=MoveKind.EXACT)
    assert can_ever_move(profile, to_tiles([1, 2, 20]), to_tiles([1])), "by 1 and 2"
    assert not can_ever_move(profile, to_tiles([1, 20, 21]), to_tiles([1])), "the other die has no tile"
    assert not can_ever_move(profile, to_tiles([2, 20, 21]), to_tiles([1])), "it is shut"


SMALL_DICE = {"dice": 3, "sides": 2}  # which show 3 to 6 together


@pytest.mark.parametrize(
    ("move", "keys", "opened", "must", "can"),
    [
        ("set", {}, "-", "-", False),
        ("set", {}, "1", "-", False),
        ("set", {}, "1,2", "-", True),
        ("set", {}, "13", "-", False),
        ("set", {}, "1,12", "1", False),
        ("set", {}, "1,11", "1", True),
        ("set", {"max_tiles": 1}, "1,11", "1", False),
        ("set", {"max_tiles": 2}, "1,11", "1", True),
        ("set", {"max_tiles": 2}, "1,2,3,11", "-", True),
        ("set", {"dice": 3, "max_tiles": 1}, "1,2", "-", False),
        ("set", {"dice": 3, "max_tiles": 2}, "1,2", "-", True),
        ("set", {"dice": 4, "max_tiles": 2}, "1,2", "-", False),
        ("set", {"dice": 9, "max_tiles": 2}, "1,2,3,4", "-", False),
        ("set", {"dice": 9, "max_tiles": 3}, "1,2,3,4", "-", True),
        ("set", {"dice": 1}, "7", "-", False),
        ("set", {"dice": 1}, "6", "-", True),
        ("set", {"difference": True}, "1", "-", True),
        ("set", {"difference": True, "sides": 2}, "1", "-", True),
        ("set", {"difference": True}, "1,13", "1", True),
        ("set", {"dice": 2, "sides": 2}, "1,5", "-", False),
        ("single", {}, "1", "-", True),
        ("single", {}, "13", "-", False),
        ("single", {"dice": 1}, "7", "-", False),
        ("single", {"dice": 1}, "1,7", "7", False),
        ("single", SMALL_DICE, "2", "-", True),
        ("single", SMALL_DICE, "1", "-", True),
        ("single", {"dice": 3, "sides": 4}, "13", "-", False),
        ("faces", SMALL_DICE, "2", "-", True),
        ("faces-free", SMALL_DICE, "2,9", "9", False),
        ("knipsen", SMALL_DICE, "2,9", "2", True),
        ("exact", {}, "1,6", "1", True),
        ("exact", {}, "1,7", "1", False),
        ("exact", {}, "1,7", "-", True),
        ("exact", {"sides": 5}, "1,6", "1", False),
        ("exact", {"max_tiles": 1}, "1,6", "1", False),
        ("exact", {"max_tiles": 2}, "1,6", "1", True),
        ("exact", {"sides": 2}, "1,2", "1", True),
        ("exact", SMALL_DICE, "1,2", "-", False),
        ("exact", {"dice": 3, "sides": 3}, "1,2,3", "1", True),
        ("exact", {"dice": 3, "sides": 3, "max_tiles": 2}, "1,2,3", "1", False),
        ("exact", {"dice": 3, "sides": 3}, "1,2,3,10", "10", False),
    ],
)
def test_whether_any_throw_has_a_move(
    move: str, keys: dict[str, Any], opened: str, must: str, can: bool
) -> None:
    profile = replace(Profile("x"), tiles=tuple(range(1, 14)), move=MoveKind(move), **keys)
    assert can_ever_move(profile, from_text(opened), from_text(must)) == can
    # The same by trying all throws.
    first = replace(profile, first_move_must_include=max(to_numbers(from_text(must)), default=None))
    rolls = oracle.rolls(profile.dice, profile.sides) if profile.dice < 9 else [(1,) * 9]
    assert can == any(
        oracle.moves(first, oracle.row(from_text(opened)), faces, first=True) for faces in rolls
    )


@settings(deadline=None)
@given(profile=generate.profiles(most_tiles=6), data=st.data())
def test_can_ever_move_is_what_trying_all_throws_finds(profile: Profile, data: st.DataObject) -> None:
    opened = frozenset(data.draw(st.sets(st.sampled_from(profile.tiles), min_size=1)))
    must = data.draw(st.one_of(st.none(), st.sampled_from(sorted(opened))))
    plain = replace(profile, first_move_must_include=must)
    found = any(
        oracle.moves(plain, opened, faces, first=True)
        for dice in oracle.dice_counts(profile, opened)
        for faces in {tuple(sorted(roll)) for roll in oracle.rolls(dice, profile.sides)}
    )
    assert can_ever_move(profile, to_tiles(opened), 0 if must is None else to_tiles([must])) == found


def test_long_rows_have_the_moves_of_their_partitions() -> None:
    cards = profiles.builtin("cards")
    ways = [1] + [0] * 54
    for tile in range(1, 55):
        for total in range(54, tile - 1, -1):
            ways[total] += ways[total - tile]
    for total in (9, 30, 54):
        found = legal_moves(cards, cards.starting, (total,))
        assert len(found) == len(set(found)) == ways[total]
        assert all(sum(to_numbers(tiles)) == total for tiles in found)
    assert most_moves(cards) == ways[54] == 5718


@pytest.mark.parametrize("most", [1, 2, 3])
def test_long_rows_keep_to_the_most_tiles_of_a_move(most: int) -> None:
    profile = replace(profiles.builtin("the-300"), max_tiles=most)
    row = frozenset(range(1, 25))
    for total in (4, 5, 13, 24):
        expected = {
            frozenset(tiles)
            for size in range(1, most + 1)
            for tiles in combinations(sorted(row), size)
            if sum(tiles) == total
        }
        found = legal_moves(profile, profile.starting, (total,))
        assert {oracle.row(tiles) for tiles in found} == expected


@pytest.mark.parametrize(
    ("keys", "most"),
    [
        ({}, 12),
        ({"max_tiles": 2}, 5),
        ({"max_tiles": 1}, 1),
        ({"dice": 1}, 4),
        ({"tiles": (2,)}, 1),
        ({"start_open": (2, 4, 5, 7, 9)}, 3),
        ({"tiles": tuple(range(1, 13))}, 15),
        ({"tiles": tuple(range(1, 25)), "dice": 4}, 122),
        ({"tiles": tuple(range(1, 25)), "dice": 4, "move": MoveKind.KNIPSEN}, 1),
    ],
    ids=str,
)
def test_the_most_moves_of_one_throw(keys: dict[str, Any], most: int) -> None:
    assert most_moves(replace(Profile("x"), **keys)) == most


@given(generate.profiles(most_tiles=8))
@settings(deadline=None)
def test_most_moves_is_no_less_than_any_throw_has(profile: Profile) -> None:
    if profile.move == "set" and not profile.difference:
        totals = range(profile.dice * profile.sides + 1)
        plain = replace(profile, first_move_must_include=None)
        assert most_moves(profile) == max(
            1, *(len(legal_moves(plain, profile.starting, (total,))) for total in totals)
        )


def test_order_of_the_dice_does_not_matter() -> None:
    for profile in profiles.builtins():
        if profile.dice == 2:
            for a, b in product(range(1, 7), repeat=2):
                forth = set(legal_moves(profile, profile.starting, (a, b)))
                assert forth == set(legal_moves(profile, profile.starting, (b, a)))
