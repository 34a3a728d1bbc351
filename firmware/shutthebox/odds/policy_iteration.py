"""Policy iteration: one way to play every position, and how it is bettered."""

from shutthebox.odds.linear_system import SETTLED, Rows, solve
from shutthebox.odds.transitions import Event, Events
from shutthebox.odds.values import Goal
from shutthebox.rules.score import MAX_THROWS

_TOLERANCE = 1e-11
_ROUGH = 1e-7
"""Most rounds need no more than this to see which answers are better."""

_MOST_ROUNDS = 100


class Play:
    """One way to play every position for a goal, and its worths.

    Attributes:
        goal: what is played for.
        dice: per position the index of the roll.
        after: per position, for each event of that roll, the position chosen.
        worths: per position what decides, what breaks ties, and minus the throws to come.
    """

    def __init__(self, events: Events, goal: Goal, like: "Play | None" = None) -> None:
        """Play as known; else shutting most and the highest, with one die when allowed."""
        self._events = events
        self._slack = _TOLERANCE
        self.goal = goal
        self.dice: list[int] = list(like.dice) if like else [len(rolls) - 1 for rolls in events.at]
        self.after: list[list[int]]
        if like:
            self.after = [list(after) for after in like.after]
        else:
            self.after = [[min(choice) for _, choice in rolls[-1]] for rolls in events.at]
        self.worths = [[float(end[part]) for end in goal.ends] for part in (0, 1)]
        self.worths.append([0.0] * len(self.dice))

    def choose(self, after: tuple[int, ...], known: int) -> int:
        """The best of some positions; the known one unless another is clearly better."""
        best = known
        first = self.worths[0]
        for position in after:
            if first[position] < first[best] - self._slack * (1.0 + abs(first[best])):
                continue
            if self._better(
                [worth[position] for worth in self.worths], [worth[best] for worth in self.worths]
            ):
                best = position
        return best

    def evaluate(self, *, rough: bool) -> bool:
        """Finds the worths of this play; False if it does not end."""
        settled = _ROUGH / 100 if rough else SETTLED
        self._slack = _ROUGH if rough else _TOLERANCE
        size = len(self.dice)
        rows: Rows = [[]]
        stops = [0.0] * size
        for mask in range(1, size):
            at = self.dice[mask]
            total = self._total(mask, at)
            row: dict[int, int] = {}
            for (weight, _), after in zip(self._events.at[mask][at], self.after[mask], strict=True):
                row[after] = row.get(after, 0) + weight
            stops[mask] = (total - sum(row.values())) / total
            rows.append([(position, weight / total) for position, weight in row.items()])
        known = [-worth for worth in self.worths[2]]
        throws = solve(rows, [0.0] + [1.0] * (size - 1), known, settled)
        if throws is None:
            return False
        self.worths[2] = [-count for count in throws]
        for part in (0, 1):
            ends, per_throw = self.goal.ends, self.goal.per_throw[part]
            if any(stops):
                constants = [float(ends[0][part])]
                constants += [stop * ends[mask][part] for mask, stop in enumerate(stops) if mask]
                known = [a - per_throw * b for a, b in zip(self.worths[part], throws, strict=True)]
                ended = solve(rows, constants, known, settled)
                if ended is None:
                    return False
            else:
                # Play ends with the box shut and in no other way.
                ended = [float(ends[0][part])] * size
            self.worths[part] = [a + per_throw * b for a, b in zip(ended, throws, strict=True)]
        return True

    def improve(self) -> bool:
        """Chooses the best answers on the worths found; False if nothing is better than before."""
        changed = False
        for mask in range(1, len(self.dice)):
            found: list[tuple[list[float], int, list[int]]] = []
            for at, choices in enumerate(self._events.at[mask]):
                known = self.after[mask] if at == self.dice[mask] else [after[0] for _, after in choices]
                best = [
                    self.choose(after, old) if len(after) > 1 else old
                    for (_, after), old in zip(choices, known, strict=True)
                ]
                if at == self.dice[mask] and best != known:
                    changed = True
                    self.after[mask] = best
                found.append(
                    (self._mean(mask, at, best, self.worths) if self._chosen(mask) else [], at, best)
                )
            current = found[self.dice[mask]]
            for other in found:
                if other is not current and self._better(other[0], current[0]):
                    current = other
            if current[1] != self.dice[mask]:
                changed = True
                self.dice[mask], self.after[mask] = current[1], current[2]
        return changed

    def to_the_limit(self) -> None:
        """The best play of as many throws as a turn may have, from the last one back."""
        for _ in range(MAX_THROWS):
            self.improve()
            before = self.worths
            self.worths = [list(worth) for worth in before]
            largest = 0.0
            for mask in range(1, len(self.dice)):
                mean = self._mean(mask, self.dice[mask], self.after[mask], before)
                for part, worth in enumerate(mean):
                    largest = max(largest, abs(worth - before[part][mask])) if part < 2 else largest
                    self.worths[part][mask] = worth
            if largest < SETTLED:
                break

    def _better(self, new: list[float], old: list[float]) -> bool:
        for a, b in zip(new, old, strict=True):
            slack = self._slack * (1.0 + abs(b))
            if a > b + slack:
                return True
            if a < b - slack:
                return False
        return False

    def _chosen(self, mask: int) -> bool:
        """Whether there is a choice of dice."""
        return len(self._events.at[mask]) > 1

    def _total(self, mask: int, at: int) -> int:
        return self._events.rolls(mask)[at].total

    def _mean(self, mask: int, at: int, after: list[int], worths: list[list[float]]) -> list[float]:
        choices, total = self._events.at[mask][at], self._total(mask, at)
        return mean(choices, after, total, self.goal, mask, worths)


def mean(
    choices: list[Event], after: list[int], total: int, goal: Goal, mask: int, worths: list[list[float]]
) -> list[float]:
    """The worths of a throw, where these positions are chosen after its events."""
    stops = total - sum(weight for weight, _ in choices)
    per_throw = (*goal.per_throw, -1)
    ends = (*goal.ends[mask], 0)
    weighted = [(weight, position) for (weight, _), position in zip(choices, after, strict=True)]
    return [
        (sum([weight * worth[position] for weight, position in weighted]) + stops * ends[part]) / total
        + per_throw[part]
        for part, worth in enumerate(worths)
    ]


def fewest_throws(events: Events) -> Play | None:
    """The way to play that ends soonest; None if play may have no end."""
    goal = Goal([(0, 0)] * events.space.size, (0, 0), (-1, 0))
    return _iterate(Play(events, goal))


def best_play(events: Events, goal: Goal, start: Play | None) -> Play:
    """The best way to play for a goal, with its worths.

    Args:
        events: the positions and throws.
        goal: what is played for.
        start: play that ends, if there is any.
    """
    stays = goal.per_throw[0] > 0 or max(goal.ends)[0] > goal.ends[0][0]
    play = None if stays or start is None else _iterate(Play(events, goal, start))
    if play is None:
        play = Play(events, goal, start)
        play.to_the_limit()
    return play


def _iterate(play: Play) -> Play | None:
    rough = True
    for _ in range(_MOST_ROUNDS):
        if not play.evaluate(rough=rough):
            return None
        if not play.improve():
            if not rough:
                return play
            rough = False
    return None
