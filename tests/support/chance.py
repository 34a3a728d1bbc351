"""Matches played at random, as the rules allow."""

from random import Random

from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action, Advanced, Moved, OutOfTime, Reopened, Thrown
from shutthebox.rules.match import Match
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Draw
from shutthebox.rules.tiles import to_numbers


def next_action(match: Match, chance: Random) -> Action:
    """A random action that the rules allow now."""
    profile, turn = match.rules, match.turn
    if match.clock_runs and chance.random() < 0.03:
        return OutOfTime()
    if match.stage is Stage.ADVANCE:
        return Advanced()
    if match.stage is Stage.THROW:
        if match.round.common is not None:
            return Thrown(match.round.common.faces)
        if profile.draw is Draw.DOMINOES:
            return Thrown(chance.choice(turns.bag(profile, turn)))
        dice = chance.choice(match.dice_allowed)
        return Thrown(tuple(chance.randint(1, profile.sides) for _ in range(dice)))
    if legal := turns.answers(profile, turn):
        return Moved(chance.choice(legal))
    if openable := turns.reopenings(profile, turn):
        return Reopened(chance.choice(to_numbers(openable)))
    return Moved(0)
