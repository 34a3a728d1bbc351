"""Choosing with the levers."""

from itertools import product

import pytest

from shutthebox.game.messages import localize
from shutthebox.game.mode import Mode
from shutthebox.game.picker import Flicks, Picker
from shutthebox.game.picker_screen import picker_screen
from shutthebox.rules.tiles import to_tiles


def picker(options: int, levers: int = 9, cursor: int = 0) -> Picker:
    return Picker("Which?", tuple(f"option {i}" for i in range(options)), cursor, levers)


def chosen(picker: Picker, *levers: int) -> Picker:
    for lever in levers:
        after = picker.choose(lever)
        assert after is not None
        picker = after
    return picker


@pytest.mark.parametrize(("options", "aside"), [(3, ""), (4, "1 more"), (9, "6 more")])
def test_a_long_list_says_how_many_more_there_are(options: int, aside: str) -> None:
    assert localize(picker_screen(Mode.MENU, picker(options)).aside, str) == aside


def test_how_many_more_counts_down_to_the_end_of_the_list() -> None:
    asides = [localize(picker_screen(Mode.MENU, picker(6, cursor=at)).aside, str) for at in range(6)]
    assert asides == ["3 more", "3 more", "2 more", "1 more", "", ""]
    alone = [
        localize(picker_screen(Mode.MENU, picker(3, cursor=at), paragraph="p").aside, str) for at in range(3)
    ]
    assert alone == ["2 more", "1 more", ""], "beside a paragraph one line is seen"


def test_the_last_two_levers_walk() -> None:
    many = picker(20)
    assert many.choosing == 7
    assert chosen(many, 7).cursor == 6
    assert chosen(many, 9).cursor == 1
    assert chosen(many, 7, 9, 9).cursor == 8
    assert chosen(many, 7, 8).cursor == 5
    assert chosen(many, 8).cursor == 19, "round from the first to the last"
    assert chosen(many, 8, 9).cursor == 0
    assert localize(many.help, str) == "Lever 8: < 9: >"


def test_every_option_can_be_reached_on_every_box() -> None:
    for levers, options in product(range(1, 13), (1, 2, 5, 9, 30)):
        found, seen = [picker(options, levers)], {0}
        while found:
            at = found.pop()
            for lever in range(1, levers + 1):
                after = at.choose(lever)
                if after is not None and after.cursor not in seen:
                    seen.add(after.cursor)
                    found.append(after)
        assert seen == set(range(options)), f"{options} options with {levers} levers"


def test_a_flick_is_a_lever_moved_and_put_back_whichever_way_it_stood() -> None:
    """The flicks know moves only, not where a lever stands."""
    away, none = Flicks().follow(to_tiles([4]))
    assert none == ()
    assert localize(away.reminder, str) == "Put 4 back" if away.reminder else False
    assert away.follow(to_tiles([4])) == (Flicks(), (4,))


def test_several_levers_that_come_back_are_chosen_one_after_the_other() -> None:
    many, _ = picker(20).follow(to_tiles([7, 9]))
    many, flicked = many.follow(to_tiles([7, 9]))
    assert (many.cursor, flicked) == (7, (7, 9))
