"""The clock of a turn: whole seconds, a begun one counted, and never fewer than none."""

import pytest
from tests.support.box import MS, S

from shutthebox.config.profiles import builtin
from shutthebox.game.play import Clock, MatchInPlay
from shutthebox.rules.match import begin

CLOCK = Clock(over_ns=30 * S, shown_s=10)
"""It began at 20 s."""


@pytest.mark.parametrize(
    ("now_ns", "shown_s", "next_ns"),
    [
        (20 * S, 10, 21 * S),
        (20 * S + 1, 10, 21 * S),
        (21 * S - 1, 10, 21 * S),
        (21 * S, 9, 22 * S),
        (28 * S + 500 * MS, 2, 29 * S),
        (29 * S, 1, 30 * S),
        (30 * S - 1, 1, 30 * S),
        (30 * S, 0, 30 * S),
        (31 * S, 0, 30 * S),
        (90 * S, 0, 30 * S),
    ],
)
def test_the_seconds_shown_and_when_they_change(now_ns: int, shown_s: int, next_ns: int) -> None:
    clock = CLOCK.at(now_ns)
    assert (clock.shown_s, clock.next_ns, clock.over_ns) == (shown_s, next_ns, 30 * S)
    play = MatchInPlay(begin(builtin("pub"), 1), clock=clock)
    assert play.is_out_of_time == (shown_s == 0)
