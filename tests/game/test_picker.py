"""Choosing with the levers."""

import pytest

from shutthebox.game.picker import Picker


def picker(options: int, levers: int = 9, cursor: int = 0) -> Picker:
    return Picker("Which?", tuple(f"option {i}" for i in range(options)), cursor, levers)


@pytest.mark.parametrize("levers", [9, 10, 12])
def test_as_many_options_as_levers_need_no_pages(levers: int) -> None:
    full = picker(levers, levers)
    assert [full.choose(lever).cursor for lever in range(1, levers + 1)] == list(range(levers))


@pytest.mark.parametrize("lever", range(3, 10))
def test_a_lever_without_an_option_changes_nothing(lever: int) -> None:
    two = picker(2, cursor=1)
    assert two.choose(lever) == two


def test_the_last_lever_turns_pages() -> None:
    many = picker(20)
    assert (many.page_size, many.page) == (8, 0)
    assert many.choose(8).cursor == 7
    second = many.choose(9)
    assert (second.cursor, second.page) == (8, 8)
    assert second.choose(3).cursor == 10
    third = second.choose(3).choose(9)
    assert (third.cursor, third.page) == (16, 16)
    assert third.choose(5) == third, "the last page is short"
    assert third.choose(9).cursor == 0


def test_it_opens_on_the_page_of_what_is_chosen() -> None:
    assert picker(20, cursor=11).page == 8


@pytest.mark.parametrize("levers", range(1, 13))
@pytest.mark.parametrize("options", [1, 2, 5, 9, 30])
def test_every_option_can_be_reached_on_every_box(levers: int, options: int) -> None:
    found, seen = [picker(options, levers)], {0}
    while found:
        at = found.pop()
        for lever in range(1, levers + 1):
            after = at.choose(lever)
            if after.cursor not in seen:
                seen.add(after.cursor)
                found.append(after)
    assert seen == set(range(options))
