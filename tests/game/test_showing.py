"""The corner of the screen names a fault while somebody plays, and says when a tournament's dice are used."""

import itertools
from collections.abc import Callable

import pytest
from tests.support.machine import TUMBLE_NS, Table, settings_for

from shutthebox.config.profiles import builtin
from shutthebox.game.faults import FAULT_TEXTS, UNDELIVERED_TEXTS, Fault, Undelivered
from shutthebox.game.inputs import DeliveryReported, FaultReported
from shutthebox.game.mode import Mode
from shutthebox.rules.equal_dice import Tournament
from shutthebox.rules.match import begin

LOST = builtin("two-to-go")
"""Its turn is lost by a first throw of 4."""

EQUAL_DICE = next(
    each
    for each in (Tournament("Christmas", f"{number:064x}") for number in itertools.count())
    if each.throw(begin(LOST, 1), 2) == (1, 3)
)


def in_attract(table: Table) -> None:
    pass


def in_raise(table: Table) -> None:
    table.flip(4)
    table.press()


def in_ready(table: Table) -> None:
    table.press()


def in_rolling(table: Table) -> None:
    table.press()
    table.dice.throws.append((1, 3))
    table.press()


def in_flipping(table: Table) -> None:
    in_rolling(table)
    table.wait(TUMBLE_NS)


def in_turn_over(table: Table) -> None:
    in_flipping(table)


def at_the_end(table: Table) -> None:
    in_turn_over(table)
    table.press()


MODES: list[tuple[Callable[[Table], None], Mode, str, str]] = [
    # How to reach the mode; the mode; its corner with a fault, and with a tournament's dice.
    (in_attract, Mode.ATTRACT, "", "equal dice"),
    (in_raise, Mode.RAISE, "no memory", "equal dice"),
    (in_ready, Mode.READY, "no memory", "equal dice"),
    (in_rolling, Mode.ROLLING, "no memory", "equal dice"),
    (in_flipping, Mode.FLIPPING, "no memory", "equal dice"),
    (in_turn_over, Mode.TURN_OVER, "no memory", "1+3"),
    (at_the_end, Mode.MATCH_OVER, "", "equal dice"),
]


def table_with(reached: Callable[[Table], None], *, equal: bool) -> Table:
    game = LOST if reached in (in_turn_over, at_the_end) else builtin("traditional")
    table = Table(settings_for(game, players=1, tournament=EQUAL_DICE if equal else None))
    reached(table)
    return table


@pytest.mark.parametrize(("reached", "mode", "faulty", "equal"), MODES, ids=[row[1].value for row in MODES])
def test_the_corner(reached: Callable[[Table], None], mode: Mode, faulty: str, equal: str) -> None:
    table = table_with(reached, equal=False)
    assert table.mode is mode
    before = table.screen.aside
    table.give(FaultReported(Fault.FORGETS), 0)
    assert table.screen.aside == (faulty or before)
    assert (table.screen.prompt == "Memory is off") == (mode is Mode.ATTRACT)
    table.give(FaultReported(None), 0)
    assert table.screen.aside == before

    table = table_with(reached, equal=True)
    assert table.screen.aside == equal
    table.give(FaultReported(Fault.FORGETS), 0)
    assert table.screen.aside == (faulty or equal), "a fault comes first"


@pytest.mark.parametrize("fault", Fault)
def test_every_fault_has_a_word_for_the_corner(fault: Fault) -> None:
    table = table_with(in_ready, equal=False)
    table.give(FaultReported(fault), 0)
    assert table.screen.aside == str(FAULT_TEXTS[fault][1].text)


@pytest.mark.parametrize("why", Undelivered)
def test_the_owner_sees_that_matches_are_not_delivered_and_a_guest_plays_on(why: Undelivered) -> None:
    """A mark in attract beside the usual prompt; the reason in service; nothing in a match."""
    for reached in (in_attract, in_ready, in_flipping, at_the_end):
        table = table_with(reached, equal=False)
        before = table.screen
        table.give(DeliveryReported(why), 0)
        assert table.screen == (before._replace(aside="league?") if reached is in_attract else before)
        table.give(DeliveryReported(None), 0)
        assert table.screen == before
    table = table_with(in_attract, equal=False)
    table.give(DeliveryReported(why), 0)
    table.press_service()
    assert str(UNDELIVERED_TEXTS[why].text) in table.screen.also
    assert not table.give(DeliveryReported(why), 0), "the same again draws nothing"
