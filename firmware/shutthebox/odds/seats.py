"""Playing against others: every seat's chance to win a round, or its money, under best play.

A round is solved from its last seat (`shutthebox.odds.seat_round`). A tie is shared, or leads to an extra
round for those tied or for everybody, at most `MAX_TIE_ROUNDS` times; then they share. If ties are rare, it
makes no difference how many extra rounds are left. Their worth is found by policy iteration: a guess gives
the best play, that play gives the worth, and so on until neither changes. If ties are so common that the last
extra rounds matter, they're solved one by one from the last.

Playing for money is the same, with other worths of a finished round. If the loser pays, everybody avoids
being worst, so the worst score so far counts, and a tie only matters between all of them. With two seats, the
one that doesn't win pays, so they play for the win.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from functools import cache
from itertools import product
from math import comb
from typing import NamedTuple, TypeAlias

from shutthebox.odds.evaluate import TurnPlay
from shutthebox.odds.seat_round import (
    BEGAN,
    HAS_SHUT,
    NOBODY,
    Leaders,
    Outlook,
    RoundRules,
    SeatRound,
    SeatsToPlay,
    SeatToPlay,
    Standing,
    Worths,
)
from shutthebox.odds.seat_turn import seat_play, seat_turn
from shutthebox.odds.solver import About, Solver
from shutthebox.odds.worths import End, OddsError, TooLargeError, sign
from shutthebox.rules import stakes as ledger
from shutthebox.rules.endings import MAX_TIE_ROUNDS
from shutthebox.rules.handicap import points_off
from shutthebox.rules.profile import (
    MAX_PLAYERS,
    MatchFormat,
    Profile,
    ShutWins,
    Stakes,
    Tie,
)
from shutthebox.rules.score import score

MAX_WORK = 5_000_000
"""The most positions to solve, for all scores to beat and seats together: some twenty seconds of work. Twelve
tiles and six players take 4,850,000."""

_MAX_TOLD_APART = 9
"""The most seats that may each have shut the box or not."""

_SETTLED = 1e-6
"""The iteration ends when its last change is below this. It squares its error, so the next change would be
below 1e-9."""

_MAX_ITERATIONS = 50

_NEGLIGIBLE = 1e-10
"""A difference that doesn't show in the nine digits of the answer."""

_UNCHANGED = 1e-12
"""Extra rounds whose worths differ by less count as the same."""


class Prize(Enum):
    """The prize that the seats play for: the win, or the profile's stakes."""

    WIN = "win"
    MONEY = "money"


class _Aim(NamedTuple):
    """The aim of the seats of a round.

    Attributes:
        settle: returns the worths of a finished round for its leaders; several share.
        worst_pay: whether those with the worst total lead, and pay.
    """

    settle: Callable[[Leaders], Worths]
    worst_pay: bool = False


_Key: TypeAlias = tuple[int, ...]
"""What distinguishes extra rounds, by seat in order of play: traits, or head starts if everybody starts over
with them."""


class Equilibrium:
    """A round under best play.

    Attributes:
        game: the game.
        players: how many play the match.
        prize: what they play for.

    >>> from shutthebox.config.profiles import builtin
    >>> [round(chance, 4) for chance in Equilibrium(builtin("thai"), 2).chances()]
    [0.4971, 0.5029]
    """

    def __init__(
        self,
        game: Profile,
        players: int,
        prize: Prize = Prize.WIN,
        *,
        first: int = 0,
        tie_rounds: int = 0,
    ) -> None:
        """Solves the extra rounds after a tie; the rest is solved on first use.

        Args:
            game: the game.
            players: how many play the match.
            prize: what they play for.
            first: the player, from 0, who begins the round.
            tie_rounds: how many extra rounds there have been, including this one.

        Raises:
            OddsError: the rules have no such odds, see `shutthebox.odds.solver`.
            ValueError: the number of players isn't allowed.
        """
        if not 1 <= players <= MAX_PLAYERS:
            raise ValueError(f"players: {players} is not allowed; use 1 to {MAX_PLAYERS}")
        Solver(game).check(players, About.ROUND)
        if game.counts_rounds_won:
            # A single round: everybody tied for it wins a point.
            game = replace(game, match=MatchFormat.TOTAL, rounds=1, limit=None, tie=Tie.SHARE)
        self.game, self.players, self.prize = game, players, prize
        self._turn = seat_turn(game)
        self._work = len(self._turn.model.stops) * len(self.ends) * players * (players - 1) // 2
        self._check_work(self._work)
        self._aim = _aim_of(game, players, prize)
        self._rotates = game.first_moves_on
        self._all_again = game.tie is Tie.REPLAY_ALL
        self._shutters_count = (
            prize is Prize.MONEY and game.stakes is Stakes.POOL_DOUBLE and game.shut_wins is ShutWins.NO
        )
        better = sign(game)
        self._heads = tuple(better * points_off(game, (first + i) % players) for i in range(players))
        # What the next extra rounds are worth; none if a tie is shared.
        self._extra: dict[_Key, Worths] = {}
        self._repeated: _Key | None = None
        self._plays_on = False
        self._holds_for = MAX_TIE_ROUNDS if game.tie is Tie.SHARE else tie_rounds
        tied = _Aim(_beaten(players)) if self._aim.worst_pay else self._aim
        self._round = self._new_round(tied)
        if game.tie is not Tie.SHARE and players > 1 and tie_rounds < MAX_TIE_ROUNDS:
            self._solve_extra_rounds(tied, MAX_TIE_ROUNDS - tie_rounds)
        if tied is not self._aim:
            self._round = self._new_round(self._aim)
        self._last_of_several = self._round
        if game.shut_wins is ShutWins.ROUND:
            unplayed = score(game, game.starting, 0, game.starting_behind)
            self._last_of_several = self._new_round(self._aim, unplayed)
        if self._all_again and self._plays_on:
            again = self._back(self._extra[self._next(self._heads)])
            self._round.play_again_for(again)
            self._last_of_several.play_again_for(again)

    def holds_for(self, tie_rounds: int) -> bool:
        """Whether the answers also hold after this many extra rounds."""
        return tie_rounds <= self._holds_for

    @property
    def ends(self) -> tuple[End, ...]:
        """How a turn can end."""
        return self._turn.model.ends

    @property
    def shut_wins(self) -> bool:
        """Whether a shut box wins the round at once."""
        return self.game.shut_wins is not ShutWins.NO

    def chances(
        self,
        totals: Sequence[int] = (),
        scores: Sequence[int | None] = (),
        *,
        last_of_several: bool = False,
    ) -> tuple[float, ...]:
        """The round's worth to every seat: the chance to win, or the expected stakes.

        Args:
            totals: each playing seat's points before the round; none for a single round.
            scores: the totals of the seats that have played, in order; None for one that can't win any more.
            last_of_several: whether this is the last of several rounds, not an extra one. If a shut box ends
                the round, totals decide then.
        """
        before = totals or (0,) * self.players
        standing, round_ = self._standing(before, scores), self._round_of(last_of_several)
        found = round_.outlook(self._to_come(before, scores), standing)
        leaders = iter(found.leaders)
        played = [next(leaders) if self._leads(total, standing) else found.out for total in scores]
        worths = (*played, *found.later)
        if not found.again:
            return worths
        again, _ = round_.again
        return tuple([worth + found.again * more for worth, more in zip(worths, again, strict=True)])

    def seat(
        self,
        totals: Sequence[int] = (),
        scores: Sequence[int | None] = (),
        *,
        last_of_several: bool = False,
    ) -> TurnPlay:
        """The best play of the next seat's turn; arguments as for `chances`."""
        before = totals or (0,) * self.players
        standing, round_ = self._standing(before, scores), self._round_of(last_of_several)
        return seat_play(self.game, round_.worths(self._to_come(before, scores), standing).__getitem__)

    def _round_of(self, last_of_several: bool) -> SeatRound:
        return self._last_of_several if last_of_several else self._round

    def _standing(self, before: Sequence[int], scores: Sequence[int | None]) -> Standing:
        mark = max([self._sign * total for total in scores if total is not None], default=None)
        if mark is None:
            return NOBODY
        leaders = [at for at, total in enumerate(scores) if total == self._sign * mark]
        shut = [
            self._shutters_count and End(self._sign * mark - before[at], True) in self.ends for at in leaders
        ]
        traits = [self._traits(at) | HAS_SHUT * has for at, has in zip(leaders, shut, strict=True)]
        return Standing(mark, tuple(traits))

    def _leads(self, total: int | None, standing: Standing) -> bool:
        return total is not None and self._sign * total == standing.mark

    def _to_come(self, before: Sequence[int], scores: Sequence[int | None]) -> SeatsToPlay:
        return tuple(SeatToPlay(before[at], self._traits(at)) for at in range(len(scores), len(before)))

    @property
    def _sign(self) -> int:
        """1 if the highest total leads, else -1."""
        return -sign(self.game) if self._aim.worst_pay else sign(self.game)

    def _traits(self, position: int) -> int:
        """The traits of a seat before its turn."""
        return BEGAN if self._rotates and not self._all_again and position == 0 else 0

    def _new_round(self, aim: _Aim, unplayed: int | None = None) -> SeatRound:
        best = sign(self.game)
        rules = RoundRules(
            -best if aim.worst_pay else best,
            worst_pay=aim.worst_pay,
            shut_wins=self.shut_wins and unplayed is None,
            unplayed=unplayed,
            tells_shutters=self._shutters_count,
        )

        def decided(leaders: Leaders) -> Worths | None:
            return self._decide(aim, leaders)

        return SeatRound(self._turn, rules, self.players, decided)

    def _decide(self, aim: _Aim, leaders: Leaders) -> Worths | None:
        """The worths once everybody has played; None if the whole round is played once more."""
        least = self.players if aim.worst_pay else 2
        if len(leaders) < least or not self._plays_on:
            return aim.settle(leaders)
        if self._all_again:
            return None
        began = bool(leaders[0] & BEGAN)
        key = self._next(tuple(traits & HAS_SHUT for traits in leaders), began=began)
        return None if key == self._repeated else self._back(self._extra[key], began=began)

    # Extra rounds.

    def _next(self, seats: _Key, *, began: bool = True) -> _Key:
        """Those who play on, in the order of the next round."""
        return (*seats[1:], seats[0]) if self._rotates and began else seats

    def _back(self, worths: Worths, *, began: bool = True) -> Worths:
        """The worths of the next round, in the order of this one."""
        each, out = worths
        return ((each[-1], *each[:-1]) if self._rotates and began else each), out

    def _keys(self) -> list[_Key]:
        """All kinds of extra rounds, each after those it can lead to."""
        if self._all_again:
            keys = [self._heads]
            while (following := self._next(keys[-1])) != self._heads:
                keys.append(following)
            return keys
        sizes = range(2, self.players + 1)
        if not self._shutters_count:
            return [(0,) * size for size in sizes]
        # Without head starts, of those with the same score either all have shut the box or none.
        alike = not any(self._heads) and len({end.score for end in self.ends}) == len(self.ends)
        if alike:
            return [(shut,) * size for size in sizes for shut in (HAS_SHUT, 0)]
        if self.players > _MAX_TOLD_APART:
            raise TooLargeError(f"{self.players} players are too many to tell who has shut the box in odds")
        every = [key for size in sizes for key in product((0, HAS_SHUT), repeat=size)]
        return sorted(every, key=lambda key: (len(key), -sum(key)))

    def _entrants(self, key: _Key) -> SeatsToPlay:
        """The seats of an extra round."""
        if self._all_again:
            return tuple(SeatToPlay(head) for head in key)
        return tuple(SeatToPlay(0, traits | self._traits(at)) for at, traits in enumerate(key))

    def _solve_extra_rounds(self, aim: _Aim, most: int) -> None:
        """Finds the worths of the next extra rounds, with at most this many to come."""
        keys = self._keys()
        kinds = len(keys) if self._all_again else -(-len(keys) // (self.players - 1))
        self._check_work(self._work * kinds)
        if all(self._next(key) == key for key in keys):
            self._plays_on = True
            again = max([self._by_policy_iteration(key, aim) for key in keys])
            enough = [left for left in range(1, most + 1) if self._tail(again, left) < _NEGLIGIBLE]
            if enough:
                self._holds_for = MAX_TIE_ROUNDS - enough[0]
                return
        self._check_work(self._work * kinds * most // 4)
        self._from_the_last(keys, aim, most)

    def _tail(self, again: float, most: int) -> float:
        """An upper bound for how much the last of `most` extra rounds matter.

        Some rounds on the way lose a seat instead of being repeated: one round for each seat but two.
        """
        fewer = range(min(most, self.players - 2) + 1)
        return sum([comb(most, each) * again ** (most - each) for each in fewer])

    def _by_policy_iteration(self, key: _Key, aim: _Aim) -> float:
        """Solves an extra round as if there were always one more. Returns the chance of that."""
        if not self._all_again:
            self._repeated = key
        worths = aim.settle(key)
        for _ in range(_MAX_ITERATIONS):
            before = worths
            self._round.play_again_for(self._back(before))
            found = self._round.outlook(self._entrants(key))
            for _ in range(MAX_TIE_ROUNDS):
                worths = self._once_more(found, worths)
            if _change(before, worths) * found.again < _SETTLED:
                break
            self._round.forget_again()
        self._extra[key] = worths
        self._round.play_again_for(self._back(worths))
        if not self._all_again:
            self._round.put_again_in()
            self._repeated = None
        return found.again

    def _from_the_last(self, keys: Sequence[_Key], aim: _Aim, most: int) -> None:
        """Solves extra rounds one by one from the last, after which a tie is shared."""
        self._plays_on = False
        self._extra = {}
        for _ in range(most):
            solved = {}
            self._round = self._new_round(aim)
            for key in keys:
                if self._all_again and self._plays_on:
                    self._round = self._new_round(aim)
                    self._round.play_again_for(self._back(self._extra[self._next(key)]))
                found = self._round.outlook(self._entrants(key))
                solved[key] = self._once_more(found, self._extra.get(self._next(key)))
            before, self._extra = self._extra, solved
            self._plays_on = True
            if before and max([_change(before[key], solved[key]) for key in keys]) < _UNCHANGED:
                break
        self._round = self._new_round(aim)

    def _once_more(self, found: Outlook, following: Worths | None) -> Worths:
        """The worths of a round, including the chance found that it's played once more."""
        if following is None or not found.again:
            return found.later, found.out
        each, out = self._back(following)
        worths = tuple([own + found.again * more for own, more in zip(found.later, each, strict=True)])
        return worths, found.out + found.again * out

    def _check_work(self, work: int) -> None:
        if work > MAX_WORK:
            raise TooLargeError(f"{self.players} players have too many scores to beat here for exact odds")


def _change(before: Worths, after: Worths) -> float:
    return max([abs(a - b) for a, b in zip((*before[0], before[1]), (*after[0], after[1]), strict=True)])


def _aim_of(game: Profile, players: int, prize: Prize) -> _Aim:
    if prize is Prize.WIN:
        return _Aim(_share)
    if game.stakes in (Stakes.POOL, Stakes.POOL_DOUBLE):
        return _Aim(_pool(players, doubles=game.stakes is Stakes.POOL_DOUBLE))
    if not game.loser_pays:
        return _Aim(lambda leaders: ((0.0,) * len(leaders), 0.0))
    if players <= 2:
        return _Aim(_beaten(players))
    if game.tie is Tie.REPLAY_ALL:
        # Both the best and the worst score so far would count.
        raise OddsError(
            f'{game.name}: stakes = "{game.stakes}" with tie = "{game.tie}" have odds for two players only'
        )
    return _Aim(lambda leaders: ((-1 / len(leaders),) * len(leaders), 0.0), worst_pay=True)


def _share(leaders: Leaders) -> Worths:
    return (1 / len(leaders),) * len(leaders), 0.0


def _pool(players: int, *, doubles: bool) -> Callable[[Leaders], Worths]:
    @cache
    def settle(leaders: Leaders) -> Worths:
        won = range(len(leaders))
        doubled = [i for i in won if doubles and leaders[i] & HAS_SHUT]
        return _got(ledger.pool(players, range(players), won, doubled), len(leaders))

    return settle


def _beaten(players: int) -> Callable[[Leaders], Worths]:
    """Everybody who hasn't won pays; everybody, if all share the win."""

    @cache
    def settle(leaders: Leaders) -> Worths:
        lost = range(len(leaders), players) or range(players)
        return _got(ledger.loser_pays(players, lost, (0,) * players, highest_wins=False), len(leaders))

    return settle


def _got(owed: ledger.Debts, leaders: int) -> Worths:
    """The gains of leaders and of any other seat, from debts with the leaders' first."""
    got = [float(-each) for each in owed]
    return tuple(got[:leaders]), got[-1] if leaders < len(got) else 0.0
