"""One throw for everyone: each of two seats' chance to win a round under best play.

A position is what both seats have left before a throw. One seat answers first, and the other sees that
answer. Every throw shuts a tile, uses up a strike or puts a seat out, so positions never repeat: each is
solved once, in floats. A seat that's left alone plays on against the other's score.

What a seat can come to is read from the rules' own functions, so every key of a turn counts here, too. If a
tie leads to another round, rounds are solved from the last one, after which a tie is shared.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import NamedTuple, TypeAlias

from shutthebox.odds.model import check_keys
from shutthebox.odds.solver import About, Solver
from shutthebox.odds.worths import End, TooLargeError, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.endings import MAX_TIE_ROUNDS
from shutthebox.rules.handicap import points_off
from shutthebox.rules.match import Match
from shutthebox.rules.moves import Throw, dice_allowed
from shutthebox.rules.profile import Blocked, Profile, ShutWins, Tie
from shutthebox.rules.turn import Outcome, Turn

MAX_PAIRS = 600_000
"""The most pairs of what two seats have left, times one more for each own throw: some ten seconds of work,
several times that if ties are played off. Nine tiles and one own throw have 524,288."""

_SETTLED = 1e-5
"""Once the worth of a tie changes by less, the best play stays nearly the same, and the result to twelve
digits."""

_NOISE = 1e-14

_Left: TypeAlias = int
"""What a seat has left: the number of a position or, if negative, of an end."""


class _Throws(NamedTuple):
    """Throws that lead to the same positions from everywhere.

    Attributes:
        share: of all throws of this many dice.
        after: for each position, what each answer leaves; one entry if there's nothing to choose.
    """

    share: float
    after: tuple[tuple[_Left, ...], ...]


class CommonThrow(Solver):
    """The chances of a round with one throw for everyone; those within it aren't known."""

    def _chances(self, match: Match) -> tuple[float, ...]:
        self.check(match.players, About.ROUND)
        return CommonRound(self.game).wins()

    def _reasons_of_turns(self, players: int, about: About) -> Iterator[tuple[str, str]]:
        game = self.game
        if any(points_off(game, seat) for seat in range(players)):
            yield "handicap", "one throw for everyone has no odds with head starts"
        for key, why in super()._reasons_of_turns(players, about):
            if key != "turns" or about is not About.ROUND:
                yield key, why
        if about is About.ROUND:
            if players != 2:
                yield "turns", "one throw for everyone has odds for two players only"
            if game.blocked is Blocked.PASSES or game.insurance:
                key = "insurance" if game.insurance else "blocked"
                yield key, "one throw for everyone only has odds if a throw without a move counts"


class CommonRound:
    """A round of two seats when both play their best.

    Attributes:
        game: the game.
    """

    def __init__(self, game: Profile) -> None:
        """Finds what a seat can come to.

        Raises:
            OddsError: a key isn't understood.
            TooLargeError: there are too many pairs of positions.
        """
        check_keys(game)
        self.game = game
        self._numbers: dict[Turn, _Left] = {}
        self._turns: list[Turn] = []
        self._ends: dict[End, _Left] = {}
        self._number(turns.start(game))
        self.throws, self.turns = self._all_throws(), tuple(self._turns)
        self.dice = [dice_allowed(game, turn.open, turn.behind) for turn in self._turns]

    @property
    def ends(self) -> list[End]:
        """How a turn can end; the last one has the number -1."""
        return list(self._ends)[::-1]

    def wins(self) -> tuple[float, float]:
        """Each seat's chance to win, the one that begins first."""
        shares = self.game.tie is Tie.SHARE or self.game.counts_rounds_won
        tie, before, found = 0.5, 0.0, 0.0
        for left in range(0 if shares else MAX_TIE_ROUNDS, -1, -1):
            found = self._worth(tie)
            change = self._again(found) - tie
            if abs(change) < _NOISE:
                break
            if before and abs(change) < _SETTLED:
                # The best play stays the same, so the changes form a geometric series.
                found = self._again(tie + change * sum((change / before) ** more for more in range(left + 1)))
                break
            tie, before = tie + change, change
        return found, 1 - found

    def _again(self, worth: float) -> float:
        """The worth to the first seat of another round, from its worth to whoever begins it."""
        return 1 - worth if self.game.first_moves_on else worth

    def _worth(self, tie: float) -> float:
        return _Round(self, tie).worth()

    def _number(self, turn: Turn) -> _Left:
        """The number of a position, or of an end."""
        if turn.outcome is not None:
            assert turn.score is not None, "a finished turn has a score"
            end = End(turn.score, turn.outcome is Outcome.SHUT)
            return self._ends.setdefault(end, -1 - len(self._ends))
        # Of the past, it only matters whether the first move has been made.
        first = self.game.first_move_must_include is not None
        turn = turn._replace(throws=0, moves=min(turn.moves, 1) if first else 0)
        if turn not in self._numbers:
            self._numbers[turn] = len(self._turns)
            self._turns.append(turn)
            if len(self._turns) ** 2 * (1 + self.game.own_throws) > MAX_PAIRS:
                raise TooLargeError(
                    f"{self.game.name}: what two players can have left of {len(self.game.tiles)} tiles "
                    "each makes too many pairs for exact odds; allowed with fewer tiles or own_throws"
                )
        return self._numbers[turn]

    def _all_throws(self) -> dict[int, list[_Throws]]:
        """All throws by number of dice; one die only where it's allowed."""
        game, after = self.game, defaultdict[Throw, list[tuple[_Left, ...]]](list)
        for turn in self._turns:  # which gets longer meanwhile
            for dice in {1, game.dice}:
                possible = dice > 1 or 1 in dice_allowed(game, turn.open, turn.behind)
                for faces in combinations_with_replacement(range(1, game.sides + 1), dice):
                    after[faces].append(self._after(turn, faces) if possible else ())
        found: dict[int, list[_Throws]] = {}
        for dice in {1, game.dice}:
            shares = Counter[tuple[tuple[_Left, ...], ...]]()
            for faces, lists in after.items():
                if len(faces) == dice:
                    lead_to = (*lists, *((end,) for end in range(-len(self._ends), 0)))
                    shares[lead_to] += factorial(dice) // prod(map(factorial, Counter(faces).values()))
            found[dice] = [_Throws(weight / game.sides**dice, lists) for lists, weight in shares.items()]
        return found

    def _after(self, turn: Turn, faces: Throw) -> tuple[_Left, ...]:
        thrown = turns.throw(self.game, turn, faces, (len(faces),))
        if thrown.outcome is not None:
            return (self._number(thrown),)
        answers = turns.answers(self.game, thrown) or (0,)
        return tuple(dict.fromkeys(self._number(turns.move(self.game, thrown, shut)) for shut in answers))


class _Round:
    """A round with a given worth of a tie to the first seat."""

    def __init__(self, common: CommonRound, tie: float) -> None:
        game = common.game
        self._throws, self._dice, self._ends = common.throws, common.dice, common.ends
        self._turns = common.turns
        self._usual, self._own_throws, self._sign = game.dice, game.own_throws, sign(game)
        self._shut_wins, self._tie = game.shut_wins is not ShutWins.NO, tie
        # By what the first seat has left, and then the second. Ends are below 0: Python counts from behind.
        self._known: list[dict[_Left, float]] = [{} for _ in (*common.dice, *common.ends)]
        self._answered = cache(self._before_second)

    def worth(self) -> float:
        """The first seat's chance to win."""
        return self._before_own(0, 0, 0)

    def _throws_again(self, left: _Left, after: _Left) -> bool:
        """Whether an own throw has cost a strike, so that its player throws again."""
        return after >= 0 and self._turns[after].misses_left < self._turns[left].misses_left

    def _before_own(self, made: int, first: _Left, second: _Left) -> float:
        """The worth to the first seat after `made` own throws each."""
        if made == self._own_throws or first < 0 or second < 0:
            return self._solve(first, second)
        return max(
            sum(
                each.share * max([self._after_own(made, first, own, second) for own in each.after[first]])
                for each in self._throws[dice]
            )
            for dice in self._dice[first]
        )

    def _after_own(self, made: int, before: _Left, first: _Left, second: _Left) -> float:
        """The same once the first seat has answered its own throw."""
        if self._throws_again(before, first):
            return self._before_own(made, first, second)
        return self._answered(made, first, second)

    def _before_second(self, made: int, first: _Left, second: _Left) -> float:
        """The worth to the first seat before the second seat's own throw."""
        return min(
            sum(
                each.share * min([self._after_second(made, first, second, own) for own in each.after[second]])
                for each in self._throws[dice]
            )
            for dice in self._dice[second]
        )

    def _after_second(self, made: int, first: _Left, before: _Left, second: _Left) -> float:
        """The same once the second seat has answered its own throw."""
        if self._throws_again(before, second):
            return self._answered(made, first, second)
        return self._before_own(made + 1, first, second)

    def _solve(self, first: _Left, second: _Left) -> float:
        """The same before a throw for everyone still playing."""
        known = self._known[first].get(second)
        if known is None:
            known = self._known[first][second] = self._worth(first, second)
        return known

    def _worth(self, first: _Left, second: _Left) -> float:
        shut = [left < 0 and self._ends[left].shut for left in (first, second)]
        if self._shut_wins and any(shut):
            return 0.5 if all(shut) else float(shut[0])
        if first < 0 and second < 0:
            own, other = (self._sign * self._ends[left].score for left in (first, second))
            return self._tie if own == other else float(own > other)
        playing = [self._dice[left] for left in (first, second) if left >= 0]
        allowed = playing[0] if all(1 in dice for dice in playing) else (self._usual,)
        return (max if first >= 0 else min)(
            [
                sum([each.share * self._best(each.after[first], each.after[second]) for each in throws])
                for throws in map(self._throws.__getitem__, allowed)
            ]
        )

    def _best(self, owns: tuple[_Left, ...], others: tuple[_Left, ...]) -> float:
        """The worth of the first seat's best answer, followed by the other's."""
        best = -1.0
        for own in owns:
            row, least = self._known[own], 2.0
            for other in others:
                worth = row[other] if other in row else self._solve(own, other)
                if worth < least:
                    least = worth
                    if worth <= best:
                        break
            else:
                best = least
        return best
