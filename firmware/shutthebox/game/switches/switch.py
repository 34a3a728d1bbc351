"""The switches of a box: one row for each kind, with everything the rest of the code needs to know about it.

Pins, config, doctor, store, simulator, recorder, workshop and contact health read these rows. To add a
button, add a row to `BUTTONS`, its key to the config, and the input it causes.
"""

from functools import cache
from typing import NamedTuple

from shutthebox.game.inputs import Input, ServicePressed
from shutthebox.game.messages import Message, message

STUCK_NS = 20_000_000_000
"""A button that is down for this long is stuck; a person holding it gets an answer after ten seconds."""


class Switch(NamedTuple):
    """A row: one switch, or all levers.

    Attributes:
        number: 0 and below for buttons; a lever's row has its tile's number.
        name: for tables, journal and doctor.
        key: of its line in the configuration's ``[gpio]``.
        line: BCM line on the board, and in the simulator; 0 for levers, which have a list of their own.
        settle_key: of its settle time in the configuration's ``[box]``.
        is_counted: whether the store counts its presses and its chatter.
        verb: moves it in a scenario (``VERB down``, ``VERB up``); empty for levers, which have their own
            verbs.
        event: the input it causes on closing; None for levers, which are reported together, and for the
            dice button, which is reported as gestures.
        stuck_ns: down for this long, it's stuck; None if it may stay down.
        chatters: the message when its contact doesn't settle.
        stuck: the message when it's stuck.
        dead: the message when it never seems to move.
        taken: the message when another program holds its line.
    """

    number: int
    name: str
    key: str
    line: int
    settle_key: str
    is_counted: bool
    verb: str
    event: Input | None
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
            event=None,
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
            event=ServicePressed(),
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
        event=None,
        stuck_ns=None,
        chatters=message("Lever {tile} chatters", tile=number),
        stuck=message("Lever {tile}: stuck?", tile=number),
        dead=message("Lever {tile}: dead?", tile=number),
        taken=message("Lever {tile}: line taken", tile=number),
    )
