"""The errors for which gpiozero has no class of its own that says enough.

Everything else is raised as gpiozero's own: ``PinInvalidPin``, ``PinInvalidFunction``,
``PinInvalidPull``, ``PinFixedPull``, ``PinInvalidEdges``, ``PinInvalidBounce``,
``PinInvalidState``, ``PinSetInput``, ``PinPWMFixedValue`` and ``BadPinFactory``.
"""

from gpiozero import DeviceClosed, GPIOPinInUse
from gpiozero.exc import PinError, PinPWMError


class PinBusy(PinError, GPIOPinInUse):  # noqa: N818  (named as gpiozero names its own)
    """Another process, or a kernel driver, holds the line; the text names it."""


class PinClosed(PinError, DeviceClosed):  # noqa: N818  (named as gpiozero names its own)
    """The pin, or the factory it came from, was closed; ask a factory for it anew."""


class InvalidFrequency(PinPWMError, ValueError):  # noqa: N818  (named as gpiozero names its own)
    """A PWM frequency that software cannot keep: it has to lie in 0 < Hz <= 10000."""
