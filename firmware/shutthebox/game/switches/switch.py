"""The switches of a box: a row for each kind, and everything that others need to know of it.

Pins, configuration, doctor, store, simulator, recorder, workshop and the health of contacts read these rows.
A new button is a row in `BUTTONS`, its key in the configuration, and the input that it gives.
"""

from functools import cache
from typing import NamedTuple

from shutthebox.game.inputs import Input, ServicePressed
from shutthebox.game.messages import Message, message

STUCK_NS = 20_000_000_000
"""A button that is down for so long is stuck: a hand that holds it for ten seconds gets an answer."""


class Switch(NamedTuple):
    """A row: one switch, or all levers.

    Attributes:
        number: 0 and below for buttons; a lever's row has its tile's number.
        name: for tables, journal and doctor.
        key: of its line in the configuration's ``[gpio]``.
        line: BCM line on the board, and in the simulator; 0 for levers, which have a list of their own.
        settle_key: of its settle time in the configuration's ``[box]``.
        is_counted: the store keeps its presses and its chatter.
        verb: moves it in a scenario: ``VERB down``, ``VERB up``; empty for levers, which have verbs of their
            own.
        given: what the machine is told when it closes; None for levers, which are told together, and for the
            dice button, whose gestures are.
        stuck_ns: down for so long it is stuck; None for one that may stay down.
        chatters: said when its contact does not rest.
        stuck: said when it is stuck.
        dead: said when it never seems to move.
        taken: said when another program has its line.
    """

    number: int
    name: str
    key: str
    line: int
    settle_key: str
    is_counted: bool
    verb: str
    given: Input | None
    stuck_ns: int | None
    chatters: Message
    stuck: Message
    dead: Message
    taken: Message


DICE_BUTTON = 0
"""The dice button's switch number; levers are switches 1 and up, by their tile."""

SERVICE_BUTTON = -1
"""The switch number of the owner's button inside the box."""

BUTTONS: dict[int, Switch] = {
    row.number: row
    for row in (
        Switch(
            DICE_BUTTON,
            "dice button",
            "roll",
            12,
            "button_settle_ms",
            is_counted=True,
            verb="button",
            given=None,
            stuck_ns=STUCK_NS,
            chatters=message("Button chatters"),
            stuck=message("Button: stuck?"),
            dead=message("Button: dead?"),
            taken=message("Button: line taken"),
        ),
        Switch(
            SERVICE_BUTTON,
            "service button",
            "service",
            20,
            "button_settle_ms",
            is_counted=False,
            verb="service",
            given=ServicePressed(),
            stuck_ns=STUCK_NS,
            chatters=message("Service chatters"),
            stuck=message("Service: stuck?"),
            dead=message("Service: dead?"),
            taken=message("Service: taken"),
        ),
    )
}
"""The buttons by number, in the order of a builder's work."""


@cache
def switch(number: int) -> Switch:
    """The row of a switch.

    Raises:
        ValueError: there is no such switch.
    """
    if number in BUTTONS:
        return BUTTONS[number]
    if number < 0:
        raise ValueError(f"there is no switch {number}")
    return Switch(
        number,
        f"lever {number}",
        "levers",
        0,
        "settle_ms",
        is_counted=True,
        verb="",
        given=None,
        stuck_ns=None,
        chatters=message("Lever {tile} chatters", tile=number),
        stuck=message("Lever {tile}: stuck?", tile=number),
        dead=message("Lever {tile}: dead?", tile=number),
        taken=message("Lever {tile}: line taken", tile=number),
    )
