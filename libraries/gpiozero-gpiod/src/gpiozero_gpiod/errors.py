"""The errors for which gpiozero has no class of its own that says enough.

Everything else is raised as gpiozero's own: ``PinInvalidPin``, ``PinInvalidFunction``,
``PinInvalidPull``, ``PinFixedPull``, ``PinInvalidEdges``, ``PinInvalidBounce``,
``PinInvalidState``, ``PinSetInput``, ``PinPWMFixedValue`` and ``BadPinFactory``.
"""

from gpiozero import DeviceClosed, GPIOPinInUse
from gpiozero.exc import PinError, PinPWMError


class PinBusy(PinError, GPIOPinInUse):  # noqa: N818  (named as gpiozero names its own)
    """Another process, another factory or a kernel driver holds the line; the text names the holder."""


class PinClosed(PinError, DeviceClosed):  # noqa: N818  (named as gpiozero names its own)
    """The pin, or the factory it came from, was closed; ask a factory for it anew."""


class PinUnplugged(PinError, OSError):  # noqa: N818  (named as gpiozero names its own)
    """The GPIO chip of the line is not there any more; the pin works again once the chip is back."""


class InvalidFrequency(PinPWMError, ValueError):  # noqa: N818  (named as gpiozero names its own)
    """A PWM frequency that cannot be kept; the text says which can."""


class InvalidDrive(PinError, ValueError):  # noqa: N818  (named as gpiozero names its own)
    """A drive mode that there is not, or one for a line that is no output."""
