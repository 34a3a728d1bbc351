"""A Raspberry Pi in software, with a real kernel, real systemd, and pins that tests can move."""

from .image import missing
from .machine import Done, PanelWrite, VirtualPi

__all__ = ["Done", "PanelWrite", "VirtualPi", "missing"]
