"""Exact play: values, policies, distributions and advice. Standard library only.

`Odds(profile)` solves a profile and answers for any `Turn` of it; the other modules build on it:
`equilibrium` and `match_play` (playing for the win), `coach` and `hints` (past and coming decisions),
`baselines` and `strengths` (playing by a fixed rule), `estimate` (rows above 12 tiles), `puzzles`, `fairness`
(are the dice honest). The names below are imported at their first use: the box starts without the solvers.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shutthebox.odds.odds import Odds
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


def __getattr__(name: str) -> Any:  # noqa: ANN401  (a module's attribute can be anything)
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from shutthebox.odds import odds, values

    return getattr(odds if name == "Odds" else values, name)
