"""Orders of play: one class for each member of `Turns`, with everything that's different about it.

Use `order_of` for anything that depends on the order of play; nothing else compares with a member of `Turns`.
Most things are inherited. `shutthebox.odds.pick` has the odds of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from shutthebox.rules import handicap
from shutthebox.rules import turn as turns
from shutthebox.rules.endings import Format, LastIn, LastTile, WorstTargetLoses, usual_format
from shutthebox.rules.moves import is_one_die_ever_allowed
from shutthebox.rules.position import Position, Rows
from shutthebox.rules.profile import (
    Blocked,
    Doubles,
    Draw,
    MatchFormat,
    Need,
    Needs,
    Profile,
    Scoring,
    ShutWins,
    Stakes,
    Tie,
    Turns,
    Win,
    all_but,
)
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.turn import Turn
from shutthebox.texts import N_, plural

_CLASSES: dict[Turns, type[OrderOfPlay]] = {}


class Sentence(NamedTuple):
    """A rule in words.

    Attributes:
        text: in English, with blanks.
        values: what to fill in. A text in it is translated, and a sequence becomes a list.
        drawn: what to say instead where dominoes are drawn; empty for the same.
    """

    text: str
    values: Mapping[str, object] = {}
    drawn: str = ""


class OrderOfPlay:
    """The order in which players throw, and on which rows; here, each on their own.

    Attributes:
        whole_turns: a player throws until the turn is over; otherwise players throw once each in rotation.
        one_turn_each: a round is one turn for each player.
        one_throw: there's one throw for everyone.
        one_row: all share a row, on which a throw without a move puts a player out.
        opens: some turns open the tiles that others have shut.
        one_bag: a domino that one player has drawn is out for the others, too.
        has_points: a turn scores points; otherwise only the chance to win counts.
        has_head_starts: seats may have head starts.
        is_listed: the menu offers such games without the configuration naming them.
        defaults: other keys' defaults.
        needs: what it requires of other keys.
        summary: in a few words; empty if it's nothing special.
        sentence: its rule in words, if `rules` says no more.
    """

    turns: ClassVar[Turns]
    whole_turns = False
    one_turn_each = False
    one_throw = False
    one_row = False
    opens = False
    one_bag = False
    has_points = True
    has_head_starts = True
    is_listed = True
    defaults: ClassVar[Mapping[str, Any]] = {}
    needs: tuple[Needs, ...] = ()
    summary = ""
    sentence: ClassVar[Sentence]

    def __init_subclass__(cls, *, turns: Turns) -> None:
        """Registers the class for a member of `Turns`."""
        cls.turns = turns
        _CLASSES[turns] = cls

    def has_totals(self, game: Profile) -> bool:
        """Whether any points are added up; otherwise the last one in or the last tile decides."""
        return not self.one_row and (self.has_points or game.counts_rounds_won)

    def seats(self, game: Profile, players: int) -> int:
        """How many of these players play: a ladder is for one."""
        return 1 if game.is_solo else players

    def rules_of(self, game: Profile, seat: int) -> Profile:
        """The game as a seat (from 0) plays it, without the tiles of its head start."""
        return handicap.without_tiles_of(game, seat)

    def format(self, game: Profile) -> Format:
        """The format that decides the match."""
        return usual_format(game)

    def rules(self, game: Profile) -> Iterator[Sentence]:
        """The sentences that explain this order of play to players."""
        yield self.sentence

    def first_rows(self, game: Profile, players: int, first: int) -> Rows:
        """Each player's turn before its first throw, in a round begun by `first`."""
        return tuple(turns.start(self.rules_of(game, seat)) for seat in range(players))

    def limited(self, match: Position, turn: Turn) -> Turn:
        """The player's turn, ended if the round has had all its throws."""
        return turn

    def rows_after(self, match: Position, turn: Turn) -> Rows:
        """All rows once the player's turn has reached this position."""
        if self.one_bag and match.game.draw is Draw.DOMINOES and match.round.common is None:
            return tuple(row if row.outcome else row._replace(drawn=turn.drawn) for row in match.round.rows)
        return match.round.rows

    def rows_between(self, rows: Rows) -> Rows:
        """The rows between a finished turn and the next player's first throw."""
        return rows

    def next_seat(self, match: Position) -> int | None:
        """The next player in this round; None if it's over."""
        return next((i for i in _from_next(match) if match.round.rows[i].outcome is None), None)

    def marks(self, match: Position) -> tuple[tuple[int, ...], bool]:
        """Each player's mark in the finished round, and whether more is better."""
        return match.round_scores, match.game.highest_wins


def _from_next(match: Position) -> list[int]:
    """The seats in rotation, from the player's neighbour on.

    Players who have just dropped out, or aren't in the play-off, no longer have a seat.
    """
    return sorted(match.round.seats, key=lambda seat: (seat - match.player - 1) % match.players)


class WholeTurns(OrderOfPlay, turns=Turns.WHOLE):
    """A whole turn of each player."""

    whole_turns = one_turn_each = True
    sentence = Sentence(N_("Each player plays a whole turn before the next one begins."))


class AlternateThrows(OrderOfPlay, turns=Turns.ALTERNATE):
    """A throw each in rotation."""

    one_bag = True
    sentence = Sentence(
        N_("The players throw once each in turn, each for their own row of tiles."),
        drawn=N_("The players draw one domino each in turn, each for their own row of tiles."),
    )


class OneRow(OrderOfPlay, turns=Turns.SHARED):
    """A throw each in rotation on one row; whoever has no move is out."""

    one_row = True
    has_head_starts = False
    defaults: ClassVar[Mapping[str, Any]] = {"blocked": Blocked.LOSES, "win": Win.LAST_IN}
    needs = (
        Needs("blocked", (Blocked.LOSES,)),
        Needs("win", (Win.LAST_IN,)),
        Needs("match", (MatchFormat.TOTAL,)),
        Needs("rounds", (1,)),
        Needs("score", all_but(Scoring.SHUT_SUM, Scoring.THROWS)),
        Needs("stakes", all_but(Stakes.BANK)),
        Needs("shut_wins", (ShutWins.MATCH, ShutWins.ROUND)),
        Needs("first_move_must_include", (None,)),
        Needs("ends_turn_on", (frozenset(),)),
        Needs("captain", (False,)),
        Needs("strikes", (1,)),
        Needs("shut_others", (0,)),
        Needs("doubles", all_but(Doubles.ENDS_TURN), need=Need.TO_MAKE_SENSE),
        Needs("lost_score", (None,), need=Need.TO_MATTER),
        Needs("tie", (Tie.PLAY_OFF,), need=Need.TO_MATTER),
    )
    summary = N_("One row for all.")
    sentence = Sentence(
        N_("The players throw once each in turn, and share one row of tiles."),
        drawn=N_("The players draw one domino each in turn, and share one row of tiles."),
    )

    def format(self, game: Profile) -> Format:
        """The last one in."""
        return LastIn()

    def rows_after(self, match: Position, turn: Turn) -> Rows:
        """The same tiles, and the same bag, for all who are still in."""
        return tuple(
            row if row.outcome else row._replace(open=turn.open, behind=turn.behind, drawn=turn.drawn)
            for row in match.round.rows
        )


class OneThrow(OrderOfPlay, turns=Turns.TOGETHER):
    """One throw for everyone, answered by each on their own row."""

    one_throw = one_bag = True
    is_listed = False
    summary = N_("One throw for all.")

    def rules(self, game: Profile) -> Iterator[Sentence]:
        """Says whether the players make throws of their own."""
        if not game.own_throws:
            yield Sentence(
                N_("There's one throw for everyone, and each player answers it on their own row."),
                drawn=N_("There's one domino for everyone, and each player answers it on their own row."),
            )
            return
        yield Sentence(
            plural(
                "Everyone throws once alone; then there's one throw for everyone, and each player answers it "
                "on their own row.",
                "Everyone's first {throws} throws are their own; then there's one throw for everyone, and "
                "each player answers it on their own row.",
            ),
            {"throws": game.own_throws},
            plural(
                "Everyone draws once alone; then there's one domino for everyone, and each player answers it "
                "on their own row.",
                "Everyone draws {throws} dominoes alone; then there's one for everyone, and each player "
                "answers it on their own row.",
            ),
        )
        if game.insurance or game.spare_throws:
            yield Sentence(
                N_("A player who throws alone, has no move and is still in throws again."),
                drawn=N_("A player who draws alone, has no move and is still in draws again."),
            )

    def format(self, game: Profile) -> Format:
        """One throw may bring several players to the limit that loses."""
        return WorstTargetLoses() if game.match is MatchFormat.TARGET_LOSES else usual_format(game)

    def next_seat(self, match: Position) -> int | None:
        """The first in order with the fewest throws, not counting those made again."""
        playing = (seat for seat in match.order if match.round.rows[seat].outcome is None)
        return min(playing, key=lambda seat: match.round.rows[seat].counted_throws, default=None)


class TugOfTiles(OrderOfPlay, turns=Turns.TUG):
    """Whole turns of two on one row: one shuts the tiles, the other opens them again.

    Whoever moves the last tile wins.
    """

    whole_turns = opens = True
    has_points = False
    defaults: ClassVar[Mapping[str, Any]] = {"win": Win.FIRST_TO_SHUT}
    needs = (
        Needs("rows", (1,)),
        Needs("draw", (Draw.DICE,)),
        Needs("strikes", (1,)),
        Needs("blocked", (Blocked.ENDS_TURN,)),
        Needs("win", (Win.FIRST_TO_SHUT,)),
        Needs("match", (MatchFormat.TOTAL, MatchFormat.ROUNDS_WON)),
        Needs("rounds", (1,), where=("match", MatchFormat.TOTAL)),
        Needs("score", all_but(Scoring.SHUT_SUM, Scoring.THROWS)),
        Needs("stakes", all_but(Stakes.BANK)),
        Needs("shut_wins", (ShutWins.MATCH, ShutWins.ROUND)),
        Needs("shut_wins", (ShutWins.ROUND,), where=("match", MatchFormat.ROUNDS_WON)),
        Needs("captain", (False,)),
        Needs("shut_others", (0,)),
        Needs("teams", (None, 2)),
        Needs("first_move_must_include", (None,), need=Need.TO_MAKE_SENSE),
        Needs("lost_score", (None,), need=Need.TO_MATTER),
        Needs("tie", (Tie.PLAY_OFF,), where=("match", MatchFormat.TOTAL), need=Need.TO_MATTER),
    )
    summary = N_("One shuts, the other opens.")

    def seats(self, game: Profile, players: int) -> int:
        """Two players, or two teams."""
        return 2 if game.teams is None or players % 2 or not players else players

    def rules_of(self, game: Profile, seat: int) -> Profile:
        """All tiles are in play: a head start only shuts some when a round begins."""
        return game

    def format(self, game: Profile) -> Format:
        """The last tile, unless rounds won count."""
        return LastTile() if game.match is MatchFormat.TOTAL else usual_format(game)

    def rules(self, game: Profile) -> Iterator[Sentence]:
        """Says how a round ends, too."""
        yield Sentence(
            N_(
                "The first player shuts tiles; once they're blocked, the second player opens them again by "
                "the same rule. Shutting them all or opening them all wins."
            )
        )
        if is_one_die_ever_allowed(game):
            yield Sentence(N_("The one-die rule looks only at the tiles the player still has to move."))
        yield Sentence(
            N_(
                "After {throws} throws, the player with fewer tiles left to move wins; if they're level, "
                "they share."
            ),
            {"throws": MAX_THROWS},
        )

    def first_rows(self, game: Profile, players: int, first: int) -> Rows:
        """The team of the player who begins shuts the tiles, and the other opens them."""
        shut = handicap.tiles_off(game, first)
        shuts, opens = Turn(game.starting & ~shut), Turn(shut, opens=True)
        return tuple(opens if (i - first) % 2 else shuts for i in range(players))

    def limited(self, match: Position, turn: Turn) -> Turn:
        """The last throw of a round ends it with tiles left."""
        if turn.throw is None and turn.outcome is None and match.round.throws + turn.throws >= MAX_THROWS:
            return turns.cut_off(match.game, turn, match.turn.throw)
        return turn

    def rows_after(self, match: Position, turn: Turn) -> Rows:
        """What one team has shut, the other must open."""
        rest = match.game.starting & ~turn.open
        return tuple(
            _fresh(row)._replace(open=turn.open if row.opens is turn.opens else rest)
            for row in match.round.rows
        )

    def rows_between(self, rows: Rows) -> Rows:
        """Gives everybody another turn."""
        return tuple(map(_fresh, rows))

    def next_seat(self, match: Position) -> int | None:
        """The next player with tiles to move."""
        goes_on = match.round.throws < MAX_THROWS
        return next((i for i in _from_next(match) if goes_on and match.round.rows[i].open), None)

    def marks(self, match: Position) -> tuple[tuple[int, ...], bool]:
        """Fewer tiles left to move is better."""
        return tuple(row.open.bit_count() for row in match.round.rows), False


def _fresh(row: Turn) -> Turn:
    """A turn of a tug before its first throw, with the tiles as they are."""
    return Turn(row.open, opens=row.opens)


_ORDERS: Mapping[Turns, OrderOfPlay] = {each: _CLASSES[each]() for each in Turns}
"""Each member of `Turns` with its class. There must be one for each."""


ORDERS = tuple(_ORDERS.values())
"""All orders of play."""


def order_of(game: Profile) -> OrderOfPlay:
    """The order of play of a game."""
    return _ORDERS[game.turns]


def for_seat(game: Profile, seat: int) -> Profile:
    """The game as a seat (from 0) plays it, without the tiles of its head start."""
    return order_of(game).rules_of(game, seat)
