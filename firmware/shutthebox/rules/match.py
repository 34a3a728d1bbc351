"""A match: players, rounds and turns, until somebody has won.

`Match` is a frozen position. Three things happen to it, and each gives the next position:
`throw`, an answer (`move` or `reopen`), and `advance` when a finished turn has been looked at.
Players are numbered from 0 inside and from 1 wherever people read them.
"""

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import TypeVar

from shutthebox.rules import stakes as ledger
from shutthebox.rules import turn as turns
from shutthebox.rules.handicap import for_seat, points_off
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import (
    MAX_PLAYERS,
    MAX_ROUNDS,
    MatchFormat,
    Profile,
    ShutWins,
    Stakes,
    Tie,
    Turns,
)
from shutthebox.rules.score import best_score, score
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import Outcome, Turn

_T = TypeVar("_T")

LAST_ROUND = 999
"""A match without a natural end (a limit that luck never reaches) is decided after this round."""

MAX_TIE_ROUNDS = 20
"""Players still tied after so many extra rounds share the win."""


class Stage(Enum):
    """The action that the match waits for."""

    THROW = "throw"
    ANSWER = "answer"
    ADVANCE = "advance"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended.

    Attributes:
        winners: players who won, rising; several share, or are a team, or have beaten the bank. None
            where the bank, the ladder or, of a player alone, the limit that loses has beaten all.
        captain: the winner shut the box in the very first turn and takes the title (sheet 000).
        owes: per player the stakes owed; negative: gets.
    """

    winners: tuple[int, ...]
    captain: bool
    owes: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A position within a match; make one with `begin`.

    Attributes:
        game: as the table has agreed on it, on the box that is played; what a seat plays is `rules`.
        players: how many, 1..9.
        rounds: rounds to play, where the match is decided on totals.
        seats: players who take part in this round, in order.
        player: whose turn it is, or was when the turn has just ended.
        rows: each player's turn of this round; a player who does not take part keeps an older one.
        totals: points so far, from a head start in points on. A play-off decides who won and adds
            nothing; a match that starts over for a tie starts its totals anew.
        scores: each player's score of the last finished turn; None before the first.
        round: the running round, from 1.
        tie_rounds: extra rounds so far to break a tie, the running one included.
        shutters: players who have shut the box in this match, first first.
        turns_over: turns that have ended so far.
        stage: what the match waits for.
        result: how it ended. Known as soon as the last turn ends, before the last `advance`.
    """

    game: Profile
    players: int
    rounds: int
    seats: tuple[int, ...]
    player: int
    rows: tuple[Turn, ...]
    totals: tuple[int, ...]
    scores: tuple[int | None, ...]
    round: int = 1
    tie_rounds: int = 0
    shutters: tuple[int, ...] = ()
    turns_over: int = 0
    stage: Stage = Stage.THROW
    result: Result | None = None

    @property
    def turn(self) -> Turn:
        """The turn of the player whose turn it is."""
        return self.rows[self.player]

    @property
    def rules(self) -> Profile:
        """The rules in play: the game as the player at turn plays it, without the tiles of a head start.

        Whatever is asked about the turn, its throw or its tiles is asked of these rules.
        """
        return for_seat(self.game, self.player)

    @property
    def teams(self) -> int:
        """How many teams play; as many as players where everybody plays alone.

        Teams are of one size: where the players cannot be divided so, there are none.
        """
        teams = self.game.teams
        return self.players if teams is None or self.players % teams else teams

    @property
    def in_teams(self) -> bool:
        """Whether some players play together."""
        return self.teams < self.players

    def team(self, player: int) -> tuple[int, ...]:
        """The players of a player's team, rising; a player alone is a team of one."""
        return tuple(range(player % self.teams, self.players, self.teams))

    @property
    def team_totals(self) -> tuple[int, ...]:
        """By player the total of the player's team."""
        return tuple(sum(self.totals[mate] for mate in self.team(i)) for i in range(self.players))

    def throw(self, faces: Throw) -> "Match":
        """The position after the player's throw.

        Raises:
            ValueError: if these faces cannot be thrown now.
        """
        return self._with_turn(turns.throw(self.rules, self.turn, faces))

    def move(self, shut: Tiles) -> "Match":
        """The position after the player has shut these tiles (none: passed a throw without a move).

        Raises:
            ValueError: if that does not answer the throw.
        """
        # A player who has used an insurance up throws again.
        stays = not shut and self.game.insurance
        return self._with_turn(turns.move(self.rules, self.turn, shut), stays=stays)

    def reopen(self, tile: int) -> "Match":
        """The position after a blocked player has opened a tile.

        Raises:
            ValueError: if that tile may not be opened now.
        """
        return self._with_turn(turns.reopen(self.rules, self.turn, tile))

    def out_of_time(self) -> "Match":
        """The position after the player's time is over.

        Raises:
            ValueError: if no clock runs.
        """
        if not self.clock_runs:
            raise ValueError(f"no clock runs while the match waits for {self.stage.value}")
        return self._with_turn(turns.out_of_time(self.rules, self.turn))

    @property
    def clock_runs(self) -> bool:
        """Whether the player's time passes: from the first throw of a turn to its end.

        Where the players throw in rotation, it passes from a throw to its answer.
        """
        if self.game.turn_seconds is None:
            return False
        between_throws = self.game.turns is Turns.WHOLE and self.turn.throws > 0
        return self.stage is Stage.ANSWER or (self.stage is Stage.THROW and between_throws)

    def advance(self) -> "Match":
        """After a finished turn: the next player, the next round, or the end.

        Raises:
            ValueError: if no turn has just ended.
        """
        if self.stage is not Stage.ADVANCE:
            raise ValueError(f"nothing to advance from while the match waits for {self.stage.value}")
        if self.result is not None:
            return replace(self, stage=Stage.FINISHED)
        following = self._following()
        if following is not None:
            return replace(self, player=following, stage=Stage.THROW)
        rows = tuple(
            turns.start(for_seat(self.game, i)) if i in self.seats else row for i, row in enumerate(self.rows)
        )
        return replace(self, player=self.seats[0], rows=rows, round=self.round + 1, stage=Stage.THROW)

    def _with_turn(self, turn: Turn, *, stays: bool = False) -> "Match":
        rows = self.rows
        if self.game.turns is Turns.SHARED:
            rows = tuple(
                row if row.outcome else replace(row, open=turn.open, behind=turn.behind, drawn=turn.drawn)
                for row in rows
            )
        match = replace(self, rows=_set(rows, self.player, turn))
        if turn.outcome is not None:
            return match._turn_over(turn)
        if turn.throw is not None:
            return replace(match, stage=Stage.ANSWER)
        if self.game.turns is not Turns.WHOLE and not stays:
            following = match._following()
            assert following is not None, "the player's own row is not finished"
            match = replace(match, player=following)
        return replace(match, stage=Stage.THROW)

    def _following(self) -> int | None:
        """The next seat in rotation whose row is not finished."""
        # Players who have just dropped out, or are not in the play-off, have no seat any more.
        rotation = sorted(self.seats, key=lambda seat: (seat - self.player - 1) % self.players)
        return next((i for i in rotation if self.rows[i].outcome is None), None)

    def _turn_over(self, turn: Turn) -> "Match":
        assert turn.score is not None, "a finished turn has a score"
        at, shut = self.player, turn.outcome is Outcome.SHUT
        points = 0 if self.tie_rounds and self.game.tie is Tie.PLAY_OFF else turn.score
        match = replace(
            self,
            stage=Stage.ADVANCE,
            turns_over=self.turns_over + 1,
            totals=_set(self.totals, at, self.totals[at] + points),
            scores=_set(self.scores, at, turn.score),
            shutters=self.shutters + ((at,) if shut and at not in self.shutters else ()),
        )
        if shut and self.game.shut_wins is ShutWins.MATCH:
            return match._won(self.team(at))
        if shut and self.game.shut_wins is ShutWins.ROUND:
            return match._round_shut(at)
        if match._limit_lost:
            return match._limit_reached()
        if self.game.turns is Turns.SHARED:
            return match._somebody_out()
        if match._following() is None:
            return match._round_over()
        return match

    def _somebody_out(self) -> "Match":
        """A player of the shared row is out. The last one still in wins; a player alone wins at once."""
        still_in = {self.team(i) for i in self.seats if self.rows[i].outcome is None}
        if len(still_in) > 1:
            return self
        return self._won(still_in.pop() if still_in else self.team(self.player))

    def _round_shut(self, winner: int) -> "Match":
        """A shut box has ended the round: rows that are not finished score as they stand."""
        if self.tie_rounds or (self.game.match is MatchFormat.TOTAL and self.rounds == 1):
            return self._won(self.team(winner))
        match = self
        for i in self.seats:
            row = match.rows[i]
            if row.outcome is None:
                points = score(for_seat(self.game, i), row.open, row.throws, row.behind)
                row = replace(row, throw=None, outcome=Outcome.UNPLAYED, score=points)
                match = replace(
                    match,
                    rows=_set(match.rows, i, row),
                    totals=_set(match.totals, i, match.totals[i] + points),
                    scores=_set(match.scores, i, points),
                )
        return match._round_over()

    def _round_over(self) -> "Match":
        """Every row of the round is finished: has somebody won?"""
        everybody = tuple(range(self.players))
        if self.game.stakes is Stakes.BANK:
            # Everybody plays against the bank, so any number of players may win, or none.
            gains = (ledger.pays(self.game, total) > self.game.stake for total in self.totals)
            return self._won(tuple(i for i, gain in enumerate(gains) if gain))
        if self.tie_rounds:
            return self._decide(self.seats, self._round_scores())
        match self.game.match:
            case MatchFormat.TOTAL:
                if self.round >= self.rounds:
                    return self._decide(everybody, self.totals)
            case MatchFormat.TARGET_LOSES:
                if self._limit_lost:
                    return self._limit_reached()
                if self.round >= LAST_ROUND:
                    return self._decide(everybody, self.totals)
            case MatchFormat.TARGET_WINS:
                there = tuple(i for i in everybody if self.team_totals[i] >= self._limit)
                if there or self.round >= LAST_ROUND:
                    return self._decide(there or everybody, self.totals)
            case MatchFormat.DROP_OUT:
                left = tuple(i for i in self.seats if self.team_totals[i] < self._limit)
                alone = bool(left) and left == self.team(left[0])
                if not left or (alone and self.teams > 1) or self.round >= LAST_ROUND:
                    # If the last ones drop out together, the best of them wins.
                    return self._decide(left or self.seats, self.totals)
                return replace(self, seats=left)
            case MatchFormat.LADDER:
                if self.round >= self.rounds:
                    return self._won(everybody if self._beats_the_ladder else ())
        return self

    @property
    def _beats_the_ladder(self) -> bool:
        """Whether the total is better than the one to beat, or equal to it where none is better."""
        best = max if self.game.highest_wins else min
        (total,), goal = self.totals, self.game.limit
        if goal is None or total == best_score(self.game) * self.rounds:
            return True
        return total != goal and best(total, goal) == total

    @property
    def _limit_lost(self) -> bool:
        """Somebody has reached the limit that loses; in a play-off nobody can."""
        loses = self.game.match is MatchFormat.TARGET_LOSES and not self.tie_rounds
        return loses and max(self.team_totals) >= self._limit

    def _limit_reached(self) -> "Match":
        """Players who have reached the limit have lost; the best of the others wins, if there are any."""
        others = tuple(i for i in range(self.players) if self.team_totals[i] < self._limit)
        if not others:
            return self._won(())
        # Nobody else plays in this round, even if a play-off follows.
        rows = tuple(
            row if row.outcome else replace(row, throw=None, outcome=Outcome.UNPLAYED) for row in self.rows
        )
        return replace(self, rows=rows)._decide(others, self.totals)

    @property
    def _limit(self) -> int:
        assert self.game.limit is not None, "the reader asks for a limit where the format needs one"
        return self.game.limit

    def _round_scores(self) -> tuple[int, ...]:
        return tuple(row.score or 0 for row in self.rows)

    def _decide(self, candidates: tuple[int, ...], points: tuple[int, ...]) -> "Match":
        """The best of the candidates, whole teams, wins; a tie is broken as the profile says."""
        best = max if self.game.highest_wins else min
        marks = {i: sum(points[mate] for mate in self.team(i)) for i in candidates}
        mark = best(marks.values())
        tied = tuple(i for i in candidates if marks[i] == mark)
        if tied == self.team(tied[0]) or self.game.tie is Tie.SHARE or self.tie_rounds >= MAX_TIE_ROUNDS:
            return self._won(tied)
        if self.game.tie is Tie.REPLAY_ALL:
            # Sheet 004: all begin again, so what was scored is void.
            everybody = tuple(range(self.players))
            totals = _head_starts(self.game, self.players)
            return replace(self, seats=everybody, totals=totals, tie_rounds=self.tie_rounds + 1)
        return replace(self, seats=tied, tie_rounds=self.tie_rounds + 1)

    def _won(self, winners: tuple[int, ...]) -> "Match":
        captain = self.game.captain and self.turns_over == 1 and bool(self.shutters)
        totals = tuple(
            None if played is None else total for played, total in zip(self.scores, self.totals, strict=True)
        )
        if self.in_teams:
            totals = tuple(self._played_total(self.team(i)) for i in range(self.players))
        winner_shut = any(i in self.shutters for i in winners)
        owes = ledger.owes(self.game, winners, winner_shut, totals)
        return replace(self, result=Result(winners, captain, owes))

    def _played_total(self, team: tuple[int, ...]) -> int | None:
        """A team's total; None if none of it has played."""
        if all(self.scores[i] is None for i in team):
            return None
        return sum(self.totals[i] for i in team)


def begin(profile: Profile, players: int, rounds: int | None = None) -> Match:
    """A match before its first throw.

    Args:
        profile: the game, on the box that is played.
        players: 1..9, or 1 where the game is played alone.
        rounds: 1..99, where the players may choose them (`Profile.on_total`); None for what the
            profile says.

    Raises:
        ValueError: for a number out of range.
    """
    rounds = rounds if rounds is not None and profile.on_total else profile.rounds
    most = 1 if profile.is_solo else MAX_PLAYERS
    if not 1 <= players <= most:
        raise ValueError(f"players: {players} is not allowed, 1 to {most} are")
    if not 1 <= rounds <= MAX_ROUNDS:
        raise ValueError(f"rounds: {rounds} is not allowed, 1 to {MAX_ROUNDS} are")
    return Match(
        game=profile,
        players=players,
        rounds=rounds,
        seats=tuple(range(players)),
        player=0,
        rows=tuple(turns.start(for_seat(profile, i)) for i in range(players)),
        totals=_head_starts(profile, players),
        scores=(None,) * players,
    )


def _head_starts(profile: Profile, players: int) -> tuple[int, ...]:
    """The totals that a match begins with: a head start in points is off the total, or on it."""
    better = 1 if profile.highest_wins else -1
    return tuple(better * points_off(profile, i) for i in range(players))


def _set(values: tuple[_T, ...], at: int, value: _T) -> tuple[_T, ...]:
    return (*values[:at], value, *values[at + 1 :])
