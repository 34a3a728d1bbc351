"""The corner of the screen names a fault while somebody plays, and says when a tournament's dice are used."""

import itertools

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


def table_in(mode: Mode, tournament: Tournament | None = None) -> Table:
    game = LOST if mode in (Mode.TURN_OVER, Mode.MATCH_OVER) else builtin("traditional")
    table = Table(settings_for(game, players=1, tournament=tournament))
    if mode is Mode.RAISING:
        table.flip(4)
    if mode is not Mode.ATTRACT:
        table.press()
    if mode not in (Mode.ATTRACT, Mode.RAISING, Mode.READY):
        table.dice.throws.append((1, 3))
        table.press()
    if mode in (Mode.FLIPPING, Mode.TURN_OVER, Mode.MATCH_OVER):
        table.wait(TUMBLE_NS)
    if mode is Mode.MATCH_OVER:
        table.press()
    assert table.mode is mode
    return table


@pytest.mark.parametrize(
    ("mode", "faulty", "equal"),
    [
        # Its corner with a fault, and with a tournament's dice.
        (Mode.ATTRACT, "", "equal dice"),
        (Mode.RAISING, "no memory", "equal dice"),
        (Mode.READY, "no memory", "equal dice"),
        (Mode.ROLLING, "no memory", "equal dice"),
        (Mode.FLIPPING, "no memory", "equal dice"),
        (Mode.TURN_OVER, "no memory", "1+3"),
        (Mode.MATCH_OVER, "", "equal dice"),
    ],
)
def test_the_corner(mode: Mode, faulty: str, equal: str) -> None:
    table = table_in(mode)
    before = table.screen.aside
    table.give(FaultReported(Fault.FORGETS), 0)
    assert table.screen.aside == (faulty or before)
    assert (table.screen.alert == "Memory is off") == (mode is Mode.ATTRACT)
    table.give(FaultReported(None), 0)
    assert table.screen.aside == before

    table = table_in(mode, EQUAL_DICE)
    assert table.screen.aside == equal
    table.give(FaultReported(Fault.FORGETS), 0)
    assert table.screen.aside == (faulty or equal), "a fault comes first"


@pytest.mark.parametrize("fault", Fault)
def test_every_fault_has_a_word_for_the_corner(fault: Fault) -> None:
    table = table_in(Mode.READY)
    table.give(FaultReported(fault), 0)
    assert table.screen.aside == str(FAULT_TEXTS[fault][1].text)


@pytest.mark.parametrize("why", Undelivered)
def test_the_owner_sees_that_matches_are_not_delivered_and_a_guest_plays_on(why: Undelivered) -> None:
    """A mark in attract beside the usual prompt; the reason in service; nothing in a match."""
    for mode in (Mode.ATTRACT, Mode.READY, Mode.FLIPPING, Mode.MATCH_OVER):
        table = table_in(mode)
        before = table.screen
        table.give(DeliveryReported(why), 0)
        assert table.screen == (before._replace(aside="league?") if mode is Mode.ATTRACT else before)
        table.give(DeliveryReported(None), 0)
        assert table.screen == before
    table = table_in(Mode.ATTRACT)
    table.give(DeliveryReported(why), 0)
    table.press_service()
    assert str(UNDELIVERED_TEXTS[why].text) in table.screen.also
    assert not table.give(DeliveryReported(why), 0), "the same again draws nothing"
