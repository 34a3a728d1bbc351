"""The judge: do the levers match the game?

Levers are positions, not commands. After every change the judge compares the levers as they stand
with the tiles the game has committed, no matter how they got there. So startup, a missed edge and
a resumed match need no special handling.
"""

from enum import StrEnum
from typing import NamedTuple

from shutthebox.game.board import Board
from shutthebox.rules import rows
from shutthebox.rules.moves import totals
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles


class VerdictKind(StrEnum):
    """The kinds of verdict; the first that applies, in this order."""

    PUT_BACK = "put-back"
    LIFT = "lift"
    OK = "ok"
    COMPLETE = "complete"
    MISSING = "missing"
    OVER = "over"
    DEAD_END = "dead-end"


class Verdict(NamedTuple):
    """A judgement of the levers.

    Attributes:
        kind: of verdict.
        tiles: the levers to put back or to lift, rising.
        amount: points missing or over.
        move: the tiles flipped since the throw.
        lifts: put the levers back by lifting them, because each now stands for the tile behind.
        opens: a move lifts levers, where others flip them.
    """

    kind: VerdictKind
    tiles: tuple[int, ...] = ()
    amount: int = 0
    move: Tiles = 0
    lifts: bool = False
    opens: bool = False

    @property
    def is_fault(self) -> bool:
        """Whether a lever must be put right before the levers can be an answer."""
        return self.kind in (VerdictKind.PUT_BACK, VerdictKind.LIFT, VerdictKind.OVER, VerdictKind.DEAD_END)

    def __str__(self) -> str:
        """As scenarios write it: ``missing 5``, ``lift 3 4``."""
        words = [self.kind.value, *map(str, self.tiles)]
        if self.kind in (VerdictKind.MISSING, VerdictKind.OVER):
            words.append(str(self.amount))
        return " ".join(words)


FINE = Verdict(VerdictKind.OK)


def is_setback(verdict: Verdict, before: Verdict, moved: Tiles, down: Tiles) -> bool:
    """Whether to sound the fault tone: only when things got worse, never while levers are being put right.

    Args:
        verdict: on the levers now.
        before: the verdict before.
        moved: the levers that have moved since; 0 if the game has moved on instead.
        down: the levers that are down now.
    """
    if not verdict.is_fault or verdict.lifts or verdict == before:
        return False
    down = ~down if verdict.opens else down
    return not moved or bool(moved & (to_tiles(verdict.tiles) or down))


def judge(board: Board) -> Verdict:
    """The verdict on the levers.

    Levers of tiles that the game starts shut, or does not have, are ignored. Where a blocked player has to
    open a tile, one lever lifted is the complete answer.
    """
    if board.turn.outcome is not None:
        return FINE
    if board.turn.opens:
        # The same, upside down: what a hand lifts is what it would have flipped.
        return _upside_down(_judge(board, board.rules.starting & ~board.levers))
    return _judge(board, board.levers)


def _judge(board: Board, down: Tiles) -> Verdict:
    """The verdict on levers, of which these are down, or were if the player shut tiles."""
    rules, turn, offset, flipped = board.rules, board.standing, board.offset, board.flipped
    if to_lift := board.confirmed.to_lift:
        return Verdict(VerdictKind.PUT_BACK, to_numbers(to_lift), lifts=True)
    up = turn.open
    if offset:
        # Levers of the front row, and above them those of the back row.
        up = turn.behind | turn.open << offset
    row = rules.starting | (rules.starting << offset)
    lifted = row & ~up & ~down
    too_soon = (down >> offset) & turn.behind if offset else 0
    if rules.through:
        too_soon &= ~down
    if board.to_open:
        return _judge_reopening(lifted, flipped, board.asked)
    if lifted:
        return Verdict(VerdictKind.PUT_BACK, to_numbers(lifted))
    if too_soon:
        # The tile in front must be shut by an earlier throw.
        return Verdict(VerdictKind.LIFT, to_numbers(too_soon << offset))
    if not flipped:
        return FINE
    if not turn.awaits_answer:
        return Verdict(VerdictKind.LIFT, tuple(sorted(board.levers_of(flipped))))
    if flipped in board.counted:
        return Verdict(VerdictKind.COMPLETE, move=board.moved)

    def made(move: Tiles) -> int:
        return rows.sum_of_move(rules, turn.open, turn.behind, move)

    fitting = [rest for rest in board.counted if not flipped & ~rest]
    if fitting:
        least = min(map(made, fitting))
        return Verdict(VerdictKind.MISSING, amount=least - made(flipped), move=flipped)
    most = max(totals(rules, turn.throw or ()), default=0)
    before = board.turn
    over = made(flipped) - most + rows.sum_of_move(rules, before.open, before.behind, board.confirmed.move)
    if over > 0:
        return Verdict(VerdictKind.OVER, amount=over, move=flipped)
    return Verdict(VerdictKind.DEAD_END, move=flipped)


def _upside_down(verdict: Verdict) -> Verdict:
    kinds = {VerdictKind.PUT_BACK: VerdictKind.LIFT, VerdictKind.LIFT: VerdictKind.PUT_BACK}
    return verdict._replace(kind=kinds.get(verdict.kind, verdict.kind), opens=True)


def _judge_reopening(lifted: Tiles, flipped: Tiles, asked: Tiles | None) -> Verdict:
    if flipped:
        return Verdict(VerdictKind.LIFT, to_numbers(flipped))
    if asked is not None and lifted & ~asked:
        return Verdict(VerdictKind.PUT_BACK, to_numbers(lifted & ~asked))
    if lifted.bit_count() > 1:
        return Verdict(VerdictKind.PUT_BACK, to_numbers(lifted))
    return Verdict(VerdictKind.COMPLETE, to_numbers(lifted)) if lifted else FINE
