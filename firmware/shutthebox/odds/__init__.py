"""Exact play: values, policies, distributions and advice. Standard library only.

`Odds(profile)` solves a profile and answers for any `Turn` of it; the other modules build on it:
`policies` (playing by a fixed rule), `estimate` (rows above 12 tiles), `versus` (playing to
win), `advice` (hints, skill and luck), `fairness` (are the dice honest).
"""

from shutthebox.odds.book import Odds
from shutthebox.odds.values import (
    MOST_TILES,
    End,
    Exact,
    Objective,
    OddsError,
    Ranked,
    TooLargeError,
    Value,
)

__all__ = [
    "MOST_TILES",
    "End",
    "Exact",
    "Objective",
    "Odds",
    "OddsError",
    "Ranked",
    "TooLargeError",
    "Value",
]
