"""Values that carry no data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plain:
    """A value without data, equal to others of its class.

    A class that inherits from it, with empty `__slots__`, is made in no time. Each dataclass takes half a
    millisecond of every start, because the methods of each are compiled then.
    """
