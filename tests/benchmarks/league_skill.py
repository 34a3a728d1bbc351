"""The noise in a ranking by raw scores, and in one by the cost of decisions.

`python -m tests.benchmarks.league_skill [TURNS]`: players who err more or less often play turns of the
traditional game. Both means rank them alike in the long run, because luck is 0 on average. The standard
errors differ, and so do the turns that a ranking takes.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean, pstdev

from shutthebox.config.profiles import builtin
from shutthebox.odds.coach import review
from shutthebox.odds.odds import Odds
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action, Moved, Thrown, apply
from shutthebox.rules.match import begin

ERRS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2)
"""Chance of a player to answer a throw without thinking: any legal answer, each as likely."""

SEASON = 50
"""Turns of a player in a season."""


@dataclass(frozen=True)
class Noise:
    """The figures.

    Attributes:
        scores: standard deviation of a turn's score around its player's mean.
        given_away: the same of the cost of decisions.
        agree_scores: share of pairs of players that a season's raw scores rank as they are.
        agree_given_away: the same by the cost of decisions.
    """

    scores: float
    given_away: float
    agree_scores: float
    agree_given_away: float

    @property
    def variances(self) -> float:
        """How many times as many turns a ranking by raw scores takes to be as sure."""
        return (self.scores / self.given_away) ** 2

    @property
    def wrong(self) -> float:
        """How many times as many pairs raw scores rank wrongly after a season."""
        return (1 - self.agree_scores) / (1 - self.agree_given_away)


def played_turn(odds: Odds, err: float, random: Random) -> tuple[float, float]:
    """A turn's score, and the cost of its decisions."""
    match, actions = begin(odds.profile, 1), list[Action]()
    while match.turn.outcome is None:
        action: Action = Thrown(tuple(random.randint(1, 6) for _ in range(odds.best_dice(match.turn))))
        if match.turn.awaits_answer:
            answers = turns.answers(odds.profile, match.turn)
            best = odds.ranked(match.turn)[0].tiles
            action = Moved(random.choice(answers) if random.random() < err else best)
        actions.append(action)
        match = apply(match, action)
    (player,) = review(begin(odds.profile, 1), actions, for_win=False).players
    return float(player.points.final), float(player.points.given_away)


def measure(turns_each: int, seed: int = 1, errs: Sequence[float] = ERRS) -> Noise:
    """Plays so many turns with each player."""
    random, odds = Random(seed), Odds(builtin("traditional"))
    played = [[played_turn(odds, err, random) for _ in range(turns_each)] for err in errs]
    deviation = [fmean(pstdev(turn[kind] for turn in of_player) for of_player in played) for kind in (0, 1)]
    agree = [
        fmean(
            fmean(turn[kind] for turn in worse[at : at + SEASON])
            > fmean(turn[kind] for turn in better[at : at + SEASON])
            for i, better in enumerate(played)
            for worse in played[i + 1 :]
            for at in range(0, turns_each - SEASON + 1, SEASON)
        )
        for kind in (0, 1)
    ]
    return Noise(*deviation, *agree)


def main() -> None:
    """Prints the figures."""
    found = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
    print(f"standard deviation of a turn's score:              {found.scores:5.2f} points")
    print(f"standard deviation of what its decisions gave away: {found.given_away:4.2f} points")
    print(f"turns that a ranking by raw scores takes for one:  {found.variances:5.1f}")
    print(f"pairs ranked wrongly after {SEASON} turns by raw scores: {1 - found.agree_scores:6.1%}")
    print(f"the same by what was given away:                   {1 - found.agree_given_away:6.1%}")
    print(f"ratio:                                             {found.wrong:5.1f}")


if __name__ == "__main__":
    main()
