"""Base class of values that carry no data."""


class Marker:
    """A value without data, equal to all others of its class. Subclasses need empty `__slots__`, too."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"
