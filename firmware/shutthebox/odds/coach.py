"""The coach: how much luck and decisions mattered in a match or a turn, in points and in chance to win.

Before a throw, a turn is worth what the best play makes of it. The dice move that up or down, which is luck.
Any answer but the best, or the wrong number of dice, gives some of it away, which is skill, or the lack of
it. So, for every player,

    final - initial = luck + skill

exactly, in fractions. In chance to win, everything the others do is luck, too.

A player's accuracy in per cent is 100 * (1 - given away / at stake), over all decisions with more than one
answer. At stake is the difference between the best and the worst answer. Both are chances to win if the match
has them, or else points. So 100 is the best play and 0 the worst. Figures that only differ because they were
rounded cost nothing.

Players who throw their own dice enter a total, which one die or two may have shown. Nobody knows which, so
that choice counts as luck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple, assert_never

from shutthebox.odds.match_play import is_deciding
from shutthebox.odds.odds import Points, for_points
from shutthebox.odds.pick import pick
from shutthebox.odds.solver import Solver
from shutthebox.odds.worths import Number, OddsError, difference, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action, Advanced, Moved, OutOfTime, Reopened, Thrown, apply
from shutthebox.rules.match import Match
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import Profile
from shutthebox.rules.rows import numbers_of_move
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.rules.turn import Outcome, Turn, dice_that_show


class Balance(NamedTuple):
    """A player's match; `final - initial` is `luck + skill`.

    Attributes:
        initial: the worth before the first throw.
        final: the result.
        luck: what the dice (and, in chance to win, the others) added.
        skill: what the player's decisions added, 0 for the best play.
    """

    initial: Fraction
    final: Fraction
    luck: Fraction
    skill: Fraction

    @property
    def given_away(self) -> Fraction:
        """The cost of the decisions, 0 or more."""
        return abs(self.skill)


@dataclass(frozen=True, slots=True)
class Decision:
    """A player's choice.

    Attributes:
        player: who chose, from 0.
        round: of the match, from 1.
        open: the tiles that were open.
        number: the throw's, from 0; for a choice of dice, the following throw's.
        throw: the faces to answer; None for a choice of dice.
        chosen: the tiles shut (or opened), or the number of dice.
        best: the best choice for the win, or for points if there are no chances to win.
        points: the cost in points, 0 or more.
        win: the cost in chance to win; None if unknown.
        stake: the difference between the best and the worst choice, in chance to win or else in points.
        has_points: whether points count in this game.
        rules: the player's; None if every tile bears the number of its lever.
        behind: with two rows, the columns whose front and back tiles were both open.
    """

    player: int
    round: int
    open: Tiles
    number: int
    throw: Throw | None
    chosen: int
    best: int
    points: Fraction
    win: Fraction | None
    stake: Fraction
    has_points: bool = True
    rules: Profile | None = field(default=None, compare=False)
    behind: Tiles = field(default=0, compare=False)

    def numbers(self, answer: Tiles) -> tuple[int, ...]:
        """The numbers on the tiles of an answer."""
        return numbers_of_move(self.rules, self.behind, answer) if self.rules else to_numbers(answer)

    @property
    def cost(self) -> Fraction:
        """The cost in chance to win, or else in points."""
        return self.points if self.win is None else self.win


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """The throw or decision that moved its player's worth most.

    Attributes:
        player: whose throw or decision, from 0.
        round: of the match, from 1.
        throw: the faces.
        decision: whether it was the player's decision rather than the dice.
        change: in the player's chance to win, or in points if there are no chances to win.
    """

    player: int
    round: int
    throw: Throw
    decision: bool
    change: Fraction


@dataclass(frozen=True, slots=True)
class PlayerReview:
    """A player's match.

    Attributes:
        points: in points of the score, all turns together.
        win: in chance to win; None if unknown.
        accuracy: in per cent, see above; None for a player who hasn't thrown.
        is_scored: whether all turns have a score; otherwise the last one counts as what it was worth.
    """

    points: Balance
    win: Balance | None
    accuracy: float | None
    is_scored: bool = True


@dataclass(frozen=True, slots=True)
class MatchReview:
    """A review of a match.

    Attributes:
        players: each player's.
        decisions: every choice between two answers or more, in order.
        turning_point: None for a match without a throw.
        exact: whether all chances to win are exact; with several rounds, some are approximate.
    """

    players: tuple[PlayerReview, ...]
    decisions: tuple[Decision, ...]
    turning_point: TurningPoint | None
    exact: bool

    @property
    def worst(self) -> Decision | None:
        """The costliest decision; None if none cost anything."""
        worst = max(self.decisions, key=lambda each: each.cost, default=None)
        return worst if worst is not None and worst.cost > 0 else None


def review(
    beginning: Match, actions: Sequence[Action], *, for_win: bool = True, real_dice: bool = False
) -> MatchReview:
    """Reviews a match, or part of one that starts with a turn. It may be unfinished.

    In a tug nothing costs points: everything is in chance to win.

    Args:
        beginning: the match before the first of the throws.
        actions: what has happened since.
        for_win: also in chance to win, which takes seconds; points alone take milliseconds.
        real_dice: players may have entered totals of their own dice. A total that no single die shows proves
            it, too.

    Raises:
        OddsError: the rules have no exact odds.
        ValueError: the rules don't allow an action.
    """
    walk = _Walk(beginning, for_win, real_dice or _are_totals_entered(beginning, actions))
    for action in actions:
        walk.take(action)
    return walk.review()


def _are_totals_entered(match: Match, actions: Sequence[Action]) -> bool:
    """Whether any throw is a total that no single die could have shown."""
    for action in actions:
        if len(action.faces) == 1 and 1 not in _dice_shown(match, action.faces):
            return True
        match = apply(match, action)
    return False


def _dice_shown(match: Match, faces: Throw) -> tuple[int, ...]:
    """How many dice can have shown a throw."""
    return dice_that_show(match.rules, faces, match.dice_allowed)


_NOTHING = Fraction(0)


@dataclass(slots=True)
class _Sums:
    initial: Fraction = _NOTHING
    final: Fraction = _NOTHING
    skill: Fraction = _NOTHING

    def balance(self, unit: int = 1) -> Balance:
        """The balance, in a unit of -1 if less is better."""
        initial, final, skill = (unit * each for each in (self.initial, self.final, self.skill))
        return Balance(initial, final, final - initial - skill, skill)


class _Worths(NamedTuple):
    """The worths of something in points, and in chance to win if it's known; higher is better."""

    points: Number
    win: Number | None


@dataclass(slots=True)
class _Walk:
    """Follows a match from action to action.

    Attributes:
        match: so far.
        for_win: also in chance to win.
        enters_totals: the number of dice of a throw may be unknown.
        for_points: the solver; None if a turn has no points.
        winner: the solver of the chance to win; None if it's unknown.
        points: by player.
        win: by player; None if it's unknown.
    """

    match: Match
    for_win: bool
    enters_totals: bool
    for_points: Points | None = field(init=False)
    winner: Solver | None = field(init=False, default=None)
    throws: int = field(init=False, default=0)
    points: list[_Sums] = field(init=False)
    win: list[_Sums] | None = field(init=False, default=None)
    exact: bool = field(init=False, default=True)
    decisions: list[Decision] = field(init=False, default_factory=list)
    changes: list[TurningPoint] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        match = self.match
        if match.order_of_play.one_row:
            raise OddsError(f"{match.game.name}: what others do to a shared row is neither luck nor skill")
        _, winner, self.for_points = pick(match.game)
        if self.for_points is None:
            winner.check(match.players)
        else:
            self.for_points.play(match)
        self.points = [_Sums() for _ in range(match.players)]
        if (self.for_win or self.for_points is None) and winner.why_not(match.players) is None:
            try:
                chances = [Fraction(chance) for chance in winner.chances(match)]
            except OddsError:
                if self.for_points is None:
                    raise
                return
            self.win, self.winner = [_Sums(chance, chance) for chance in chances], winner

    def take(self, action: Action) -> None:
        match = self.match
        self.match = after = apply(match, action)
        row = after.round.rows[match.player]
        match action:
            case Advanced():
                return
            case Thrown(faces):
                if match.turn.throws == 0:
                    self._begin_turn(match)
                self._throw(match, faces, row)
                self.throws += 1
            case Moved(shut):
                self._answer(match, shut)
            case Reopened(tile):
                self._answer(match, to_tiles([tile]))
            case OutOfTime():
                self._out_of_time(match, row)
            case _:
                assert_never(action)
        self._score_as_it_stands(match)
        if row.outcome is not None and self.win is not None and self.winner is not None:
            following = after.advance() if after.result is None else after
            for sums, chance in zip(self.win, self.winner.chances(following), strict=True):
                sums.final = Fraction(chance)

    def review(self) -> MatchReview:
        win, turn = self.win, self.match.turn
        if win is not None and self.winner is not None and turn.outcome is None and turn.throws:
            # Left in mid-turn: take what the position is worth now.
            win[self.match.player].final = Fraction(self.winner.worth(self.match))
        better = sign(for_points(self.match.game))
        players = tuple(
            PlayerReview(
                sums.balance(better), win[i].balance() if win else None, self._accuracy(i), self._is_scored(i)
            )
            for i, sums in enumerate(self.points)
        )
        turning = max(self.changes, key=lambda each: abs(each.change), default=None)
        return MatchReview(players, tuple(self.decisions), turning, self.exact and win is not None)

    def _worths(self, match: Match, turn: Turn) -> _Worths:
        """The worths of a state of the current player's turn."""
        points = self.for_points.worth(match, turn) if self.for_points else _NOTHING
        return _Worths(points, self.winner.worth(match, turn) if self.winner else None)

    def _begin_turn(self, match: Match) -> None:
        worth, sums = Fraction(self._worths(match, match.turn).points), self.points[match.player]
        sums.initial += worth
        sums.final += worth
        if self.win is not None:
            self.exact &= is_deciding(match)

    def _score_as_it_stands(self, before: Match) -> None:
        """Scores the turns that a shut box has just ended for others, which is luck."""
        if self.for_points is None:
            return
        for seat, (row, after) in enumerate(zip(before.round.rows, self.match.round.rows, strict=True)):
            if row.outcome is not None or after.outcome is not Outcome.UNPLAYED or after.score is None:
                continue
            theirs, sums = before._replace(player=seat), self.points[seat]
            worth = Fraction(self.for_points.worth(theirs, after._replace(outcome=None, score=None)))
            if row.throws == 0:
                sums.initial += worth
                sums.final += worth
            sums.final += Fraction(self.for_points.worth(theirs, after)) - worth

    def _throw(self, match: Match, faces: Throw, row: Turn) -> None:
        """Accounts for the number of dice chosen, and for what they showed."""
        before, player = match.turn, match.player
        at, after = self._worths(match, before), self._worths(match, row)
        self.points[player].final += Fraction(after.points) - Fraction(at.points)
        allowed = match.dice_allowed
        # A throw for everyone is the choice of the player who makes it.
        if len(allowed) > 1 and match.round.common is None:
            shown = _dice_shown(match, faces)
            if len(shown) == 1 or not self.enters_totals:
                at = self._choose_dice(match, shown[-1], allowed)
        if after.win is not None and at.win is not None:
            change = difference(after.win, at.win)
        else:
            change = difference(after.points, at.points)
        self.changes.append(TurningPoint(player, match.round.number, faces, False, change))

    def _choose_dice(self, match: Match, dice: int, allowed: tuple[int, ...]) -> _Worths:
        """Notes the choice of dice, and returns the worths after it."""
        points: dict[int, Number] = dict.fromkeys(allowed, _NOTHING)
        if self.for_points is not None:
            points = dict(self.for_points.options(match))
        chances = dict(self.winner.options(match)) if self.winner else None
        good = max(allowed, key=lambda each: Fraction((chances or points)[each]))
        self._note(match, self.throws, dice, good, points, chances)
        return _Worths(points[dice], chances[dice] if chances else None)

    def _answer(self, match: Match, chosen: Tiles) -> None:
        """Accounts for the tiles shut or opened."""
        if self.for_points is not None:
            points = dict(self.for_points.options(match))
        else:
            points = dict.fromkeys(turns.answers(match.rules, match.turn), _NOTHING)
        if len(points) < 2:
            return
        good, chances = next(iter(points)), None
        self.points[match.player].final += Fraction(points[chosen]) - Fraction(points[good])
        if self.winner is not None:
            chances = dict(self.winner.options(match))
            # Among answers that are equal for the win, the best is the one for points.
            if difference(max(chances.values()), chances[good]):
                good = next(iter(chances))
        self._note(match, self.throws - 1, chosen, good, points, chances)

    def _out_of_time(self, match: Match, row: Turn) -> None:
        """Running out of time was the player's doing, so its cost is skill."""
        before, after, player = self._worths(match, match.turn), self._worths(match, row), match.player
        change = Fraction(after.points) - Fraction(before.points)
        self.points[player].skill += change
        self.points[player].final += change
        if self.win is not None and before.win is not None and after.win is not None:
            self.win[player].skill += Fraction(after.win) - Fraction(before.win)

    def _note(
        self,
        match: Match,
        throw: int,
        chosen: int,
        good: int,
        points: Mapping[int, Number],
        chances: Mapping[int, Number] | None,
    ) -> None:
        """Notes a decision and its cost, from the worths of all options."""
        before, player, worths = match.turn, match.player, chances or points
        cost = difference(max(points.values()), points[chosen])
        win = difference(max(chances.values()), chances[chosen]) if chances else None
        stake = difference(max(worths.values()), min(worths.values()))
        decision = Decision(
            player, match.round.number, match.standing, throw, before.throw, chosen, good, cost, win, stake,
            has_points=self.for_points is not None,
        )  # fmt: skip
        if before.awaits_answer:
            decision = replace(decision, rules=match.rules, behind=before.behind)
        self.decisions.append(decision)
        self.points[player].skill -= cost
        if self.win is not None and win is not None:
            self.win[player].skill -= win
        if decision.throw is not None:
            self.changes.append(
                TurningPoint(player, match.round.number, decision.throw, True, -decision.cost)
            )

    def _is_scored(self, player: int) -> bool:
        row = self.match.round.rows[player]
        return player not in self.match.round.seats or row.throws == 0 or row.score is not None

    def _accuracy(self, player: int) -> float | None:
        if not any(change.player == player for change in self.changes):
            return None
        own = [decision for decision in self.decisions if decision.player == player]
        stake = sum([decision.stake for decision in own], _NOTHING)
        cost = sum([decision.cost for decision in own], _NOTHING)
        return 100.0 if not stake else float(100 * (1 - cost / stake))
