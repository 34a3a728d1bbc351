"""Exact play: values, policies, distributions and advice. Standard library only.

Players use `advice`: what may be done, best first. `odds` has the worth of any position of a turn, `coach`
reviews past decisions, and `match_play` has chances to win. They build on `model` (positions and throws) and
`evaluate` (best play). A box needs nothing of `terminal`.
"""
