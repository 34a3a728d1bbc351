"""The pins for as long as the doctor watches them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from gpiozero.pins import Factory

from shutthebox.adapters.gpio import CONSUMER, Edge, Pins, PinsError
from shutthebox.config.schema import GpioConfig, Line


@contextmanager
def held_pins(
    factory: Factory, gpio: GpioConfig, lines: Mapping[int, Line], put: Callable[[Edge], None]
) -> Iterator[Pins]:
    """Opens the switches at these lines, and the lamp; closes the factory at the end of the context.

    Raises:
        PinsError: they can't be opened, for example while the box is running; it names the remedy.
    """
    try:
        try:
            pins = Pins(factory, lines, gpio.lamp, put, gpio.inverted_switches)
        except PinsError as error:
            if "in use by" in str(error) and f"'{CONSUMER}'" not in str(error):
                raise  # held by a kernel overlay or another program: stopping the box wouldn't help
            raise PinsError(f"{error}; a running box holds them: sudo systemctl stop shutthebox") from None
        try:
            yield pins
        finally:
            pins.close()
    finally:
        factory.close()
