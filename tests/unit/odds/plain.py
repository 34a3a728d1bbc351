"""The oracle of the odds: best play worked out from the rules' own functions, as slow as it is plain.

All positions that can be reached are listed, each with the positions that every throw and every answer
leads to. Then play is valued back from its last throw: with no throw left a turn stands as it is (where tiles
open again, it first goes on until a throw shuts nothing); with one throw more a position is worth the mean
over its throws, each with the best answer. Where every turn comes to
an end by itself, that is exact, in fractions; else it goes on until nothing changes any more, or for all the
throws that a turn can have.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any, NamedTuple

from tests.support.positions import with_rows

from shutthebox.odds.worths import Number
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match, begin
from shutthebox.rules.moves import Throw, dice_allowed
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Blocked, Draw, Profile, Scoring, Turns
from shutthebox.rules.score import MAX_THROWS, score
from shutthebox.rules.tiles import to_numbers
from shutthebox.rules.turn import Outcome, Turn


class Value(NamedTuple):
    """What a position is worth, the higher the better.

    Attributes:
        worths: by player; everybody plays for the own one.
        good: breaks ties for the player at turn.
    """

    worths: tuple[Number, ...]
    good: Number


class After(NamedTuple):
    """What an answer leads to: the next position, or the final worths; `good` where the turn is over."""

    choice: int
    position: object
    worths: tuple[Number, ...] | None
    good: Number | None


Events = Mapping[tuple[After, ...], int]
"""What the answers to a throw lead to, and how many throws have these."""


def throws(match: Match, dice: int) -> Iterator[tuple[Throw, int]]:
    """Every throw of so many dice, and how many of the throws look so."""
    if match.round.common is not None:
        yield match.round.common.faces, 1
        return
    if match.rules.draw is Draw.DOMINOES:
        yield from ((domino, 1) for domino in turns.bag(match.rules, match.turn))
        return
    faces = range(1, match.rules.sides + 1)
    for throw in combinations_with_replacement(faces, dice):
        yield throw, factorial(dice) // prod(map(factorial, Counter(throw).values()))


def answers(match: Match) -> list[tuple[int, Match]]:
    """Whatever may be done about the throw on the table, and the match then."""
    if match.stage is not Stage.ANSWER:
        return [(0, match)]
    if opened := turns.reopenings(match.rules, match.turn):
        return [(1 << tile - 1, match.reopen(tile)) for tile in to_numbers(opened)]
    return [(shut, match.move(shut)) for shut in turns.answers(match.rules, match.turn) or (0,)]


class Oracle:
    """The worth of every position that can be reached from some.

    Args:
        starts: matches that await a throw.
        over: the worths by player once they are known, else None; asked when a turn is over.
        good: of a turn that is over.
        per_throw: what each throw adds to worth and `good`.

    Attributes:
        exact: worths are fractions.
    """

    def __init__(
        self,
        starts: Iterable[Match],
        over: Callable[[Match], tuple[Number, ...] | None],
        good: Callable[[Match], int],
        per_throw: tuple[int, int] = (0, 0),
    ) -> None:
        self._over, self._good, self._per_throw = over, good, per_throw
        self._positions: dict[object, tuple[Match, Mapping[int, Events]]] = {}
        waiting = list(starts)
        profile = waiting[0].game
        self.exact = profile.blocked in (Blocked.ENDS_TURN, Blocked.LOSES) and not profile.insurance
        while waiting:
            match = same(waiting.pop())
            if _key(match) in self._positions:
                continue
            rules, turn = match.rules, match.turn
            rolls: dict[int, Counter[tuple[After, ...]]] = {}
            for dice in dice_allowed(rules, turn.open, turn.behind):
                rolls[dice] = Counter()
                for faces, weight in throws(match, dice):
                    options = answers(match.throw(faces))
                    rolls[dice][tuple(self._after(*option, waiting) for option in options)] += weight
            self._positions[_key(match)] = match, rolls
        self._values = {key: self._cut_off(match) for key, (match, _) in self._positions.items()}
        if profile.blocked is Blocked.OPENS_ONE and profile.turns is Turns.WHOLE:
            for key, (at, events) in sorted(self._positions.items(), key=_fewest_open):
                self._values[key] = self._of(at, events, late=True)
        for _ in range(MAX_THROWS - 1):
            before = self._values
            self._values = {key: self._of(match, rolls) for key, (match, rolls) in self._positions.items()}
            if all(map(self._same, before.values(), self._values.values())):
                break

    def value(self, match: Match) -> Value:
        """Of a match that awaits a throw or an answer."""
        if match.stage is Stage.THROW:
            return self._values[_key(same(match))]
        return self.best_answer(match, self.answers(match))

    def answers(self, match: Match) -> dict[int, Value]:
        """Of each answer to the throw on the table."""
        return {choice: self._worth(self._after(choice, after, [])) for choice, after in answers(match)}

    def with_dice(self, match: Match, dice: int) -> Value:
        """Of throwing so many."""
        at, rolls = self._positions[_key(same(match))]
        return self._mean(at, rolls[dice])

    def best_answer(self, match: Match, values: Mapping[int, Value]) -> Value:
        """What the player at turn makes of answers."""
        return max(values.values(), key=lambda value: self._order(value, match.player))

    def best_dice(self, match: Match, values: Mapping[int, Value]) -> Value:
        """What the player at turn makes of a choice of dice."""
        return self.best_answer(match, values)

    def _order(self, value: Value, player: int) -> tuple[Number, Number]:
        own = value.worths[player]
        return own if self.exact else round(float(own), 9), value.good

    def _after(self, choice: int, match: Match, waiting: list[Match]) -> After:
        """Where the match goes on; a position that is not known yet is to be looked at."""
        worths = good = None
        if match.turn.outcome is not None:
            worths, good = self._over(match), self._good(match)
            worths = worths if worths is None or self.exact else tuple(map(float, worths))
        if worths is None:
            match = same(match.advance() if match.stage is Stage.ADVANCE else match)
            waiting.append(match)
        return After(choice, _key(match), worths, good)

    def _cut_off(self, match: Match) -> Value:
        """Of a position after the last throw that a turn can have."""
        turn = match.turn
        points = score(match.rules, turn.open, 0, turn.behind)
        over = with_rows(match, turn._replace(outcome=Outcome.BLOCKED, score=points))
        worths = self._over(over) if match.players == 1 else None
        return Value(worths or (Fraction(0),) * match.players, self._good(over) if worths else 0)

    def _of(self, match: Match, rolls: Mapping[int, Events], *, late: bool = False) -> Value:
        means = {dice: self._mean(match, events, late=late) for dice, events in rolls.items()}
        return self.best_dice(match, means)

    def _mean(self, match: Match, events: Events, *, late: bool = False) -> Value:
        whole = sum(events.values())
        nothing: Any = Fraction(0) if self.exact else 0.0
        worths, good = [nothing] * match.players, nothing
        for found, weight in events.items():
            value = self.best_answer(match, {after.choice: self._worth(after) for after in found})
            if late and any(after.worths is None and not self._shuts(match, after) for after in found):
                # Still the value of stopping here.
                value = self._worth(After(0, _key(same(match)), None, None))
            worths = [a + weight * b for a, b in zip(worths, value.worths, strict=True)]
            good += weight * value.good
        return Value(tuple(each / whole for each in worths), good / whole)

    def _shuts(self, match: Match, after: After) -> bool:
        """Whether an answer leaves fewer tiles open."""
        return self._positions[after.position][0].turn.open.bit_count() < match.turn.open.bit_count()

    def _worth(self, after: After) -> Value:
        if after.worths is not None:
            return Value(after.worths, after.good or 0)
        value, (throw, good) = self._values[after.position], self._per_throw
        if after.good is not None:
            return Value(value.worths, after.good)
        if not any(self._per_throw):
            return value
        return Value(tuple(worth + throw for worth in value.worths), value.good + good)

    def _same(self, before: Value, after: Value) -> bool:
        if self.exact:
            return before == after
        pairs: Any = zip((*before.worths, before.good), (*after.worths, after.good), strict=True)
        return all(abs(a - b) <= 1e-14 * max(1, abs(b)) for a, b in pairs)


def _fewest_open(position: tuple[object, tuple[Match, object]]) -> int:
    return position[1][0].turn.open.bit_count()


def same(match: Match) -> Match:
    """The match without the parts that make no difference later, so that a position is looked at once."""
    shared = match.game.turns is Turns.SHARED
    rows = tuple(
        Turn(0, outcome=row.outcome, score=row.score)
        if row.outcome is not None and not shared
        else row._replace(throws=0, moves=min(1, row.moves), throw=None)
        for row in match.round.rows
    )
    return match._replace(round=match.round._replace(rows=rows), turns_over=0)


def _key(match: Match) -> object:
    round_ = match.round
    return (
        match.player,
        round_.rows,
        match.totals,
        round_.number,
        round_.tie_rounds,
        round_.shutters,
        match.ledger,
    )


def won(match: Match) -> tuple[Number, ...] | None:
    """Everybody's share of the win."""
    if match.result is None:
        return None
    winners = match.result.winners
    return tuple(Fraction(i in winners, len(winners) or 1) for i in range(match.players))


def money(match: Match) -> tuple[Number, ...] | None:
    """What everybody gets."""
    return None if match.result is None else tuple(-owes for owes in match.result.owes)


def own_score(match: Match) -> int:
    """How good the score of a turn that is over is."""
    return (1 if match.game.highest_wins else -1) * (match.turn.score or 0)


class MatchOracle:
    """The worth of positions of a match to everybody, in floats, by trying everything: a plain recursion.

    Args:
        over: the worths of a match that is decided.
    """

    def __init__(self, over: Callable[[Match], tuple[Number, ...] | None] = won) -> None:
        self._over = over
        self._known: dict[object, Value] = {}

    def worths(self, match: Match) -> tuple[Number, ...]:
        """To everybody, before a throw."""
        return self._value(match).worths

    def _value(self, match: Match) -> Value:
        while match.stage is Stage.ADVANCE and match.result is None:
            match = match.advance()
        if (worths := self._over(match)) is not None:
            return Value(tuple(map(float, worths)), 0)
        key = self._key(match)
        if key not in self._known:
            dice = match.dice_allowed
            self._known[key] = self._best(match, [self._mean(match, count) for count in dice])
        return self._known[key]

    def _mean(self, match: Match, dice: int) -> Value:
        whole, sums, good = 0, [0.0] * match.players, 0.0
        for faces, weight in throws(match, dice):
            afters = [after for _, after in answers(match.throw(faces))]
            if any(after.stage is Stage.THROW and self._key(after) == self._key(match) for after in afters):
                continue  # passed: the throw is made again
            best = self._best(match, [self._after(match, after) for after in afters])
            whole += weight
            sums = [a + weight * float(b) for a, b in zip(sums, best.worths, strict=True)]
            good += weight * float(best.good)
        return Value(tuple(each / whole for each in sums), good / whole)

    def _after(self, before: Match, after: Match) -> Value:
        value = self._value(after)
        is_over = after.round.rows[before.player].outcome is not None
        return value._replace(good=own_score(after._replace(player=before.player))) if is_over else value

    def _best(self, match: Match, values: Iterable[Value]) -> Value:
        return max(values, key=lambda value: (round(float(value.worths[match.player]), 9), value.good))

    def _key(self, match: Match) -> object:
        own = match.game.own_throws
        rows = tuple(
            (row.score, row.outcome)
            if row.outcome
            else (row.open, row.behind, min(1, row.moves), row.misses_left, min(own, row.throws))
            for row in (match.round.rows[i] for i in match.round.seats)
        )
        played = tuple(score is not None for score in match.scores)
        totals, shut = match.totals, frozenset(match.round.shutters)
        here = match.round
        common = here.common and here.common.faces
        place = match.player, common, here.first_player, here.seats, here.number, here.tie_rounds
        return place, rows, totals, played, shut, match.losers, match.ledger.owed, match.ledger.settled


def match_oracle(
    profile: Profile,
    players: int,
    over: Callable[[Match], tuple[Number, ...] | None] = won,
    rounds: int | None = None,
) -> tuple[Number, ...]:
    """Everybody's worth before the first throw, if all play their best."""
    return MatchOracle(over).worths(begin(profile, players, rounds))


def alone(profile: Profile, turn: Turn) -> Match:
    """A match of one player in this turn; a seat's head start is in the rules that the seat plays by."""
    match = begin(replace(profile, handicap=()), 1)
    return with_rows(match, turn)._replace(stage=Stage.ANSWER if turn.throw else Stage.THROW)


Pair = tuple[Number, Number]
"""Expected score, and chance to shut."""


class TurnOracle(Oracle):
    """Turns of a player alone.

    Args:
        profile: the rules.
        starts: turns that await a throw.
        shut: plays to shut the box, and among equals for the score; else the other way round.
    """

    def __init__(self, profile: Profile, starts: Iterable[Turn], *, shut: bool = False) -> None:
        self.profile, self.shut = profile, shut
        self.sign = 1 if profile.highest_wins else -1
        throw = self.sign if profile.score is Scoring.THROWS else 0

        def has_shut(match: Match) -> int:
            return int(match.turn.outcome is Outcome.SHUT)

        first, second = (has_shut, own_score) if shut else (own_score, has_shut)
        super().__init__(
            [alone(profile, turn) for turn in starts],
            lambda match: (Fraction(first(match)),),
            second,
            (0, throw) if shut else (throw, 0),
        )

    def pair(self, value: Value) -> Pair:
        """Expected score and chance to shut, of a value."""
        (first,), second = value
        points, shut = (second, first) if self.shut else (first, second)
        return self.sign * points, shut
