"""Finds puzzles: a position and a throw whose best answer is clear and is not the obvious one.

The position can be reached in play, the best answer costs clearly less than the second, and shutting the
highest tiles is not the best. The level of a puzzle is how many of the simple rules in `RULES` miss it.

``python -m tests.unit.odds.puzzle_mining`` prints some of each game. Those of the box keep their places in
`odds/puzzles.txt`: a day has the same puzzle on every box.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from random import Random
from typing import TypeAlias

from shutthebox.config.profiles import builtin
from shutthebox.odds.odds import Odds
from shutthebox.odds.options import Option
from shutthebox.odds.puzzles import Puzzle, position
from shutthebox.odds.terminal.policies import Policy, choose
from shutthebox.odds.worths import OddsError
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import Throw, dice_allowed, legal_moves
from shutthebox.rules.profile import Blocked, Draw, Profile, Stakes, Turns
from shutthebox.rules.tiles import Tiles

MARGIN = 0.01
"""The second answer costs at least this share of a whole turn's expected score."""

MAX_ANSWERS = 12
"""Most answers of a puzzle: more are no fun to compare."""

_MAX_DICE = 2

GAMES = ("traditional", "add-or-subtract", "digits", "knipsen")
"""The games of the puzzles that are shipped: each asks for another kind of thought."""


def mine(profile: Profile, count: int, rng: Random) -> list[Puzzle]:
    """Puzzles of a game, every level as often as the others where there are enough of it.

    Args:
        profile: the game.
        count: how many at most.
        rng: chooses among those that are found.

    Raises:
        OddsError: if the rules are not those of a plain turn with two dice, or are too large.
    """
    by_level: dict[int, list[Puzzle]] = {}
    for puzzle in all_puzzles(profile, rng):
        by_level.setdefault(puzzle.level, []).append(puzzle)
    for puzzles in by_level.values():
        rng.shuffle(puzzles)
    chosen: list[Puzzle] = []
    while len(chosen) < count and any(by_level.values()):
        for _, puzzles in sorted(by_level.items()):
            if puzzles and len(chosen) < count:
                chosen.append(puzzles.pop())
    rng.shuffle(chosen)
    return chosen


def all_puzzles(profile: Profile, rng: Random) -> Iterator[Puzzle]:
    """All puzzles of a game; of throws with the same answers one is chosen at random.

    Raises:
        OddsError: as `mine`.
    """
    plain = (
        profile.draw is Draw.DICE
        and profile.dice <= _MAX_DICE
        and profile.rows == 1
        and profile.turns is Turns.WHOLE
        and profile.blocked is Blocked.ENDS_TURN
        and profile.stakes is not Stakes.BANK
    )
    if not plain:
        raise OddsError(f"{profile.name} has no puzzles: they are of one row, two dice and whole turns")
    odds = Odds(profile)
    least = MARGIN * abs(odds.value(turns.start(profile)).score)
    for open_tiles in sorted(_reachable(profile)):
        for throw in _throws(profile, open_tiles, rng):
            turn = position(profile, open_tiles, throw)
            ranked = odds.ranked(turn)
            if 2 <= len(ranked) <= MAX_ANSWERS and ranked[1].cost >= least:
                missed = missed_by(profile, open_tiles, [each.tiles for each in ranked])
                if "highest" in missed:
                    answers = tuple(Option(each.tiles, round(each.cost, 2)) for each in ranked)
                    yield Puzzle(profile, open_tiles, throw, len(missed), answers)


def missed_by(profile: Profile, open_tiles: Tiles, answers: Sequence[Tiles]) -> frozenset[str]:
    """The names of the simple rules that do not allow the first of these answers."""
    return frozenset(
        name for name, rule in RULES.items() if answers[0] not in rule(profile, open_tiles, answers)
    )


Rule: TypeAlias = Callable[[Profile, Tiles, Sequence[Tiles]], Sequence[Tiles]]
"""The best answers by a simple rule, given the game, the open tiles, and all answers that are legal."""


def _by(policy: Policy) -> Rule:
    return lambda profile, open_tiles, answers: choose(policy, answers)


def _safest(profile: Profile, open_tiles: Tiles, answers: Sequence[Tiles]) -> Sequence[Tiles]:
    chances = [_answered(profile, open_tiles & ~tiles) for tiles in answers]
    return [tiles for tiles, chance in zip(answers, chances, strict=True) if chance == max(chances)]


RULES: Mapping[str, Rule] = {
    "highest": _by(Policy.HIGHEST),
    "fewest": _by(Policy.FEWEST),
    "lowest": _by(Policy.LOWEST),
    "most": _by(Policy.MOST),
    "safest": _safest,
}
"""Simple rules by name: the first four are those of `shutthebox.odds.terminal.policies`, ``safest`` keeps the
best chance that the next throw has an answer (often several answers do)."""


def _answered(profile: Profile, open_tiles: Tiles) -> Fraction:
    """The chance that the next throw has an answer; 1 for a shut box."""
    if not open_tiles:
        return Fraction(1)
    return max(_answered_with(profile, open_tiles, dice) for dice in dice_allowed(profile, open_tiles))


def _answered_with(profile: Profile, open_tiles: Tiles, dice: int) -> Fraction:
    throws = list(product(range(1, profile.sides + 1), repeat=dice))
    good = sum(
        bool(legal_moves(profile, open_tiles, throw))
        for throw in throws
        if sum(throw) not in profile.ends_turn_on
    )
    return Fraction(good, len(throws))


def _throws(profile: Profile, open_tiles: Tiles, rng: Random) -> Iterator[Throw]:
    """Throws that the position has an answer to; where only the total counts, one for each total."""
    alike: dict[object, list[Throw]] = {}
    for throw, moves in _answered_throws(profile, open_tiles):
        alike.setdefault((len(throw), sum(throw), moves), []).append(throw)
    for throws in alike.values():
        chosen = rng.choice(throws)
        yield tuple(rng.sample(chosen, len(chosen)))


def _reachable(profile: Profile) -> set[Tiles]:
    """The sets of open tiles that a turn can come to."""
    seen, waiting = {profile.starting}, [profile.starting]
    while waiting:
        open_tiles = waiting.pop()
        for _, moves in _answered_throws(profile, open_tiles):
            for shut in moves:
                left = open_tiles & ~shut
                if left and left not in seen:
                    seen.add(left)
                    waiting.append(left)
    return seen


def _answered_throws(profile: Profile, open_tiles: Tiles) -> Iterator[tuple[Throw, tuple[Tiles, ...]]]:
    """The throws, faces rising, that have answers and do not end the turn; each with its answers."""
    faces = range(1, profile.sides + 1)
    for dice in dice_allowed(profile, open_tiles):
        for throw in combinations_with_replacement(faces, dice):
            if sum(throw) not in profile.ends_turn_on:
                moves = legal_moves(profile, open_tiles, throw, is_first=open_tiles == profile.starting)
                if moves:
                    yield throw, moves


if __name__ == "__main__":
    for game in GAMES:
        print("\n".join(puzzle.to_text() for puzzle in mine(builtin(game), 10, Random())))
