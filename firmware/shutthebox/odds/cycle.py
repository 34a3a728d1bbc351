"""Rules that open tiles again: positions come round, so their worths are found by iteration.

A throw without a move opens a tile, and a position can follow itself. The best play is found by
policy iteration: the worths of a fixed way to play are the solution of a linear system, better
answers are chosen on them, and so on until no answer can be bettered. It starts from play for
the fewest throws, which ends; an improvement never makes play that goes round for ever. The
system is solved to rounding: with tiles in rising order its down-going part is a forward
substitution, and BiCGSTAB (van der Vorst 1992) takes care of the rest.

Where to stay is better than to shut (the highest sum of open tiles wins), play that ends is
not best. Then the rules' own limit of throws in a turn is played back from its last throw.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeAlias

from shutthebox.odds.linear import Rows, solve, solve_exactly
from shutthebox.odds.rolls import Roll, rolls_by_position
from shutthebox.odds.space import Space
from shutthebox.odds.values import End, Goal, Number, OddsError, Worth
from shutthebox.rules.moves import can_ever_move
from shutthebox.rules.profile import Scoring
from shutthebox.rules.turn import MAX_THROWS, Turn

_TOLERANCE = 1e-11
_MOST_ROUNDS = 100
_EXACT_POSITIONS = 128
_NEGLIGIBLE = 1e-14

Event: TypeAlias = tuple[int, tuple[int, ...]]
"""A number of throws, and the positions of which the player chooses one after them."""


class Cycle:
    """Every position of a profile whose blocked throws open a tile."""

    exact = False

    def __init__(self, space: Space, goals: tuple[Goal, ...]) -> None:
        self._space = space
        self._profile = space.profile
        self._goals = goals
        self._scores = space.scores()
        self._far, self._near = rolls_by_position(space)
        self._events = [[self._events_of(mask, roll) for roll in self._rolls(mask)] for mask in self._masks]
        fewest = Goal([(0, 0)] * space.size, (0, 0), (-1, 0))
        start = self._play(fewest, None)
        self._plays = [self._play(goal, start) for goal in goals]

    @property
    def _masks(self) -> range:
        return range(self._space.size)

    def worth(self, turn: Turn, goal: int) -> Worth:
        """What the position is worth; throws already made do not count."""
        return self._with_roll(turn, goal, self._roll(turn, goal))

    def worth_with(self, turn: Turn, goal: int, dice: int) -> Worth:
        """What it is worth if so many dice are thrown now, and play is best afterwards.

        Raises:
            ValueError: if the rules do not allow that number of dice here.
        """
        for at, roll in enumerate(self._rolls(self._space.dense(turn.open))):
            if roll.dice == dice:
                return self._with_roll(turn, goal, at)
        raise ValueError(f"{dice} dice cannot be thrown at {turn.to_text()}")

    def best_dice(self, turn: Turn, goal: int) -> int:
        """How many dice to throw."""
        return self._rolls(self._space.dense(turn.open))[self._roll(turn, goal)].dice

    def fractions(self, turn: Turn, goal: int) -> Worth:
        """The worth under the play found, as fractions.

        Raises:
            OddsError: on a row too long for that, or where play has no end.
        """
        if self._space.size > _EXACT_POSITIONS or self._is_first(turn):
            raise OddsError("fractions of rules that open tiles again are for rows of up to 7 tiles")
        play, aim = self._plays[goal], self._goals[goal]
        mask = self._space.dense(turn.open)
        solved = []
        for part in (0, 1):
            rows: list[dict[int, Fraction]] = [{}]
            constants = [Fraction(aim.ends[0][part])]
            for position in self._masks[1:]:
                roll = self._rolls(position)[play.dice[position]]
                row: dict[int, Fraction] = {}
                stops = roll.total
                for (weight, _), after in zip(
                    self._events[position][play.dice[position]], play.after[position], strict=True
                ):
                    row[after] = row.get(after, Fraction(0)) + Fraction(weight, roll.total)
                    stops -= weight
                rows.append(row)
                constants.append(Fraction(stops * aim.ends[position][part], roll.total) + aim.per_throw[part])
            solved.append(solve_exactly(rows, constants)[mask])
        return Worth(*solved)

    def ends(self, turn: Turn, goal: int, *, exact: bool) -> Mapping[End, Number]:
        """How the turn ends under best play, each end with its probability.

        Raises:
            OddsError: if fractions are asked for.
        """
        if exact:
            raise OddsError("a turn without a last throw has no list of ends in fractions")
        counts = self._profile.score is Scoring.THROWS
        ends: dict[End, float] = {}

        def end(score: int, shut: bool, mass: float) -> None:
            if mass:
                ends[End(score, shut)] = ends.get(End(score, shut), 0.0) + mass

        start = self._space.dense(turn.open)
        layer = {start: 1.0}
        throws = turn.throws
        if self._is_first(turn):
            throws += 1
            layer, stopped, lost = self._first(turn, goal)
            end(self._space.lost(), False, lost)
            end(throws if counts else self._scores[start], False, stopped)
        moves = [self._chances(mask, goal) for mask in self._masks]
        while True:
            if shut := layer.pop(0, 0.0):
                end(throws if counts else self._scores[0], True, shut)
            if throws >= MAX_THROWS or sum(layer.values()) < _NEGLIGIBLE:
                break
            throws += 1
            following: dict[int, float] = {}
            for mask, mass in layer.items():
                after, stopped = moves[mask]
                for position, chance in after:
                    following[position] = following.get(position, 0.0) + mass * chance
                if stopped:
                    end(throws if counts else self._scores[mask], False, mass * stopped)
            layer = following
        for mask, mass in layer.items():
            end(throws if counts else self._scores[mask], False, mass)
        return ends

    def _chances(self, mask: int, goal: int) -> tuple[list[tuple[int, float]], float]:
        if not mask:
            return [], 1.0
        play = self._plays[goal]
        at = play.dice[mask]
        total = self._rolls(mask)[at].total
        chances: dict[int, float] = {}
        stopped = total
        for (weight, _), after in zip(self._events[mask][at], play.after[mask], strict=True):
            chances[after] = chances.get(after, 0.0) + weight / total
            stopped -= weight
        return list(chances.items()), stopped / total

    def _is_first(self, turn: Turn) -> bool:
        return turn.moves == 0 and self._profile.first_move_must_include is not None

    def _rolls(self, mask: int) -> tuple[Roll, ...]:
        return self._near[mask] if mask < len(self._near) else self._far

    def _roll(self, turn: Turn, goal: int) -> int:
        mask = self._space.dense(turn.open)
        if self._is_first(turn):
            rolls = range(len(self._rolls(mask)))
            return max(rolls, key=lambda at: tuple(self._with_roll(turn, goal, at)))
        return self._plays[goal].dice[mask]

    def _with_roll(self, turn: Turn, goal: int, at: int) -> Worth:
        play, aim = self._plays[goal], self._goals[goal]
        mask = self._space.dense(turn.open)
        total = self._rolls(mask)[at].total
        if self._is_first(turn):
            layer, stopped, lost = self._first(turn, goal, at)
            return Worth(
                *(
                    sum(chance * play.worths[part][after] for after, chance in layer.items())
                    + stopped * aim.ends[mask][part]
                    + lost * aim.lost[part]
                    + aim.per_throw[part]
                    for part in (0, 1)
                )
            )
        if at == play.dice[mask]:
            return Worth(play.worths[0][mask], play.worths[1][mask])
        sums = [0.0, 0.0]
        stops = total
        for weight, after in self._events[mask][at]:
            best = play.choose(after, after[0])
            stops -= weight
            for part in (0, 1):
                sums[part] += weight * play.worths[part][best]
        return Worth(*((sums[i] + stops * aim.ends[mask][i]) / total + aim.per_throw[i] for i in (0, 1)))

    def _first(self, turn: Turn, goal: int, at: int | None = None) -> tuple[dict[int, float], float, float]:
        """A turn's first throw: where it leads, the chance that it ends the turn, that it is lost."""
        mask = self._space.dense(turn.open)
        roll = self._rolls(mask)[self._roll(turn, goal) if at is None else at]
        must = self._space.bit(self._profile.first_move_must_include or 0)
        layer: dict[int, float] = {}
        lost = roll.idle
        for answers in roll.classes:
            after = tuple(mask ^ move for move in answers.moves(mask) if move & must)
            if after:
                best = self._plays[goal].choose(after, after[0])
                layer[best] = layer.get(best, 0.0) + answers.weight / roll.total
            else:
                lost += answers.weight
        return layer, roll.ended / roll.total, lost / roll.total

    def _events_of(self, mask: int, roll: Roll) -> list[Event]:
        """What the throws of a roll lead to; those that end the turn are not among them."""
        events: list[Event] = []
        blocked = roll.idle
        for answers in roll.classes:
            moves = answers.moves(mask)
            if moves:
                events.append((answers.weight, tuple(mask ^ move for move in moves)))
            else:
                blocked += answers.weight
        start = self._space.dense(self._profile.starting)
        reopened = tuple(mask | 1 << i for i in range(len(self._space.numbers)) if start & ~mask & 1 << i)
        if blocked and reopened:
            events.append((blocked, reopened))
        elif blocked and can_ever_move(self._profile, self._space.sparse(mask)):
            events.append((blocked, (mask,)))
        return events

    def _play(self, goal: Goal, start: "Play | None") -> "Play":
        stays = goal.per_throw[0] > 0 or max(goal.ends)[0] > goal.ends[0][0]
        if not stays:
            play = Play.start(self._events, goal, start)
            for _ in range(_MOST_ROUNDS):
                if not play.evaluate(self._events, self._totals):
                    break
                if not play.improve(self._events, self._totals):
                    return play
        play = Play.start(self._events, goal, start)
        play.to_the_limit(self._events, self._totals)
        return play

    def _totals(self, mask: int, at: int) -> int:
        return self._rolls(mask)[at].total


Totals: TypeAlias = Callable[[int, int], int]


class Play:
    """One way to play every position for a goal, and its worths.

    Attributes:
        goal: what is played for.
        dice: per position the index of the roll.
        after: per position, for each event of that roll, the position chosen.
        worths: per position what decides, what breaks ties, and minus the throws to come.
    """

    def __init__(self, goal: Goal, dice: list[int], after: list[list[int]]) -> None:
        self.goal = goal
        self.dice = dice
        self.after = after
        size = len(dice)
        self.worths = [[float(end[part]) for end in goal.ends] for part in (0, 1)] + [[0.0] * size]

    @classmethod
    def start(cls, events: list[list[list[Event]]], goal: Goal, like: "Play | None") -> "Play":
        """Play as known, or shutting most and the highest, one die when allowed."""
        if like is not None:
            return cls(goal, list(like.dice), [list(after) for after in like.after])
        dice = [len(rolls) - 1 for rolls in events]
        after = [[min(choice) for _, choice in rolls[-1]] for rolls in events]
        return cls(goal, dice, after)

    def choose(self, after: tuple[int, ...], known: int) -> int:
        """The best of some positions; the known one unless another is clearly better."""
        best = known
        for position in after:
            if self._better(
                tuple(worth[position] for worth in self.worths), tuple(worth[best] for worth in self.worths)
            ):
                best = position
        return best

    @staticmethod
    def _better(new: tuple[float, ...], old: tuple[float, ...]) -> bool:
        for a, b in zip(new, old, strict=True):
            slack = _TOLERANCE * (1.0 + abs(b))
            if a > b + slack:
                return True
            if a < b - slack:
                return False
        return False

    def evaluate(self, events: list[list[list[Event]]], totals: Totals) -> bool:
        """Finds the worths of this play; False if it does not end."""
        size = len(self.dice)
        rows: Rows = [[]]
        stops = [0.0] * size
        for mask in range(1, size):
            at = self.dice[mask]
            total = totals(mask, at)
            row: dict[int, int] = {}
            for (weight, _), after in zip(events[mask][at], self.after[mask], strict=True):
                row[after] = row.get(after, 0) + weight
            stops[mask] = (total - sum(row.values())) / total
            rows.append([(position, weight / total) for position, weight in row.items()])
        throws = solve(rows, [0.0] + [1.0] * (size - 1), [-worth for worth in self.worths[2]])
        if throws is None:
            return False
        self.worths[2] = [-worth for worth in throws]
        for part in (0, 1):
            ends, per_throw = self.goal.ends, self.goal.per_throw[part]
            if any(stops):
                constants = [float(ends[0][part])]
                constants += [stop * ends[mask][part] for mask, stop in enumerate(stops) if mask]
                known = [a - per_throw * b for a, b in zip(self.worths[part], throws, strict=True)]
                ended = solve(rows, constants, known)
                if ended is None:
                    return False
            else:
                # Play ends with the box shut and in no other way.
                ended = [float(ends[0][part])] * size
            self.worths[part] = [a - per_throw * b for a, b in zip(ended, self.worths[2], strict=True)]
        return True

    def improve(self, events: list[list[list[Event]]], totals: Totals) -> bool:
        """Chooses the best answers on the worths found; False if nothing is better than before."""
        changed = False
        for mask in range(1, len(self.dice)):
            found: list[tuple[tuple[float, ...], int, list[int]]] = []
            for at, choices in enumerate(events[mask]):
                known = self.after[mask] if at == self.dice[mask] else [after[0] for _, after in choices]
                best = [self.choose(after, old) for (_, after), old in zip(choices, known, strict=True)]
                found.append((self._mean(mask, choices, best, totals(mask, at)), at, best))
            current = found[self.dice[mask]]
            for other in found:
                if self._better(other[0], current[0]):
                    current = other
            if current[1] != self.dice[mask] or current[2] != self.after[mask]:
                changed = True
                self.dice[mask], self.after[mask] = current[1], current[2]
        return changed

    def to_the_limit(self, events: list[list[list[Event]]], totals: Totals) -> None:
        """The best play of as many throws as a turn may have, from the last one back."""
        for _ in range(MAX_THROWS):
            self.improve(events, totals)
            before = self.worths
            self.worths = [list(worth) for worth in before]
            largest = 0.0
            for mask in range(1, len(self.dice)):
                at = self.dice[mask]
                mean = self._mean(mask, events[mask][at], self.after[mask], totals(mask, at), before)
                for part, worth in enumerate(mean):
                    largest = max(largest, abs(worth - before[part][mask])) if part < 2 else largest
                    self.worths[part][mask] = worth
            if largest < 1e-14:
                break

    def _mean(
        self,
        mask: int,
        choices: list[Event],
        after: list[int],
        total: int,
        worths: list[list[float]] | None = None,
    ) -> tuple[float, ...]:
        worths = self.worths if worths is None else worths
        stops = total - sum(weight for weight, _ in choices)
        per_throw = (*self.goal.per_throw, -1)
        ends = (*self.goal.ends[mask], 0)
        return tuple(
            (
                sum(weight * worth[position] for (weight, _), position in zip(choices, after, strict=True))
                + stops * ends[part]
            )
            / total
            + per_throw[part]
            for part, worth in enumerate(worths)
        )
