"""Exact play: values, policies, distributions and advice. Standard library only.

Players use `advice`: what may be done, best first. `odds` has the worth of any position of a turn, `coach`
reviews past decisions, `match_play` has chances to win, and `estimate` plays out what's too large to solve.
They build on `model` (positions and throws) and `evaluate` (best play).
"""
