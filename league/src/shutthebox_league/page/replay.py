"""A match as its page shows it: turn by turn, every throw and its answer, luck and the cost of decisions."""

from dataclasses import dataclass, field, replace
from fractions import Fraction

from shutthebox.rules.actions import Moved, Reopened, Thrown
from shutthebox.rules.record import Record
from shutthebox.rules.record import replay as positions_of
from shutthebox.rules.tiles import to_numbers
from shutthebox_league.reviewing import ReviewedTurn, odds_of, review

NOTICED = 0.005
"""Points from which a decision's cost is shown."""


@dataclass(frozen=True, slots=True)
class ShownThrow:
    """A throw.

    Attributes:
        faces: such as ``3+5``.
        answer: such as ``shut 1 7``; empty for a throw without one.
        open: the tiles open after it.
        cost: points that the answer, or the number of dice, gave away.
        better: the best answer, if another was given.
    """

    faces: str
    answer: str
    open: str
    cost: float = 0.0
    better: str = ""


@dataclass(slots=True)
class ShownTurn:
    """A turn.

    Attributes:
        seat: from 1.
        throws: in order.
        score: of the turn; None in rotation, where a turn has many parts.
        luck: points that the dice added; None if not known.
        given_away: points that decisions cost; None if not known.
    """

    seat: int
    throws: list[ShownThrow] = field(default_factory=list)
    score: int | None = None
    luck: float | None = None
    given_away: float | None = None


def shown_turns(record: Record) -> list[ShownTurn]:
    """All turns of a match that the rules confirm."""
    odds = odds_of(record.profile)
    turns: list[ShownTurn] = []
    positions = positions_of(record)
    for before, action, after in zip(positions, record.actions, positions[1:], strict=False):
        seat = before.player + 1
        row = after.rows[before.player]
        open_tiles = _tiles(to_numbers(row.open)) or "–"
        match action:
            case Thrown(faces):
                if not turns or turns[-1].seat != seat or turns[-1].score is not None:
                    turns.append(ShownTurn(seat))
                turns[-1].throws.append(ShownThrow("+".join(map(str, faces)), "", open_tiles))
            case Moved(shut) if shut:
                ranked = odds.ranked(before.turn) if odds else ()
                best = _tiles(to_numbers(ranked[0].tiles)) if ranked else ""
                answer = _tiles(to_numbers(shut))
                _answered(turns[-1], f"shut {answer}", open_tiles, best if best != answer else "")
            case Reopened(tile):
                _answered(turns[-1], f"open {tile}", open_tiles, "")
        if row.outcome is not None and turns and turns[-1].seat == seat:
            turns[-1].score = row.score
    for shown, reviewed in zip(turns, review(record), strict=False):
        _review(shown, reviewed)
    return turns


def _answered(turn: ShownTurn, answer: str, open_tiles: str, better: str) -> None:
    turn.throws[-1] = replace(turn.throws[-1], answer=answer, open=open_tiles, better=better)


def _review(shown: ShownTurn, reviewed: ReviewedTurn) -> None:
    shown.luck, shown.given_away = float(reviewed.points.luck), float(reviewed.points.given_away)
    costs = [Fraction(0)] * len(shown.throws)
    for decision in reviewed.decisions:
        costs[decision.number] += decision.points
    for at, (throw, cost) in enumerate(zip(shown.throws, costs, strict=True)):
        shown.throws[at] = replace(throw, cost=float(cost), better=throw.better if cost >= NOTICED else "")


def _tiles(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))
