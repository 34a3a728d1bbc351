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

from shutthebox.odds.evaluate import TurnPlay
from shutthebox.odds.match_play import is_deciding
from shutthebox.odds.odds import Odds
from shutthebox.odds.orders import OrderOdds, has_chances, match_chances, match_play, order_odds
from shutthebox.odds.seat_limits import About, check_seats
from shutthebox.odds.tug import NoPoints
from shutthebox.odds.worths import OddsError, difference, sign
from shutthebox.rules.actions import Action, Advanced, Moved, OutOfTime, Reopened, Thrown, apply
from shutthebox.rules.match import Match
from shutthebox.rules.moves import Throw, dice_allowed
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
    turn = match.turn
    return dice_that_show(match.rules, faces, dice_allowed(match.rules, turn.open, turn.behind))


@dataclass(slots=True)
class _Sums:
    initial: Fraction = Fraction(0)
    final: Fraction = Fraction(0)
    skill: Fraction = Fraction(0)

    @property
    def balance(self) -> Balance:
        return Balance(self.initial, self.final, self.final - self.initial - self.skill, self.skill)


@dataclass(slots=True)
class _Walk:
    """Follows a match from action to action."""

    match: Match
    for_win: bool
    enters_totals: bool
    order: OrderOdds = field(init=False)
    odds: Odds | NoPoints = field(init=False)
    throws: int = field(init=False, default=0)
    points: list[_Sums] = field(init=False)
    win: list[_Sums] | None = field(init=False, default=None)
    play: TurnPlay[float] | None = field(init=False, default=None)
    exact: bool = field(init=False, default=True)
    decisions: list[Decision] = field(init=False, default_factory=list)
    changes: list[TurningPoint] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        match = self.match
        if match.order_of_play.one_row:
            raise OddsError(f"{match.game.name}: what others do to a shared row is neither luck nor skill")
        self.order = order_odds(match.game)
        self.odds = self.order.points(match)
        self.points = [_Sums() for _ in range(match.players)]
        has_points = match.order_of_play.has_points
        if not has_points:
            check_seats(match.game, match.players, About.MATCH)
        if (self.for_win or not has_points) and has_chances(match.game, match.players):
            try:
                chances = [Fraction(chance) for chance in match_chances(match)]
            except OddsError:
                if not has_points:
                    raise
                return
            self.win = [_Sums(chance, chance) for chance in chances]

    def take(self, action: Action) -> None:
        match = self.match
        self.odds = self.order.points(match)
        self.match = after = apply(match, action)
        row = after.rows[match.player]
        match action:
            case Advanced():
                return
            case Thrown(faces):
                if match.turn.throws == 0:
                    self._begin_turn(match)
                self._throw(match, faces, row)
                self.throws += 1
            case Moved(shut):
                self._answer(match, shut, row)
            case Reopened(tile):
                self._answer(match, to_tiles([tile]), row)
            case OutOfTime():
                self._out_of_time(match, row)
            case _:
                assert_never(action)
        self._score_as_it_stands(match)
        if row.outcome is not None and self.win is not None:
            following = after.advance() if after.result is None else after
            for sums, chance in zip(self.win, match_chances(following), strict=True):
                sums.final = Fraction(chance)

    def review(self) -> MatchReview:
        win, turn = self.win, self.match.turn
        if win is not None and self.play is not None and turn.outcome is None and turn.throws:
            # Left in mid-turn: take what the position is worth now.
            win[self.match.player].final = Fraction(self.play.worth(turn))
        players = tuple(
            PlayerReview(sums.balance, win[i].balance if win else None, self._accuracy(i), self._is_scored(i))
            for i, sums in enumerate(self.points)
        )
        turning = max(self.changes, key=lambda each: abs(each.change), default=None)
        return MatchReview(players, tuple(self.decisions), turning, self.exact and win is not None)

    def _begin_turn(self, match: Match) -> None:
        worth, sums = self.odds.points(match.turn), self.points[match.player]
        sums.initial += worth
        sums.final += worth
        if self.win is not None:
            self.exact &= is_deciding(match)
            self.play = match_play(match)

    def _score_as_it_stands(self, before: Match) -> None:
        """Scores the turns that a shut box has just ended for others, which is luck."""
        for seat, (row, after) in enumerate(zip(before.rows, self.match.rows, strict=True)):
            if row.outcome is not None or after.outcome is not Outcome.UNPLAYED or after.score is None:
                continue
            odds, sums = self.order.points(before._replace(player=seat)), self.points[seat]
            worth = odds.points(after._replace(outcome=None, score=None))
            if row.throws == 0:
                sums.initial += worth
                sums.final += worth
            sums.final += odds.points(self._turn(after)) - worth

    def _throw(self, match: Match, faces: Throw, row: Turn) -> None:
        """Accounts for the number of dice chosen, and for what they showed."""
        before, player = match.turn, match.player
        at, chance, after = self._points(before), self._chance(before), self._points(row)
        self.points[player].final += after - at
        allowed = dice_allowed(match.rules, before.open, before.behind)
        # A throw for everyone is the choice of the player who makes it.
        if len(allowed) > 1 and match.common is None:
            shown = _dice_shown(match, faces)
            if len(shown) == 1 or not self.enters_totals:
                at, chance = self._choose_dice(match, shown[-1], allowed)
        change = sign(self.odds.profile) * difference(after, at, exact=self.odds.exact)
        if self.play is not None and chance is not None:
            change = difference(self.play.worth(row), chance)
        self.changes.append(TurningPoint(player, match.round, faces, False, change))

    def _choose_dice(
        self, match: Match, dice: int, allowed: tuple[int, ...]
    ) -> tuple[Fraction, Fraction | None]:
        """Notes the choice of dice, and returns the worths after it."""
        before, player = match.turn, match.player
        points = {each: self.odds.points_with(before, each) for each in allowed}
        chances = None
        if self.play is not None:
            chances = {each: Fraction(self.play.with_dice(before, each)) for each in allowed}
        best = sign(self.odds.profile)
        worths = {each: best * points[each] for each in allowed}
        cost, win = self._cost(worths, worths[dice]), None
        played_for, stake = worths, self._cost(worths, min(worths.values()))
        if chances is not None:
            played_for, win = chances, difference(max(chances.values()), chances[dice])
            stake = difference(max(chances.values()), min(chances.values()))
        good = max(allowed, key=lambda each: played_for[each])
        self._note(
            Decision(player, match.round, match.standing, self.throws, None, dice, good, cost, win, stake)
        )
        return points[dice], None if chances is None else chances[dice]

    def _answer(self, match: Match, chosen: Tiles, row: Turn) -> None:
        """Accounts for the tiles shut or opened."""
        before, player = match.turn, match.player
        assert before.throw is not None, "an answer is to a throw"
        answers = self.odds.ranked_points(self._turn(before))
        if len(answers) < 2:
            return
        self.points[player].final += dict(answers)[chosen] - answers[0][1]
        worths = {tiles: sign(self.odds.profile) * points for tiles, points in answers}
        cost, good, win = self._cost(worths, worths[chosen]), answers[0][0], None
        stake = self._cost(worths, min(worths.values()))
        if self.play is not None:
            ranked = self.play.ranked(before)
            chances = {tiles: Fraction(chance) for tiles, _, chance in ranked}
            win = difference(max(chances.values()), chances[chosen])
            stake = difference(max(chances.values()), min(chances.values()))
            # Among answers that are equal for the win, the best is the one for points.
            if difference(max(chances.values()), chances[good]):
                good = ranked[0][0]
        answered, throw = self.throws - 1, before.throw
        decision = Decision(
            player, match.round, match.standing, answered, throw, chosen, good, cost, win, stake
        )
        self._note(replace(decision, rules=match.rules, behind=before.behind))

    def _out_of_time(self, match: Match, row: Turn) -> None:
        """Running out of time was the player's doing, so its cost is skill."""
        before, player = match.turn, match.player
        change = self._points(row) - self._points(before)
        self.points[player].skill += change
        self.points[player].final += change
        if self.win is not None and self.play is not None:
            self.win[player].skill += Fraction(self.play.worth(row)) - Fraction(self.play.worth(before))

    def _cost(self, worths: Mapping[int, Fraction], chosen: Fraction) -> Fraction:
        """What a choice costs in points, from the worths of all; higher is better."""
        return difference(max(worths.values()), chosen, exact=self.odds.exact)

    def _note(self, decision: Decision) -> None:
        """Notes a decision and its cost."""
        decision = replace(decision, has_points=self.match.order_of_play.has_points)
        self.decisions.append(decision)
        self.points[decision.player].skill -= sign(self.odds.profile) * decision.points
        if self.win is not None and decision.win is not None:
            self.win[decision.player].skill -= decision.win
        if decision.throw is not None:
            self.changes.append(
                TurningPoint(decision.player, decision.round, decision.throw, True, -decision.cost)
            )

    def _points(self, turn: Turn) -> Fraction:
        return self.odds.points(self._turn(turn))

    def _turn(self, turn: Turn) -> Turn:
        """The turn under the rules that count points: in a race, those are throws."""
        if turn.outcome is None or not self.match.game.is_race:
            return turn
        return Turn(turn.open, throws=turn.throws, outcome=turn.outcome, score=turn.throws)

    def _chance(self, turn: Turn) -> Fraction | None:
        return None if self.play is None else Fraction(self.play.worth(turn))

    def _is_scored(self, player: int) -> bool:
        row = self.match.rows[player]
        return player not in self.match.seats or row.throws == 0 or row.score is not None

    def _accuracy(self, player: int) -> float | None:
        if not any(change.player == player for change in self.changes):
            return None
        own = [decision for decision in self.decisions if decision.player == player]
        stake = sum([decision.stake for decision in own], Fraction(0))
        cost = sum([decision.cost for decision in own], Fraction(0))
        return 100.0 if not stake else float(100 * (1 - cost / stake))
