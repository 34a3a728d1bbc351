"""A match: players, rounds and turns, until somebody has won.

`Match` is an immutable position. Three kinds of methods return the next one: `throw`, an answer (`move` or
`reopen`), and `advance` once a finished turn has been seen. The `why_not_...` beside each says why
the rules forbid it now, which is also the text of the `ValueError` if it's done all the same.
`shutthebox.rules.endings` says when a match is over and who has won. Players are numbered from 0 in code and
from 1 wherever people see them.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, TypeVar

from shutthebox.rules import stakes as ledger
from shutthebox.rules import turn as turns
from shutthebox.rules.endings import (
    Format,
    NextRound,
    Reason,
    Won,
    after_extra_round,
    best_of_round,
)
from shutthebox.rules.faces import faces_to_text
from shutthebox.rules.handicap import points_off
from shutthebox.rules.moves import Throw, dice_allowed
from shutthebox.rules.orders import OrderOfPlay, for_seat, order_of
from shutthebox.rules.profile import (
    MAX_PLAYERS,
    MAX_ROUNDS,
    First,
    MatchFormat,
    OneDie,
    Profile,
    ShutWins,
    Stakes,
    Tie,
)
from shutthebox.rules.rows import by_row
from shutthebox.rules.score import score
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import Outcome, Refusal, Turn

_T = TypeVar("_T")


class Stage(Enum):
    """What the match is waiting for."""

    THROW = "throw"
    ANSWER = "answer"
    ADVANCE = "advance"
    FINISHED = "finished"


class Result(NamedTuple):
    """How a match ended.

    Attributes:
        winners: players who won, rising; several share, or are a team, or have beaten the bank. None if
            the bank, the ladder or a solo player's limit has beaten everybody.
        captain: whether the winner shut the box in the very first turn and is Captain (sheet 000).
        owes: the stakes that each player owes; negative if they get some.
        reason: why the match is over.
    """

    winners: tuple[int, ...]
    captain: bool
    owes: tuple[Fraction, ...]
    reason: Reason


class Match(NamedTuple):
    """A position within a match; make one with `begin`.

    Attributes:
        game: as agreed at the table, on the box in play; `rules` is what a seat plays.
        players: how many, 1..20.
        rounds: rounds to play, if totals decide the match.
        seats: players who take part in this round, in order.
        player: whose turn it is, or was if it has just ended.
        rows: each player's turn of this round; a player who doesn't take part keeps an older one.
        totals: points so far, including head starts. A play-off decides who won and adds nothing; if
            everybody starts over for a tie, totals restart with the next round.
        scores: each player's score of the last finished turn; None before the first.
        round: the current round, from 1.
        tie_rounds: extra rounds so far to break a tie, including the current one.
        first: the player who begins the current round.
        shutters: players who have shut the box in the current round, or in the extra rounds that break
            its tie.
        losers: players who have lost the match for good: at the limit that loses, or the first out.
        owed: the stakes that each player owes for settled rounds; negative if they get some.
        settled: whether the current round's stakes are among them.
        penalties: the points that each player got at the end of the round because somebody else shut the
            box; empty before, and if nobody did.
        round_winners: players who won the finished round; empty before its end, and if nobody did.
        pool: stakes left on the table from rounds that nobody won (`Tie.CARRY`).
        carried: how many such rounds there have been in a row.
        common: the throw for everyone, while some still have to answer it.
        before_common: the rows when it was made.
        thrown: throws of this round in finished turns, if players have several.
        turns_over: turns that have ended so far.
        stage: what the match is waiting for.
        next_round: where the finished turn leads; None for the next player's turn, or the end.
        result: how it ended; known as soon as the last turn ends, before the last `advance`.
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
    first: int = 0
    shutters: tuple[int, ...] = ()
    losers: tuple[int, ...] = ()
    owed: ledger.Debts = ()
    settled: bool = False
    penalties: tuple[int, ...] = ()
    round_winners: tuple[int, ...] = ()
    pool: int = 0
    carried: int = 0
    common: Throw | None = None
    before_common: tuple[Turn, ...] = ()
    thrown: int = 0
    turns_over: int = 0
    stage: Stage = Stage.THROW
    next_round: NextRound | None = None
    result: Result | None = None

    @property
    def turn(self) -> Turn:
        """The current player's turn."""
        return self.rows[self.player]

    @property
    def standing(self) -> Tiles:
        """The tiles open on the current player's row."""
        return self.rows[self.first].open if self.turn.opens else self.turn.open

    @property
    def rules(self) -> Profile:
        """The rules in play: the player's `own_rules`, with all dice if a throw for everyone needs them.

        Use these for anything about the turn, its throw or its tiles.
        """
        rules = self.own_rules
        if self.stage is Stage.THROW and self.order_of_play.one_throw and not self._may_throw_one:
            return _with_all_dice(rules)
        return rules

    @property
    def own_rules(self) -> Profile:
        """The game as the current player plays it alone, without the tiles of a head start.

        They're the same throughout the match: use these for what a turn is worth.
        """
        return for_seat(self.game, self.player)

    @property
    def order_of_play(self) -> OrderOfPlay:
        """In which order the players of a round throw, and on which rows."""
        return order_of(self.game)

    @property
    def format(self) -> Format:
        """The format that decides the match."""
        return self.order_of_play.format(self.game)

    @property
    def order(self) -> tuple[int, ...]:
        """The players who take part in this round, in order of play."""
        return tuple(sorted(self.seats, key=lambda seat: (seat - self.first) % self.players))

    @property
    def everybody(self) -> tuple[int, ...]:
        """All players, whether they take part in this round or not."""
        return tuple(range(self.players))

    @property
    def round_scores(self) -> tuple[int, ...]:
        """Each player's score in this round, including penalties; 0 if there's none."""
        penalties = self.penalties or (0,) * self.players
        return tuple((row.score or 0) + more for row, more in zip(self.rows, penalties, strict=True))

    @property
    def round_marks(self) -> tuple[tuple[int, ...], bool]:
        """Each player's mark in a finished round, and whether more is better."""
        return self.order_of_play.marks(self)

    @property
    def has_totals(self) -> bool:
        """Whether any points are added up; otherwise the last one in or the last tile decides."""
        return self.order_of_play.has_totals(self.game)

    @property
    def loser(self) -> int | None:
        """The player who lost a finished match, or the next of several; None if nobody did."""
        if self.result is None:
            return None
        lost = self._beaten(self.result.winners)
        marks = self._marks(self._played(self.totals))
        worst = ledger.worst_of(lost, marks, highest_wins=self.game.highest_total_wins)
        return next((i for i in self._order if i in worst), None)

    @property
    def begins_next_match(self) -> int:
        """The player, from 0, who begins the next match of the evening."""
        if self.game.first is First.LOSER:
            return self.loser or 0
        winners = self.result.winners if self.result and self.game.first is First.WINNER else ()
        return next((i for i in self._order if i in winners), 0)

    @property
    def _order(self) -> tuple[int, ...]:
        """All players, starting after the one who began this round."""
        return tuple((self.first + 1 + i) % self.players for i in self.everybody)

    @property
    def teams(self) -> int:
        """How many teams play; the number of players if everybody plays alone.

        Teams have equal sizes: if the players can't be divided evenly, there are none.
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
        """Each player's team total; the players of a team share the points of rounds won."""
        if self.game.counts_rounds_won:
            return self.totals
        return tuple(sum(self.totals[mate] for mate in self.team(i)) for i in range(self.players))

    def why_not_throw(self, faces: Throw) -> str | None:
        """Why these faces can't be thrown now; None if they can."""
        return self._why_no_throw(faces) or turns.why_not_throw(self.rules, self.turn, faces, self.own_rules)

    def _why_no_throw(self, faces: Throw) -> str | None:
        """The same, as far as it isn't the turn's own matter."""
        if reason := unless(self, Stage.THROW):
            return reason
        if self.common is not None and self.common != faces:
            return f"the throw for everyone is {faces_to_text(self.common)}"
        return None

    def throw(self, faces: Throw) -> "Match":
        """The position after the player's throw.

        Raises:
            ValueError: for the reason that `why_not_throw` gives.
        """
        turns.refuse(self._why_no_throw(faces))
        # Next time, everybody may be allowed one die.
        after = turns.throw(self.rules, self.turn, faces, own=self.own_rules)
        is_common = self.order_of_play.one_throw and after.counted_throws > self.game.own_throws
        before = self.rows if self.common is None else self.before_common
        return self._replace(
            common=faces if is_common else None, before_common=before if is_common else ()
        )._with_turn(after)

    def dice_refusal(self, dice: int) -> Refusal | None:
        """Why this many dice may not be thrown now; None if they may."""
        return turns.dice_refusal(self.rules, self.turn, dice, self.own_rules)

    # One throw for everyone.

    @property
    def _may_throw_one(self) -> bool:
        """Whether everyone this throw is for may throw one die, or the throw on the table is of one."""
        if self.common is not None:
            return len(self.common) == 1 and self.common[0] <= self.game.sides
        if self.turn.counted_throws < self.game.own_throws:
            return True
        rows = ((for_seat(self.game, i), self.rows[i]) for i in self._playing)
        return all(1 in dice_allowed(rules, row.open, row.behind) for rules, row in rows)

    @property
    def _playing(self) -> tuple[int, ...]:
        """The seats with an unfinished row, in order."""
        return tuple(i for i in self.order if self.rows[i].outcome is None)

    @property
    def _is_open_for_others(self) -> bool:
        """Whether others still have to answer the throw just answered, or make their own."""
        made = self.turn.counted_throws
        return self.order_of_play.one_throw and any(self.rows[i].counted_throws < made for i in self._playing)

    @property
    def answers_of_others(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """The players who have already answered the throw for everyone, each with the numbers they shut."""
        if self.common is None:
            return ()
        found = []
        for seat in self.order:
            row, before = self.rows[seat], self.before_common[seat]
            if seat != self.player and row.throws > before.throws:
                pairs = zip(
                    by_row(self.game, before.open, before.behind),
                    by_row(self.game, row.open, row.behind),
                    strict=True,
                )
                shut = [number for was, now in pairs for number in was if number not in now]
                found.append((seat, tuple(sorted(shut))))
        return tuple(found)

    @property
    def _to_be_told(self) -> tuple[int, ...]:
        """Players whose shut box ends the round once everyone has answered the throw."""
        if self.game.shut_wins is ShutWins.NO:
            return ()
        shut = tuple(i for i in self.seats if self.rows[i].outcome is Outcome.SHUT)
        return tuple(i for i in shut if self.order_of_play.one_throw or i == self.player)

    def why_not_move(self, shut: Tiles) -> str | None:
        """Why the player can't shut these tiles (none: pass) now; None if that's allowed."""
        return unless(self, Stage.ANSWER) or turns.why_not_move(self.rules, self.turn, shut)

    def move(self, shut: Tiles) -> "Match":
        """The position after the player has shut these tiles (none: passed a throw without a move).

        Raises:
            ValueError: for the reason that `why_not_move` gives.
        """
        turns.refuse(unless(self, Stage.ANSWER))
        before = self.turn
        after = turns.move(self.rules, before, shut)
        if self.order_of_play.one_throw:
            # With a throw for everyone, nobody throws again.
            again = not shut and self.common is None and turns.throws_again(self.game, before)
            return self._with_turn(after._replace(repeated=before.repeated + again))
        # A player who has used up an insurance throws again.
        stays = not shut and (self.game.insurance or turns.draws_again(self.game, before.throw))
        return self._with_turn(after, stays=stays)

    def why_not_reopen(self, tile: int) -> str | None:
        """Why this tile may not be opened now; None if it may."""
        return unless(self, Stage.ANSWER) or turns.why_not_reopen(self.rules, self.turn, tile)

    def reopen(self, tile: int) -> "Match":
        """The position after a blocked player has opened a tile.

        Raises:
            ValueError: for the reason that `why_not_reopen` gives.
        """
        turns.refuse(unless(self, Stage.ANSWER))
        return self._with_turn(turns.reopen(self.rules, self.turn, tile))

    def why_not_out_of_time(self) -> str | None:
        """Why the player's time can't be up; None if it can."""
        if self.game.turn_seconds is None:
            return "turns have no clock in this game"
        if self.clock_runs:
            return None
        return unless(self, Stage.THROW) or "the clock does not run before a throw"

    def out_of_time(self) -> "Match":
        """The position once the player's time is up.

        Raises:
            ValueError: for the reason that `why_not_out_of_time` gives.
        """
        turns.refuse(self.why_not_out_of_time())
        return self._with_turn(turns.out_of_time(self.rules, self.turn))

    @property
    def clock_runs(self) -> bool:
        """Whether the player's clock is running: from the first throw of a turn to its end.

        In rotation, it runs from a throw to its answer.
        """
        if self.game.turn_seconds is None:
            return False
        between_throws = self.order_of_play.whole_turns and self.turn.throws > 0
        return self.stage is Stage.ANSWER or (self.stage is Stage.THROW and between_throws)

    def advance(self) -> "Match":
        """After a finished turn: the next player, the next round, or the end.

        Raises:
            ValueError: no turn has just ended.
        """
        turns.refuse(unless(self, Stage.ADVANCE))
        if self.result is not None:
            return self._replace(stage=Stage.FINISHED)
        if self.next_round is not None:
            return self._begin_round(self.next_round)
        following = self.order_of_play.next_seat(self)
        assert following is not None, "a round that is over has led to another"
        rows = self.order_of_play.rows_between(self.rows)
        return self._replace(player=following, rows=rows, stage=Stage.THROW)

    def _begin_round(self, following: NextRound) -> "Match":
        """The next round, before its first throw."""
        first = following.seats[0]
        if self.game.first is First.ROLL:
            first = next(i for i in (self.first, *self._order) if i in following.seats)
        elif self.game.first is not First.SEAT_1:
            candidates = following.seats
            if self.game.first is First.WINNER and (following.anew or not following.breaks_tie):
                candidates = tuple(i for i in self.round_winners if i in candidates) or candidates
            first = next(i for i in self._order if i in candidates)
        totals, shutters = self.totals, self.shutters
        if following.anew:
            # Sheet 004: those who play begin again, so their scores are void.
            heads = _head_starts(self.game, self.players)
            totals = tuple(heads[i] if i in following.seats else totals[i] for i in self.everybody)
        if following.anew or not following.breaks_tie:
            shutters = ()
        return self._replace(
            seats=following.seats,
            player=first,
            first=first,
            rows=tuple(
                start if i in following.seats else row
                for i, (start, row) in enumerate(
                    zip(self.order_of_play.first_rows(self.game, self.players, first), self.rows, strict=True)
                )
            ),
            totals=totals,
            shutters=shutters,
            round=self.round + 1,
            tie_rounds=self.tie_rounds + following.breaks_tie,
            settled=self.settled and following.breaks_tie,
            penalties=(),
            round_winners=(),
            common=None,
            thrown=0,
            stage=Stage.THROW,
            next_round=None,
        )

    def _with_turn(self, turn: Turn, *, stays: bool = False) -> "Match":
        order = self.order_of_play
        turn = order.limited(self, turn)
        match = self._replace(rows=_set(order.rows_after(self, turn), self.player, turn))
        if turn.outcome is not None:
            return match._end_turn(turn)
        if turn.throw is not None:
            return match._replace(stage=Stage.ANSWER)
        if order.one_throw:
            shut = match._to_be_told
            if shut and not match._is_open_for_others:
                return match._replace(stage=Stage.ADVANCE, turns_over=self.turns_over + 1)._shut_by(shut)
            if ended := match._ended_by_others:
                return ended
            match = match._clear_throw()
        if order.one_throw or not (order.whole_turns or stays):
            following = order.next_seat(match)
            assert following is not None, "the player's own row is not finished"
            match = match._replace(player=following)
        return match._replace(stage=Stage.THROW)

    def _end_turn(self, turn: Turn) -> "Match":
        assert turn.score is not None, "a finished turn has a score"
        # In a tug, opening all the tiles shuts no box.
        at, shut = self.player, turn.outcome is Outcome.SHUT and not turn.opens
        match = self._replace(
            stage=Stage.ADVANCE,
            turns_over=self.turns_over + 1,
            totals=_set(self.totals, at, self.totals[at] + turn.score * self._adds_up),
            scores=_set(self.scores, at, turn.score),
            shutters=self.shutters + ((at,) if shut and at not in self.shutters else ()),
            thrown=self.thrown + turn.throws * self.order_of_play.opens,
        )
        if told := match._to_be_told:
            return match if match._is_open_for_others else match._shut_by(told)
        if match.common is not None and match._is_open_for_others:
            return match  # Everyone answers the throw before it ends the match.
        match = match._clear_throw()
        if self.order_of_play.next_seat(match) is None:
            # The last throw allowed in a round ends it with tiles left.
            waiting = [i for i in match.seats if match.rows[i].outcome is None]
            for i in waiting:
                match = match._score_as_it_stands(i)
            return match._end_round()
        after = None if self.tie_rounds else self.format.after_turn(match)
        return match if after is None else match._cut_short()._follow(after)

    @property
    def _ended_by_others(self) -> "Match | None":
        """The end of the match by the turns that the throw for everyone has ended; None if it goes on.

        Called once all have answered it, if the last of them has a move.
        """
        if self.common is None or self._is_open_for_others or self.tie_rounds:
            return None
        ended = [i for i in self.order if self.rows[i].outcome and not self.before_common[i].outcome]
        if not ended or (after := self.format.after_turn(self)) is None:
            return None
        # The last turn that it has ended is on the screen once more.
        return self._replace(player=ended[-1], stage=Stage.ADVANCE)._cut_short()._follow(after)

    def _clear_throw(self) -> "Match":
        """Takes the throw for everyone off the table once all have answered it."""
        return self if self._is_open_for_others else self._replace(common=None)

    def _shut_by(self, shutters: tuple[int, ...]) -> "Match":
        """A shut box has ended the match or the round: unfinished rows score as they are."""
        winners = tuple(sorted({mate for i in shutters for mate in self.team(i)}))
        ends_match = self.tie_rounds > 0 or self._one_round or self.game.shut_wins is ShutWins.MATCH
        match = self
        # Those who have answered the same throw count, but not those who haven't had a turn.
        if self.order_of_play.one_throw or not ends_match:
            for i in self._playing:
                match = match._score_as_it_stands(i)
        if self.game.shut_wins is ShutWins.MATCH:
            return match._win(winners, Reason.SHUT)
        return match._penalize()._win(winners, Reason.SHUT) if ends_match else match._end_round(winners)

    def _score_as_it_stands(self, seat: int) -> "Match":
        """Scores an unfinished row as it is."""
        row = self.rows[seat]
        points = score(for_seat(self.game, seat), row.open, row.throws, row.behind)
        row = row._replace(throw=None, outcome=Outcome.UNPLAYED, score=points)
        return self._replace(
            rows=_set(self.rows, seat, row),
            totals=_set(self.totals, seat, self.totals[seat] + points * self._adds_up),
            scores=_set(self.scores, seat, points),
        )

    @property
    def _one_round(self) -> bool:
        """Whether one round decides the match, so its stakes are the match's."""
        return self.game.match is MatchFormat.TOTAL and self.rounds == 1

    def _cut_short(self) -> "Match":
        """Ends the round for everybody, even if a play-off follows."""
        if self.order_of_play.one_row:
            return self
        rows = tuple(
            row if row.outcome else row._replace(throw=None, outcome=Outcome.UNPLAYED) for row in self.rows
        )
        return self._replace(rows=rows)

    def _end_round(self, winners: tuple[int, ...] = ()) -> "Match":
        """Ends a round with all rows finished.

        Args:
            winners: of the round; empty for those with its best scores.
        """
        match = self._penalize()
        match = match._win_round(winners or best_of_round(match))
        if match.tie_rounds:
            return match._follow(after_extra_round(match))
        after = match.format.after_round(match)
        if match._one_round and not isinstance(after, Won) and match.game.tie is Tie.CARRY:
            match = match._carry_over()
        return match._follow(after)

    def _win_round(self, winners: tuple[int, ...]) -> "Match":
        """Gives the round's points and stakes to its winners, or keeps them for the next one."""
        several = not self._one_round and not self.tie_rounds
        tied = winners != self.team(winners[0])
        if tied and several and self.game.tie is Tie.CARRY:
            return self._carry_over()
        match = self._replace(round_winners=winners)
        if self.game.counts_rounds_won and not self._plays_off:
            worth = 1 + self.carried
            totals = tuple(total + worth * (i in winners) for i, total in enumerate(self.totals))
            match = match._replace(totals=totals, carried=0)
        if several:
            owed = _add(self.owed, self._stakes_of_round(winners))
            match = match._replace(owed=_add(owed, self._take_pool(winners)), pool=0, settled=True)
        return match

    def _carry_over(self) -> "Match":
        """Nobody has won the round: the pool stays on the table, and the next round is worth more."""
        game = self.game
        paid = tuple(Fraction(i in self.seats and game.has_pool) for i in self.everybody)
        owes = paid if game.has_pool else self._stakes_of_round(best_of_round(self))
        return self._replace(
            round_winners=(),
            owed=_add(self.owed, owes),
            pool=self.pool + int(sum(paid)),
            carried=self.carried + 1,
            settled=True,
        )

    def _take_pool(self, winners: tuple[int, ...]) -> ledger.Debts:
        """Gives the pool left on the table to these players, or back to everybody."""
        heirs = winners or self.everybody
        return tuple(Fraction(-self.pool * (i in heirs), len(heirs)) for i in self.everybody)

    @property
    def _plays_off(self) -> bool:
        """Whether the current round only breaks a tie, and adds no points."""
        return self.tie_rounds > 0 and self.game.tie is not Tie.REPLAY_ALL

    @property
    def _adds_up(self) -> bool:
        """Whether scores are added to totals."""
        points = self.order_of_play.has_points and not self.game.counts_rounds_won
        return points and not self._plays_off

    def _penalize(self) -> "Match":
        """At the end of a round: if somebody has shut the box, everyone else scores more for it."""
        game, scores = self.game, self.round_scores
        shut = [i for i in self.seats if self.rows[i].outcome is Outcome.SHUT]
        if not game.shut_others or not shut or self._plays_off:
            return self
        played = {i for i in self.seats if self.rows[i].score is not None}
        paying = played - {mate for i in shut for mate in self.team(i)}
        penalties = tuple(
            (scores[i] if isinstance(game.shut_others, str) else game.shut_others) if i in paying else 0
            for i in self.everybody
        )
        return self._replace(
            penalties=penalties,
            totals=tuple(
                total + more * self._adds_up for total, more in zip(self.totals, penalties, strict=True)
            ),
            scores=tuple(
                None if score is None else score + more
                for score, more in zip(self.scores, penalties, strict=True)
            ),
        )

    def _follow(self, after: Won | NextRound) -> "Match":
        match = self
        if not self.tie_rounds and not self.losers:
            match = self._replace(losers=self.format.lost(self))
        if isinstance(after, Won):
            return match._win(after.winners, after.reason)
        return match._replace(next_round=after)

    def _win(self, winners: tuple[int, ...], reason: Reason) -> "Match":
        # In rotation, others may have finished first: the title belongs to the first player's row.
        together = self.order_of_play.one_throw
        first_turn = self.round == 1 and (
            self.first in self.shutters if together else self.player == self.first
        )
        captain = self.game.captain and reason is Reason.SHUT and first_turn
        owes = _add(_add(self.owed, self._stakes_left(winners)), self._take_pool(winners))
        return self._replace(result=Result(winners, captain, owes, reason), pool=0)

    # Stakes.

    @property
    def _loser_of_match(self) -> bool:
        """Whether the match, not each of its rounds, has a loser, who pays."""
        return self.game.match in (MatchFormat.TARGET_LOSES, MatchFormat.DROP_OUT)

    def _stakes_of_round(self, winners: tuple[int, ...]) -> ledger.Debts:
        """The stakes of one of several rounds (sheet 002: settled at its end)."""
        stakes, others = self.game.stakes, tuple(i for i in self.seats if i not in winners)
        if stakes is Stakes.LOSER_PAYS and not self._loser_of_match:
            scores = tuple(score if i in self.seats else None for i, score in enumerate(self.round_scores))
            return self._bought(others or self.seats, scores)
        return self._pool(winners)

    def _stakes_left(self, winners: tuple[int, ...]) -> ledger.Debts:
        """The stakes settled at the end of the match: the current round, or who has lost the match."""
        if self.game.stakes is Stakes.BANK:
            return ledger.bank(self.game, self._played(self.totals))
        if not winners:
            # All have lost together, and so all may have to pay.
            pays = self.game.loser_pays and self.losers
            return self._bought_match(()) if pays else ledger.nothing(self.players)
        if self.game.stakes is Stakes.LOSER_PAYS_MATCH:
            return self._bought_match(winners)
        if self.game.stakes is Stakes.LOSER_PAYS:
            if self._loser_of_match or self._one_round:
                return self._bought_match(winners)
            return ledger.nothing(self.players) if self.settled else self._stakes_of_round(winners)
        return ledger.nothing(self.players) if self.settled else self._pool(winners)

    def _pool(self, winners: tuple[int, ...]) -> ledger.Debts:
        if not self.game.has_pool:
            return ledger.nothing(self.players)
        staked = self.everybody if self.tie_rounds else self.seats
        doubled = tuple(i for i in winners if any(mate in self.shutters for mate in self.team(i)))
        if self.game.stakes is Stakes.POOL:
            doubled = ()
        return ledger.pool(self.players, staked, winners, doubled)

    def _bought_match(self, winners: tuple[int, ...]) -> ledger.Debts:
        """Whoever has lost the match, with the worst total of a team, buys once."""
        losers, marks = self._beaten(winners) or self.everybody, self._marks(self._played(self.totals))
        return ledger.loser_pays(self.players, losers, marks, highest_wins=self.game.highest_total_wins)

    def _bought(self, losers: tuple[int, ...], scores: Sequence[int | None]) -> ledger.Debts:
        """Which of the losers, with the worst score of a team, buys the round."""
        marks = self._marks(scores)
        return ledger.loser_pays(self.players, losers, marks, highest_wins=self.game.highest_wins)

    def _beaten(self, winners: tuple[int, ...]) -> tuple[int, ...]:
        """Players who have lost the match; if some have lost it for good, only those."""
        lost = tuple(i for i in self.losers if i not in winners)
        return lost or tuple(i for i in self.everybody if i not in winners)

    def _played(self, points: Sequence[int]) -> tuple[int | None, ...]:
        """Each player's points; None for a player who hasn't had a turn."""
        return tuple(None if score is None else own for score, own in zip(self.scores, points, strict=True))

    def _marks(self, points: Sequence[int | None]) -> tuple[int | None, ...]:
        """Each player's team points; None if nobody in the team has any."""
        teams = ([own for mate in self.team(i) if (own := points[mate]) is not None] for i in self.everybody)
        return tuple(sum(team) if team else None for team in teams)


def begin(profile: Profile, players: int, rounds: int | None = None, first: int = 0) -> Match:
    """A match before its first throw.

    Args:
        profile: the game, on the box in play.
        players: 1..20, or 1 in a solo game.
        rounds: 1..99, if the players may choose (`Profile.has_rounds`); None for the profile's number.
        first: the player, from 0, who begins; must be 0 unless `Profile.any_seat_begins`.

    Raises:
        ValueError: a number is out of range.
    """
    rounds = rounds if rounds is not None and profile.has_rounds else profile.rounds
    most = 1 if profile.is_solo else MAX_PLAYERS
    order = order_of(profile)
    if not 1 <= players <= most:
        raise ValueError(f"players: {players} is not allowed; use 1 to {most}")
    if players != order.seats(profile, players):
        raise ValueError(f"players: {players} is not allowed; use two players or two teams")
    if not 1 <= rounds <= MAX_ROUNDS:
        raise ValueError(f"rounds: {rounds} is not allowed; use 1 to {MAX_ROUNDS}")
    last = players if profile.any_seat_begins else 1
    if not 0 <= first < last:
        raise ValueError(f"first: {first + 1} is not allowed; use 1 to {last}")
    return Match(
        game=profile,
        players=players,
        rounds=rounds,
        seats=tuple(range(players)),
        player=first,
        rows=order.first_rows(profile, players, first),
        totals=_head_starts(profile, players),
        scores=(None,) * players,
        first=first,
        owed=ledger.nothing(players),
    )


_STAGES = {
    Stage.THROW: turns.THROW_DUE,
    Stage.ANSWER: turns.ANSWER_DUE,
    Stage.ADVANCE: turns.TURN_OVER,
    Stage.FINISHED: "the match is over",
}


def unless(match: Match, due: Stage) -> str | None:
    """What the match is waiting for instead; None if it's waiting for this."""
    return None if match.stage is due else _STAGES[match.stage]


@lru_cache(maxsize=32)
def _with_all_dice(rules: Profile) -> Profile:
    """The same rules, but always with all dice."""
    return replace(rules, one_die=OneDie.NEVER, one_die_at=None)


def _head_starts(profile: Profile, players: int) -> tuple[int, ...]:
    """The totals that a match begins with: a head start in points is subtracted, or added."""
    better = 1 if profile.highest_wins else -1
    return tuple(better * points_off(profile, i) for i in range(players))


def _set(values: tuple[_T, ...], at: int, value: _T) -> tuple[_T, ...]:
    return (*values[:at], value, *values[at + 1 :])


def _add(owed: ledger.Debts, more: ledger.Debts) -> ledger.Debts:
    return tuple(a + b for a, b in zip(owed, more, strict=True))
