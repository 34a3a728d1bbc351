"""One row for all: every player's chance to be the last one in, or to shut the last tile.

A position is the open tiles and the players' insurances, the current player first. Everybody plays to win. A
move shuts tiles; an insurance is used up by a throw without one; a player who has neither is out. So
positions don't repeat, unless a double earns the insurance that it uses up: then ``V = sum(p * best) / (1 -
p_again)``. Positions are solved on first use, in floats.
"""

from collections.abc import Iterator
from typing import TypeAlias

from shutthebox.odds.model import MAX_EXACT_TILES, check_keys
from shutthebox.odds.row import TileRow
from shutthebox.odds.solver import About, Solver
from shutthebox.odds.throw_classes import Throws, throws_of
from shutthebox.odds.worths import Number, OddsError, TooLargeError
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import Draw, Profile
from shutthebox.rules.turn import Turn

MAX_SHARING = 3
"""Four players have some hundred thousand positions, too many for a box."""

_DIGITS = 12
"""To this many digits, chances are ties, and the first move is taken."""

_Misses: TypeAlias = tuple[int, ...]
"""How many throws without a move each player still in can spare, the current player first."""
_Chances: TypeAlias = tuple[float, ...]
"""The chance of each player still in, the current player first."""


class SharedRow(Solver):
    """The chance to win on one row for all, when everybody plays their best.

    `chances` are known at every throw, for three players still in at most.
    """

    def __init__(self, game: Profile) -> None:
        super().__init__(game)
        self._row = TileRow(game.starting)
        self._throws: dict[int, Throws] = {}
        self._known: dict[tuple[int, _Misses], tuple[_Chances, int]] = {}

    def options(self, match: Match) -> list[tuple[int, Number]]:
        """Judges each option by what it leaves the others."""
        self._check_row()
        if match.turn.awaits_answer:
            answers = turns.answers(match.rules, match.turn)
            found = [(shut, self.chances(match.move(shut))) for shut in answers]
        else:
            allowed = match.dice_allowed
            found = [(dice, self._with_dice(match, dice)) for dice in allowed]
        own: list[tuple[int, Number]] = [(choice, chances[match.player]) for choice, chances in found]
        return sorted(own, key=lambda option: self._order(float(option[1])), reverse=True)

    def worth(self, match: Match, turn: Turn | None = None) -> Number:
        """The chance of the current player of a match that awaits a throw, or is decided."""
        assert turn is None, "what one player leaves is what the next one finds"
        return self.chances(match)[match.player]

    def _chances(self, match: Match) -> _Chances:
        self._check_row()
        seats, misses = self._seats(match)
        return self._by_seat(match, seats, self._solve(self._row.dense(match.turn.open), misses)[0])

    def _with_dice(self, match: Match, dice: int) -> _Chances:
        """`chances` of a match that awaits a throw, if this many dice are thrown now."""
        seats, misses = self._seats(match)
        return self._by_seat(match, seats, self._mean(self._row.dense(match.turn.open), misses, dice))

    def _check_row(self) -> None:
        """Refuses the game before its players, so that all questions are refused alike."""
        game = self.game
        if not order_of(game).one_row:
            raise OddsError(f"{game.name}: the players do not share a row")
        if game.rows == 2 or game.draw is Draw.DOMINOES:
            raise TooLargeError("a shared row of this kind has too many positions for exact odds")
        check_keys(game)
        if self._row.count > MAX_EXACT_TILES[1]:
            raise TooLargeError(f"{self._row.count} tiles are too many for exact odds")

    def _reasons_of_turns(self, players: int, about: About) -> Iterator[tuple[str, str]]:
        if about is not About.ROUND:
            yield from super()._reasons_of_turns(players, about)

    @staticmethod
    def _order(chance: float) -> float:
        """A sort key by which almost equal chances are equal."""
        return round(chance, _DIGITS)

    def _by_seat(self, match: Match, seats: list[int], chances: _Chances) -> _Chances:
        by_seat = dict(zip(seats, chances, strict=True))
        return tuple(by_seat.get(seat, 0.0) for seat in range(match.players))

    def _seats(self, match: Match) -> tuple[list[int], _Misses]:
        """The players still in, the current one first, and how many misses each can spare."""
        order = [(match.player + step) % match.players for step in range(match.players)]
        seats = [seat for seat in order if match.round.rows[seat].outcome is None]
        if len(seats) > MAX_SHARING or match.in_teams:
            raise TooLargeError(
                f"a shared row has exact odds for {MAX_SHARING} players at most, without teams"
            )
        return seats, tuple(match.round.rows[seat].misses_left for seat in seats)

    def _solve(self, mask: int, misses: _Misses) -> tuple[_Chances, int]:
        """The chances at a position, and the best number of dice."""
        known = self._known.get((mask, misses))
        if known is None:
            dice = dice_allowed(self.game, self._row.sparse(mask))
            found = [(self._mean(mask, misses, count), count) for count in dice]
            known = max(found, key=lambda option: self._order(option[0][0]))
            self._known[mask, misses] = known
        return known

    def _mean(self, mask: int, misses: _Misses, dice: int) -> _Chances:
        if dice not in self._throws:
            self._throws[dice] = throws_of(self.game, self._row, dice)
        throws = self._throws[dice]
        sums, again = [0.0] * len(misses), 0
        idle = idle_doubles = 0

        def add(weight: int, chances: _Chances) -> None:
            for i, chance in enumerate(chances):
                sums[i] += weight * chance

        for answers in throws.classes:
            moves = answers.table[mask & answers.relevant]
            others = answers.weight - answers.doubles
            if not moves:
                idle += others
                idle_doubles += answers.doubles
                continue
            for weight, earned in ((others, 0), (answers.doubles, 1)):
                if weight:
                    add(weight, self._best(mask, moves, misses, earned))
        if idle_doubles and self.game.insurance:
            again = idle_doubles
        if idle and misses[0]:
            add(idle, self._solve(mask, (misses[0] - 1, *misses[1:]))[0])
        elif idle:
            add(idle, (0.0, *self._without_first(mask, misses)))
        left = throws.total - again
        return tuple(each / left for each in sums)

    def _best(self, mask: int, moves: tuple[int, ...], misses: _Misses, earned: int) -> _Chances:
        best: _Chances = ()
        for move in moves:
            after = mask ^ move
            chances: _Chances = (1.0, *(0.0,) * (len(misses) - 1))
            if after:
                rotated = (*misses[1:], misses[0] + earned)
                *others, own = self._solve(after, rotated)[0]
                chances = (own, *others)
            if not best or self._order(chances[0]) > self._order(best[0]):
                best = chances
        return best

    def _without_first(self, mask: int, misses: _Misses) -> _Chances:
        """The chances of the others when the current player is out."""
        if len(misses) <= 2:
            return (1.0,) * (len(misses) - 1)
        return self._solve(mask, misses[1:])[0]
