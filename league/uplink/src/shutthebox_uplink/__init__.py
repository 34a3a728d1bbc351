"""The uplink: from a box's outbox to a league's broker, and from a box's state to Home Assistant."""

__version__ = "0.1.0"
