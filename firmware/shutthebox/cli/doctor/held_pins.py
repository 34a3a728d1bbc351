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
    """The switches at these lines and the lamp, until the end of this context, which closes the factory too.

    Raises:
        PinsError: if they can't be had, as while the box itself runs; it names the remedy.
    """
    try:
        try:
            pins = Pins(factory, lines, gpio.lamp, put, gpio.inverted_switches)
        except PinsError as error:
            if "in use by" in str(error) and f"'{CONSUMER}'" not in str(error):
                raise  # an overlay of the kernel, or another program: to stop the box would not help
            raise PinsError(f"{error}; a running box has them: sudo systemctl stop shutthebox") from None
        try:
            yield pins
        finally:
            pins.close()
    finally:
        factory.close()
