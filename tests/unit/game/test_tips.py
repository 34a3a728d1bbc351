"""Players of a new box are pointed at the button, the levers and the flip: each once, when it is its time."""

from tests.support.house import house
from tests.support.machine import Table, settings_for

from shutthebox.game.mode import Mode

POINTERS = {"Press the button", "Lift all levers", "Flip, then press"}


def pointers(table: Table) -> set[str]:
    return POINTERS & set(table.screen.also)


def new_box(**settings: object) -> Table:
    return Table(settings_for("pub", players=1, **settings), is_new=True)


def begin_and_flip(table: Table) -> None:
    """Begins a match and answers its first throw."""
    table.press()
    table.throw(4, 5)
    table.flip(9)


def test_each_pointer_is_told_once_when_it_is_its_time() -> None:
    table = new_box()
    table.flip(3)
    assert pointers(table) == set()
    table.press()
    assert (table.mode, pointers(table)) == (Mode.RAISING, {"Lift all levers"})
    assert "Lift 3" in table.text
    assert not table.screen.alert, "to be shown the way is no mistake"
    table.lift(3)
    assert (table.mode, pointers(table)) == (Mode.READY, {"Press the button"})
    table.throw(4, 5)
    assert (table.mode, pointers(table)) == (Mode.FLIPPING, {"Flip, then press"})
    table.press()
    assert (table.screen.alert, pointers(table)) == ("9 to go", {"Flip, then press"}), (
        "a press too early leaves it"
    )
    table.flip(9)
    assert pointers(table) == set(), "the verdict on the levers comes first"
    table.throw(2, 2)
    assert (table.mode, pointers(table)) == (Mode.FLIPPING, set())


def test_after_a_finished_match_nothing_is_pointed_at() -> None:
    table = new_box()
    begin_and_flip(table)
    for throw, levers in (((6, 6), (4, 8)), ((4, 5), (2, 7))):
        table.throw(*throw)
        table.flip(*levers)
    table.press()
    table.throw(1, 1)
    assert table.match.result, "blocked, alone: the match is over"
    table.press()
    table.press()
    assert (table.mode, pointers(table)) == (Mode.RAISING, set())
    assert table.screen.alert
    table.stand(())
    assert table.mode is Mode.READY
    assert pointers(table) == set()


def test_the_computers_turn_tells_no_pointer() -> None:
    """It needs none, and its turn is not the time of a person's."""
    table = Table(settings_for("pub", players=2, computers=(1,)), [(4, 5)], is_new=True)
    table.press()
    assert (table.mode, pointers(table)) == (Mode.READY, set())
    table.wait(4_000_000_000)
    assert pointers(table) == set()
    assert table.machine.state.shared.untold >= {Mode.READY, Mode.RAISING, Mode.FLIPPING}


def new_box_for(keys: str, players: int) -> Table:
    table = Table(settings_for(house(keys), players=players), is_new=True)
    table.press()
    return table


def test_no_tip_for_a_throw_without_a_move() -> None:
    table = new_box_for('blocked = "passes"\nshut_wins = "no"\ntiles = [3, 4, 5]', players=1)
    table.throw(1, 1)
    assert (table.screen.prompt, pointers(table)) == ("No move: press", set())
    table.throw(1, 2)
    assert pointers(table) == {"Flip, then press"}, "it's still to be given"


def test_no_tip_to_press_where_an_answer_stands_by_itself() -> None:
    """The first player can't answer, so that the tip is still to be given."""
    table = new_box_for('turns = "together"\nblocked = "passes"\nhandicap = [[2], 0]', players=2)
    table.throw(1, 1)
    assert (table.screen.prompt, pointers(table)) == ("No move: press", set())
    table.press()
    assert (table.mode, table.match.player, pointers(table)) == (Mode.FLIPPING, 1, set())


def test_no_tip_to_lift_all_levers_where_some_stay_down() -> None:
    table = new_box_for('turns = "tug"', players=2)
    for levers in ((9,), (4, 5), (2, 7)):
        table.throw(4, 5)
        table.flip(*levers)
    table.throw(1, 1)
    assert table.mode is Mode.TURN_OVER
    table.flip(3)
    table.press()
    assert (table.mode, pointers(table)) == (Mode.RAISING, set())
    table.lift(3)
    table.throw(4, 5)
    assert (table.mode, table.match.player, pointers(table)) == (Mode.FLIPPING, 1, set())
