"""Playing against others: every seat's chance to win a round when all play their best.

The seats play one whole turn each, and each knows the scores before. So the last seat is solved
first: for every score to beat, the best play of a turn and how it ends. With that, each final score
of the seat before has its chance to win, and so on back to the first seat (backward induction).
A seat's chances depend on the best score so far and on how many have it, not on whose it is.

A tie is shared, or ends in another round of those tied (or of everybody), which is the same game
again. Its worth is found by policy iteration: a guess of it gives the best play; that play gives its worth,
as the solution of one equation; and so on until neither changes.

Play for the money is the same with other worths of the ends. Where the loser pays, the seats avoid being
the worst, so the worst score so far counts.

The same turn is solved for hundreds of worths (`SeatTurn`), in floats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from operator import add, truediv
from typing import NamedTuple

from shutthebox.odds.evaluate import PositionPlay, TurnPlay, best_play_at, best_worths, leads_to
from shutthebox.odds.model import TurnModel
from shutthebox.odds.worths import End, OddsError, TooLargeError, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile, Scoring, ShutWins, Stakes, Tie, Turns, Win

_NUDGE = 1e-11
"""Added to the worth of the best score, and less to others: of equal answers the better score is chosen."""

MOST_SEATS = 9

MOST_WORK = 5_000_000
"""Most positions that are gone through, all scores to beat and seats together: some twenty seconds of work.
Twelve tiles and six players take 4,850,000."""

_SETTLED = 1e-6
"""The iteration ends if its last change is below this. As it squares its error, the next change would be
below 1e-9."""

_MOST_ROUNDS = 50


class Prize(Enum):
    """The aim of the seats: the win, or the money of the profile's stakes."""

    WIN = "win"
    MONEY = "money"


class Standing(NamedTuple):
    """The scores so far, as far as they matter.

    Attributes:
        mark: the best total so far, higher is better whatever the profile; None before the first turn.
        tied: how many have it.
    """

    mark: int | None = None
    tied: int = 0


NOBODY = Standing()
"""Nobody has played."""


class _Outlook(NamedTuple):
    """The prospects of everybody, from a standing.

    Attributes:
        leaders: the worth for each of those who have the mark, in the order of their seats.
        later: for each of those still to play.
        out: for anybody else.
        again: the chance that all of them play once more. The worths are without that.
    """

    leaders: tuple[float, ...]
    later: tuple[float, ...]
    out: float
    again: float


@dataclass
class _Solved:
    """A seat's turn as it was solved for one standing. Other standings share a part of it.

    Attributes:
        turn: the turn.
        below: how many ends, the best first, set a new mark.
        prospects: per end the worth to the seat, what follows, and its place among leaders.
        worths: of every position.
    """

    turn: SeatTurn
    below: int
    prospects: dict[End, tuple[float, _Outlook, int | None]]
    worths: list[float]

    @cached_property
    def expected(self) -> list[list[float]]:
        """Per position with a certain new mark the means of `out`, `again`, and `later` for each seat."""
        rows = {}
        for end, (_, following, place) in self.prospects.items():
            own = following.out if place is None else following.leaders[place]
            rows[end] = (following.out, following.again, own, *following.later)
        columns = zip(*map(rows.__getitem__, self.turn.model.ends), strict=True)
        return [self.turn.expected(rows.__getitem__, self.worths, self.below, of_ends) for of_ends in columns]


class SeatTurn:
    """A turn that is solved again for every standing: what is certain, or known from before, is skipped.

    Attributes:
        model: the positions.
        start: the number of the position that a turn starts from.
        order: the ends by their score, the best first; an end's place here is its rank.
    """

    def __init__(self, profile: Profile) -> None:
        """Finds for every position the best and the worst end that it can come to.

        Raises:
            OddsError: where throws count, or tiles are opened again.
            TooLargeError: for more than 12 tiles, or rules with too many positions.
        """
        if profile.score is Scoring.THROWS:
            raise OddsError("play against others is not worked out where throws count")
        model = self.model = TurnModel(profile)
        if model.comes_back:
            raise OddsError("play against others is not worked out where tiles are opened again")
        self.start = model.number(turns.start(profile))
        best = sign(profile)
        self.order = sorted(range(len(model.ends)), key=lambda at: -best * model.ends[at].score)
        ranks = {at: rank for rank, at in enumerate(self.order)}
        self._nudges = [_NUDGE * (1 - ranks[at] / len(ranks)) for at in range(len(model.ends))]
        self._low, self._high = [list(map(ranks.__getitem__, range(len(ranks)))) for _ in "ab"]
        for choices in model.choices[len(ranks) :]:
            after = {each for choice in choices for each in choice.forced}
            after.update(each for choice in choices for several in choice.after for each in several)
            self._low.append(min(map(self._low.__getitem__, after)))
            self._high.append(max(map(self._high.__getitem__, after)))

    def worths(
        self, worth: Callable[[End], float], known: Sequence[float] = (), below: int = 0
    ) -> list[float]:
        """The worth of every position under best play; the ends come first.

        Args:
            worth: of each end.
            known: the worths of all positions for other worths of the ends.
            below: ends of a lower rank than this have the same worth in both.
        """
        of_ends = [worth(end) for end in self.model.ends]
        run = self._run(of_ends)
        worths = [each + nudge for each, nudge in zip(of_ends, self._nudges, strict=True)]
        order, low, high = self.order, self._low, self._high

        def settled(number: int) -> float | None:
            if high[number] < below:
                return known[number]
            rank = low[number]
            return worths[order[rank]] if run[rank] >= high[number] else None

        return best_worths(self.model, worths, settled=settled)

    def distribution(
        self, result: Callable[[End], object], worths: Sequence[float], below: int = 0
    ) -> list[float]:
        """How a turn ends under that play: the chance of each end.

        Args:
            result: of each end; of ends with the same result one may get the chances of others.
            worths: of all positions, found for that of the ends, which is the same for the same result.
            below: a turn is followed no further than to a position from which all ends have a lower rank than
                this; the chance of such a position is given, too, at its number.
        """
        run = self._run([result(end) for end in self.model.ends])
        mass = [0.0] * (self.start + 1)
        mass[self.start] = 1.0
        for number in range(self.start, len(self.model.ends) - 1, -1):
            here = mass[number]
            if not here or self._high[number] < below:
                continue
            mass[number] = 0.0
            rank = self._low[number]
            if run[rank] >= self._high[number]:
                mass[self.order[rank]] += here
                continue
            choice, chosen = self._play_at(number, worths)
            share = here / choice.lively
            for after, weight in leads_to(choice, chosen):
                mass[after] += share * weight
        return mass

    def expected(
        self, result: Callable[[End], object], worths: Sequence[float], below: int, of_ends: Sequence[float]
    ) -> list[float]:
        """The mean of something else than the worth under that play, for each position.

        Args:
            result: of each end; it decides `of_ends`, and the worth.
            worths: of all positions, found for that of the ends.
            below: only positions count from which all ends have a lower rank than this; the others get 0.
            of_ends: what it is for each end.
        """
        run = self._run([result(end) for end in self.model.ends])
        found = list(of_ends)
        for number in range(len(found), len(self.model.choices)):
            if self._high[number] >= below:
                found.append(0.0)
                continue
            rank = self._low[number]
            if run[rank] >= self._high[number]:
                found.append(found[self.order[rank]])
                continue
            choice, chosen = self._play_at(number, worths)
            total = sum([weight * found[after] for after, weight in leads_to(choice, chosen)])
            found.append(total / choice.lively)
        return found

    def _play_at(self, number: int, worths: Sequence[float]) -> PositionPlay:
        return best_play_at(self.model, number, worths, 0.0, truediv)

    def _run(self, results: Sequence[object]) -> list[int]:
        """By rank of score, up to which rank all ends have the same result."""
        run = list(range(len(results)))
        for rank in range(len(results) - 2, -1, -1):
            if results[self.order[rank]] == results[self.order[rank + 1]]:
                run[rank] = run[rank + 1]
        return run


@lru_cache(maxsize=4)
def seat_turn(profile: Profile) -> SeatTurn:
    """`SeatTurn`, kept for the profiles that were asked for last."""
    return SeatTurn(profile)


class SeatPlay(TurnPlay[float]):
    """The best play of one turn for a chance to win, or for stakes: any worth of its ends.

    Attributes:
        chance_of: the worth of an end.
    """

    def __init__(self, profile: Profile, worth: Callable[[End], float]) -> None:
        """Solves the turn.

        Raises:
            OddsError: as `SeatTurn`.
        """
        self.chance_of = worth
        turn = seat_turn(profile)
        super().__init__(turn.model, turn.worths(worth), 0.0, truediv)

    def _end(self, end: End) -> float:
        return self.chance_of(end)

    def _read(self, value: float, by: int = 1) -> float:
        return value / by

    def _order(self, worth: float) -> float:
        return worth


class Equilibrium:
    """A round of a profile when all play their best.

    Attributes:
        profile: the game.
        players: how many play the round.
        prize: what they play for.

    >>> from shutthebox.config.profiles import builtin
    >>> [round(chance, 4) for chance in Equilibrium(builtin("thai"), 2).chances()]
    [0.4971, 0.5029]
    """

    def __init__(self, profile: Profile, players: int, prize: Prize = Prize.WIN) -> None:
        """Solves the rounds after a tie; the rest is solved at its first use.

        Raises:
            OddsError: for rules that are not played in whole turns, or that no turn is solved for.
            ValueError: for a number of players that cannot play.
        """
        if profile.turns is not Turns.WHOLE or profile.win is Win.FIRST_TO_SHUT:
            raise OddsError(f"{profile.name} is not played in whole turns: there are no odds of its seats")
        if not 1 <= players <= MOST_SEATS:
            raise ValueError(f"players: {players} is not allowed, 1 to {MOST_SEATS} are")
        self.profile, self.players, self.prize = profile, players, prize
        self._turn = seat_turn(profile)
        work = len(self._turn.model.stops) * len(self.ends) * players * (players - 1) // 2
        if work > MOST_WORK:
            raise TooLargeError(f"{players} players have too many scores to beat here for exact odds")
        self._pays = prize is Prize.MONEY
        self._worst_pays = self._pays and profile.stakes is Stakes.LOSER_PAYS
        self._sign = -sign(profile) if self._worst_pays else sign(profile)
        self._outright = profile.shut_wins is not ShutWins.NO
        self._tie = Tie.SHARE if self._worst_pays else profile.tie
        self._known: dict[tuple[tuple[int, ...], Standing], _Outlook] = {}
        self._solved: dict[tuple[int, ...], _Solved] = {}
        # The worth of another round by the number of players in it, to each and to all others.
        self._rounds: dict[int, tuple[tuple[float, ...], float]] = {}
        self._replayed = 0
        if self._tie is Tie.PLAY_OFF:
            for tied in range(2, players + 1):
                self._solve_round(tied)
        elif self._tie is Tie.REPLAY_ALL:
            self._solve_round(players)

    @property
    def ends(self) -> tuple[End, ...]:
        """How a turn can end."""
        return self._turn.model.ends

    @property
    def shut_wins(self) -> bool:
        """Whether a shut box wins the round at once."""
        return self._outright

    def chances(self, totals: Sequence[int] = (), scores: Sequence[int | None] = ()) -> tuple[float, ...]:
        """The worth of the round to every seat: the chance to win, or the money expected in stakes.

        Args:
            totals: each seat's points before the round; none for a round of its own.
            scores: the totals of the seats that have played, the first seats first; None for one
                that cannot win any more.
        """
        standing, seat = self.standing(scores), len(scores)
        found = self._outlook(self._to_come(totals, seat), standing)
        leaders = iter(found.leaders)
        worths = [next(leaders) if self._has_mark(score, standing) else found.out for score in scores] + list(
            found.later
        )
        return tuple(worth + found.again * self._once_more(at) for at, worth in enumerate(worths))

    def standing(self, scores: Sequence[int | None]) -> Standing:
        """The standing after these totals."""
        marks = [self._sign * score for score in scores if score is not None]
        return Standing(max(marks), marks.count(max(marks))) if marks else NOBODY

    def seat(self, totals: Sequence[int] = (), scores: Sequence[int | None] = ()) -> SeatPlay:
        """The best play of the next seat's turn; the arguments are those of `chances`."""
        standing, to_come = self.standing(scores), self._to_come(totals, len(scores))
        worths = {end: self._prospect(to_come, standing, end)[0] for end in self.ends}
        return SeatPlay(self.profile, worths.__getitem__)

    def _to_come(self, totals: Sequence[int], seat: int) -> tuple[int, ...]:
        return tuple(totals[seat:]) if totals else (0,) * (self.players - seat)

    def _has_mark(self, score: int | None, standing: Standing) -> bool:
        return score is not None and self._sign * score == standing.mark

    def _prospect(
        self, offsets: tuple[int, ...], standing: Standing, end: End
    ) -> tuple[float, _Outlook, int | None]:
        """The worth of an end of the next seat's turn to it, the outlook after it, its place among leaders.

        The place is None for a seat that is no leader.
        """
        if end.shut and self._outright:
            following = self._shut(len(offsets) - 1, standing)
            return following.leaders[-1], following, len(following.leaders) - 1
        mark = self._sign * (offsets[0] + end.score)
        if standing.mark is None or mark > standing.mark:
            following, place = self._outlook(offsets[1:], Standing(mark, 1)), 0
        elif mark == standing.mark:
            following = self._outlook(offsets[1:], Standing(mark, standing.tied + 1))
            place = standing.tied
        else:
            following = self._outlook(offsets[1:], standing)
            return following.out + following.again * self._once_more(-len(offsets)), following, None
        worth = following.leaders[place] + following.again * self._once_more(-len(offsets))
        return worth, following, place

    def _outlook(self, offsets: tuple[int, ...], standing: Standing) -> _Outlook:
        if not offsets:
            return self._decided(standing)
        key = offsets, standing
        if key not in self._known:
            self._known[key] = self._play(offsets, standing)
        return self._known[key]

    def _play(self, offsets: tuple[int, ...], standing: Standing) -> _Outlook:
        """Plays the next seat's turn as well as possible; gives everybody's prospects."""
        turn, ends = self._turn, self.ends
        # The worst end comes first: its solution serves the others.
        prospects = {ends[at]: self._prospect(offsets, standing, ends[at]) for at in reversed(turn.order)}

        def worth(end: End) -> float:
            return prospects[end][0]

        better, solved = self._better(offsets, standing), self._solved.get(offsets)
        shared = min(better, solved.below) if solved else 0
        worths = turn.worths(worth, solved.worths if solved else (), shared)
        tied = standing.tied
        results = {end: self._result(tied, prospect) for end, prospect in prospects.items()}
        mass = turn.distribution(results.__getitem__, worths, shared)
        if solved is None or better > solved.below:
            self._solved[offsets] = _Solved(turn, better, prospects, worths)
        sums = [0.0] * (tied + len(offsets) + 2)
        for end, chance in zip(ends, mass[: len(ends)], strict=True):
            if chance:
                sums = [total + chance * each for total, each in zip(sums, results[end], strict=True)]
        leaders, later, (out, again) = sums[:tied], sums[tied:-2], sums[-2:]
        if solved and shared:
            # A new mark is certain here: the old leaders are out, and the solution from before holds.
            reached = [(number, mass[number]) for number in range(len(ends), len(mass)) if mass[number]]
            more_out, more_again, *more_later = (
                sum([chance * expected[number] for number, chance in reached]) for expected in solved.expected
            )
            leaders = [worth + more_out for worth in leaders]
            later = list(map(add, later, more_later))
            out += more_out
            again += more_again
        return _Outlook(tuple(leaders), tuple(later), out, again)

    def _result(self, tied: int, prospect: tuple[float, _Outlook, int | None]) -> tuple[float, ...]:
        """What follows from an end: old leaders, the next seat, later ones, others, `again`."""
        _, following, place = prospect
        # The old leaders stay so unless the mark is a new one.
        stay = place is None or place == tied
        leaders = following.leaders[:tied] if stay else (following.out,) * tied
        own = following.out if place is None else following.leaders[place]
        return (*leaders, own, *following.later, following.out, following.again)

    def _better(self, offsets: tuple[int, ...], standing: Standing) -> int:
        """How many ends, the best first, set a new mark: after them the standing before does not matter."""
        if self._worst_pays:
            return 0
        ends = self.ends
        for rank, at in enumerate(self._turn.order):
            wins = ends[at].shut and self._outright
            mark = self._sign * (offsets[0] + ends[at].score)
            if not wins and standing.mark is not None and mark <= standing.mark:
                return rank
        return len(ends)

    def _shut(self, later: int, standing: Standing) -> _Outlook:
        """A shut box has won: nobody else plays. The last of the leaders has shut it."""
        if not self._worst_pays:
            own, out = (1.0, 0.0) if not self._pays else self._pot(1, shut=True)
            return _Outlook((*(out,) * standing.tied, own), (out,) * later, out, 0.0)
        if standing.tied:
            return _Outlook((*(-1 / standing.tied,) * standing.tied, 0.0), (0.0,) * later, 0.0, 0.0)
        return _Outlook((0.0,), (-1 / max(1, self.players - 1),) * later, 0.0, 0.0)

    def _decided(self, standing: Standing) -> _Outlook:
        """Everybody has played."""
        tied = standing.tied
        if tied > 1 and self._tie is not Tie.SHARE:
            if self._tie is Tie.REPLAY_ALL or tied == self._replayed:
                return _Outlook((0.0,) * tied, (), 0.0, 1.0)
            worths, out = self._rounds[tied]
            return _Outlook(worths, (), out, 0.0)
        if self._worst_pays:
            return _Outlook((-1 / tied,) * tied, (), 0.0, 0.0)
        if not self._pays:
            return _Outlook((1 / tied,) * tied, (), 0.0, 0.0)
        shut = End(self._sign * (standing.mark or 0), True) in self._turn.model.ends
        own, out = self._pot(tied, shut=shut)
        return _Outlook((own,) * tied, (), out, 0.0)

    def _pot(self, winners: int, *, shut: bool) -> tuple[float, float]:
        """The worth of the end to a winner, and to any other seat."""
        if self.profile.stakes is Stakes.NONE:
            return 0.0, 0.0
        stake = 2 if shut and self.profile.stakes is Stakes.POOL_DOUBLE else 1
        return stake * (self.players - winners) / winners, -float(stake)

    def _once_more(self, seat: int) -> float:
        """The worth of playing once more to a seat of the round."""
        if not self._replayed:
            return 0.0
        return self._rounds[self._replayed][0][seat]

    def _solve_round(self, players: int) -> None:
        """The worth of another round to each of so many tied players."""
        self._replayed = players
        self._rounds[players] = (0.0 if self._pays else 1 / players,) * players, 0.0
        self._solved.clear()
        fresh = (0,) * players
        for _ in range(_MOST_ROUNDS):
            found = self._outlook(fresh, NOBODY)
            worths = tuple([each / (1 - found.again) for each in found.later])
            change = max([abs(a - b) for a, b in zip(worths, self._rounds[players][0], strict=True)])
            self._rounds[players] = worths, found.out / (1 - found.again)
            self._solved.clear()
            if change * found.again < _SETTLED:
                break
            self._known = {key: outlook for key, outlook in self._known.items() if not outlook.again}
        if self._tie is Tie.PLAY_OFF:
            self._known = {key: self._with_again(outlook) for key, outlook in self._known.items()}
            self._replayed = 0
            self._solved.clear()

    def _with_again(self, outlook: _Outlook) -> _Outlook:
        """The same with the worth of playing once more added."""
        if not outlook.again:
            return outlook
        worths, out = self._rounds[self._replayed]
        each = [outlook.again * worth for worth in worths]
        return _Outlook(
            tuple(map(add, outlook.leaders, each)),
            tuple(map(add, outlook.later, each[-len(outlook.later) :])),
            outlook.out + outlook.again * out,
            0.0,
        )
