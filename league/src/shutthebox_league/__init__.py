"""A league: signed matches of many boxes, replayed by the rules, counted once, shown on a page."""

__version__ = "1.0.1.dev0"
