"""The topics the owner can read in service; each is a list of lines."""

from enum import Enum

from shutthebox.game.messages import message


class Topic(Enum):
    """The topics, in order. The value is the line in the owner's list."""

    ABOUT = message("About")
    FAULTS = message("Faults")
    TONIGHT = message("Tonight")


WEEKDAYS = (
    message("Mon").say_as("Monday"),
    message("Tue").say_as("Tuesday"),
    message("Wed").say_as("Wednesday"),
    message("Thu").say_as("Thursday"),
    message("Fri").say_as("Friday"),
    message("Sat").say_as("Saturday"),
    message("Sun").say_as("Sunday"),
)
