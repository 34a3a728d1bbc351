"""What the box tells its owner in service, besides its levers: a list of lines for each topic."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TypeAlias

from shutthebox.game.messages import Message, Text, message
from shutthebox.rules.tiles import Tiles


class Topic(Enum):
    """What the owner may ask for."""

    ABOUT = "about"
    FAULTS = "faults"
    TONIGHT = "tonight"


TOPICS: dict[Topic, Message] = {
    Topic.ABOUT: message("About"),
    Topic.FAULTS: message("Faults"),
    Topic.TONIGHT: message("Tonight"),
}
"""The lines of service behind the levers, in order."""

WEEKDAYS = (
    message("Mon").say_as("Monday"),
    message("Tue").say_as("Tuesday"),
    message("Wed").say_as("Wednesday"),
    message("Thu").say_as("Thursday"),
    message("Fri").say_as("Friday"),
    message("Sat").say_as("Saturday"),
    message("Sun").say_as("Sunday"),
)

OwnerReport: TypeAlias = Callable[[Topic, Tiles], Sequence[Text]]
"""Gives the lines of a topic. The levers are those that are wrong now: the faults of others have cleared."""
