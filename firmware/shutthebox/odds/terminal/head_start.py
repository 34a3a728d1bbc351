"""Head starts that make a round of two fair, from exact chances.

Two masters both play their best for the win, knowing the scores so far. A beginner shuts the highest tiles
(the lowest if open tiles are good) and throws the usual number of dice; against one, a master plays best for
the win. The chance of the seat with the head start rises with every point, so bisection finds the fair
number: the one with the chance closest to one half.
"""

from collections.abc import Callable
from dataclasses import dataclass

from shutthebox.odds.pick import pick
from shutthebox.odds.seat_turn import seat_play, seat_turn
from shutthebox.odds.seats import Equilibrium
from shutthebox.odds.solver import About
from shutthebox.odds.strengths import Strength
from shutthebox.odds.terminal.policies import beginners_ends
from shutthebox.odds.worths import End, OddsError, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.endings import MAX_TIE_ROUNDS
from shutthebox.rules.profile import Profile, ShutWins, Tie

PLAYERS = 2
_SETTLED = 1e-12


@dataclass(frozen=True, slots=True)
class FairHeadStart:
    """The points that make a round of two fair.

    Attributes:
        strengths: of the first and the second seat.
        seat: the one that gets the points, from 0.
        points: how many; 0 if it's fair enough already.
        win: that seat's chance with them.
        without: that seat's chance without any.
    """

    strengths: tuple[Strength, Strength]
    seat: int
    points: int
    win: float
    without: float


def fair_head_start(game: Profile, strengths: tuple[Strength, Strength]) -> FairHeadStart:
    """The fair head start of a round between two masters, or a master and a beginner.

    Raises:
        OddsError: the rules have no such odds, no number of points is enough, or the strengths are others.
    """
    pick(game).win.check(PLAYERS, About.HEAD_START)
    if strengths == (Strength.MASTER, Strength.MASTER):
        chance = _between_masters(game)
    elif sorted(strengths) == [Strength.BEGINNER, Strength.MASTER]:
        chance = _against_a_beginner(game, strengths.index(Strength.BEGINNER))
    else:
        raise OddsError("a fair head start is between masters, or for a beginner against a master")
    first = chance(0, 0)
    seat = 0 if first < 0.5 else 1
    without = first if seat == 0 else 1 - first

    def win(points: int) -> float:
        won = chance(seat, points)
        return won if seat == 0 else 1 - won

    scores = [end.score for end in seat_turn(game).model.ends]
    low, high = 0, 1
    while win(high) < 0.5:
        if high > max(scores) - min(scores):
            raise OddsError(f"{game.name}: a shut box wins too often for a fair head start in points")
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if win(middle) < 0.5 else (low, middle)
    points = min((low, high), key=lambda points: abs(win(points) - 0.5))
    return FairHeadStart(strengths, seat, points, win(points), without)


def _between_masters(game: Profile) -> Callable[[int, int], float]:
    """Returns the first seat's chance for a seat with a head start, and its points."""
    if game.tie is Tie.REPLAY_ALL:
        raise OddsError(
            f'tie = "{game.tie}": between masters, there are no odds for a head start that counts again '
            "when everybody starts over"
        )
    equilibrium, better = Equilibrium(game, PLAYERS), sign(game)
    return lambda seat, points: equilibrium.chances(totals=_totals(better, seat, points))[0]


def _totals(better: int, seat: int, points: int) -> tuple[int, int]:
    return (better * points, 0) if seat == 0 else (0, better * points)


def _against_a_beginner(game: Profile, beginner: int) -> Callable[[int, int], float]:
    """Returns the first seat's chance for a seat with a head start, if `beginner` is a beginner's seat."""
    ends, better = beginners_ends(game), sign(game)
    outright, rotates = game.shut_wins is not ShutWins.NO, game.first_moves_on

    def against(mark: int, theirs: int, tie: float) -> float:
        """The worth of two totals to the first seat."""
        return tie if mark == theirs else float(better * mark > better * theirs)

    def master_wins(last: bool, totals: tuple[int, int], tie: float) -> float:
        """The master's chance in a round with this worth of a tie, playing first or last."""
        own, theirs = totals

        def second(score: int) -> float:
            worth = {True: 1.0} if outright else {}
            play = seat_play(
                game,
                lambda end: worth.get(end.shut, against(own + end.score, theirs + score, tie)),
            )
            return float(play.worth(turns.start(game)).main)

        def first(end: End) -> float:
            if end.shut and outright:
                return 1.0
            return sum(
                chance * against(own + end.score, theirs + their_end.score, tie)
                for their_end, chance in ends.items()
                if not (their_end.shut and outright)
            )

        if not last:
            known = {end: first(end) for end in seat_turn(game).model.ends}
            return float(seat_play(game, known.__getitem__).worth(turns.start(game)).main)
        scores: dict[int, float] = {}
        for end, chance in ends.items():
            if not (end.shut and outright):
                scores[end.score] = scores.get(end.score, 0.0) + chance
        return sum(chance * second(score) for score, chance in scores.items())

    sits_last = beginner == 0

    def tied(totals: tuple[int, int]) -> float:
        """The master's chance after a tie that leads to another round from these totals."""
        chances = dict.fromkeys((False, True) if rotates else (sits_last,), 0.5)
        for _ in range(MAX_TIE_ROUNDS):
            before = chances
            chances = {last: master_wins(last, totals, before[last != rotates]) for last in before}
            if max([abs(chances[last] - before[last]) for last in chances]) < _SETTLED:
                break
        return chances[sits_last != rotates]

    play_off = tied((0, 0)) if game.tie is Tie.PLAY_OFF else 0.5

    def first_seat(seat: int, points: int) -> float:
        heads = _totals(better, seat, points)
        totals = heads[1 - beginner], heads[beginner]
        again = game.tie is Tie.REPLAY_ALL
        master = master_wins(sits_last, totals, tied(totals) if again else play_off)
        return 1 - master if beginner == 0 else master

    return first_seat
