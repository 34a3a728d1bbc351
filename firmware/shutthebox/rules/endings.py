"""When a match is over and who has won: one class for each way to decide a match.

A format looks at a match after a turn or a round and says what follows. It changes nothing itself;
`shutthebox.rules.match` carries it out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from shutthebox.rules import stakes
from shutthebox.rules.position import NextRound, Position, Reason
from shutthebox.rules.profile import MatchFormat, Profile, Stakes, Tie
from shutthebox.rules.score import best_score

LAST_ROUND = 999
"""A match without a natural end (a limit that luck never reaches) is decided after this round."""

MAX_TIE_ROUNDS = 20
"""Players still tied after this many extra rounds share the win."""


class Won(NamedTuple):
    """The match is over.

    Attributes:
        winners: players, rising; none if nobody has won.
        reason: why it is over.
    """

    winners: tuple[int, ...]
    reason: Reason


class Format(ABC):
    """A way to decide matches."""

    def after_turn(self, match: Position) -> Won | NextRound | None:
        """Called after a turn: how it ends a round that others have not finished; None if they play on."""
        return None

    @abstractmethod
    def after_round(self, match: Position) -> Won | NextRound:
        """The outcome of a regular round once everyone has finished it."""

    def lost(self, match: Position) -> tuple[int, ...]:
        """Players who have just lost the match for good, whoever wins it."""
        return ()


class OnTotals(Format):
    """The best total after the last round wins."""

    def after_round(self, match: Position) -> Won | NextRound:
        """The best total wins after the last round."""
        if match.round.number < match.rounds:
            return NextRound(match.round.seats)
        return best_of(match, match.everybody, Reason.ROUNDS)


class TargetLoses(Format):
    """Whoever reaches the limit loses at once; the best of the others wins."""

    def after_turn(self, match: Position) -> Won | NextRound | None:
        """The match is over with the turn in which somebody reaches the limit."""
        return self.after_round(match) if self.lost(match) else None

    def after_round(self, match: Position) -> Won | NextRound:
        """The same; after the last round allowed, the totals decide."""
        lost = self.lost(match)
        others = tuple(i for i in match.everybody if i not in lost)
        if lost:
            return best_of(match, others, Reason.LIMIT) if others else Won((), Reason.LIMIT)
        return _undecided(match, match.everybody)

    def lost(self, match: Position) -> tuple[int, ...]:
        """Players who have reached the limit."""
        return tuple(i for i in match.everybody if match.team_totals[i] >= limit(match.game))


class WorstTargetLoses(TargetLoses):
    """The same where one throw may bring several to the limit: the worst total of them loses."""

    def lost(self, match: Position) -> tuple[int, ...]:
        """Those with the worst total of the players who have reached the limit."""
        there = super().lost(match)
        worst = max((match.team_totals[i] for i in there), default=0)
        return tuple(i for i in there if match.team_totals[i] == worst)


class TargetWins(Format):
    """The match is over with the round in which somebody reaches the limit; the highest total wins."""

    def after_round(self, match: Position) -> Won | NextRound:
        """The highest total wins as soon as one has reached the limit."""
        there = tuple(i for i in match.everybody if match.team_totals[i] >= limit(match.game))
        if there:
            return best_of(match, there, Reason.LIMIT, others=match.everybody)
        return _undecided(match, match.everybody)


class DropOut(Format):
    """Players at the limit at the end of a round are out; the last one left wins."""

    def after_round(self, match: Position) -> Won | NextRound:
        """The last one left wins; if the last ones go out together, the best of them does."""
        left = tuple(i for i in match.round.seats if i not in self._out(match))
        if not left:
            # A player alone has played against nobody.
            return (
                best_of(match, match.round.seats, Reason.LAST_LEFT, others=()) if match.teams > 1 else _NOBODY
            )
        if match.teams > 1 and left == match.team(left[0]):
            return Won(left, Reason.LAST_LEFT)
        return _undecided(match, left)

    def lost(self, match: Position) -> tuple[int, ...]:
        """The first to go out; those who follow have done better."""
        return self._out(match) if match.round.seats == match.everybody else ()

    def _out(self, match: Position) -> tuple[int, ...]:
        return tuple(i for i in match.round.seats if match.team_totals[i] >= limit(match.game))


_NOBODY = Won((), Reason.LIMIT)


class LastIn(Format):
    """Players share one row of tiles; the last one still in wins."""

    def after_turn(self, match: Position) -> Won | NextRound | None:
        """A player is out: the match is over if only one team is still in."""
        still_in = {match.team(i) for i in match.round.seats if match.round.rows[i].outcome is None}
        return Won(still_in.pop(), Reason.LAST_LEFT) if len(still_in) == 1 else None

    def after_round(self, match: Position) -> Won | NextRound:
        """A player alone is out."""
        return Won(match.team(match.player), Reason.LAST_LEFT)


class LastTile(Format):
    """Whoever moves the last tile wins; this is for a round that runs out of throws first."""

    def after_round(self, match: Position) -> Won | NextRound:
        """Fewer tiles to move win, and equals share."""
        return Won(match.round.winners, Reason.ROUNDS)


class AgainstTheBank(Format):
    """Everybody plays against the bank, so any number of players may win, or none."""

    def after_round(self, match: Position) -> Won | NextRound:
        """Whoever gets back more than the stake wins."""
        game = match.game
        gains = (stakes.pays(game, total) > game.stake for total in match.totals)
        return Won(tuple(i for i, gain in enumerate(gains) if gain), Reason.BANK)


class RoundsWon(Format):
    """The most round points win: after the last round, or as soon as somebody reaches the limit."""

    def after_round(self, match: Position) -> Won | NextRound:
        """The most points win after the last round, or the round in which the limit is reached."""
        if match.game.limit is None:
            if match.round.number < match.rounds:
                return NextRound(match.round.seats)
            return best_of(match, match.everybody, Reason.ROUNDS)
        there = tuple(i for i in match.everybody if match.team_totals[i] >= match.game.limit)
        if there:
            return best_of(match, there, Reason.LIMIT, others=match.everybody)
        return _undecided(match, match.everybody)


class Ladder(Format):
    """A solo player plays against the best total so far."""

    def after_round(self, match: Position) -> Won | NextRound:
        """A better total wins, and so does an equal one where none is better."""
        if match.round.number < match.rounds:
            return NextRound(match.round.seats)
        game, (total,) = match.game, match.totals
        best = max if game.highest_wins else min
        climbed = game.limit is None or total == best_score(game) * match.rounds
        if not climbed and game.limit is not None:
            climbed = total != game.limit and best(total, game.limit) == total
        return Won(match.everybody if climbed else (), Reason.LADDER)


_FORMATS = {
    MatchFormat.TOTAL: OnTotals(),
    MatchFormat.TARGET_LOSES: TargetLoses(),
    MatchFormat.TARGET_WINS: TargetWins(),
    MatchFormat.DROP_OUT: DropOut(),
    MatchFormat.ROUNDS_WON: RoundsWon(),
    MatchFormat.LADDER: Ladder(),
}
_AGAINST_THE_BANK = AgainstTheBank()


def usual_format(game: Profile) -> Format:
    """The format of a game's matches, unless its order of play has another."""
    return _AGAINST_THE_BANK if game.stakes is Stakes.BANK else _FORMATS[game.match]


def limit(game: Profile) -> int:
    """The points that the format asks for."""
    assert game.limit is not None, "the reader asks for a limit where the format needs one"
    return game.limit


def best_of(
    match: Position, candidates: tuple[int, ...], reason: Reason, *, others: tuple[int, ...] | None = None
) -> Won | NextRound:
    """The best total (of whole teams) wins; ties are broken as the game says.

    Args:
        match: the match at the end of a round.
        candidates: players who can win.
        reason: why the match is over.
        others: who plays again along with the tied players when everybody starts over; by default the
            candidates. Players who have lost or are out never come back.
    """
    tied = best_totals(match, candidates)
    return _best(match, tied, reason, candidates if others is None else others)


def after_extra_round(match: Position) -> Won | NextRound:
    """The outcome of an extra round: its scores decide, or the totals that started over."""
    anew = match.game.tie is Tie.REPLAY_ALL
    tied = best_totals(match, match.round.seats) if anew else match.round.winners
    return _best(match, tied, Reason.PLAY_OFF, match.round.seats)


def best_totals(match: Position, candidates: Sequence[int]) -> tuple[int, ...]:
    """The candidates, whole teams, with the best totals."""
    return best_marks(match, candidates, match.totals, highest=match.game.highest_total_wins)


def best_marks(
    match: Position, candidates: Sequence[int], points: Sequence[int], *, highest: bool
) -> tuple[int, ...]:
    """The candidates, whole teams, with the best sum of these points by player."""
    marks = {i: sum(points[mate] for mate in match.team(i)) for i in candidates}
    mark = (max if highest else min)(marks.values())
    return tuple(i for i in candidates if marks[i] == mark)


def _best(match: Position, tied: tuple[int, ...], reason: Reason, others: tuple[int, ...]) -> Won | NextRound:
    on_total = match.game.match is MatchFormat.TOTAL
    carries = match.game.tie is Tie.CARRY and (on_total or match.game.counts_rounds_won)
    last = match.round.number >= LAST_ROUND if carries else match.round.tie_rounds >= MAX_TIE_ROUNDS
    if match.game.tie is Tie.SHARE or last or tied == match.team(tied[0]):
        return Won(tied, reason)
    if carries:
        return NextRound(match.round.seats, anew=on_total)
    if match.game.tie is Tie.REPLAY_ALL:
        return NextRound(tuple(sorted({*tied, *others})), breaks_tie=True, anew=True)
    return NextRound(tied, breaks_tie=True)


def _undecided(match: Position, left: tuple[int, ...]) -> Won | NextRound:
    """Goes on to the next round; after the last one, the totals of the remaining players decide."""
    return best_of(match, left, Reason.ROUNDS) if match.round.number >= LAST_ROUND else NextRound(left)
