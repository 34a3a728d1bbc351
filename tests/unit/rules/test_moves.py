"""The worked cases of the sheets, and every kind of move against trying all subsets."""

from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from tests.support import account, generate, oracle

from shutthebox.config import profiles
from shutthebox.rules.moves import can_ever_move, dice_allowed, legal_moves, most_moves
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles, from_text, to_numbers, to_text, to_tiles


def shown(found: tuple[Tiles, ...]) -> set[str]:
    return {to_text(tiles) for tiles in found}


@pytest.mark.parametrize(
    ("name", "opened", "throw", "expected"),
    [
        ("jouhet", "1,2,3,4,5,6,7,8,9", (3, 5), {"8", "1,7", "2,6", "3,5", "1,2,5", "1,3,4"}),
        ("trac", "1,2,3,4,5,6,7,8,9", (3, 4), {"3,4", "7"}),
        ("trac-free", "1,2,3,4,5,6,7,8,9", (3, 4), {"3,4", "7", "3", "4"}),
        ("trac", "1,2,3,4,5,6,7,8,9", (5, 5), {"5"}),
        ("trac", "1,2,3,4,6,7,8", (5, 4), {"4"}),
        ("trac", "1,2,3,4,5,6,7,8,9", (6, 6), {"6"}),
        ("trac", "6,12", (6, 6), {"6", "12"}),
        ("trac", "1,2,4,5,6,7,8,9", (3, 4), {"4", "7"}),
        ("thai", "1,2,3,4,5,6,7,8,9", (3, 4), {"3", "4", "7"}),
        ("exact", "1,2,3,4,5,6,7,8,9", (3, 4), {"7", "3,4"}),
        ("exact", "1,2,3,5,6,7,8,9", (3, 4), {"7"}),
        ("max-two", "1,2,3,4,5,6,7,8,9", (3, 3), {"6", "1,5", "2,4"}),
        ("add-or-subtract", "1,2,3,4,5,6,7,8,9", (3, 1), {"4", "1,3", "2"}),
        ("traditional", "2,3,5", (1,), set()),
        ("traditional", "1,5,9", (2, 2), set()),
        ("add-or-subtract", "1,2,9", (6, 5), {"1", "2,9"}),
        ("young", "1,2,3,4,5,6,7,8,9", (1, 2), {"1", "2", "1,2", "3"}),
    ],
)
def test_worked_moves(name: str, opened: str, throw: tuple[int, ...], expected: set[str]) -> None:
    assert shown(legal_moves(profiles.builtin(name), from_text(opened), throw)) == expected


@pytest.mark.parametrize(("name", "losing"), [("two-to-go", {4}), ("three-to-go", {2})])
def test_totals_that_lose_a_turn_that_must_start_with_a_tile(name: str, losing: set[int]) -> None:
    profile = profiles.builtin(name)
    found = {t for t in range(2, 13) if not legal_moves(profile, profile.starting, (t,), is_first=True)}
    assert found == losing
    assert shown(legal_moves(profile, profile.starting, (9,))) > {"9", "4,5"}, "later any move will do"


@pytest.mark.parametrize(
    ("name", "opened", "allowed"),
    [
        *(("jouhet", "1,5", (1,)), ("jouhet", "1,6", (2,)), ("pub", "1,6", (2, 1)), ("pub", "7", (2,))),
        *(("domino-bag", "1", (2,)), ("2012", "1", (1,))),
    ],
)
def test_dice_allowed(name: str, opened: str, allowed: tuple[int, ...]) -> None:
    assert dice_allowed(profiles.builtin(name), from_text(opened)) == allowed


@settings(deadline=None)
@given(profile=generate.profiles(), data=st.data())
def test_moves_are_what_trying_all_subsets_finds(profile: Profile, data: st.DataObject) -> None:
    opened = frozenset(data.draw(st.sets(st.sampled_from(profile.tiles))))
    doubled = sorted(opened) if profile.rows == 2 else []
    behind = frozenset(data.draw(st.sets(st.sampled_from(doubled))) if doubled else ())
    dice = data.draw(st.sampled_from(sorted(oracle.dice_counts(profile, opened, behind))))
    faces = tuple(data.draw(st.lists(st.integers(1, profile.sides), min_size=dice, max_size=dice)))
    first = data.draw(st.booleans())
    found = legal_moves(profile, to_tiles(opened), faces, is_first=first, behind=to_tiles(behind))
    assert len(set(found)) == len(found)
    assert {oracle.row(tiles) for tiles in found} == account.legal_moves(
        profile, opened, faces, first, behind
    )
    allowed = dice_allowed(profile, to_tiles(opened), to_tiles(behind))
    assert set(allowed) == oracle.dice_counts(profile, opened, behind)


@settings(deadline=None)
@given(profile=generate.profiles(most_tiles=6), data=st.data())
def test_can_ever_move_is_what_trying_all_throws_finds(profile: Profile, data: st.DataObject) -> None:
    opened = frozenset(data.draw(st.sets(st.sampled_from(profile.tiles), min_size=1)))
    must = data.draw(st.one_of(st.none(), st.sampled_from(sorted(opened))))
    plain = replace(profile, first_move_must_include=must)
    found = any(account.legal_moves(plain, opened, faces, True) for faces in account.throws(plain, opened))
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


@given(generate.profiles(most_tiles=8))
@settings(deadline=None)
def test_most_moves_is_no_less_than_any_throw_has(profile: Profile) -> None:
    if profile.move == "set":
        throws = oracle.rolls(profile.dice, profile.sides)
        plain = replace(profile, first_move_must_include=None)
        assert most_moves(profile) >= max(
            len(legal_moves(plain, profile.starting, throw)) for throw in throws
        )
