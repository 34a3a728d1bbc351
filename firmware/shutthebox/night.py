"""A night of a pub: it lasts until six in the morning, and is named after the day on which it starts."""

import time
from datetime import date, timedelta

NIGHT_BEGINS_H = 6
"""The hour, in local time, at which one night ends and the next begins."""


def night_of(at_s: float) -> date:
    """The night that a time belongs to, in seconds since 1970."""
    at = time.localtime(at_s)
    return date(at.tm_year, at.tm_mon, at.tm_mday) - timedelta(days=at.tm_hour < NIGHT_BEGINS_H)


def start_of_night(year: int, month: int, day: int) -> float:
    """When a night begins, in seconds since 1970; days and months past the end carry over to the next."""
    return time.mktime((year, month, day, NIGHT_BEGINS_H, 0, 0, 0, 0, -1))
