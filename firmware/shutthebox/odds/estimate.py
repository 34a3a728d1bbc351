"""Estimates where exact odds would take too long: turns played out with random throws, by a fixed rule.

An estimate is not best play. It is the result of the best of a few fixed rules (see
`shutthebox.odds.baselines`). The rule is chosen on other turns, so the choice does not flatter the figures.
Best play does at least as well.
"""

import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from shutthebox.odds.baselines import Policy, choose
from shutthebox.odds.state_space import check_keys
from shutthebox.odds.values import Objective, TooLargeError, Value, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import Throw, can_ever_move, dice_allowed, legal_moves, totals
from shutthebox.rules.profile import Blocked, Draw, MoveKind, Profile
from shutthebox.rules.score import MAX_THROWS, lost_score, score
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.rules.turn import DOMINOES, Turn

Progress: TypeAlias = Callable[[int, int], None]
"""Told how many turns have been played out, and of how many."""

SAMPLES = 10_000

MOST_THROWS = 270_000
"""Throws that an estimate makes by default, more or less: some seconds of work, and enough for all games of
the sheets. Fewer turns are played out where each has more throws."""

_PILOT = 10
_LEAST = 20
"""Turns played out for a move, at least."""

_RULES = (Policy.HIGHEST, Policy.FEWEST, Policy.LOWEST)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The result of turns played out with random throws.

    Attributes:
        value: mean score and share of boxes shut.
        standard_error: of each of them.
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
    profile: Profile,
    turn: Turn,
    objective: Objective = Objective.SCORE,
    *,
    rng: random.Random,
    samples: int | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """Plays a turn out many times.

    Args:
        profile: the game, of any size.
        turn: a turn that is not over; a throw on the table is answered by the rule, too.
        objective: the aim for which the rule is chosen.
        rng: makes the throws; the same seed gives the same estimate.
        samples: turns to play out, beside a tenth of that for each rule tried; from 2 up. By
            default `SAMPLES`, or fewer where turns are long.
        progress: told about every hundredth part.

    Raises:
        OddsError: for a key of the game that the odds do not know.
        ValueError: for fewer than 2 samples, or a turn that is over.
    """
    check_keys(profile)
    if turn.outcome is not None or (samples is not None and samples < 2):
        raise ValueError("an estimate needs at least 2 samples of a turn that is not over")
    if samples is None:
        samples = max(2, min(SAMPLES, int(MOST_THROWS / _throws(profile, turn) / (1 + len(_RULES) / _PILOT))))
    trial = max(2, samples // _PILOT)
    whole = samples + trial * len(_RULES)
    step = max(1, whole // 100)
    done = 0

    def play(policy: Policy, count: int) -> Estimate:
        nonlocal done
        ends = []
        for _ in range(count):
            ends.append(_play(profile, turn, policy, rng))
            done += 1
            if progress and (done % step == 0 or done == whole):
                progress(done, whole)
        return _summary(ends, policy)

    trials = [play(policy, trial) for policy in _RULES]
    best = max(trials, key=lambda each: _goodness(profile, each.value, objective))
    return play(best.policy, samples)


def estimated_moves(
    profile: Profile,
    turn: Turn,
    objective: Objective = Objective.SCORE,
    *,
    rng: random.Random,
    samples: int | None = None,
    progress: Progress | None = None,
) -> list[tuple[Tiles, Estimate]]:
    """Every answer to the throw on the table, each played out, the best estimate first.

    Args:
        profile: the game.
        turn: a turn with a throw on the table.
        objective: the aim by which they are ranked.
        rng: makes the throws, the same for every answer.
        samples: turns to play out for all answers together. By default `SAMPLES`, or fewer where
            turns are long.
        progress: told after every answer.

    Raises:
        OddsError: for a key of the game that the odds do not know.
        TooLargeError: for so many answers that they cannot be told apart in reasonable time.
    """
    check_keys(profile)
    answers = turns.answers(profile, turn)
    if samples is None:
        most = int(MOST_THROWS / _throws(profile, turn))
        samples = min(SAMPLES, most)
        if len(answers) * _LEAST > max(SAMPLES, most):
            raise TooLargeError(f"{len(answers)} moves are too many to rank by an estimate")
    each = max(_LEAST, samples // max(1, len(answers)))
    seed = rng.getrandbits(64)
    found = []
    for number, shut in enumerate(answers, 1):
        after = turns.move(profile, turn, shut)
        lots = random.Random(seed)
        ends = [_play(profile, after, Policy.HIGHEST, lots) for _ in range(each)]
        found.append((shut, _summary(ends)))
        if progress:
            progress(number, len(answers))
    return sorted(found, key=lambda pair: _goodness(profile, pair[1].value, objective), reverse=True)


def _throws(profile: Profile, turn: Turn) -> float:
    """About how many throws a turn from here has, by random throws of its own; at least one.

    A throw of many faces that may go in any combination is as much work as several.
    """
    lots = random.Random(0)
    mean = sum(_play(profile, turn, rule, lots)[2] for rule in _RULES * 3) / (3 * len(_RULES))
    combinations = 1 << profile.dice if profile.move is MoveKind.FACES_FREE else 1
    return max(1.0, mean) * (1 + combinations / 100)


def _goodness(profile: Profile, value: Value, objective: Objective) -> tuple[float, float]:
    points = sign(profile) * value.score
    return (value.shut, points) if objective is Objective.SHUT else (points, value.shut)


def _summary(ends: list[tuple[int, bool, int]], policy: Policy = Policy.HIGHEST) -> Estimate:
    count = len(ends)
    mean = sum(points for points, _, _ in ends) / count
    shut = sum(done for _, done, _ in ends) / count
    spread = sum((points - mean) ** 2 for points, _, _ in ends) / max(1, count - 1)
    error = Value(math.sqrt(spread / count), math.sqrt(shut * (1 - shut) / count))
    scores = Counter(points for points, _, _ in ends)
    return Estimate(
        Value(mean, shut), error, count, policy, {points: scores[points] / count for points in sorted(scores)}
    )


def _play(profile: Profile, turn: Turn, policy: Policy, rng: random.Random) -> tuple[int, bool, int]:
    """One turn to its end: its score, whether the box was shut, and how many throws were still made."""
    if turn.outcome is not None:
        return turn.score or 0, turn.outcome is turns.Outcome.SHUT, 0
    open_tiles, throws, drawn, first = turn.open, turn.throws, turn.drawn, turn.moves == 0
    first = first and profile.first_move_must_include is not None
    faces = turn.throw
    while open_tiles and (throws < MAX_THROWS or faces):
        if faces is None:
            if profile.draw is Draw.DOMINOES:
                left = [i for i in range(len(DOMINOES)) if not drawn >> i & 1]
                drawn = 0 if not left else drawn
                pick = rng.choice(left or range(len(DOMINOES)))
                drawn |= 1 << pick
                faces = DOMINOES[pick]
            else:
                dice = dice_allowed(profile, open_tiles)[-1]
                faces = tuple([rng.randint(1, profile.sides) for _ in range(dice)])
            throws += 1
        if sum(faces) in profile.ends_turn_on:
            break
        move = _answer(profile, open_tiles, faces, policy, first)
        faces = None
        if move:
            open_tiles &= ~move
            first = False
            continue
        if first:
            return lost_score(profile), False, throws - turn.throws
        shut = profile.starting & ~open_tiles
        if profile.blocked is Blocked.OPENS_ONE and shut:
            open_tiles |= shut & -shut
        elif profile.blocked in (Blocked.ENDS_TURN, Blocked.LOSES) or not can_ever_move(profile, open_tiles):
            break
    return score(profile, open_tiles, throws), not open_tiles, throws - turn.throws


def _answer(profile: Profile, open_tiles: Tiles, faces: Throw, policy: Policy, first: bool) -> Tiles:
    """The set of tiles that a rule shuts for a throw; none if it has no move."""
    if profile.move is not MoveKind.SET or first:
        moves = legal_moves(profile, open_tiles, faces, first=first)
        return choose(policy, moves)[0] if moves else 0
    # A large row has thousands of sets for a total; these rules need to find but one.
    numbers = to_numbers(open_tiles)
    most = profile.max_tiles or len(numbers)
    found = []
    for total in totals(profile, faces):
        for size in range(1, most + 1) if policy is Policy.FEWEST else (most,):
            tiles = _find(numbers, total, size, highest=policy is not Policy.LOWEST)
            if tiles:
                found.append(tiles)
                break
    return choose(policy, found)[0] if found else 0


def _find(numbers: tuple[int, ...], total: int, most: int, *, highest: bool) -> Tiles:
    """The set of numbers with this total that has the highest (or spares the highest) of them; 0 if none."""
    reach = [0]
    for number in numbers:
        reach.append(reach[-1] + number)
    failed: set[tuple[int, int, int]] = set()

    def find(count: int, rest: int, left: int) -> tuple[int, ...] | None:
        if rest == 0:
            return ()
        if not left or rest < 0 or reach[count] < rest or (count, rest, left) in failed:
            return None
        number = numbers[count - 1]
        for take in (highest, not highest):
            found = find(count - 1, rest - number * take, left - take)
            if found is not None:
                return (*found, number) if take else found
        failed.add((count, rest, left))
        return None

    return to_tiles(find(len(numbers), total, most) or ())
