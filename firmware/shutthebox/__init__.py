"""The electronic Shut the Box: rules, judge, odds, and the box that plays them."""

__version__ = "0.1.0"
