"""What the box tells its owner in service, besides its levers: a list of lines for each topic."""

from enum import Enum

from shutthebox.game.messages import Message, message


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
