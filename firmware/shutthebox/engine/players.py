"""Simple players, and playing whole turns and matches with them, one at a time or many at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import ClassVar, Literal, NamedTuple, Protocol

from shutthebox.engine.game import Game
from shutthebox.engine.match import Match
from shutthebox.engine.odds import Aim, Odds
from shutthebox.engine.turn import Turn, rising_throws
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import Blocked, Profile, Scoring

_MAX_POSITIONS = 20_000
"""The most positions to remember while many turns are played; more are played, but each is judged again."""


class Player(Protocol):
    """Decides in a turn. Any class with these two methods is a player."""

    def choose_dice(self, turn: Turn) -> int:
        """How many dice to throw, of `Turn.legal_dice`."""
        ...

    def choose_move(self, turn: Turn) -> tuple[int, ...]:
        """The move to make, of `Turn.legal_moves`."""
        ...


@dataclass(frozen=True, slots=True)
class SimplePlayer:
    """Chooses by a simple rule, and throws the usual number of dice. Opens the lowest tile if it has to.

    Example:
        >>> SimplePlayer("most tiles").choose_move(Turn.start(Game.from_name("traditional")).throw(3, 5))
        (1, 2, 5)

    Attributes:
        rule: "highest first" shuts the highest tile it can, then the next highest; "lowest first" keeps the
            highest tiles open as long as it can; "fewest tiles" and "most tiles" shut as few or as many as
            they can, of equals those with the highest.
        is_consistent: always the same decision in the same position.
    """

    is_consistent: ClassVar = True

    rule: Literal["highest first", "lowest first", "fewest tiles", "most tiles"] = "highest first"

    def choose_dice(self, turn: Turn) -> int:
        """The first of the legal numbers, which is the game's usual one."""
        return turn.legal_dice[0]

    def choose_move(self, turn: Turn) -> tuple[int, ...]:
        """The move that the rule names; of equals, the first one."""
        moves = turn.legal_moves
        if min(moves[0], default=0) < 0:
            return moves[0]
        match self.rule:
            case "highest first":
                return max(moves, key=_highest)
            case "lowest first":
                return min(moves, key=_highest)
            case "fewest tiles":
                return max(moves, key=lambda move: (-len(move), _highest(move)))
            case "most tiles":
                return max(moves, key=lambda move: (len(move), _highest(move)))


@dataclass(frozen=True, slots=True)
class RandomPlayer:
    """Chooses at random, the number of dice, too.

    Attributes:
        random: where chance comes from.
        is_consistent: not always the same decision in the same position.
    """

    is_consistent: ClassVar = False

    random: Random

    def choose_dice(self, turn: Turn) -> int:
        """A random number of dice; all legal numbers are equally likely."""
        return self.random.choice(turn.legal_dice)

    def choose_move(self, turn: Turn) -> tuple[int, ...]:
        """A random move; all legal moves are equally likely."""
        return self.random.choice(turn.legal_moves)


@dataclass(frozen=True, slots=True)
class BestPlayer:
    """Plays each turn its best by the exact odds, whatever the others do.

    Example:
        >>> BestPlayer().choose_move(Turn.start(Game.from_name("traditional")).throw(6, 5))
        (2, 9)

    Attributes:
        aim: what it plays for.
        is_consistent: always the same decision in the same position.
    """

    is_consistent: ClassVar = True

    aim: Aim = "score"

    def choose_dice(self, turn: Turn) -> int:
        """The number of dice with the highest worth under exact play."""
        return _odds(turn.game).best_dice(turn, self.aim)

    def choose_move(self, turn: Turn) -> tuple[int, ...]:
        """The move with the highest worth under exact play."""
        return _odds(turn.game).best_move(turn, self.aim)


def play_match(match: Match, players: Sequence[Player], random: Random) -> Match:
    """Plays a match to its end.

    >>> match = Match.start(Game.from_name("traditional"), players=2)
    >>> play_match(match, [BestPlayer(), SimplePlayer()], Random(1)).totals
    (14, 13)

    Args:
        match: at any point.
        players: one for each seat.
        random: where chance comes from; the same seed gives the same match.

    Raises:
        ValueError: there are more seats or fewer than players, or a player breaks the rules.
    """
    if len(players) != match.players:
        raise ValueError(f"players: {len(players)} for {match.players} seats; use one for each")
    while not match.is_over:
        player, turn = players[match.player], match.turn
        if match.awaits_throw:
            match = match.throw(*match.roll(random, player.choose_dice(turn)))
        else:
            match = match.move(*player.choose_move(turn))
    return match


class TurnEnd(NamedTuple):
    """How a turn has ended.

    Attributes:
        score: the turn's.
        outcome: how, as `Turn.outcome`.
        open: the tiles left open.
        throws: how many there have been.
    """

    score: int
    outcome: str
    open: tuple[int, ...]
    throws: int


def play_turns(turn: Turn, player: Player, count: int, random: Random) -> list[TurnEnd]:
    """Plays a turn to its end many times, and returns how it ended each time.

    A player that is consistent (`is_consistent`) is only asked once for each position, as far as tiles and
    faces go. That's many times as fast as a loop over `Turn.roll`, `Turn.throw` and `Turn.move`, with the
    same results.

    >>> start = Turn.start(Game.from_name("traditional"))
    >>> ends = play_turns(start, SimplePlayer(), 1000, Random(1))
    >>> sum(end.outcome == "shut" for end in ends)
    59

    Args:
        turn: where each turn starts, such as `Turn.start(game)`.
        player: who plays.
        count: how often.
        random: where chance comes from; the same seed gives the same ends.
    """
    if turn.awaits_move or turn.is_over:
        turns.refuse(turns.ANSWER_DUE if turn.awaits_move else turns.TURN_OVER)
    if getattr(player, "is_consistent", False) and isinstance(player, Hashable):
        return _kept_table(turn, player).play(count, random)
    return _Table(turn, player, remembers=False).play(count, random)


class _Position:
    """A position that awaits a throw, or is the end of a turn.

    Attributes:
        turn: the position.
        throws: all that can be thrown with the dice that the player chooses; none at the end.
        after: the positions that some of them lead to, by their faces, rising.
        ends: at the end, how the turn has ended after so many throws.
    """

    __slots__ = ("after", "ends", "throws", "turn")

    def __init__(self, turn: Turn, throws: Sequence[Throw]) -> None:
        self.turn = turn
        self.throws = throws
        self.after: dict[Throw, _Position] = {}
        self.ends: dict[int, TurnEnd] = {}


class _Table:
    """The positions that turns have come to, and where each throw leads with this player."""

    def __init__(self, start: Turn, player: Player, *, remembers: bool = True) -> None:
        self._start, self._player, self._remembers = start, player, remembers
        self._forgets_throws = _is_short(start.game.profile)
        self._positions: dict[turns.Turn, _Position] = {}

    def play(self, count: int, random: Random) -> list[TurnEnd]:
        below, ends, made = random.randrange, [], self._start.throws
        for _ in range(count):
            at, throws = self._position(self._start), made
            while possible := at.throws:
                faces = possible[below(len(possible))]
                at = at.after.get(faces) or self._follow(at, faces)
                throws += 1
            ends.append(at.ends.get(throws) or self._end(at, throws))
        return ends

    def _follow(self, at: _Position, faces: Throw) -> _Position:
        turn = at.turn.throw(*faces)
        if turn.awaits_move:
            turn = turn.move(*self._player.choose_move(turn))
        after = self._position(turn)
        if self._remembers and len(self._positions) < _MAX_POSITIONS:
            at.after[faces] = after
        return after

    def _end(self, at: _Position, throws: int) -> TurnEnd:
        turn = at.turn
        assert turn.score is not None, "a finished turn has a score"
        at.ends[throws] = end = TurnEnd(turn.score, turn.outcome or "", turn.open, throws)
        return end

    def _position(self, turn: Turn) -> _Position:
        state = turn.state
        if self._forgets_throws:
            # How a position came about makes no difference to what follows.
            state = state._replace(throw=None, throws=0, moves=min(state.moves, 1))
            turn = Turn(turn.game, state)
        found = self._positions.get(state)
        if found is None:
            throws = () if turn.is_over else rising_throws(turn, self._player.choose_dice(turn))
            found = _Position(turn, throws)
            if self._remembers and len(self._positions) < _MAX_POSITIONS:
                self._positions[state] = found
        return found


@lru_cache(maxsize=2)
def _kept_table(start: Turn, player: Player) -> _Table:
    return _Table(start, player)


def _is_short(profile: Profile) -> bool:
    """Whether each throw shuts something or ends the turn, and isn't counted."""
    ends = profile.blocked in (Blocked.ENDS_TURN, Blocked.LOSES) and not profile.insurance
    return ends and not profile.has_blanks and profile.score is not Scoring.THROWS


def _highest(move: tuple[int, ...]) -> tuple[int, ...]:
    return move[::-1]


@lru_cache(maxsize=4)
def _odds(game: Game) -> Odds:
    return Odds(game)
