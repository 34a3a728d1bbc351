"""An independent tally: looks on at a box, knows the games in its own few words, and finds fault.

Nothing of the rules engine is used: what is legal, what a turn is worth and who has won is said
here once more, from the rule sheets and not from the profiles' files.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from shutthebox.game.effects import Effect, Keep, Show
from shutthebox.game.facts import Began, Faulted, Finished, Left, Resumed
from shutthebox.game.mode import Mode
from shutthebox.game.switches.debounce import DICE_BUTTON, SwitchChanged

Set = frozenset[int]
NINE: Set = frozenset(range(1, 10))


def sum_score(held_open: Set, throws: int) -> int:
    return sum(held_open)


def digits_score(held_open: Set, throws: int) -> int:
    return int("0" + "".join(map(str, sorted(held_open))))


def throws_score(held_open: Set, throws: int) -> int:
    return throws


def never(held_open: Set) -> set[int]:
    return {2}


def if_high_gone(held_open: Set) -> set[int]:
    return {1, 2} if max(held_open) <= 6 else {2}


def must_if_high_gone(held_open: Set) -> set[int]:
    return {1} if max(held_open) <= 6 else {2}


def must_if_sum_small(held_open: Set) -> set[int]:
    return {1} if sum(held_open) <= 6 else {2}


@dataclass(frozen=True)
class Game:
    """One game, on nine tiles."""

    dice: Callable[[Set], set[int]] = if_high_gone
    faces: bool = False
    start: Set = NINE
    score: Callable[[Set, int], int] = sum_score
    shut_wins: bool = True
    alternate: bool = False
    blocked: str = "ends"
    rounds: int = 1
    tie: str = "play-off"
    stakes: str = "none"
    captain: bool = False


GAMES = {
    "traditional": Game(stakes="pool"),
    "pub": Game(stakes="double"),
    "jouhet": Game(must_if_sum_small, rounds=3, captain=True),
    "digits": Game(must_if_sum_small, score=digits_score, shut_wins=False, tie="replay-all"),
    "trac": Game(must_if_high_gone, faces=True, shut_wins=False, stakes="loser"),
    "lucky-seven": Game(start=frozenset({7}), alternate=True, blocked="passes"),
    "open-one": Game(blocked="opens", score=throws_score, shut_wins=False),
}


def verdict_on(
    down: Set,
    start: Set,
    held_open: Set,
    throw: tuple[int, ...] | None,
    legal: Collection[Set],
    *,
    reopens: bool,
) -> str:
    """What is to be said of the levers that are down, in the words of a scenario.

    `start` are the tiles open when a turn starts, `held_open` those that the game holds open now,
    `legal` the moves for the throw on the table; `reopens`: a tile has to be opened instead.
    """
    lifted, flipped = start - held_open - down, down & held_open
    if reopens and not flipped and len(lifted) == 1:
        return f"complete {min(lifted)}"
    if lifted and not (reopens and flipped):
        return "put-back " + " ".join(map(str, sorted(lifted)))
    if flipped and (throw is None or reopens):
        return "lift " + " ".join(map(str, sorted(flipped)))
    if not flipped:
        return "ok"
    if flipped in legal:
        return "complete"
    rest = [sum(move - flipped) for move in legal if flipped < move]
    over = sum(flipped) - sum(throw or ())
    if rest:
        return f"missing {min(rest)}"
    return f"over {over}" if over > 0 else "dead-end"


def pool(players: int, winners: Collection[int], *, doubled: bool) -> list[Fraction]:
    """What each player owes where everybody pays one stake, or two, and the winners share them."""
    stake = 2 if doubled else 1
    gain = Fraction(-stake * (players - len(winners)), len(winners))
    return [gain if i in winners else Fraction(stake) for i in range(players)]


@dataclass
class Row:
    """A player's tiles in this round."""

    open: Set
    throw: tuple[int, ...] | None = None
    throws: int = 0
    over: bool = False


class Tally:
    """One box's matches.

    Args:
        game: the name of the game.
        players: how many.
        down: the levers that are down at the start.
    """

    def __init__(self, game: str, players: int, down: Set = frozenset()) -> None:
        self.game, self.players, self.down = GAMES[game], players, down
        self.matches = self.given_up = self.turns = self.verdicts = 0
        self.playing = False
        self._thrown: tuple[int, ...] | None = None
        self._released_ns = -1

    def watch(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        """Checks one thing that the box did."""
        match what:
            case SwitchChanged(switch, active):
                if switch == DICE_BUTTON:
                    self._released_ns = -1 if active else t_ns
                else:
                    self.down = self.down | {switch} if active else self.down - {switch}
            case Keep(Began()):
                self._begin()
            case Keep(Left()):
                self.playing, self._thrown = False, None
                self.given_up += 1
            case Keep(Finished(match)):
                self._reveal()
                assert match.result is not None
                assert set(match.result.winners) == set(self.winners)
                assert list(match.result.owes) == self.owes
            case Keep(Faulted() | Resumed()):
                pass
            case Keep(fact):
                self._act(str(fact.to_text()), t_ns)  # type: ignore[union-attr]
            case Show():
                self._check(what)

    def restarted(self, down: Set) -> None:
        """The box has lost its power, and finds these levers down when it wakes up."""
        self.down = down

    # The match.

    def _begin(self) -> None:
        self.playing, self.matches = True, self.matches + 1
        self.round, self.ties, self.over, self.shutter = 1, 0, False, -1
        self.seats = list(range(self.players))
        self.totals = [0] * self.players
        self.scores: list[int | None] = [None] * self.players
        self.winners: list[int] = []
        self.owes: list[Fraction] = []
        self.finished_turns = 0
        self._new_round()

    def _new_round(self) -> None:
        self.at = self.seats[0]
        self.rows = [Row(self.game.start) for _ in range(self.players)]
        for i in range(self.players):
            self.rows[i].over = i not in self.seats
        self.phase = "throw"

    @property
    def row(self) -> Row:
        return self.rows[self.at]

    def legal(self) -> list[Set]:
        """The moves for the throw on the table."""
        throw, held_open = self.row.throw, self.row.open
        if throw is None:
            return []
        if not self.game.faces:
            sizes = range(1, 5)  # 1 + 2 + 3 + 4 + 5 is more than two dice show
            found = (frozenset(move) for size in sizes for move in combinations(sorted(held_open), size))
            return [move for move in found if sum(move) == sum(throw)]
        total = frozenset({sum(throw)})
        moves = [total & held_open, frozenset(throw) & held_open]
        return [move for move in moves if move]

    def _act(self, text: str, t_ns: int) -> None:
        word, _, rest = text.partition(" ")
        self._reveal()
        if word == "throw":
            assert self.phase == "throw"
            assert self.verdict() == "ok", "no throw while levers are wrong"
            faces = tuple(map(int, rest.split("+")))
            assert len(faces) in self.game.dice(self.row.open)
            assert all(1 <= face <= 6 for face in faces)
            self._thrown = faces
        elif word == "shut":
            self._shut(frozenset(map(int, rest.split(","))) if rest != "-" else frozenset(), t_ns)
        elif word == "open":
            assert self.phase == "answer"
            assert not self.legal()
            assert self.game.start - self.row.open - self.down == {int(rest)}, "one lever is up"
            assert t_ns == self._released_ns, "a press commits"
            self.row.open |= {int(rest)}
            self.row.throw = None
            self.phase = "throw"
        else:
            assert word == "next"
            self._next(t_ns)

    def _reveal(self) -> None:
        """The dice have stopped tumbling."""
        if self._thrown is None:
            return
        row, self._thrown, throw = self.row, None, self._thrown
        row.throw, row.throws, self.phase = throw, row.throws + 1, "answer"
        if not self.legal() and self.game.blocked == "ends":
            self._turn_over()

    def _shut(self, tiles: Set, t_ns: int) -> None:
        row = self.row
        assert self.phase == "answer"
        assert tiles == self.down & row.open, "what is committed is what the levers show"
        assert tiles in self.legal() or (not tiles and not self.legal() and self.game.blocked == "passes")
        assert t_ns == self._released_ns or tiles == row.open, "a press commits"
        row.open -= tiles
        if not row.open:
            self._turn_over()
            return
        row.throw = None
        self.phase = "throw"
        if self.game.alternate:
            self.at = self._following()

    def _following(self) -> int:
        order = [(self.at + step) % self.players for step in range(1, self.players + 1)]
        return next((i for i in order if not self.rows[i].over), -1)

    def _turn_over(self) -> None:
        row, shut = self.row, not self.row.open
        row.over, self.phase = True, "turn-over"
        self.turns += 1
        self.finished_turns += 1
        points = self.game.score(row.open, row.throws)
        self.scores[self.at] = points
        if not (self.ties and self.game.tie == "play-off"):
            self.totals[self.at] += points
        if shut:
            self.shutter = self.at
        if shut and self.game.shut_wins:
            self._won([self.at])
        elif self._following() < 0:
            self._round_over()

    def _round_over(self) -> None:
        points = {
            i: self.game.score(self.rows[i].open, self.rows[i].throws) if self.ties else self.totals[i]
            for i in (self.seats if self.ties else range(self.players))
        }
        if not self.ties and self.round < self.game.rounds:
            return
        best = [i for i in points if points[i] == min(points.values())]
        if len(best) == 1 or self.ties == 20:
            self._won(best)
        elif self.game.tie == "play-off":
            self.seats, self.ties = best, self.ties + 1
        else:
            self.totals, self.ties = [0] * self.players, self.ties + 1

    def _won(self, winners: list[int]) -> None:
        self.winners = winners
        losers = [i for i in range(self.players) if i not in winners]
        self.owes = [Fraction(0)] * self.players
        if self.game.stakes in ("pool", "double"):
            self.owes = pool(
                self.players, winners, doubled=self.game.stakes == "double" and self.shutter in winners
            )
        elif self.game.stakes == "loser" and self.players > 1:
            most = max(self.totals[i] for i in losers or winners)
            payers = [i for i in losers or winners if self.totals[i] == most]
            for i in payers:
                self.owes[i] = Fraction(1, len(payers))

    def _next(self, t_ns: int) -> None:
        assert self.phase == "turn-over"
        assert t_ns == self._released_ns, "a press goes on"
        if self.winners:
            self.phase = "match-over"
        elif (following := self._following()) >= 0:
            self.at, self.phase = following, "throw"
        else:
            self.round += 1
            self._new_round()

    # What the box shows.

    def verdict(self) -> str:
        """What is to be said of the levers."""
        if self.phase in ("turn-over", "match-over"):
            return "ok"
        row, legal = self.row, self.legal()
        reopens = self.phase == "answer" and self.game.blocked == "opens" and not legal
        throw = row.throw if self.phase == "answer" else None
        return verdict_on(self.down, self.game.start, row.open, throw, legal, reopens=reopens)

    def _check(self, show: Show) -> None:
        if not self.playing:
            assert show.mode is Mode.ATTRACT
            return
        if show.mode is not Mode.ROLLING:
            self._reveal()
        self.verdicts += 1
        verdict = self.verdict()
        assert show.verdict == verdict, f"the box says {show.verdict!r}, right is {verdict!r}: {show}"
        assert show.player == self.at + 1
        assert set(show.open) == self.row.open
        assert show.throw == (None if self.phase == "throw" else self.row.throw)
        assert list(show.scores) == self.scores
        assert list(show.totals) == self.totals
        assert list(show.winners) == [i + 1 for i in self.winners]
        assert list(show.owes) == self.owes, f"owed are {self.owes}, the box says {show.owes}"
        assert show.mode in self._modes(verdict)
        if show.mode is Mode.MATCH_OVER:
            captain = self.game.captain and self.finished_turns == 1 and self.shutter >= 0
            assert ("Captain" in show.screen.title) == captain

    def _modes(self, verdict: str) -> set[Mode]:
        match self.phase:
            case "throw" if self._thrown:
                return {Mode.ROLLING}
            case "throw":
                return {Mode.READY} if verdict == "ok" else {Mode.READY, Mode.RAISE}
            case "answer":
                return {Mode.FLIPPING}
            case "turn-over":
                return {Mode.TURN_OVER}
            case _:
                return {Mode.MATCH_OVER, Mode.INITIALS}
