"""A match as its page shows it: turn by turn, every throw and its answer, luck and the cost of decisions.

It's computed once, with the review, and stored, so that viewing a page costs nothing.
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

from shutthebox.rules.actions import apply
from shutthebox.rules.orders import order_of
from shutthebox.rules.record import Record, unproven
from shutthebox.rules.rows import numbers_of_move
from shutthebox.rules.tiles import to_numbers
from shutthebox_league.reviewing import ReviewedTurn

NOTICED = 0.005
"""Points from which a decision's cost is shown."""

MAX_THROWS = 1000
"""The most throws of a match that are shown; its record has them all."""


@dataclass(frozen=True, slots=True)
class ShownThrow:
    """A throw.

    Attributes:
        faces: such as ``3+5``.
        answer: such as ``shut 1 7``; empty for a throw without one.
        open: the tiles open after it.
        cost: what the answer, or the number of dice, gave away.
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
        luck: what the dice added; None if not known.
        given_away: what decisions cost; None if not known.
    """

    seat: int
    throws: list[ShownThrow] = field(default_factory=list)
    score: int | None = None
    luck: float | None = None
    given_away: float | None = None


@dataclass(frozen=True, slots=True)
class ShownMatch:
    """A match.

    Attributes:
        turns: in order.
        conditions: what its record does not prove, in sentences.
        has_more: there were more throws.
        unit: of luck and costs: points, or ``%`` of the chance to win.
    """

    turns: list[ShownTurn]
    conditions: tuple[str, ...]
    has_more: bool = False
    unit: str = ""


def pack(shown: ShownMatch) -> bytes:
    """A shown match as the database stores it: compressed JSON."""
    return zlib.compress(json.dumps(asdict(shown)).encode())


def unpack(data: bytes) -> ShownMatch:
    """The inverse of `pack`."""
    found = json.loads(zlib.decompress(data))
    turns = [
        ShownTurn(**{**turn, "throws": [ShownThrow(**throw) for throw in turn["throws"]]})
        for turn in found["turns"]
    ]
    return ShownMatch(turns, tuple(found["conditions"]), found["has_more"], found["unit"])


def shown_match(record: Record, reviewed: Sequence[ReviewedTurn]) -> ShownMatch:
    """A match that the rules confirm.

    Args:
        record: of it.
        reviewed: its whole turns, in order; none where the odds are not known.
    """
    turns: list[ShownTurn] = []
    after, throws, has_more = record.beginning, 0, False
    for action in record.actions:
        before, after = after, apply(after, action)
        seat = before.player + 1
        row = after.round.rows[before.player]
        standing = after.round.rows[after.round.first_player].open if row.opens else row.open
        open_tiles = _tiles(to_numbers(standing)) or "–"
        throws += bool(action.faces)
        if throws > MAX_THROWS:
            has_more = True
            break
        if action.faces:
            if not turns or turns[-1].seat != seat or turns[-1].score is not None:
                turns.append(ShownTurn(seat))
            turns[-1].throws.append(ShownThrow("+".join(map(str, action.faces)), "", open_tiles))
        elif action.shuts:
            verb = "open" if before.turn.opens else "shut"
            _add_answer(
                turns[-1],
                f"{verb} {_tiles(numbers_of_move(before.rules, before.turn.behind, action.shuts))}",
                open_tiles,
            )
        elif action.opens:
            _add_answer(turns[-1], f"open {_tiles(to_numbers(action.opens))}", open_tiles)
        if row.outcome is not None and turns and turns[-1].seat == seat:
            turns[-1].score = row.score
    for shown, found in zip(turns, reviewed, strict=False):
        _review(shown, found)
    has_points = order_of(record.profile).has_points
    return ShownMatch(turns, unproven(record), has_more, "" if has_points else "\u00a0%")


def _add_answer(turn: ShownTurn, answer: str, open_tiles: str) -> None:
    turn.throws[-1] = replace(turn.throws[-1], answer=answer, open=open_tiles)


def _review(shown: ShownTurn, reviewed: ReviewedTurn) -> None:
    shown.luck, shown.given_away = float(reviewed.balance.luck), float(reviewed.balance.given_away)
    for decision in reviewed.decisions:
        if decision.number >= len(shown.throws):
            continue  # of a throw that is not shown
        throw = shown.throws[decision.number]
        cost = float(decision.cost * reviewed.scale)
        is_better = decision.throw is not None and decision.best != decision.chosen and cost >= NOTICED
        better = _tiles(decision.numbers(decision.best)) if is_better else throw.better
        shown.throws[decision.number] = replace(throw, cost=throw.cost + cost, better=better)


def _tiles(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))
