"""The text output of ``shutthebox odds``."""

from collections.abc import Mapping
from dataclasses import dataclass

from shutthebox.cli.chart import text_chart
from shutthebox.odds.terminal.policies import Policy, policy_value
from shutthebox.odds.worths import Objective, OddsError, Value
from shutthebox.rules import tiles as sets
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Profile, Scoring
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.rules.turn import Turn

DIGITS = 12
"""Decimals to print: the solver's sums of floats are accurate to about 15 digits."""


@dataclass(frozen=True, slots=True)
class Move:
    """A legal move: its tiles, the value of the turn after it, and its cost against the best."""

    tiles: Tiles
    value: Value
    cost: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The odds of a position.

    Attributes:
        value: under the play that is best for the objective.
        one_die: whether one die is best; None if the player has no choice.
        moves: ranked; None without a throw.
        distribution: of the final score.
        error: the standard error of an estimate; None for exact odds.
        samples: turns played out for an estimate.
        policy: the rule they were played by; None for exact odds.
        throws: the number of the throw from which one without a move ends the turn, if turns last so long;
            else None.
    """

    value: Value
    one_die: bool | None
    moves: tuple[Move, ...] | None
    distribution: Mapping[int, float]
    error: Value | None = None
    samples: int = 0
    policy: Policy | None = None
    throws: int | None = None


def tidy(value: float) -> float:
    """The digits that mean something; never -0.0."""
    return round(value, DIGITS) + 0.0


def points(value: float) -> str:
    """Points as people read them: hundredths, but none where scores are long numbers.

    >>> points(11.009209), points(0.003), points(12345.678)
    ('11.01', '0.003', '12346')
    """
    return _format(value, 2)


def percent(chance: float) -> str:
    """A chance as people read it.

    >>> percent(0.09761372), percent(0.00001234)
    ('9.76 %', '0.001 %')
    """
    return f"{_format(100 * chance, 2)} %"


def _format(value: float, digits: int) -> str:
    """The number with this many decimals; one that would look like 0 keeps its first digit."""
    value = tidy(value)
    if abs(value) >= 1000:
        return f"{value:.0f}"
    if 0 < abs(value) < 10.0**-digits:
        return f"{value:.1g}" if abs(value) >= 1e-4 else f"{value:.0e}"
    return f"{value:.{digits}f}"


def _unit(profile: Profile) -> str:
    return "throws" if profile.score is Scoring.THROWS else "score"


def _aim(profile: Profile, objective: Objective) -> str:
    if objective is Objective.SHUT:
        return "the best chance to shut"
    if profile.score is Scoring.THROWS:
        return "the most throws" if profile.highest_wins else "the fewest throws"
    return "the highest score" if profile.highest_wins else "the lowest score"


def title(profile: Profile, turn: Turn, objective: Objective, answer: Answer) -> str:
    """One line: the position and the objective."""
    kind = "an estimate, " if answer.error is not None else ""
    thrown = f", {'+'.join(map(str, turn.throw))} thrown" if turn.throw else ""
    row = " ".join(map(str, to_numbers(turn.open)))
    return f"{profile.title()}: {row} open{thrown} ({kind}playing for {_aim(profile, objective)})"


def answer_text(profile: Profile, turn: Turn, objective: Objective, answer: Answer) -> str:
    """The odds of a position, as lines of text."""
    lines, expected = [title(profile, turn, objective, answer), ""], f"expected {_unit(profile)}".ljust(16)
    if answer.error is not None:
        error = answer.error
        lines += [
            f"An ESTIMATE from {answer.samples} turns played {answer.policy}, not best play:",
            f"{expected} {points(answer.value.score)}  (standard error {points(error.score)})",
            f"chance to shut   {percent(answer.value.shut)}  (standard error {percent(error.shut)})",
        ]
    else:
        lines += [
            f"{expected} {points(answer.value.score)}",
            f"chance to shut   {percent(answer.value.shut)}",
        ]
    if answer.one_die is not None:
        lines.append(f"best to throw    {'one die' if answer.one_die else f'{profile.dice} dice'}")
    if answer.throws is not None:
        lines.append(f"From throw {answer.throws} on, a throw without a move ends the turn.")
    if turn.throw is not None:
        lines += ["", *_moves_text(turn, objective, answer)]
    elif answer.error is None and turn == turns.start(profile):
        lines += ["", *_players_text(profile)]
    return "\n".join([*lines, "", f"final {_unit(profile)}", text_chart(answer.distribution)])


def _moves_text(turn: Turn, objective: Objective, answer: Answer) -> list[str]:
    if not answer.moves:
        if turn.outcome is not None:
            return [f"no move: the turn is {turn.outcome}"]
        return ["no move: the turn goes on"]
    lines = [f"{'move':<16} {'expected':>10} {'to shut':>9} {'costs':>9}"]
    for move in answer.moves:
        cost = percent(move.cost) if objective is Objective.SHUT else points(move.cost)
        score, shut = points(move.value.score), percent(move.value.shut)
        lines.append(f"{sets.to_text(move.tiles):<16} {score:>10} {shut:>9} {cost:>9}")
    return lines


def _players_text(profile: Profile) -> list[str]:
    """The results of players with a fixed rule; rules with which a turn might never end are left out."""
    lines = ["for comparison"]
    if any(len(dice_allowed(profile, to_tiles([tile]))) > 1 for tile in to_numbers(profile.starting)):
        lines = ["for comparison, throwing one die wherever it's allowed"]
    for policy in Policy:
        try:
            value = policy_value(profile, policy)
        except OddsError:
            continue
        lines.append(f"  {policy:<16} {points(value.score):>10} {percent(value.shut):>9}")
    return lines
