"""Settled switches become inputs: levers that moved together, gestures of the button, when each is due."""

import pytest

from shutthebox.game.inputs import Held, HeldOn, Input, LeversMoved, Pressed, ServicePressed
from shutthebox.game.switches.button import HOLD_NS
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.game.switches.switch import BUTTONS, DICE_BUTTON, SERVICE_BUTTON, STUCK_NS
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
    return [(each.event, (each.t_ns - START) // MS) for each in inputs]


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
    assert [each.event for each in late] == [Held(), down(2, 7), HeldOn(True)]


def test_levels_that_are_read_again_make_good_for_lost_edges(switches: Switches) -> None:
    levels = {switch: switch in (4, 6) for switch in (*range(1, 10), DICE_BUTTON, SERVICE_BUTTON)}
    assert switches.reconcile(levels, START) == []
    assert given(switches.elapsed(START + LEVER_NS)) == [(down(4, 6), 40)]


def chatter(switches: Switches, switch: int, every_ms: int, lasts_ms: int) -> list[Input | None]:
    """The inputs of a contact that opens and closes all the time."""
    inputs = []
    for at_ms in range(0, lasts_ms, every_ms):
        at_ns = START + at_ms * MS
        inputs += switches.elapsed(at_ns - 1)
        inputs += switches.edge(switch, at_ms // every_ms % 2 == 0, at_ns)
    return [each.event for each in inputs if each.event is not None]


@pytest.mark.parametrize("every_ms", [3, 10, 24, 30, 40, 50])
def test_a_button_that_chatters_for_a_minute_is_broken_and_plays_no_game(
    every_ms: int, switches: Switches
) -> None:
    inputs = chatter(switches, DICE_BUTTON, every_ms, 60_000)
    assert len(inputs) <= 15
    assert {type(each) for each in inputs} <= {Pressed}, "nobody holds it"
    end_ns = START + 60_000 * MS
    health = switches.health(end_ns).health
    assert health[DICE_BUTTON].restless
    assert all(health[lever].idle == 0 for lever in range(1, 10)), "no lever is to blame"
    switches.elapsed(end_ns + 2_000 * MS)
    assert not switches.health(end_ns + 2_000 * MS).health[DICE_BUTTON].restless, "it has come to rest"


@pytest.mark.parametrize("every_ms", [45, 60, 100, 200])
def test_a_lever_that_moves_faster_than_hands_for_a_minute_is_broken(
    every_ms: int, switches: Switches
) -> None:
    assert len(chatter(switches, 3, every_ms, 60_000)) <= 100
    assert switches.health(START + 60_000 * MS).health[3].restless


def test_a_child_that_drums_on_the_button_has_not_broken_it(switches: Switches) -> None:
    """Eight presses a second, for five seconds."""
    assert chatter(switches, DICE_BUTTON, 62, 5_000).count(Pressed()) == 40
    assert not switches.health(START + 5_000 * MS).health[DICE_BUTTON].restless


@pytest.mark.parametrize("button", [number for number, row in BUTTONS.items() if row.stuck_ns is not None])
def test_a_button_that_stays_down_is_stuck_also_from_the_start(button: int) -> None:
    switches = Switches({button: BUTTON_NS, 1: LEVER_NS}, {button: True, 1: True}, START)
    assert not switches.health(START + STUCK_NS - 1).health[button].stuck
    assert switches.health(START + STUCK_NS).health[button].stuck
    assert not switches.health(START + 10 * STUCK_NS).health[1].stuck, "a lever may stay down"
    switches.edge(button, False, START + STUCK_NS)
    switches.elapsed(START + STUCK_NS + BUTTON_NS)
    assert not switches.health(START + 2 * STUCK_NS).health[button].stuck


@pytest.mark.parametrize(("released_ms", "gestures"), [(700, []), (1_500, []), (2_500, [HeldOn(False)])])
def test_letting_go_is_told_after_holding_on(
    switches: Switches, released_ms: int, gestures: list[Input]
) -> None:
    """So that the screen doesn't go on about what holding on leads to."""
    switches.edge(DICE_BUTTON, True, START)
    switches.elapsed(START + released_ms * MS)
    switches.edge(DICE_BUTTON, False, START + released_ms * MS)
    ended = switches.elapsed(START + released_ms * MS + BUTTON_NS)
    assert [each.event for each in ended if each.event not in (None, Pressed())] == gestures


def test_a_chattering_button_is_no_longer_held_on(switches: Switches) -> None:
    switches.edge(DICE_BUTTON, True, START)
    assert HeldOn(True) in [each.event for each in switches.elapsed(START + 3_000 * MS)]
    start_ns = START + 3_000 * MS
    inputs = []
    for at in range(800):
        inputs += switches.elapsed(start_ns + at * 10 * MS - 1)
        inputs += switches.edge(DICE_BUTTON, at % 2 == 1, start_ns + at * 10 * MS)
    assert HeldOn(False) in [each.event for each in inputs]
