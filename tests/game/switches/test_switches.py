"""Settled switches become inputs: levers that moved together, gestures of the button, when each is due."""

import pytest

from shutthebox.game.inputs import Held, Input, LeversMoved, ServicePressed
from shutthebox.game.switches.button import HOLD_NS
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.game.switches.switch import DICE_BUTTON, SERVICE_BUTTON
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


def test_a_lever_that_moves_after_a_hold_was_due_comes_after_it(switches: Switches) -> None:
    """The loop was late: the hold was reached before the lever settled."""
    switches.edge(DICE_BUTTON, True, START)
    switches.elapsed(START + 25 * MS)
    switches.edge(7, True, START + 25 * MS + HOLD_NS)
    late = switches.elapsed(START + 10 * HOLD_NS)
    assert [each.given for each in late] == [Held(), down(2, 7)]


def test_levels_that_are_read_again_make_good_for_lost_edges(switches: Switches) -> None:
    levels = {switch: switch in (4, 6) for switch in (*range(1, 10), DICE_BUTTON, SERVICE_BUTTON)}
    assert switches.reconcile(levels, START) == []
    assert given(switches.elapsed(START + LEVER_NS)) == [(down(4, 6), 40)]
