"""The uplink: sends a box's outbox to a league's broker, and its state to Home Assistant."""

__version__ = "1.0.1.dev0"
