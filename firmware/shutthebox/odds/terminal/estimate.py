"""Estimates for when exact odds would take too long: turns played out with random throws, by a fixed rule.

An estimate isn't best play but the result of the best of a few fixed rules
(`shutthebox.odds.terminal.policies`), chosen on other turns so that the choice doesn't flatter the figures.
Best play does at least as well. Turns are played by the rules' own functions, so an estimate knows every key.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from shutthebox.odds.terminal.policies import Policy, choose
from shutthebox.odds.worths import Objective, TooLargeError, Value, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import Throw, dice_allowed, most_moves
from shutthebox.rules.profile import Draw, MoveKind, Profile
from shutthebox.rules.tiles import Tiles, to_numbers
from shutthebox.rules.turn import Outcome, Turn

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many turns have been played out, and of how many."""

SAMPLES = 5_000

MAX_SAMPLED_THROWS = 100_000
"""Roughly how many throws an estimate makes by default: some seconds of work. If turns have more throws, or
throws have more moves, fewer turns are played out."""

_PILOT = 10
_LEAST = 20
"""The fewest turns played out for a move."""

_RULES = (Policy.HIGHEST, Policy.FEWEST, Policy.LOWEST)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The result of turns played out with random throws.

    Attributes:
        value: mean score and share of boxes shut.
        standard_error: of each.
        samples: turns played out.
        policy: the rule they were played by.
        distribution: share of each final score, by rising score.
    """

    value: Value
    standard_error: Value
    samples: int
    policy: Policy
    distribution: dict[int, float]


def estimate(
    rules: Profile,
    turn: Turn,
    objective: Objective = Objective.SCORE,
    *,
    rng: random.Random,
    samples: int | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """Plays a turn out many times.

    Args:
        rules: the game, of any size.
        turn: an unfinished turn; a throw on the table is answered by the rule, too.
        objective: the aim that the rule is chosen for.
        rng: makes the throws; the same seed gives the same estimate.
        samples: turns to play out, 2 or more, plus a tenth of that for each rule tried. By default
            `SAMPLES`, or fewer if turns are long.
        progress: called at every hundredth part.

    Raises:
        ValueError: fewer than 2 samples, or a finished turn.
    """
    if turn.outcome is not None or (samples is not None and samples < 2):
        raise ValueError("an estimate needs at least 2 samples of a turn that is not over")
    if samples is None:
        samples = max(2, min(SAMPLES, int(_most_turns(rules, turn) / (1 + len(_RULES) / _PILOT))))
    trial = max(2, samples // _PILOT)
    whole = samples + trial * len(_RULES)
    step = max(1, whole // 100)
    done = 0

    def play(policy: Policy, count: int) -> Estimate:
        nonlocal done
        ends = []
        for _ in range(count):
            ends.append(_play_turn(rules, turn, policy, rng))
            done += 1
            if progress and (done % step == 0 or done == whole):
                progress(done, whole)
        return _summary(ends, policy)

    trials = [play(policy, trial) for policy in _RULES]
    best = max(trials, key=lambda each: _goodness(rules, each.value, objective))
    return play(best.policy, samples)


def estimated_moves(
    rules: Profile,
    turn: Turn,
    objective: Objective = Objective.SCORE,
    *,
    rng: random.Random,
    samples: int | None = None,
    progress: Progress | None = None,
) -> list[tuple[Tiles, Estimate]]:
    """Plays out every answer to the throw on the table; best estimate first.

    Args:
        rules: the game.
        turn: a turn with a throw on the table.
        objective: the aim to rank them by.
        rng: makes the throws, the same for every answer.
        samples: turns to play out for all answers together. By default `SAMPLES`, or fewer if turns are
            long.
        progress: called after every answer.

    Raises:
        TooLargeError: there are too many answers to rank in reasonable time.
    """
    answers = turns.answers(rules, turn)
    if samples is None:
        most = int(_most_turns(rules, turn))
        samples = min(SAMPLES, most)
        if len(answers) * _LEAST > max(SAMPLES, most):
            raise TooLargeError(f"{len(answers)} moves are too many to rank by an estimate")
    each = max(_LEAST, samples // max(1, len(answers)))
    seed = rng.getrandbits(64)
    found = []
    for number, shut in enumerate(answers, 1):
        after, lots = turns.move(rules, turn, shut), random.Random(seed)
        ends = [_play_turn(rules, after, Policy.HIGHEST, lots) for _ in range(each)]
        found.append((shut, _summary(ends, Policy.HIGHEST)))
        if progress:
            progress(number, len(answers))
    return sorted(found, key=lambda pair: _goodness(rules, pair[1].value, objective), reverse=True)


def _most_turns(rules: Profile, turn: Turn) -> float:
    """About how many turns from here can be played out in reasonable time, judging by a few."""
    lots = random.Random(0)
    ends = [_play_turn(rules, turn, rule, lots) for rule in _RULES * 3]
    throws = sum(end.throws - turn.throws for end in ends) / len(ends)
    # If faces may be combined freely, there are as many moves as combinations.
    moves = 1 << rules.dice if rules.move is MoveKind.FACES_FREE else most_moves(rules)
    return MAX_SAMPLED_THROWS / (max(1.0, throws) * (1 + moves / 500))


def _goodness(rules: Profile, value: Value, objective: Objective) -> tuple[float, float]:
    points = sign(rules) * value.score
    return (value.shut, points) if objective is Objective.SHUT else (points, value.shut)


def _summary(ends: Sequence[Turn], policy: Policy) -> Estimate:
    count, scores = len(ends), Counter(end.score or 0 for end in ends)
    mean = sum(points * times for points, times in scores.items()) / count
    shut = sum(end.outcome is Outcome.SHUT for end in ends) / count
    spread = sum((points - mean) ** 2 * times for points, times in scores.items()) / max(1, count - 1)
    error = Value(math.sqrt(spread / count), math.sqrt(shut * (1 - shut) / count))
    shares = {points: scores[points] / count for points in sorted(scores)}
    return Estimate(Value(mean, shut), error, count, policy, shares)


def _play_turn(rules: Profile, turn: Turn, policy: Policy, rng: random.Random) -> Turn:
    """One turn played to its end."""
    while turn.outcome is None:
        if not turn.awaits_answer:
            turn = turns.throw(rules, turn, _throw(rules, turn, rng))
        elif answers := turns.answers(rules, turn):
            turn = turns.move(rules, turn, choose(policy, answers)[0])
        elif reopenings := turns.reopenings(rules, turn):
            turn = turns.reopen(rules, turn, to_numbers(reopenings)[0])
        else:
            turn = turns.move(rules, turn, 0)
    return turn


def _throw(rules: Profile, turn: Turn, rng: random.Random) -> Throw:
    """A throw of the fewest dice allowed, or the domino drawn."""
    if rules.draw is Draw.DOMINOES:
        return rng.choice(turns.bag(rules, turn))
    dice = dice_allowed(rules, turn.open, turn.behind)[-1]
    return tuple([rng.randint(1, rules.sides) for _ in range(dice)])
