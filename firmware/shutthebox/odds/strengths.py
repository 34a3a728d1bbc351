"""The strengths of the computer, and its play without odds."""

from collections.abc import Sequence
from enum import StrEnum

from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile, Scoring
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import Turn


class Strength(StrEnum):
    """The strength of the computer.

    A beginner shuts the highest tiles (the lowest if open tiles are good) and throws the usual number of
    dice. A regular decides every other time by the odds for points, starting with the first move of a turn,
    and otherwise like a beginner. A master always decides by the odds, for the win if they're known.
    """

    BEGINNER = "beginner"
    REGULAR = "regular"
    MASTER = "master"


def by_odds(turn: Turn, strength: Strength) -> bool:
    """Whether a computer of this strength decides by the odds now, if they are known."""
    return strength is Strength.MASTER or (strength is Strength.REGULAR and turn.moves % 2 == 0)


def simple_answer(rules: Profile, turn: Turn) -> Tiles:
    """A beginner's answer (if a tile must be opened, the lowest); none to pass."""
    answers = turns.answers(rules, turn)
    if not answers:
        reopenings = turns.reopenings(rules, turn)
        return reopenings & -reopenings
    return highest_first(rules, answers)


def highest_first(rules: Profile, answers: Sequence[Tiles]) -> Tiles:
    """The answer with the highest tiles; with the lowest if open tiles are good."""
    low = rules.highest_wins and rules.score is not Scoring.SHUT_SUM
    return min(answers) if low else max(answers)
