"""The electronic Shut the Box: rules, judge, odds, and the box that plays them."""

__version__ = "1.0.0.dev0"
