"""The I2C bus of a doctor under test, as smbus2 opens it."""

from types import TracebackType
from typing import Self


class OpenedBus:
    """smbus2's `SMBus`, of the bus that the tests configure; a test adds what is on it."""

    def __init__(self, number: int) -> None:
        assert number == 32

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The bus is closed."""
