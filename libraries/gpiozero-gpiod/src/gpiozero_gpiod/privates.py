"""What we use of gpiozero that isn't public, and why; tested with gpiozero 2.0.1 and 2.0.1.post3.

Nothing else in this package reads or calls private names of gpiozero. `GpiodPin` overrides methods with an
underscore (``_get_state`` and the like) and sets the attributes that they work on (``_lock``, ``_number``,
``_when_changed_lock``): that's how gpiozero asks for a pin to be made.
"""

from __future__ import annotations

from threading import Event, Lock, Thread
from typing import Any
from weakref import ref

import gpiozero.mixins


def conflicts(device: Any, holder: Any) -> bool:  # noqa: ANN401  (gpiozero has no types)
    """Whether two devices can't share a pin. Only the device knows: an SPI device may share its bus."""
    return bool(device._conflicts_with(holder))


def close_at_exit(factory: Any, devices: dict[Any, list[ref[Any]]], lock: Lock) -> None:  # noqa: ANN401
    """Has gpiozero close these devices at exit, before it closes the factory; it finds them nowhere else.

    Args:
        factory: the devices'.
        devices: those of each pin.
        lock: held while they change.
    """
    factory._reservations, factory._res_lock = devices, lock


def released(button: Any) -> Event:  # noqa: ANN401
    """Set while a button isn't pressed; `Button.wait_for_release` can't be woken by anything else."""
    event: Event = button._inactive_event
    return event


def begin_hold(button: Any) -> None:  # noqa: ANN401
    """Notes since when a button is held; `Button.held_time` can't be set."""
    if button._held_from is None:
        button._held_from = button.pin_factory.ticks()


def fire_held(button: Any) -> None:  # noqa: ANN401
    """Calls ``when_held`` as gpiozero does, with the device if it takes one."""
    button._fire_held()


def use_hold_thread(kind: type[Thread]) -> None:
    """Gives every button made from now on this thread; gpiozero has no setting for it."""
    gpiozero.mixins.HoldThread = kind
