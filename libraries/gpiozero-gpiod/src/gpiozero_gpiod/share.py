"""The states that an output can have."""

from __future__ import annotations

from gpiozero.exc import PinInvalidState
from gpiozero.pins import Pin


def share_of(pin: Pin, value: float) -> float:
    """A state as the share of time that a line is high, from 0 to 1.

    Raises:
        gpiozero.PinInvalidState: It is no number from 0 to 1; the text names the pin.
    """
    try:
        share = float(value)
    except (TypeError, ValueError):
        share = -1.0
    if not 0 <= share <= 1:
        raise PinInvalidState(f'invalid state "{value}" for pin {pin!r}: it has to be from 0 to 1')
    return share
