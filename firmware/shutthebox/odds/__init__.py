"""Exact play: values, policies, distributions and advice. Standard library only.

Players use `advice`: what may be done, best first; `coach` reviews past decisions. Both ask a `solver`, which
`pick` picks: for points (`odds`), the bank (`bank`), or the win (`match_play`, `shared_row`, `tug`,
`common_throw`). Solvers build on `model` (positions and throws) and `evaluate` (best play). A box needs
nothing of `terminal`.
"""
