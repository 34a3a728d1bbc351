"""Playing a match for the win: every player's chance at any position, and the best play.

The deciding round (the last one, or a play-off) is solved exactly by `Equilibrium`. Before that, the chances
are an approximation: everybody is assumed to play later turns for points. Then the points that later turns
add to each total are known exactly, and so is the chance to be ahead at the end. A match to a limit has no
chances to win: play is for points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from shutthebox.odds.evaluate import TurnPlay
from shutthebox.odds.odds import Odds
from shutthebox.odds.seat_turn import seat_play
from shutthebox.odds.seats import Equilibrium
from shutthebox.odds.solver import TurnSolver
from shutthebox.odds.worths import End, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match
from shutthebox.rules.profile import First, Profile, ShutWins, Tie
from shutthebox.rules.score import score


def is_deciding(match: Match) -> bool:
    """Whether the current round decides the match, so that its chances are exact."""
    return match.round.tie_rounds > 0 or match.round.number >= match.rounds


class Seats(TurnSolver):
    """The chance to win of players who take whole turns, one after the other."""

    def play(self, match: Match) -> TurnPlay:
        """The best play of the current turn for the win."""
        self.check(match.players)
        game, player = match.game, match.player
        if is_deciding(match):
            return _deciding_play(_deciding(match))
        to_come = tuple(i for i in match.order if i != player and match.round.rows[i].outcome is None)
        return _earlier_play(game, match.totals, _turns_left(match)[1:], to_come, player)

    def _chances(self, match: Match) -> tuple[float, ...]:
        self.check(match.players)
        game, players = match.game, range(match.players)
        if not is_deciding(match):
            left = _turns_left(match)
            return tuple(_chance_by_totals(game, match.totals, left, player) for player in players)
        deciding = _deciding(match)
        by_seat = deciding.game.chances(
            deciding.totals, deciding.scores, last_of_several=deciding.last_of_several
        )
        by_player = dict(zip(match.order, by_seat, strict=True))
        return tuple(by_player.get(player, 0.0) for player in players)


class _Deciding(NamedTuple):
    """A round that decides the match, in the order of play.

    Attributes:
        game: the play of the round.
        totals: before the round, of each seat.
        scores: the totals of the seats that have played.
        last_of_several: see `Equilibrium.chances`.
    """

    game: Equilibrium
    totals: tuple[int, ...]
    scores: tuple[int, ...]
    last_of_several: bool


def _deciding(match: Match) -> _Deciding:
    game = match.game
    # Who begins only matters if head starts count again.
    again = game.tie is Tie.REPLAY_ALL and game.first is not First.SEAT_1
    first = match.round.first_player if again and any(game.handicap) else 0
    equilibrium = _equilibrium(game, match.players, first)
    if not equilibrium.holds_for(match.round.tie_rounds):
        equilibrium = _equilibrium(game, match.players, first, match.round.tie_rounds)
    alone = match.round.tie_rounds > 0 and game.tie is Tie.PLAY_OFF
    rows = {i: match.round.rows[i] for i in match.order}
    totals = [0 if alone else match.totals[i] - (row.score or 0) for i, row in rows.items()]
    played = [i for i, row in rows.items() if row.outcome is not None]
    scores = [(rows[i].score or 0) if alone else match.totals[i] for i in played]
    return _Deciding(
        equilibrium, tuple(totals), tuple(scores), match.rounds > 1 and match.round.tie_rounds == 0
    )


@lru_cache(maxsize=2)
def _equilibrium(game: Profile, players: int, first: int, tie_rounds: int = 0) -> Equilibrium:
    return Equilibrium(game, players, first=first, tie_rounds=tie_rounds)


@lru_cache(maxsize=16)
def _deciding_play(deciding: _Deciding) -> TurnPlay:
    return deciding.game.seat(deciding.totals, deciding.scores, last_of_several=deciding.last_of_several)


@lru_cache(maxsize=256)
def _earlier_play(
    game: Profile,
    totals: tuple[int, ...],
    turns_left: tuple[int, ...],
    to_come: tuple[int, ...],
    player: int,
) -> TurnPlay:
    """The best play of a turn before the deciding round, assuming later turns are played for points."""

    def worth(end: End) -> float:
        after, left = list(totals), turns_left
        after[player] += end.score
        if end.shut and game.shut_wins is ShutWins.MATCH:
            return 1.0
        if end.shut and game.shut_wins is ShutWins.ROUND:
            # The round is over: the others score their rows as they are.
            for other in to_come:
                after[other] += score(game, game.starting, 0)
            left = left[len(to_come) :]
        return _chance_by_totals(game, tuple(after), left, player)

    return seat_play(game, lru_cache(maxsize=None)(worth))


def _chance_by_totals(
    game: Profile, totals: tuple[int, ...], turns_left: tuple[int, ...], player: int
) -> float:
    """A player's chance to win if all remaining turns are played for points."""
    shut, _ = _turn_for_points(game)
    own, nobody = 0.0, 1.0
    if game.shut_wins is ShutWins.MATCH:
        for turn in turns_left:
            own += nobody * shut * (turn == player)
            nobody *= 1 - shut
    rivals = tuple(sorted((total, turns_left.count(i)) for i, total in enumerate(totals) if i != player))
    curve = _curve(game, rivals)
    added = _added(game, turns_left.count(player))
    return own + nobody * sum([chance * curve(totals[player] + more) for more, chance in added.items()])


@lru_cache(maxsize=64)
def _curve(game: Profile, rivals: tuple[tuple[int, int], ...]) -> Callable[[int], float]:
    """The chance to win with a total, given the rivals' totals and remaining turns."""
    best = sign(game)

    @cache
    def chance(total: int) -> float:
        # By the number of ties so far: the chance that nobody is better.
        tied = {0: 1.0}
        for theirs, left in rivals:
            worse = level = 0.0
            for more, share in _added(game, left).items():
                worse += share * (best * (theirs + more) < best * total)
                level += share * (theirs + more == total)
            following: dict[int, float] = {}
            for count, share in tied.items():
                following[count] = following.get(count, 0.0) + share * worse
                following[count + 1] = following.get(count + 1, 0.0) + share * level
            tied = following
        return sum([share / (count + 1) for count, share in tied.items()])

    return chance


@lru_cache(maxsize=256)
def _added(game: Profile, count: int) -> Mapping[int, float]:
    """The points that `count` turns add to a total, each sum with its chance."""
    if not count:
        return {0: 1.0}
    found: dict[int, float] = {}
    _, one = _turn_for_points(game)
    for before, chance in _added(game, count - 1).items():
        for points, share in one.items():
            found[before + points] = found.get(before + points, 0.0) + chance * share
    return found


@lru_cache(maxsize=4)
def _turn_for_points(game: Profile) -> tuple[float, Mapping[int, float]]:
    """The chance that a turn for points shuts the box, and its scores.

    If a shut box wins the match, the scores are those of turns that don't shut it.
    """
    ends = Odds(game).ends(turns.start(game))
    shut = float(sum([chance for end, chance in ends.items() if end.shut]))
    scores: dict[int, float] = {}
    for end, chance in ends.items():
        if not (end.shut and game.shut_wins is ShutWins.MATCH):
            scores[end.score] = scores.get(end.score, 0.0) + float(chance)
    whole = sum(scores.values())
    return shut, {points: chance / whole for points, chance in scores.items()}


def _turns_left(match: Match) -> tuple[int, ...]:
    """The players who still have a turn before the match is decided on totals, in order."""
    left = [i for i in match.order if match.round.rows[i].outcome is None]
    order = match.order
    for _ in range(match.rounds - match.round.number):
        if match.game.first_moves_on:
            order = (*order[1:], order[0])
        left += order
    return tuple(left)
