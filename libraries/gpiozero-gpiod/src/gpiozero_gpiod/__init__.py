"""A pin factory for gpiozero on libgpiod v2, the kernel's own interface to GPIO lines.

Any gpiozero program runs on it with ``GPIOZERO_PIN_FACTORY=gpiod`` in its environment, or with
``pin_factory=GpiodFactory()`` passed to its devices. Nothing in it polls: one thread sleeps until
the kernel has an edge to report. The README says how it differs from the others.
"""

from .errors import InvalidDrive, InvalidFrequency, PinBusy, PinClosed, PinUnplugged
from .factory import GpiodFactory
from .kernel_pwm import KernelPwmPin
from .pin import GpiodPin

__version__ = "1.0.1.dev0"
__all__ = [
    "GpiodFactory", "GpiodPin", "InvalidDrive", "InvalidFrequency", "KernelPwmPin", "PinBusy", "PinClosed",
    "PinUnplugged",
]  # fmt: skip
