"""Exact play: values, policies, distributions and advice. Standard library only.

`Odds(profile)` solves a profile and answers for any `Turn` of it; the other modules build on it:
`policies` (playing by a fixed rule), `estimate` (rows above 12 tiles), `versus` (playing to
win), `advice` (hints, skill and luck), `fairness` (are the dice honest). The solvers are imported
when `Odds` is first asked for: who only reads advice has no use for them.
"""

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from shutthebox.odds.odds import Odds

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


def __getattr__(name: str) -> Any:  # noqa: ANN401  (a module's attribute can be anything)
    if name == "Odds":
        from shutthebox.odds.odds import Odds

        return Odds
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
