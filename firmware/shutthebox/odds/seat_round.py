"""One round of whole turns: what it's worth to every seat when all play their best.

Each seat plays one turn, knowing the totals so far. So the last seat is solved first: for every total to
beat, the best play of a turn and how it ends. That gives every final score of the seat before its worth, and
so on back to the first seat (backward induction). A seat's prospects depend on the best total so far and on
the traits of those who have it, not on who they are.

Callers say what a finished round is worth and what a tie leads to: see `shutthebox.odds.seats`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from operator import add
from typing import NamedTuple, TypeAlias

from shutthebox.odds.seat_turn import SeatTurn
from shutthebox.odds.worths import End

BEGAN = 1
"""A trait of a seat: it began the round, so in a play-off that rotates it's last of those tied."""

HAS_SHUT = 2
"""A trait of a seat: it has shut the box, which may double its pool."""


class SeatToPlay(NamedTuple):
    """A seat that hasn't played yet.

    Attributes:
        total: before its turn.
        traits: those of `BEGAN` and `HAS_SHUT` that make a difference.
    """

    total: int
    traits: int = 0


SeatsToPlay: TypeAlias = tuple[SeatToPlay, ...]
Leaders: TypeAlias = tuple[int, ...]
"""The traits of the leaders, in order of play."""

Worths: TypeAlias = tuple[tuple[float, ...], float]
"""The worth of a decided round to each of its leaders, and to any other seat."""


class Standing(NamedTuple):
    """The totals so far, as far as they matter.

    Attributes:
        mark: the best total so far, signed so that higher is better; None before the first turn.
        leaders: those who have it.
    """

    mark: int | None = None
    leaders: Leaders = ()


NOBODY = Standing()
"""The standing before anybody has played."""


class Outlook(NamedTuple):
    """Everybody's prospects from a standing.

    Attributes:
        leaders: the worth to each leader, in the order of their seats.
        later: the worth to each seat still to play.
        out: the worth to anybody else.
        again: the chance that the whole round is played once more, which the worths leave out.
    """

    leaders: tuple[float, ...]
    later: tuple[float, ...]
    out: float
    again: float


_Prospect: TypeAlias = tuple[float, Outlook, int | None]
"""An end's worth to its seat, the outlook after it, and the seat's place among the leaders."""


class RoundRules(NamedTuple):
    """Everything that affects a round besides the rules of a turn.

    Attributes:
        sign: 1 if leaders have the highest total, -1 if they have the lowest.
        worst_pay: whether leaders are those with the worst total, who pay.
        shut_wins: whether a shut box wins at once.
        unplayed: if a shut box ends the round on totals, the score of seats that haven't played; else None.
        tells_shutters: whether it matters which seats have shut the box.
    """

    sign: int
    worst_pay: bool = False
    shut_wins: bool = False
    unplayed: int | None = None
    tells_shutters: bool = False


@dataclass
class _Solved:
    """A seat's turn, solved for one standing. Other standings share part of it.

    Attributes:
        turn: the turn.
        below: how many ends, best first, set a new mark.
        prospects: of each end.
        worths: of every position.
    """

    turn: SeatTurn
    below: int
    prospects: dict[End, _Prospect]
    worths: list[float]

    @cached_property
    def expected(self) -> list[list[float]]:
        """By position that's sure of a new mark: the means of `out`, `again` and each seat's `later`."""
        rows = {}
        for end, (_, following, place) in self.prospects.items():
            own = following.out if place is None else following.leaders[place]
            rows[end] = (following.out, following.again, own, *following.later)
        columns = zip(*map(rows.__getitem__, self.turn.model.ends), strict=True)
        return [self.turn.expected(rows.__getitem__, self.worths, self.below, of_ends) for of_ends in columns]


class SeatRound:
    """A round's outlooks, each solved at its first use.

    Attributes:
        again: the worth of playing once more, to each position in the round and to any other seat.
    """

    def __init__(
        self, turn: SeatTurn, rules: RoundRules, players: int, decided: Callable[[Leaders], Worths | None]
    ) -> None:
        """Prepares the round.

        Args:
            turn: a turn of any seat.
            rules: those of the round.
            players: in the match, possibly more than play this round.
            decided: returns the worths once everybody has played; None if the whole round is played once
                more.
        """
        self.again: Worths = (), 0.0
        self._turn, self._rules, self._players, self._decided = turn, rules, players, decided
        self._known: dict[tuple[SeatsToPlay, Standing], Outlook] = {}
        self._solved: dict[SeatsToPlay, _Solved] = {}

    def outlook(self, to_come: SeatsToPlay, standing: Standing = NOBODY) -> Outlook:
        """Everybody's prospects before these seats' turns."""
        if not to_come:
            worths = self._decided(standing.leaders)
            if worths is None:
                return Outlook((0.0,) * len(standing.leaders), (), 0.0, 1.0)
            leaders, out = worths
            return Outlook(leaders, (), out, 0.0)
        key = to_come, standing
        if key not in self._known:
            self._known[key] = self._play(to_come, standing)
        return self._known[key]

    def worths(self, to_come: SeatsToPlay, standing: Standing) -> dict[End, float]:
        """The worth of each end of the next seat's turn to that seat."""
        return {end: self._prospect(to_come, standing, end)[0] for end in self._turn.model.ends}

    def play_again_for(self, worths: Worths) -> None:
        """Sets what playing once more is worth; known outlooks stay."""
        self.again = worths
        self._solved.clear()

    def forget_again(self) -> None:
        """Forgets the outlooks that depend on the worth of playing once more."""
        self._known = {key: outlook for key, outlook in self._known.items() if not outlook.again}

    def put_again_in(self) -> None:
        """Adds the worth of playing once more, now known, to all outlooks."""
        self._known = {key: self._with_again(outlook) for key, outlook in self._known.items()}

    def _with_again(self, outlook: Outlook) -> Outlook:
        if not outlook.again:
            return outlook
        # Everybody who has played leads, so leaders are at their positions.
        worths, out = self.again
        each = [outlook.again * worth for worth in worths]
        return Outlook(
            tuple(map(add, outlook.leaders, each)),
            tuple(map(add, outlook.later, each[-len(outlook.later) :])),
            outlook.out + outlook.again * out,
            0.0,
        )

    def _prospect(self, to_come: SeatsToPlay, standing: Standing, end: End) -> _Prospect:
        """The prospect of an end of the next seat's turn; the place is None if the seat doesn't lead."""
        if end.shut and self._rules.shut_wins:
            following = self._shut(len(to_come) - 1, standing)
            return following.leaders[-1], following, len(following.leaders) - 1
        follow = self._unplayed if end.shut and self._rules.unplayed is not None else self.outlook
        following, place = self._reached(to_come, standing, end, follow)
        worth = following.out if place is None else following.leaders[place]
        if following.again:
            worth += following.again * self.again[0][-len(to_come)]
        return worth, following, place

    def _reached(
        self,
        to_come: SeatsToPlay,
        standing: Standing,
        end: End,
        follow: Callable[[SeatsToPlay, Standing], Outlook],
    ) -> tuple[Outlook, int | None]:
        """What follows if the next seat's turn ends like this, and the seat's place among the leaders."""
        (total, traits), *others = to_come
        later, mark = tuple(others), self._rules.sign * (total + end.score)
        if end.shut and self._rules.tells_shutters:
            traits |= HAS_SHUT
        if standing.mark is None or mark > standing.mark:
            return follow(later, Standing(mark, (traits,))), 0
        if mark == standing.mark:
            return follow(later, Standing(mark, (*standing.leaders, traits))), len(standing.leaders)
        return follow(later, standing), None

    def _unplayed(self, to_come: SeatsToPlay, standing: Standing) -> Outlook:
        """A shut box has ended the round: the others score their rows as they are."""
        if not to_come:
            return self.outlook((), standing)
        assert self._rules.unplayed is not None, "a shut box does not end the round"
        end = End(self._rules.unplayed, False)
        following, place = self._reached(to_come, standing, end, self._unplayed)
        tied = len(standing.leaders)
        *worths, out, again = _result(tied, following, place)
        return Outlook(tuple(worths[:tied]), tuple(worths[tied:]), out, again)

    def _play(self, to_come: SeatsToPlay, standing: Standing) -> Outlook:
        """Plays the next seat's turn as well as possible. Returns everybody's prospects."""
        turn, ends = self._turn, self._turn.model.ends
        # The worst end comes first: its solution serves the others.
        prospects = {ends[at]: self._prospect(to_come, standing, ends[at]) for at in reversed(turn.order)}

        def worth(end: End) -> float:
            return prospects[end][0]

        better, solved = self._better(to_come, standing), self._solved.get(to_come)
        shared = min(better, solved.below) if solved else 0
        worths = turn.worths(worth, solved.worths if solved else (), shared)
        tied = len(standing.leaders)
        results = {end: _result(tied, following, place) for end, (_, following, place) in prospects.items()}
        mass = turn.distribution(results.__getitem__, worths, shared)
        if solved is None or better > solved.below:
            self._solved[to_come] = _Solved(turn, better, prospects, worths)
        sums = [0.0] * (tied + len(to_come) + 2)
        for end, chance in zip(ends, mass[: len(ends)], strict=True):
            if chance:
                sums = [total + chance * each for total, each in zip(sums, results[end], strict=True)]
        leaders, later, (out, again) = sums[:tied], sums[tied:-2], sums[-2:]
        if solved and shared:
            # A new mark is certain here: the old leaders are out, and the earlier solution holds.
            reached = [(number, mass[number]) for number in range(len(ends), len(mass)) if mass[number]]
            more_out, more_again, *more_later = (
                sum([chance * expected[number] for number, chance in reached]) for expected in solved.expected
            )
            leaders = [worth + more_out for worth in leaders]
            later = list(map(add, later, more_later))
            out += more_out
            again += more_again
        return Outlook(tuple(leaders), tuple(later), out, again)

    def _better(self, to_come: SeatsToPlay, standing: Standing) -> int:
        """How many ends, best first, set a new mark, after which the earlier standing doesn't matter."""
        if self._rules.worst_pay:
            return 0
        ends, rules = self._turn.model.ends, self._rules
        for rank, at in enumerate(self._turn.order):
            wins = ends[at].shut and rules.shut_wins
            mark = rules.sign * (to_come[0].total + ends[at].score)
            if not wins and standing.mark is not None and mark <= standing.mark:
                return rank
        return len(ends)

    def _shut(self, later: int, standing: Standing) -> Outlook:
        """A shut box has won, and nobody else plays. The last leader shut it."""
        tied = len(standing.leaders)
        if not self._rules.worst_pay:
            worths = self._decided((HAS_SHUT,))
            assert worths is not None, "a single leader has won"
            (own,), out = worths
            return Outlook((*(out,) * tied, own), (out,) * later, out, 0.0)
        if tied:
            return Outlook((*(-1 / tied,) * tied, 0.0), (0.0,) * later, 0.0, 0.0)
        # Nobody else has a total yet, so they share the payment.
        return Outlook((0.0,), (-1 / max(1, self._players - 1),) * later, 0.0, 0.0)


def _result(tied: int, following: Outlook, place: int | None) -> tuple[float, ...]:
    """What follows from an end: old leaders, the next seat, later ones, others, `again`."""
    # The old leaders stay unless there's a new mark.
    stay = place is None or place == tied
    leaders = following.leaders[:tied] if stay else (following.out,) * tied
    own = following.out if place is None else following.leaders[place]
    return (*leaders, own, *following.later, following.out, following.again)
