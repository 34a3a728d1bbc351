"""Playing by a fixed rule, and what that is worth: what best play is compared with.

None of these players thinks about dice: where there is a choice, they throw one die (if it can
do anything), and whoever plays at random tosses for it. A tile that must be opened again is
the lowest.
"""

from collections.abc import Sequence
from enum import StrEnum

from shutthebox.odds.backward_induction import live
from shutthebox.odds.domino_bag import Bag
from shutthebox.odds.linear_system import Rows, solve
from shutthebox.odds.rolls import Roll, rolls_by_position
from shutthebox.odds.state_space import Space
from shutthebox.odds.values import Objective, OddsError, Value, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import can_ever_move
from shutthebox.rules.profile import Blocked, Draw, Profile, Scoring


class Policy(StrEnum):
    """A fixed rule for choosing among the moves for a throw.

    Highest shuts the highest tile that can be shut, then the next highest; lowest leaves the
    highest alone as long as it can; fewest shuts the fewest tiles, and the highest of those;
    random takes any move, each with the same chance.
    """

    HIGHEST = "highest"
    LOWEST = "lowest"
    FEWEST = "fewest"
    RANDOM = "random"


def choose(policy: Policy, moves: Sequence[int]) -> Sequence[int]:
    """The moves that a policy may make, each equally likely; sets of tiles as bits, or dense bits."""
    match policy:
        case Policy.HIGHEST:
            return (max(moves),)
        case Policy.LOWEST:
            return (min(moves),)
        case Policy.FEWEST:
            return (min(moves, key=lambda move: (move.bit_count(), -move)),)
        case Policy.RANDOM:
            return moves


def policy_value(profile: Profile, policy: Policy) -> Value:
    """What a whole turn is worth to a player with a fixed rule.

    Raises:
        TooLargeError: for more than 12 tiles, or rules with too many positions.
        OddsError: where that player's turn has no end.
    """
    space = Space(profile)
    if profile.draw is Draw.DOMINOES:
        return _with_dominoes(space, policy)
    first = profile.first_move_must_include is not None
    rows, stops, lost = _system(space, policy)
    start = space.size - 1
    worths = []
    for objective in (Objective.SCORE, Objective.SHUT):
        goal = space.goal(objective)
        constants = [
            stop * goal.ends[mask][0] + (goal.per_throw[0] if mask else 0) for mask, stop in enumerate(stops)
        ]
        solved = solve(
            rows[:-1] if first else rows, constants[: len(rows) - first], [0.0] * (len(rows) - first)
        )
        if solved is None:
            raise OddsError(f"a turn of {profile.name} played {policy} first has no end")
        if first:
            solved.append(
                sum(chance * solved[after] for after, chance in rows[start])
                + constants[start]
                + lost * goal.lost[0]
            )
        worths.append(solved[start])
    # Adding 0.0 turns -0.0 into 0.0; the sums may overshoot a chance by a rounding.
    return Value(sign(profile) * worths[0] + 0.0, min(1.0, max(0.0, worths[1])))


def _system(space: Space, policy: Policy) -> tuple[Rows, list[float], float]:
    """What follows each position with which chance, the chance that nothing does, and of a lost turn.

    Where a turn's first move is special, the row of the starting position is its first throw's,
    as no other throw of the turn is made there.
    """
    profile = space.profile
    far, near = rolls_by_position(space)
    must = space.bit(profile.first_move_must_include or 0)
    rows: Rows = [[]]
    stops, lost = [1.0], 0.0
    for mask in range(1, space.size):
        rolls = near[mask] if mask < len(near) else far
        chances: dict[int, float] = {}
        first = bool(must) and mask == space.size - 1
        stop = 0.0
        tossed = _rolls(policy, rolls, mask)
        for roll in tossed:
            whole = roll.total * len(tossed)
            stop += roll.ended / whole
            blocked = roll.idle
            for answers in roll.classes:
                moves = answers.moves(mask)
                if first:
                    moves = tuple(move for move in moves if move & must)
                if not moves:
                    blocked += answers.weight
                    continue
                chosen = choose(policy, moves)
                for move in chosen:
                    after = mask ^ move
                    chances[after] = chances.get(after, 0.0) + answers.weight / whole / len(chosen)
            if not blocked:
                continue
            if first:
                lost += blocked / whole
                continue
            position = _after_blocked(space, mask)
            if position is None:
                stop += blocked / whole
            else:
                chances[position] = chances.get(position, 0.0) + blocked / whole
        rows.append(list(chances.items()))
        stops.append(stop)
    return rows, stops, lost


def _rolls(policy: Policy, rolls: tuple[Roll, ...], mask: int) -> tuple[Roll, ...]:
    if policy is Policy.RANDOM:
        return rolls
    return (tuple(roll for roll in rolls if live(roll, mask)) or rolls)[-1:]


def _after_blocked(space: Space, mask: int) -> int | None:
    """The position after a throw without a move; None if the turn is over."""
    profile = space.profile
    if profile.blocked is Blocked.ENDS_TURN:
        return None
    shut = (space.size - 1) & ~mask
    if profile.blocked is Blocked.OPENS_ONE and shut:
        return mask | (shut & -shut)
    return mask if can_ever_move(profile, space.sparse(mask)) else None


def _with_dominoes(space: Space, policy: Policy) -> Value:
    profile = space.profile
    goals = space.goal(Objective.SCORE), space.goal(Objective.SHUT)
    bag = Bag(space, goals)
    layer = {bag.position(turns.start(profile)): 1.0}
    score = shut = 0.0
    first = profile.first_move_must_include is not None
    throws = 0
    while layer:
        throws += 1
        following: dict[tuple[int, int], float] = {}
        for (mask, left), mass in layer.items():
            for kind, count, rest in bag.draws(mask, left):
                chance = mass * count / left.bit_count()
                after = bag.firsts(mask, kind.after) if first else kind.after
                if kind.ends or not after:
                    points = throws if profile.score is Scoring.THROWS else abs(goals[0].ends[mask][0])
                    score += chance * (space.lost() if first and not kind.ends else points)
                    continue
                moves = choose(policy, [mask ^ position for position in after])
                for move in moves:
                    share = chance / len(moves)
                    position = mask ^ move
                    if position:
                        key = position, bag.reduced(position, rest)
                        following[key] = following.get(key, 0.0) + share
                    else:
                        points = throws if profile.score is Scoring.THROWS else abs(goals[0].ends[0][0])
                        score, shut = score + share * points, shut + share
        layer, first = following, False
    return Value(score, shut)
