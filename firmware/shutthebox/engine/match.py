"""A match: an immutable position, its result, and its record."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import NamedTuple

from shutthebox.config import profiles
from shutthebox.engine.game import Game
from shutthebox.engine.turn import Turn, opened_by, why_no_tiles
from shutthebox.rules import match as matches
from shutthebox.rules import record as records
from shutthebox.rules.actions import Action, Advanced, Moved, OutOfTime, Reopened, Thrown, apply
from shutthebox.rules.orders import for_seat
from shutthebox.rules.position import Stage
from shutthebox.rules.tiles import to_tiles


class Result(NamedTuple):
    """How a match ended.

    Attributes:
        winners: the players who have won, from 0; several share, or are a team. None if everybody has lost.
        reason: why the match is over, such as "shut" or "total".
        is_captain: whether the winner shut the box in the very first turn, and has the title for it.
        owes: the stakes that each player owes; negative if they get some.
    """

    winners: tuple[int, ...]
    reason: str
    is_captain: bool
    owes: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Match:
    """A position within a match: it awaits a player's throw or move, or it's over.

    `throw` and `move` return the next position. When a turn ends, the next player's begins at once. Players
    are numbered from 0, as the items of `totals` are; records, and the box, count them from 1.

    Example:
        >>> match = Match.start(Game.from_name("traditional"), players=2)
        >>> match = match.throw(3, 5).move(3, 5)
        >>> match.player, match.turn.open
        (0, (1, 2, 4, 6, 7, 8, 9))

    Attributes:
        game: what's played.
        last_turn: the turn that has ended last; None before the end of the first.
        state: the position as the rest of this package has it; no part of the API.
        actions: what has happened, likewise.
    """

    game: Game
    last_turn: Turn | None
    state: matches.Match
    actions: tuple[Action, ...] = field(compare=False)

    @classmethod
    def start(cls, game: Game, players: int = 2, rounds: int | None = None, first: int = 0) -> Match:
        """A match before its first throw.

        Args:
            game: what's played.
            players: how many.
            rounds: how many, if the players may choose; None for the game's usual number.
            first: who begins, from 0, if the game lets anybody begin.

        Raises:
            ValueError: a number isn't allowed; the text says what is.
        """
        return cls(game, None, matches.begin(game.profile, players, rounds, first), ())

    @property
    def players(self) -> int:
        """How many players there are."""
        return self.state.players

    @property
    def player(self) -> int:
        """The player who's next, from 0."""
        return self.state.player

    @property
    def round(self) -> int:
        """The current round, from 1."""
        return self.state.round.number

    @property
    def turn(self) -> Turn:
        """The turn of the player who's next; after the match, the last one."""
        dice = self.state.dice_allowed if self.awaits_throw else None
        return Turn(Game(self.state.rules), self.state.turn, dice)

    @property
    def rows(self) -> tuple[Turn, ...]:
        """Each player's turn of this round, by player; of a player who doesn't take part, an earlier one."""
        games = (for_seat(self.state.game, player) for player in range(self.players))
        return tuple(Turn(Game(game), row) for game, row in zip(games, self.state.round.rows, strict=True))

    @property
    def awaits_throw(self) -> bool:
        """Whether a throw is next."""
        return self.state.stage is Stage.THROW

    @property
    def awaits_move(self) -> bool:
        """Whether a move is next."""
        return self.state.stage is Stage.ANSWER

    @property
    def is_over(self) -> bool:
        """Whether the match is decided."""
        return self.state.result is not None

    @property
    def totals(self) -> tuple[int, ...]:
        """Each player's points so far, with head starts; in games won by rounds, the rounds won."""
        return self.state.totals

    @property
    def scores(self) -> tuple[int | None, ...]:
        """Each player's score of their last finished turn; None before."""
        return self.state.scores

    @property
    def result(self) -> Result | None:
        """How the match ended; None until it's decided."""
        found = self.state.result
        return found and Result(found.winners, found.reason.value, found.captain, found.owes)

    @property
    def legal_dice(self) -> tuple[int, ...]:
        """How many dice may be thrown, the usual number first; none unless a throw is next."""
        return self.turn.legal_dice

    @property
    def legal_moves(self) -> tuple[tuple[int, ...], ...]:
        """Every move that may be made, as `Turn.legal_moves`; none unless a move is next."""
        return self.turn.legal_moves

    def why_not_throw(self, *faces: int) -> str | None:
        """Why these faces can't be thrown now, in one line; None if they can."""
        return self.state.why_not_throw(faces)

    def why_not_move(self, *tiles: int) -> str | None:
        """Why this move can't be made now, in one line; None if it can."""
        return self.turn.why_not_move(*tiles)

    def roll(self, random: Random, dice: int | None = None) -> tuple[int, ...]:
        """Faces at random, for `throw`; see `Turn.roll`. If one throw is for everyone, that throw."""
        common = self.state.round.common
        return common.faces if common else self.turn.roll(random, dice)

    def throw(self, *faces: int) -> Match:
        """The position after this throw.

        Raises:
            ValueError: for the reason that `why_not_throw` gives.
        """
        return self.after(Thrown(faces))

    def move(self, *tiles: int) -> Match:
        """The position after this move, as `Turn.move`.

        Raises:
            ValueError: for the reason that `why_not_move` gives.
        """
        if opened := opened_by(tiles):
            return self.after(Reopened(opened))
        if reason := why_no_tiles(tiles):
            raise ValueError(reason)
        return self.after(Moved(to_tiles(tiles)))

    def run_out_of_time(self) -> Match:
        """The position after the player's time is over, in games with a clock.

        Raises:
            ValueError: the clock doesn't run now.
        """
        return self.after(OutOfTime())

    def record(self) -> Record:
        """The match so far, to write down."""
        return Record(records.Record(self.state.game, self.players, self.state.rounds, self.actions))

    def after(self, action: Action) -> Match:
        """The position after an action of the rules; no part of the API."""
        state, actions, last = apply(self.state, action), (*self.actions, action), self.last_turn
        while state.stage is Stage.ADVANCE:
            last = Turn(Game(state.rules), state.turn)
            state, actions = apply(state, Advanced()), (*actions, Advanced())
        return Match(self.game, last, state, actions)

    def __repr__(self) -> str:
        head = f"<Match of {self.game.name}, round {self.round}, {':'.join(map(str, self.totals))}, "
        return f"{head}over>" if self.is_over else f"{head}player {self.player}: {self.turn.shown}>"


@dataclass(frozen=True, slots=True, repr=False)
class Record:
    """A match from its beginning, as far as it got. As text it's what `shutthebox export --record` prints.

    Example:
        >>> match = Match.start(Game.from_name("traditional"), players=1).throw(6, 3).move(9)
        >>> text = match.record().to_text()
        >>> text.splitlines()[-1]
        '1 6+3 9'
        >>> Record.from_text(text).replay()[-1] == match
        True

    Attributes:
        contents: the record as the rest of this package has it; no part of the API.
    """

    contents: records.Record

    @classmethod
    def from_text(cls, text: str, where: str = "record") -> Record:
        """A record, with every line checked against the rules.

        Args:
            text: what a box has exported, or `to_text`.
            where: the name of its file, for error messages.

        Raises:
            RecordError: the message names the line, and the rule it breaks.
        """
        return cls(records.parse(text, where, profiles.builtin))

    @property
    def game(self) -> Game:
        """What was played."""
        return Game(self.contents.profile)

    @property
    def players(self) -> int:
        """How many players there were."""
        return self.contents.players

    @property
    def is_given_up(self) -> bool:
        """Whether the players left the match before it was decided."""
        return self.contents.given_up

    @property
    def unproven(self) -> tuple[str, ...]:
        """What the record doesn't prove, in short English sentences."""
        return records.unproven(self.contents)

    def to_text(self) -> str:
        """The record as text; it needs nothing else to be read."""
        return records.write(self.contents)

    def replay(self) -> tuple[Match, ...]:
        """Every position of the match, from its beginning."""
        positions = [Match(self.game, None, self.contents.beginning, ())]
        for action in self.contents.actions:
            if not isinstance(action, Advanced):
                positions.append(positions[-1].after(action))
        return tuple(positions)

    def __repr__(self) -> str:
        return f"<Record of {self.game.name}, {self.players} players, {len(self.contents.actions)} actions>"
