"""A match: players, rounds and turns, until somebody has won.

`Match` is a `Position`, which is data, together with what the rules say of it. Three kinds of methods return
the next one: `throw`, an answer (`move` or `reopen`), and `advance` once a finished turn has been seen. The
`why_not_...` beside each says why the rules forbid it now, which is also the text of the `ValueError` if it's
done all the same.
`shutthebox.rules.endings` says when a match is over and who has won. Players are numbered from 0 in code and
from 1 wherever people see them.
"""

from typing import TypeVar

from shutthebox.rules import turn as turns
from shutthebox.rules.endings import Format, Won, after_extra_round, best_marks
from shutthebox.rules.faces import faces_to_text
from shutthebox.rules.handicap import points_off
from shutthebox.rules.moves import Throw, dice_allowed
from shutthebox.rules.orders import OrderOfPlay, for_seat, order_of
from shutthebox.rules.position import Ledger, NextRound, Position, Reason, Result, Round, Stage, ThrowForAll
from shutthebox.rules.profile import MAX_PLAYERS, MAX_ROUNDS, First, Profile, ShutWins, Tie
from shutthebox.rules.rows import by_row
from shutthebox.rules.score import score
from shutthebox.rules.settling import carry_over, losers_of_match, settle_match, settle_round
from shutthebox.rules.stakes import nothing
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import Outcome, Refusal, Turn

_T = TypeVar("_T")


class Match(Position):
    """A position, and what may happen in it; make one with `begin`."""

    __slots__ = ()

    @property
    def rules(self) -> Profile:
        """The game as the current player plays it alone, without the tiles of a head start.

        They're the same throughout the match; `dice_allowed` says how many dice may be thrown now.
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
    def has_totals(self) -> bool:
        """Whether any points are added up; otherwise the last one in or the last tile decides."""
        return self.order_of_play.has_totals(self.game)

    @property
    def loser(self) -> int | None:
        """The player who lost a finished match, or the next of several; None if nobody did."""
        if self.result is None:
            return None
        lost = losers_of_match(self, self.result.winners)
        return next((i for i in self._order if i in lost), None)

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
        return tuple((self.round.first_player + 1 + i) % self.players for i in self.everybody)

    def why_not_throw(self, faces: Throw) -> str | None:
        """Why these faces can't be thrown now; None if they can."""
        return self._why_no_throw(faces) or turns.why_not_throw(
            self.rules, self.turn, faces, self.dice_allowed
        )

    def _why_no_throw(self, faces: Throw) -> str | None:
        """The same, as far as it isn't the turn's own matter."""
        if reason := unless(self, Stage.THROW):
            return reason
        common = self.round.common
        if common is not None and common.faces != faces:
            return f"the throw for everyone is {faces_to_text(common.faces)}"
        return None

    def throw(self, faces: Throw) -> "Match":
        """The position after the player's throw.

        Raises:
            ValueError: for the reason that `why_not_throw` gives.
        """
        turns.refuse(self._why_no_throw(faces))
        turn = turns.throw(self.rules, self.turn, faces, self.dice_allowed)
        common = None
        if self.order_of_play.one_throw and turn.counted_throws > self.game.own_throws:
            common = self.round.common or ThrowForAll(faces, self.round.rows)
        return self._replace(round=self.round._replace(common=common))._with_turn(turn)

    @property
    def dice_allowed(self) -> tuple[int, ...]:
        """How many dice the player may throw now, the usual number first; two entries mean a choice.

        A throw for everyone needs all dice unless everyone may throw one.
        """
        allowed = dice_allowed(self.rules, self.turn.open, self.turn.behind)
        for_everyone = self.order_of_play.one_throw and 1 in allowed and not self._may_throw_one
        return (self.game.dice,) if for_everyone else allowed

    @property
    def usual_dice(self) -> int:
        """The usual number of dice now: if two are allowed, the larger."""
        return self.dice_allowed[0]

    def dice_refusal(self, dice: int) -> Refusal | None:
        """Why this many dice may not be thrown now; None if they may."""
        return turns.dice_refusal(self.rules, dice, self.dice_allowed)

    # One throw for everyone.

    @property
    def _may_throw_one(self) -> bool:
        """Whether everyone this throw is for may throw one die, or the throw on the table is of one."""
        if self.round.common is not None:
            faces = self.round.common.faces
            return len(faces) == 1 and faces[0] <= self.game.sides
        if self.turn.counted_throws < self.game.own_throws:
            return True
        rows = ((for_seat(self.game, i), self.round.rows[i]) for i in self.playing)
        return all(1 in dice_allowed(rules, row.open, row.behind) for rules, row in rows)

    @property
    def _is_open_for_others(self) -> bool:
        """Whether others still have to answer the throw just answered, or make their own."""
        made = self.turn.counted_throws
        return self.order_of_play.one_throw and any(
            self.round.rows[i].counted_throws < made for i in self.playing
        )

    @property
    def answers_of_others(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """The players who have already answered the throw for everyone, each with the numbers they shut."""
        if self.round.common is None:
            return ()
        found = []
        for seat in self.order:
            row, before = self.round.rows[seat], self.round.common.rows_before[seat]
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
    def _ending_shutters(self) -> tuple[int, ...]:
        """Players whose shut box ends the round once everyone has answered the throw."""
        if self.game.shut_wins is ShutWins.NO:
            return ()
        shut = tuple(i for i in self.round.seats if self.round.rows[i].outcome is Outcome.SHUT)
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
            again = not shut and self.round.common is None and turns.throws_again(self.game, before)
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
        rows = self.order_of_play.rows_between(self.round.rows)
        return self._replace(player=following, round=self.round._replace(rows=rows), stage=Stage.THROW)

    def _begin_round(self, following: NextRound) -> "Match":
        """The next round, before its first throw."""
        before, first = self.round, self._first_player(following)
        starts = self.order_of_play.first_rows(self.game, self.players, first)
        rows = tuple(starts[i] if i in following.seats else row for i, row in enumerate(before.rows))
        totals, ties = self.totals, before.tie_rounds + following.breaks_tie
        if following.anew:
            # Sheet 004: those who play begin again, so their scores are void.
            heads = _head_starts(self.game, self.players)
            totals = tuple(heads[i] if i in following.seats else totals[i] for i in self.everybody)
        shutters = () if following.anew or not following.breaks_tie else before.shutters
        return self._replace(
            player=first,
            totals=totals,
            round=Round(before.number + 1, following.seats, first, rows, ties, shutters),
            ledger=self.ledger._replace(settled=self.ledger.settled and following.breaks_tie),
            stage=Stage.THROW,
            next_round=None,
        )

    def _first_player(self, following: NextRound) -> int:
        """Who begins the next round."""
        seats = following.seats
        if self.game.first is First.SEAT_1:
            return seats[0]
        if self.game.first is First.ROLL:
            return next(i for i in (self.round.first_player, *self._order) if i in seats)
        if self.game.first is First.WINNER and (following.anew or not following.breaks_tie):
            seats = tuple(i for i in self.round.winners if i in seats) or seats
        return next(i for i in self._order if i in seats)

    def _with_turn(self, turn: Turn, *, stays: bool = False) -> "Match":
        order = self.order_of_play
        turn = order.limited(self, turn)
        rows = _set(order.rows_after(self, turn), self.player, turn)
        match = self._replace(round=self.round._replace(rows=rows))
        if turn.outcome is not None:
            return match._end_turn(turn)
        if turn.throw is not None:
            return match._replace(stage=Stage.ANSWER)
        if order.one_throw:
            shut = match._ending_shutters
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
        before = self.round
        match = self._replace(
            stage=Stage.ADVANCE,
            turns_over=self.turns_over + 1,
            totals=_set(self.totals, at, self.totals[at] + turn.score * self._adds_up),
            scores=_set(self.scores, at, turn.score),
            round=before._replace(
                shutters=before.shutters + ((at,) if shut and at not in before.shutters else ()),
                throws=before.throws + turn.throws * self.order_of_play.opens,
            ),
        )
        if shutters := match._ending_shutters:
            return match if match._is_open_for_others else match._shut_by(shutters)
        if match.round.common is not None and match._is_open_for_others:
            return match  # Everyone answers the throw before it ends the match.
        match = match._clear_throw()
        if self.order_of_play.next_seat(match) is None:
            # The last throw allowed in a round ends it with tiles left.
            return match._score_as_they_stand()._end_round()
        after = None if before.tie_rounds else self.format.after_turn(match)
        return match if after is None else match._cut_short()._follow(after)

    @property
    def _ended_by_others(self) -> "Match | None":
        """The end of the match by the turns that the throw for everyone has ended; None if it goes on.

        Called once all have answered it, if the last of them has a move.
        """
        common = self.round.common
        if common is None or self._is_open_for_others or self.round.tie_rounds:
            return None
        ended = [i for i in self.order if self.round.rows[i].outcome and not common.rows_before[i].outcome]
        if not ended or (after := self.format.after_turn(self)) is None:
            return None
        # The last turn that it has ended is on the screen once more.
        return self._replace(player=ended[-1], stage=Stage.ADVANCE)._cut_short()._follow(after)

    def _clear_throw(self) -> "Match":
        """Takes the throw for everyone off the table once all have answered it."""
        return self if self._is_open_for_others else self._replace(round=self.round._replace(common=None))

    def _shut_by(self, shutters: tuple[int, ...]) -> "Match":
        """A shut box has ended the match or the round: unfinished rows score as they are."""
        winners = tuple(sorted({mate for i in shutters for mate in self.team(i)}))
        ends_match = self.round.tie_rounds > 0 or self.is_one_round or self.game.shut_wins is ShutWins.MATCH
        match = self
        # Those who have answered the same throw count, but not those who haven't had a turn.
        if self.order_of_play.one_throw or not ends_match:
            match = match._score_as_they_stand()
        if self.game.shut_wins is ShutWins.MATCH:
            return match._win(winners, Reason.SHUT)
        return match._penalize()._win(winners, Reason.SHUT) if ends_match else match._end_round(winners)

    def _score_as_they_stand(self) -> "Match":
        """Scores all unfinished rows as they are."""
        match = self
        for seat in self.playing:
            row = self.round.rows[seat]
            points = score(for_seat(self.game, seat), row.open, row.throws, row.behind)
            row = row._replace(throw=None, outcome=Outcome.UNPLAYED, score=points)
            match = match._replace(
                totals=_set(match.totals, seat, match.totals[seat] + points * self._adds_up),
                scores=_set(match.scores, seat, points),
                round=match.round._replace(rows=_set(match.round.rows, seat, row)),
            )
        return match

    def _cut_short(self) -> "Match":
        """Ends the round for everybody, even if a play-off follows."""
        if self.order_of_play.one_row:
            return self
        rows = tuple(
            row if row.outcome else row._replace(throw=None, outcome=Outcome.UNPLAYED)
            for row in self.round.rows
        )
        return self._replace(round=self.round._replace(rows=rows))

    def _end_round(self, winners: tuple[int, ...] = ()) -> "Match":
        """Ends a round with all rows finished.

        Args:
            winners: of the round; empty for those with its best scores.
        """
        match = self._penalize()
        match = match._win_round(winners or match._best_of_round)
        if match.round.tie_rounds:
            return match._follow(after_extra_round(match))
        after = match.format.after_round(match)
        if match.is_one_round and not isinstance(after, Won) and match.game.tie is Tie.CARRY:
            match = match._carry_over()
        return match._follow(after)

    @property
    def _best_of_round(self) -> tuple[int, ...]:
        """The players, whole teams, with the best marks of a round that is over: of most games the scores."""
        marks, highest = self.order_of_play.marks(self)
        return best_marks(self, self.round.seats, marks, highest=highest)

    def _win_round(self, winners: tuple[int, ...]) -> "Match":
        """Gives the round's points and stakes to its winners, or keeps them for the next one."""
        several = not self.is_one_round and not self.round.tie_rounds
        tied = winners != self.team(winners[0])
        if tied and several and self.game.tie is Tie.CARRY:
            return self._carry_over()
        match = self._replace(round=self.round._replace(winners=winners))
        if self.game.counts_rounds_won and not self.plays_off:
            worth = 1 + self.ledger.carried
            totals = tuple(total + worth * (i in winners) for i, total in enumerate(self.totals))
            match = match._replace(totals=totals)
        return match._replace(ledger=settle_round(match, winners)) if several else match

    def _carry_over(self) -> "Match":
        """Nobody has won the round: the pool stays on the table, and the next round is worth more."""
        ledger = carry_over(self, self._best_of_round)
        return self._replace(round=self.round._replace(winners=()), ledger=ledger)

    @property
    def _adds_up(self) -> bool:
        """Whether scores are added to totals."""
        points = self.order_of_play.has_points and not self.game.counts_rounds_won
        return points and not self.plays_off

    def _penalize(self) -> "Match":
        """At the end of a round: if somebody has shut the box, everyone else scores more for it."""
        game, scores = self.game, self.round_scores
        seats, rows = self.round.seats, self.round.rows
        shut = [i for i in seats if rows[i].outcome is Outcome.SHUT]
        if not game.shut_others or not shut or self.plays_off:
            return self
        played = {i for i in seats if rows[i].score is not None}
        paying = played - {mate for i in shut for mate in self.team(i)}
        penalties = tuple(
            (scores[i] if isinstance(game.shut_others, str) else game.shut_others) if i in paying else 0
            for i in self.everybody
        )
        return self._replace(
            round=self.round._replace(penalties=penalties),
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
        if not self.round.tie_rounds and not self.losers:
            match = self._replace(losers=self.format.lost(self))
        if isinstance(after, Won):
            return match._win(after.winners, after.reason)
        return match._replace(next_round=after)

    def _win(self, winners: tuple[int, ...], reason: Reason) -> "Match":
        # In rotation, others may have finished first: the title belongs to the first player's row.
        together = self.order_of_play.one_throw
        first = self.round.first_player
        first_turn = self.round.number == 1 and (
            first in self.round.shutters if together else self.player == first
        )
        captain = self.game.captain and reason is Reason.SHUT and first_turn
        result = Result(winners, captain, settle_match(self, winners), reason)
        return self._replace(result=result, ledger=self.ledger._replace(pool=0))


def begin(game: Profile, players: int, rounds: int | None = None, first: int = 0) -> Match:
    """A match before its first throw.

    Args:
        game: as agreed at the table, on the box in play.
        players: 1..20, or 1 in a solo game.
        rounds: 1..99, if the players may choose (`Profile.has_rounds`); None for the game's number.
        first: the player, from 0, who begins; must be 0 unless `Profile.any_seat_begins`.

    Raises:
        ValueError: a number is out of range.
    """
    rounds = rounds if rounds is not None and game.has_rounds else game.rounds
    most = 1 if game.is_solo else MAX_PLAYERS
    order = order_of(game)
    if not 1 <= players <= most:
        raise ValueError(f"players: {players} is not allowed; use 1 to {most}")
    if players != order.seats(game, players):
        raise ValueError(f"players: {players} is not allowed; use two players or two teams")
    if not 1 <= rounds <= MAX_ROUNDS:
        raise ValueError(f"rounds: {rounds} is not allowed; use 1 to {MAX_ROUNDS}")
    last = players if game.any_seat_begins else 1
    if not 0 <= first < last:
        raise ValueError(f"first: {first + 1} is not allowed; use 1 to {last}")
    return Match(
        game=game,
        players=players,
        rounds=rounds,
        player=first,
        totals=_head_starts(game, players),
        scores=(None,) * players,
        round=Round(1, tuple(range(players)), first, order.first_rows(game, players, first)),
        ledger=Ledger(nothing(players)),
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


def _head_starts(game: Profile, players: int) -> tuple[int, ...]:
    """The totals that a match begins with: a head start in points is subtracted, or added."""
    better = 1 if game.highest_wins else -1
    return tuple(better * points_off(game, i) for i in range(players))


def _set(values: tuple[_T, ...], at: int, value: _T) -> tuple[_T, ...]:
    return (*values[:at], value, *values[at + 1 :])
