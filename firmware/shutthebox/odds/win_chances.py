"""Playing against others: for the win instead of the points.

With scores to beat, the best move is the one that wins most often, not the one that scores best
on average: somebody who needs a 3 must risk what somebody ahead need not. What a final score is
worth is the chance to win with it. The scores of those who have finished are known; those
still to come are taken to play for their best expected score, whatever there is to beat, and
independently. Ties share the win unless the caller knows better.

A shut box that ends the round wins outright. What is not seen: later rounds, stakes, and
players who still move in turns that alternate.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from shutthebox.odds.finite_horizon import Layers
from shutthebox.odds.odds import Odds, options, solver_for
from shutthebox.odds.state_space import Space
from shutthebox.odds.values import End, Goal, Objective, Solver, TooLargeError, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Blocked, Draw, Profile, Scoring, ShutWins
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import Outcome, Turn

_ONE = 10**12
"""A chance of 1 as a whole number, as solvers take them; what differs by less is a tie."""


@dataclass(frozen=True, slots=True)
class Rivals:
    """The others, seen by the player at turn, in this round and as it stands.

    Attributes:
        done: totals of those who have had their turn, that turn included.
        to_come: totals, before their turn, of those who have not.
        own: the player's own total before this turn.
        tie: the share of a win that a tie is worth; None for 1 / (number tied).
    """

    done: tuple[int, ...] = ()
    to_come: tuple[int, ...] = ()
    own: int = 0
    tie: float | None = None


class Chance(NamedTuple):
    """A position with something to beat.

    Attributes:
        win: chance to win, ties counted by their share, 0 to 1.
        score: expected final score of the turn when playing for that.
    """

    win: float
    score: float


@dataclass(frozen=True, slots=True)
class RankedChance:
    """An answer to the throw on the table: tiles to shut (or to open), and what it leads to.

    Attributes:
        tiles: the tiles.
        chance: after it.
        cost: chance to win given away against the best answer.
    """

    tiles: Tiles
    chance: Chance
    cost: float


def win_chances(
    profile: Profile, rivals: Rivals, ends: Mapping[End, float], scores: Sequence[int]
) -> list[float]:
    """The chance to win with each of these scores of the own turn, the box not shut.

    Args:
        profile: the variant.
        rivals: the others.
        ends: how a turn of somebody still to come ends.
        scores: the scores asked for.
    """
    best = sign(profile)
    outright = profile.shut_wins is not ShutWins.NO
    marks = [best * total for total in rivals.done]
    known: dict[int, float] = {}
    for score in set(scores):
        own = best * (rivals.own + score)
        if marks and max(marks) > own:
            known[score] = 0.0
            continue
        # By the number tied with so far: the chance that nobody is better.
        tied = {marks.count(own): 1.0}
        for total in rivals.to_come:
            below = level = 0.0
            for end, chance in ends.items():
                theirs = best * (total + end.score)
                if not (end.shut and outright):
                    below += chance * (theirs < own)
                    level += chance * (theirs == own)
            following: dict[int, float] = {}
            for count, chance in tied.items():
                following[count] = following.get(count, 0.0) + chance * below
                following[count + 1] = following.get(count + 1, 0.0) + chance * level
            tied = following
        known[score] = sum(chance * _share(count, rivals.tie) for count, chance in tied.items())
    return [known[score] for score in scores]


def _share(tied: int, tie: float | None) -> float:
    if not tied:
        return 1.0
    return 1.0 / (1 + tied) if tie is None else tie


@lru_cache(maxsize=4)
def _their_ends(profile: Profile) -> dict[End, float]:
    """How a whole turn ends for somebody who plays for the best expected score."""
    ends = Odds(profile).ends(turns.start(profile))
    return {end: float(chance) for end, chance in ends.items()}


class Duel:
    """A profile's odds with something to beat.

    Attributes:
        profile: the variant.
        rivals: the others.
    """

    def __init__(self, profile: Profile, rivals: Rivals) -> None:
        """Solves the profile for the win.

        Raises:
            TooLargeError: where there are no exact odds, or throws count with dominoes.
        """
        self.profile = profile
        self.rivals = rivals
        self._sign = sign(profile)
        self._outright = profile.shut_wins is not ShutWins.NO
        self._ends = _their_ends(profile) if rivals.to_come else {}
        space = Space(profile)
        self._with_dice: Callable[[Turn, int], Chance]
        endless = profile.blocked is not Blocked.ENDS_TURN
        self._counts = profile.score is Scoring.THROWS
        if self._counts and not (endless and self._outright):
            layers = self._layers(space)
            self._with_dice = lambda turn, dice: Chance(*layers.with_dice(turn, dice))
        else:
            solver = self._solver(space)
            self._with_dice = lambda turn, dice: self._read(solver, turn, dice)

    def utility(self, score: int, shut: bool = False) -> float:
        """The chance to win with this final score of the own turn."""
        if shut and self._outright:
            return 1.0
        return win_chances(self.profile, self.rivals, self._ends, [score])[0]

    def chance(self, turn: Turn) -> Chance:
        """The chance to win from any turn, under best play for it."""
        if turn.outcome is not None:
            assert turn.score is not None, "a turn that is over has a score"
            return Chance(self.utility(turn.score, turn.outcome is Outcome.SHUT), float(turn.score))
        if turn.awaits_answer:
            return self._ranked(turn)[0].chance
        return self._with_dice(turn, self.best_dice(turn))

    def with_dice(self, turn: Turn, dice: int) -> Chance:
        """The chance to win if so many dice are thrown now.

        Raises:
            ValueError: if the rules do not allow that number of dice here.
        """
        return self._with_dice(turn, dice)

    def best_dice(self, turn: Turn) -> int:
        """How many dice to throw at a turn that awaits a throw."""
        allowed = dice_allowed(self.profile, turn.open)
        if len(allowed) == 1:
            return allowed[0]
        return max(allowed, key=lambda dice: self._order(self._with_dice(turn, dice)))

    def ranked(self, turn: Turn) -> tuple[RankedChance, ...]:
        """Every answer to the throw on the table, the best first; none if there is none."""
        if not turn.awaits_answer:
            return ()
        ranked = self._ranked(turn)
        return ranked if ranked[0].tiles else ()

    def _ranked(self, turn: Turn) -> tuple[RankedChance, ...]:
        found = [(tiles, self.chance(after)) for tiles, after in options(self.profile, turn)]
        found.sort(key=lambda option: self._order(option[1]), reverse=True)
        best = found[0][1].win
        return tuple(RankedChance(tiles, chance, max(0.0, best - chance.win)) for tiles, chance in found)

    def _order(self, chance: Chance) -> tuple[float, float]:
        return round(chance.win, 11), self._sign * chance.score

    def _solver(self, space: Space) -> Solver:
        """The profile solved for the chance to win, ties by the expected score.

        Where turns go on until the box is shut, and that wins, whatever else happens is lost.
        """
        if self._counts:
            wins = [0] * space.size
        else:
            chances = win_chances(self.profile, self.rivals, self._ends, space.scores())
            wins = [round(_ONE * chance) for chance in chances]
        if self._outright:
            wins[0] = _ONE
        score = space.goal(Objective.SCORE)
        ends = [(win, end[0]) for win, end in zip(wins, score.ends, strict=True)]
        lost = round(_ONE * self.utility(space.lost())), score.lost[0]
        return solver_for(space, (Goal(ends, lost, (0, score.per_throw[0])), score))

    def _read(self, solver: Solver, turn: Turn, dice: int) -> Chance:
        worth = solver.worth_with(turn, 0, dice)
        made = turn.throws if self._counts else 0
        return Chance(min(1.0, float(worth.first) / _ONE), self._sign * float(worth.second) + made)

    def _layers(self, space: Space) -> Layers:
        if self.profile.draw is Draw.DOMINOES:
            raise TooLargeError("dominoes where throws count are not played for the win")
        if self.profile.blocked is Blocked.ENDS_TURN:
            last = len(space.numbers) + 2
        else:
            # Whoever has made more throws than anybody may still make cannot win any more.
            theirs = [total + end.score for total in self.rivals.to_come for end in self._ends]
            last = max([*self.rivals.done, *theirs, self.rivals.own + 1]) - self.rivals.own + 2
            if self._sign > 0 or not (self.rivals.done or theirs):
                last = MAX_THROWS
            last = max(1, min(last, MAX_THROWS))
        utilities: dict[tuple[int, bool], float] = {}

        def utility(score: int, shut: bool) -> float:
            if (score, shut) not in utilities:
                utilities[score, shut] = self.utility(score, shut)
            return utilities[score, shut]

        return Layers(space, utility, last)
