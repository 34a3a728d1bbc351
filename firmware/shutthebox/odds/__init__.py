"""Exact play: values, policies, distributions and advice. Standard library only.

`advice` is the door for whoever plays: what may be done, the best first. `odds` has the worth of any position
of a turn, `coach` takes past decisions apart, `match_play` has chances to win, `estimate` plays out what is
too large. They stand on `model` (positions and throws) and `evaluate` (best play).
"""
