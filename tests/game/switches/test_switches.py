"""Settled switches become inputs: levers that moved together, gestures of the button, when each is due."""

import pytest

from shutthebox.game.inputs import Held, HeldLong, Input, LeversMoved, Pressed, ServicePressed
from shutthebox.game.switches.button import HOLD_NS, LONG_HOLD_NS
from shutthebox.game.switches.debounce import DICE_BUTTON, SERVICE_BUTTON, SwitchChanged
from shutthebox.game.switches.switches import Switches, TimedInput
from shutthebox.rules.tiles import to_tiles

MS = 1_000_000
LEVER_NS, BUTTON_NS = 40 * MS, 25 * MS
START = 1_000 * MS


@pytest.fixture
def switches() -> Switches:
    """Nine levers, of which 2 is down at the start, and both buttons."""
    settle_ns = {**dict.fromkeys(range(1, 10), LEVER_NS), DICE_BUTTON: BUTTON_NS, SERVICE_BUTTON: BUTTON_NS}
    return Switches(settle_ns, {switch: switch == 2 for switch in settle_ns}, START)


def down(*levers: int) -> LeversMoved:
    return LeversMoved(to_tiles(levers))


def given(inputs: list[TimedInput]) -> list[tuple[Input | None, int]]:
    """The inputs with their times in ms since the start."""
    return [(each.given, (each.t_ns - START) // MS) for each in inputs]


def test_at_rest_nothing_is_due(switches: Switches) -> None:
    assert switches.levers == to_tiles([2])
    assert switches.deadline_ns is None
    assert switches.elapsed(START + 100_000 * MS) == []


def test_levers_that_settle_at_the_same_moment_are_one_input(switches: Switches) -> None:
    for lever in (1, 5):
        assert switches.edge(lever, True, START + 10 * MS) == []
    assert switches.deadline_ns == START + 50 * MS
    assert switches.elapsed(START + 50 * MS - 1) == []
    (both,) = switches.elapsed(START + 60 * MS)
    assert both == TimedInput(
        down(1, 2, 5),
        START + 50 * MS,
        tuple(SwitchChanged(lever, True, START + 50 * MS) for lever in (1, 5)),
    )
    assert switches.levers == to_tiles([1, 2, 5])
    assert switches.presses == {1: 1, 5: 1}


def test_levers_that_settle_one_after_the_other_are_two(switches: Switches) -> None:
    switches.edge(3, True, START)
    switches.edge(2, False, START + 5 * MS)
    assert given(switches.elapsed(START + 100 * MS)) == [(down(2, 3), 40), (down(3), 45)]
    assert switches.presses == {3: 1, 2: 0}, "a lever that is lifted is not pressed"


def test_a_button_between_levers_keeps_its_place(switches: Switches) -> None:
    switches.edge(3, True, START)
    switches.edge(SERVICE_BUTTON, True, START + 15 * MS)  # settles with lever 3
    switches.edge(4, True, START)
    switches.edge(DICE_BUTTON, True, START + 20 * MS)
    switches.edge(5, True, START + 6 * MS)
    inputs = given(switches.elapsed(START + 100 * MS))
    assert sorted(at for _, at in inputs) == [at for _, at in inputs]
    assert (ServicePressed(), 40) in inputs
    assert (None, 45) in inputs, "a button that goes down is no gesture yet"
    assert inputs[-1] == (down(2, 3, 4, 5), 46)


@pytest.mark.parametrize("button", [DICE_BUTTON, SERVICE_BUTTON])
def test_a_button_that_settles_with_levers_is_an_input_of_its_own(switches: Switches, button: int) -> None:
    switches.edge(button, True, START + 15 * MS)
    for lever in (1, 4):
        switches.edge(lever, True, START)
    inputs = switches.elapsed(START + 40 * MS)
    settled = [tuple(change.switch for change in each.settled) for each in inputs]
    assert sorted(settled) == sorted([(button,), (1, 4)])
    assert switches.levers == to_tiles([1, 2, 4])


def test_what_is_down_at_the_start_is_no_input() -> None:
    levers = (1, DICE_BUTTON, SERVICE_BUTTON)
    switches = Switches(dict.fromkeys(levers, LEVER_NS), dict.fromkeys(levers, True), START)
    assert switches.levers == to_tiles([1])
    assert switches.elapsed(START + 100_000 * MS) == []
    assert not +switches.presses


def test_a_press_is_counted_when_the_button_is_let_go(switches: Switches) -> None:
    switches.edge(DICE_BUTTON, True, START)
    assert given(switches.elapsed(START + 25 * MS)) == [(None, 25)]
    assert switches.deadline_ns == START + 25 * MS + HOLD_NS
    switches.edge(DICE_BUTTON, False, START + 200 * MS)
    assert given(switches.elapsed(START + 225 * MS)) == [(Pressed(), 225)]
    assert switches.deadline_ns is None
    assert switches.presses == {DICE_BUTTON: 1}


def test_holds_are_counted_while_it_is_down(switches: Switches) -> None:
    switches.edge(DICE_BUTTON, True, START)
    switches.elapsed(START + 25 * MS)
    held, held_long = START + 25 * MS + HOLD_NS, START + 25 * MS + LONG_HOLD_NS
    assert switches.elapsed(held - 1) == []
    assert [each.given for each in switches.elapsed(held)] == [Held()]
    assert switches.deadline_ns == held_long
    assert [each.given for each in switches.elapsed(held_long)] == [HeldLong()]
    switches.edge(DICE_BUTTON, False, held_long)
    assert [each.given for each in switches.elapsed(held_long + BUTTON_NS)] == [None]


def test_a_lever_that_moves_after_a_hold_was_due_comes_after_it(switches: Switches) -> None:
    """The loop was late: the hold was reached before the lever settled."""
    switches.edge(DICE_BUTTON, True, START)
    switches.elapsed(START + 25 * MS)
    switches.edge(7, True, START + 25 * MS + HOLD_NS)
    late = switches.elapsed(START + 10 * HOLD_NS)
    assert [each.given for each in late] == [Held(), down(2, 7)]


def test_the_service_button_counts_when_it_goes_down(switches: Switches) -> None:
    switches.edge(SERVICE_BUTTON, True, START)
    assert given(switches.elapsed(START + 25 * MS)) == [(ServicePressed(), 25)]
    switches.edge(SERVICE_BUTTON, False, START + 60 * MS)
    assert given(switches.elapsed(START + 85 * MS)) == [(None, 85)]


def test_levels_that_are_read_again_make_good_for_lost_edges(switches: Switches) -> None:
    levels = {switch: switch in (4, 6) for switch in (*range(1, 10), DICE_BUTTON, SERVICE_BUTTON)}
    assert switches.reconcile(levels, START) == []
    assert given(switches.elapsed(START + LEVER_NS)) == [(down(4, 6), 40)]


def test_chatter_is_counted_by_switch(switches: Switches) -> None:
    for number in range(6):
        switches.edge(3, number % 2 == 0, START + number * MS)
    switches.elapsed(START + 100 * MS)
    assert switches.levers == to_tiles([2])
    assert switches.chatter[3] > 0
    assert not switches.chatter.get(4)
    assert switches.health(START + 100 * MS).health[3].chatter == switches.chatter[3]
