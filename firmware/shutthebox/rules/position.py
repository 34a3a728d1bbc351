"""A match as data: its round, its ledger, and what you can read off them.

Nothing here knows what's allowed or what follows; `shutthebox.rules.match` adds that.
"""

from enum import Enum, StrEnum
from typing import NamedTuple, TypeAlias

from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import MatchFormat, Profile, Tie
from shutthebox.rules.stakes import Debts
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import Turn

Rows: TypeAlias = tuple[Turn, ...]
"""Each player's turn in the current round."""


class Stage(Enum):
    """What the match is waiting for."""

    THROW = "throw"
    ANSWER = "answer"
    ADVANCE = "advance"
    FINISHED = "finished"


class Reason(StrEnum):
    """Why a match is over."""

    SHUT = "shut"  # a player has shut the box, which wins the match
    ROUNDS = "rounds"  # the last round is over
    LIMIT = "limit"  # somebody has reached the limit
    PLAY_OFF = "play-off"  # extra rounds have decided between players who were tied
    LAST_LEFT = "last-left"  # all others are out
    BANK = "bank"  # everybody has played against the bank
    LADDER = "ladder"  # the player alone has played all rounds


class NextRound(NamedTuple):
    """Another round follows.

    Attributes:
        seats: players who take part, rising.
        breaks_tie: it's an extra round to break a tie.
        anew: the participants' totals start over (sheet 004).
    """

    seats: tuple[int, ...]
    breaks_tie: bool = False
    anew: bool = False


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
    owes: Debts
    reason: Reason


class ThrowForAll(NamedTuple):
    """One throw for everyone.

    Attributes:
        faces: of the throw.
        rows_before: the rows when it was made.
    """

    faces: Throw
    rows_before: Rows


class Round(NamedTuple):
    """A round: one value, which the next round replaces.

    Attributes:
        number: from 1.
        seats: players who take part, rising.
        first_player: the player who begins it.
        rows: each player's turn; a player who doesn't take part keeps an older one.
        tie_rounds: extra rounds so far to break a tie, including this one; 0 in a regular round.
        shutters: players who have shut the box in this round, or in the extra rounds that break its tie.
        common: the throw for everyone, while some still have to answer it.
        throws: in finished turns, if players have several.
        penalties: the points that each player got at its end because somebody else shut the box; empty
            before, and if nobody did.
        winners: players who won it; empty before its end, and if nobody did.
    """

    number: int
    seats: tuple[int, ...]
    first_player: int
    rows: Rows
    tie_rounds: int = 0
    shutters: tuple[int, ...] = ()
    common: ThrowForAll | None = None
    throws: int = 0
    penalties: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()


class Ledger(NamedTuple):
    """The stakes of a match.

    Attributes:
        owed: the stakes that each player owes for settled rounds; negative if they get some.
        settled: whether the current round's stakes are among them.
        pool: stakes left on the table from rounds that nobody won (`Tie.CARRY`).
        carried: how many such rounds there have been in a row.
    """

    owed: Debts
    settled: bool = False
    pool: int = 0
    carried: int = 0


class Position(NamedTuple):
    """A position within a match.

    Attributes:
        game: as agreed at the table, on the box in play.
        players: how many, 1..20.
        rounds: rounds to play, if totals decide the match.
        player: whose turn it is, or was if it has just ended.
        totals: points so far, including head starts. A play-off decides who won and adds nothing; if
            everybody starts over for a tie, totals restart with the next round.
        scores: each player's score of the last finished turn; None before the first.
        round: the current round.
        ledger: who owes what so far.
        losers: players who have lost the match for good: at the limit that loses, or the first out.
        turns_over: turns that have ended so far.
        stage: what the match is waiting for.
        next_round: where the finished turn leads; None for the next player's turn, or the end.
        result: how it ended; known as soon as the last turn ends, before the last `advance`.
    """

    game: Profile
    players: int
    rounds: int
    player: int
    totals: tuple[int, ...]
    scores: tuple[int | None, ...]
    round: Round
    ledger: Ledger
    losers: tuple[int, ...] = ()
    turns_over: int = 0
    stage: Stage = Stage.THROW
    next_round: NextRound | None = None
    result: Result | None = None

    @property
    def turn(self) -> Turn:
        """The current player's turn."""
        return self.round.rows[self.player]

    @property
    def standing(self) -> Tiles:
        """The tiles open on the current player's row."""
        return self.round.rows[self.round.first_player].open if self.turn.opens else self.turn.open

    @property
    def everybody(self) -> tuple[int, ...]:
        """All players, whether they take part in this round or not."""
        return tuple(range(self.players))

    @property
    def order(self) -> tuple[int, ...]:
        """The players who take part in this round, in order of play."""
        first = self.round.first_player
        return tuple(sorted(self.round.seats, key=lambda seat: (seat - first) % self.players))

    @property
    def playing(self) -> tuple[int, ...]:
        """The players with an unfinished row, in order of play."""
        return tuple(i for i in self.order if self.round.rows[i].outcome is None)

    @property
    def round_scores(self) -> tuple[int, ...]:
        """Each player's score in this round, including penalties; 0 if there's none."""
        penalties = self.round.penalties or (0,) * self.players
        return tuple((row.score or 0) + more for row, more in zip(self.round.rows, penalties, strict=True))

    @property
    def is_one_round(self) -> bool:
        """Whether one round decides the match, so its stakes are the match's."""
        return self.game.match is MatchFormat.TOTAL and self.rounds == 1

    @property
    def plays_off(self) -> bool:
        """Whether the current round only breaks a tie, and adds no points."""
        return self.round.tie_rounds > 0 and self.game.tie is not Tie.REPLAY_ALL

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
