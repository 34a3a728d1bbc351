"""An account of one match by the oracle's rules, action by action; nothing calls the rules engine."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import assert_never

from tests.support import oracle
from tests.support.oracle import Row as Set

from shutthebox.rules.actions import Action, Advanced, Moved, OutOfTime, Reopened, Thrown
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import to_numbers

MAX_THROWS = 999
DOMINOES = [(a, b) for a in range(1, 7) for b in range(a, 7)]
TWICE = [(n, n) for n in range(1, 7)] + [(1, 3), (1, 5), (1, 6), (4, 6), (5, 6)]
BAGS = {21: DOMINOES, 28: [(0, n) for n in range(7)] + DOMINOES, 32: DOMINOES + TWICE}


@lru_cache(maxsize=1 << 17)
def legal_moves(
    profile: Profile, held_open: Set, faces: tuple[int, ...], first: bool, behind: Set = frozenset()
) -> frozenset[Set]:
    """The moves for a throw, by trying all sets of open tiles."""
    if oracle.are_columns(profile):
        return frozenset(oracle.column_moves(profile, held_open, behind, faces, first=first))
    return frozenset(oracle.moves(profile, held_open, faces, first=first))


@lru_cache(maxsize=1 << 14)
def can_ever_move(profile: Profile, held_open: Set, behind: Set) -> bool:
    """Whether there is a throw that has a move; where one tile has to go first it is not asked."""
    every = throws(profile, held_open, behind)
    return any(legal_moves(profile, held_open, faces, False, behind) for faces in every)


def throws(profile: Profile, held_open: Set, behind: Set = frozenset()) -> Iterable[tuple[int, ...]]:
    """Every throw there can be while these tiles are open."""
    if profile.draw.value == "dominoes":
        return BAGS[profile.bag]
    counts = oracle.dice_counts(profile, held_open, behind)
    return [faces for dice in counts for faces in oracle.rolls(dice, profile.sides)]


@dataclass
class Row:
    """A player's tiles in this round; `behind` are those of the back row behind open ones."""

    open: Set
    behind: Set = frozenset()
    insured: int = 0
    throw: tuple[int, ...] | None = None
    throws: int = 0
    moves: int = 0
    bag: tuple[tuple[int, ...], ...] = ()
    over: bool = False
    opens: bool = False
    again: int = 0
    outcome: str = ""

    @property
    def turns_at_dice(self) -> int:
        """The throws, without those of a player's own that were made again."""
        return self.throws - self.again


class Account:
    """Follows one match; begins where it is in its first throw.

    Attributes:
        phase: "throw", "answer", "turn-over" or "match-over".
        at: the player at turn, from 0.
        outcome: of the turn that has ended last, as the rules call it.
        winners: from 0; empty until the match is `over`, and where nobody has won.
    """

    def __init__(self, match: Match) -> None:
        self.profile, self.players, self._rounds_wanted = match.game, match.players, match.rounds
        self._is_tug, self._thrown = match.game.turns.value == "tug", 0
        self._teams = [oracle.mates(match.game, match.players, i) for i in range(match.players)]
        everybody = [oracle.NO_SEAT if self._is_tug else i for i in range(match.players)]
        self.starts = [oracle.start(match.game, seat) for seat in everybody]
        self._rounds: list[list[oracle.Ended]] = []
        self.seats: tuple[int, ...] = tuple(range(self.players))
        self._begins = self._first = match.round.first_player
        self._ties = self._ties_to_come = 0
        self.winners: tuple[int, ...] = ()
        self.over = self.captain = False
        self.outcome = ""
        better = 1 if self.profile.win.value == "highest" else -1
        heads = [oracle.head_start(self.profile, i) for i in range(self.players)]
        self.totals = [better * head if isinstance(head, int) else 0 for head in heads]
        self.scores: list[int | None] = [None] * self.players
        self.owes: list[Fraction] = []
        self._fresh = list(self.totals)
        self.rows = [self._new_row(i) for i in range(self.players)]
        self._new_round()

    @property
    def row(self) -> Row:
        """Of the player at turn."""
        return self.rows[self.at]

    @property
    def start(self) -> Set:
        """The tiles open when a turn of the player at turn starts."""
        return self.starts[self.at]

    @property
    def clock_runs(self) -> bool:
        """A turn lasts so many seconds from its first throw on, in rotation an answer."""
        whole = self.profile.turns.value in ("whole", "tug")
        begun = self.phase == "throw" and self.row.throws > 0 and whole
        return bool(self.profile.turn_seconds) and (self.phase == "answer" or begun)

    def _new_row(self, seat: int) -> Row:
        if self._is_tug:
            # The tiles of a head start are shut already when its seat begins the round.
            shut = self.starts[seat] - oracle.start(self.profile, self._first)
            opens = seat % 2 != self._first % 2
            return self._in_tug(shut if opens else self.starts[seat] - shut, opens=opens)
        return Row(
            self.starts[seat],
            oracle.starts_behind(self.profile, seat),
            self.profile.strikes - 1,
            bag=tuple(BAGS[self.profile.bag]),
        )

    def _in_tug(self, tiles: Set, *, opens: bool) -> Row:
        """A turn of a tug before its first throw."""
        return Row(tiles, bag=tuple(BAGS[self.profile.bag]), opens=opens)

    def _new_round(self) -> None:
        self.at, self.phase, self._thrown = self._first, "throw", 0
        self._ties, self.totals = self._ties_to_come, list(self._fresh)
        self._ended: list[oracle.Ended] = []
        self._common: tuple[int, ...] | None = None
        self._over_by_common: list[int] = []
        for i in range(self.players):
            if i in self.seats:
                self.rows[i] = self._new_row(i)
            self.rows[i].over = i not in self.seats

    def can_show(self, faces: tuple[int, ...]) -> bool:
        """Whether the dice, or a domino of the bag, can show this now."""
        if self.profile.draw.value == "dominoes":
            return tuple(sorted(faces)) in self.row.bag
        if self._common is not None:
            return faces == self._common
        counts = oracle.dice_counts(self.profile, self.row.open, self.row.behind)
        if self._shares_throw and self.row.turns_at_dice >= self.profile.own_throws:
            rows = [row for row in self.rows if not row.over]
            if not all(1 in oracle.dice_counts(self.profile, row.open, row.behind) for row in rows):
                counts = {self.profile.dice}
        return len(faces) in counts and all(1 <= face <= self.profile.sides for face in faces)

    @property
    def _shares_throw(self) -> bool:
        return self.profile.turns.value == "together"

    def _others_wait(self) -> bool:
        """One throw for everyone, which others have to answer."""
        return self._shares_throw and any(
            not row.over and row.turns_at_dice < self.row.turns_at_dice for row in self.rows
        )

    def legal(self) -> frozenset[Set]:
        """The moves for the throw on the table."""
        if self.phase != "answer" or self.row.throw is None:
            return frozenset()
        faces = tuple(sorted(self.row.throw))
        return legal_moves(self.profile, self.row.open, faces, not self.row.moves, self.row.behind)

    def reopens(self) -> bool:
        """Whether a tile has to be opened."""
        asked = (
            self.phase == "answer" and self.profile.blocked.value == "opens-one" and not self._draws_again()
        )
        return asked and self.row.open != self.start and not self.legal()

    def passes(self) -> bool:
        """Whether the throw on the table has no answer, and the turn goes on all the same."""
        return self.phase == "answer" and not self.legal() and not self.reopens()

    def take(self, action: Action) -> None:
        """Does what the action does; whether it is allowed is asked before."""
        match action:
            case Thrown(faces):
                self._throw(faces)
            case Moved(shut):
                self._shut(frozenset(to_numbers(shut)))
            case Reopened(tile):
                self.row.open |= {tile}
                self._answered()
            case OutOfTime():
                self._turn_over("time")
            case Advanced():
                self._advance()
            case _:
                assert_never(action)

    def _throw(self, faces: tuple[int, ...]) -> None:
        row, profile = self.row, self.profile
        row.throw, row.throws, self.phase = faces, row.throws + 1, "answer"
        row.insured += profile.insurance and len(faces) > 1 and len(set(faces)) == 1
        if profile.draw.value == "dominoes":
            left = list(row.bag)
            left.remove(tuple(sorted(faces)))
            row.bag = tuple(left or BAGS[profile.bag])
            if not self._shares_throw or row.turns_at_dice <= profile.own_throws:
                self._share(row)
        is_common = self._shares_throw and row.turns_at_dice > profile.own_throws
        if is_common and self._common is None:
            self._over_by_common = []
        self._common = faces if is_common else None
        if oracle.ends_turn(profile, faces):
            self._turn_over("ended")
            return
        if self.legal() or (self._draws_again() and row.throws < MAX_THROWS):
            return
        if not row.moves and profile.first_move_must_include is not None:
            self._turn_over("lost")
            return
        ends = profile.blocked.value in ("ends-turn", "loses") and not row.insured
        opens = profile.blocked.value == "opens-one" and row.open != self.start
        goes_on = opens or row.insured or can_ever_move(profile, row.open, row.behind)
        if ends or not goes_on or row.throws >= MAX_THROWS:
            self._turn_over("blocked")

    def _draws_again(self) -> bool:
        """The double blank: nothing can be shut, and nothing is lost."""
        return self.row.throw == (0, 0)

    def _share(self, row: Row) -> None:
        """One row for all, or one bag: a change by one player is there for the others."""
        for other in self.rows:
            drawn = row.turns_at_dice <= self.profile.own_throws if self._shares_throw else True
            if not other.over and self.profile.turns.value != "whole" and drawn:
                other.bag = row.bag
            if not other.over and self.profile.turns.value == "shared":
                other.open, other.behind = row.open, row.behind
            if self._is_tug and other is not row:
                other.open = row.open if other.opens == row.opens else self.start - row.open

    def _shut(self, tiles: Set) -> None:
        row = self.row
        uses_insurance = self.passes() and row.insured > 0 and not self._draws_again()
        if self._shares_throw and self._common is None and not tiles:
            row.again += uses_insurance or self._draws_again()
        reach = max(self.profile.tiles)
        through = frozenset(tile - reach for tile in tiles if self.profile.through and tile > reach)
        gone = frozenset(tile for tile in tiles if tile not in row.behind or tile in through)
        row.open, row.moves = row.open - gone, row.moves + bool(tiles)
        row.behind -= tiles
        row.insured -= uses_insurance
        self._share(row)
        self._answered(
            stays=(uses_insurance and self.profile.insurance) or (not tiles and self._draws_again())
        )

    def _answered(self, *, stays: bool = False) -> None:
        if not self.row.open:
            self._turn_over("shut")
            return
        if self._is_tug and self._thrown + self.row.throws >= MAX_THROWS:
            self._turn_over("blocked")
            return
        self.row.throw, self.phase = None, "throw"
        if self._shares_throw and not self._others_wait():
            if self._shut_in_round() and self.profile.shut_wins.value != "no":
                self._turn_over("unplayed")
                return
            if self._over_by_common and self._limit_lost():
                # The turn that the throw for everyone has ended last is shown again.
                self.at, self.phase = self._over_by_common[-1], "turn-over"
                self.outcome = self.row.outcome
                self._round_over(by_shut=False)
                return
            self._common = None
        if self.profile.turns.value not in ("whole", "tug") and (self._shares_throw or not stays):
            self.at = self._following()

    def _shut_in_round(self) -> list[int]:
        return [turn.player for turn in self._ended if turn.shut]

    def _following(self) -> int:
        if self._shares_throw:
            places = [(self._first + step) % self.players for step in range(self.players)]
            playing = [i for i in places if not self.rows[i].over]
            return min(playing, key=lambda i: self.rows[i].turns_at_dice, default=-1)
        order = [(self.at + step) % self.players for step in range(1, self.players + 1)]
        if self._is_tug:
            last = self._thrown >= MAX_THROWS
            return -1 if last else next(i for i in order if self.rows[i].open)
        return next((i for i in order if not self.rows[i].over), -1)

    def _points(self, seat: int, outcome: str = "") -> int:
        row = self.rows[seat]
        late, lost = outcome == "time", outcome == "lost"
        seat = oracle.NO_SEAT if self._is_tug else seat
        return oracle.points(
            self.profile,
            row.open,
            row.throws,
            lost,
            behind=row.behind,
            late=late,
            seat=seat,
            last=row.throw or (),
        )

    def _turn_over(self, outcome: str) -> None:
        profile, shut, self.outcome = self.profile, outcome == "shut", outcome
        self.row.over, self.row.outcome, self.phase = True, outcome, "turn-over"
        if self._is_tug:
            # Of the turns of a round only the last one counts.
            self._thrown, self._ended = self._thrown + self.row.throws, []
        self._score(self.at, self._points(self.at, outcome), shut, played=outcome != "unplayed")
        ends_round = shut and profile.shut_wins.value != "no"
        if self._shares_throw:
            was_common = self._common is not None
            if was_common:
                self._over_by_common.append(self.at)
            if not self._others_wait():
                self._common = None
            told = self._shut_in_round() and profile.shut_wins.value != "no"
            if (told or was_common) and self._others_wait():
                return
            ends_round = bool(told)
        limit_lost = self._limit_lost()
        last_in = (
            profile.turns.value == "shared" and oracle.last_in(self.players, self._teams, self._ended)[0]
        )
        if self._following() >= 0 and not ends_round and not limit_lost and not last_in:
            return
        decisive = self._ties or (profile.match.value == "total" and self._rounds_wanted == 1)
        stand = self._shares_throw or (profile.shut_wins.value == "round" and not decisive)
        if (ends_round and stand) or (self._is_tug and not ends_round):
            for i in self.seats:
                if not self.rows[i].over:
                    self._score(i, self._points(i), False, played=False)
        self._round_over(by_shut=bool(ends_round))

    def _limit_lost(self) -> bool:
        """Whether somebody is at the limit that loses."""
        loses = self.profile.match.value == "target-loses" and not self._ties
        return loses and bool(oracle.at_the_limit(self.profile, self._together()))

    def _round_over(self, *, by_shut: bool) -> None:
        profile, shut, ends_round = self.profile, self.outcome == "shut", by_shut
        self._rounds.append(self._ended)
        if self._following() < 0 or ends_round:
            for i, more in oracle.penalties(profile, self._teams, self._ended, extra=self._ties > 0).items():
                self.scores[i] = (self.scores[i] or 0) + more
        said = oracle.umpire(profile, self.players, self._rounds_wanted, self._rounds, self._begins)
        self.winners, self.seats, self._ties_to_come = said.winners, said.seated, said.ties
        self.totals, self._fresh, self._first = list(said.totals), list(said.fresh), said.first
        self.over, self.owes = said.over, list(said.owes)
        first_turn = len(self._rounds) == 1 and self.at == self._begins
        if self._shares_throw:
            first_turn, shut = len(self._rounds) == 1, self._begins in self._shut_in_round()
        self.captain = profile.captain and shut and first_turn

    def _score(self, player: int, points: int, shut: bool, *, played: bool) -> None:
        left = len(self.rows[player].open)
        self._ended.append(oracle.Ended(player, points, shut, played, left, self.rows[player].opens))
        self.scores[player] = points
        adds_up = (not self._ties or self.profile.tie.value == "replay-all") and not self._is_tug
        if adds_up and self.profile.match.value != "rounds-won":
            self.totals[player] += points

    def _together(self) -> list[int]:
        """By player the total of the player's team."""
        return [sum(self.totals[mate] for mate in team) for team in self._teams]

    def _advance(self) -> None:
        if self.over:
            self.phase = "match-over"
        elif self._rounds and self._rounds[-1] is self._ended:
            self._new_round()
        else:
            self.at, self.phase = self._following(), "throw"
            if self._is_tug:
                self.rows = [self._in_tug(row.open, opens=row.opens) for row in self.rows]
