"""The judge: do the levers fit the game?

Levers are positions, not commands. After every change the pair of what the levers show and
what the game has committed is judged as a whole, however it came about. Boot, a missed edge and
a resumed match are therefore ordinary cases.
"""

from dataclasses import dataclass
from enum import StrEnum

from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles, sum_of, to_numbers
from shutthebox.rules.turn import Turn


class VerdictKind(StrEnum):
    """What is to be said of the levers; the first that applies, in this order."""

    PUT_BACK = "put-back"
    LIFT = "lift"
    OK = "ok"
    COMPLETE = "complete"
    MISSING = "missing"
    OVER = "over"
    DEAD_END = "dead-end"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judgement of the levers.

    Attributes:
        kind: what is to be said.
        tiles: the tiles to put back or to lift, rising.
        amount: points missing or over.
        move: the tiles flipped since the throw.
    """

    kind: VerdictKind
    tiles: tuple[int, ...] = ()
    amount: int = 0
    move: Tiles = 0

    def __str__(self) -> str:
        words = [self.kind.value, *map(str, self.tiles)]
        if self.kind in (VerdictKind.MISSING, VerdictKind.OVER):
            words.append(str(self.amount))
        return " ".join(words)


FINE = Verdict(VerdictKind.OK)


def judge(profile: Profile, turn: Turn, down: Tiles, only: Tiles | None = None) -> Verdict:
    """The verdict on levers `down` for what the game has committed.

    Levers of tiles that the variant starts shut, or does not have, are ignored. Where a blocked
    player has to open a tile, one lever lifted is the complete answer. With `only` that one answer
    counts: it has been chosen, and a hand just sets it.
    """
    if turn.outcome is not None:
        return FINE
    down &= profile.starting
    lifted = profile.starting & ~turn.open & ~down
    flipped = down & turn.open
    if turns.reopenings(profile, turn):
        return _judge_reopening(lifted, flipped, only)
    if lifted:
        return Verdict(VerdictKind.PUT_BACK, to_numbers(lifted))
    if not flipped:
        return FINE
    if not turn.awaits_answer:
        return Verdict(VerdictKind.LIFT, to_numbers(flipped))
    legal = turns.answers(profile, turn) if only is None else (only,)
    if flipped in legal:
        return Verdict(VerdictKind.COMPLETE, move=flipped)
    rest = [sum_of(move & ~flipped) for move in legal if not flipped & ~move]
    if rest:
        return Verdict(VerdictKind.MISSING, amount=min(rest), move=flipped)
    over = sum_of(flipped) - sum(turn.throw or ())
    if over > 0:
        return Verdict(VerdictKind.OVER, amount=over, move=flipped)
    return Verdict(VerdictKind.DEAD_END, move=flipped)


def _judge_reopening(lifted: Tiles, flipped: Tiles, only: Tiles | None) -> Verdict:
    if flipped:
        return Verdict(VerdictKind.LIFT, to_numbers(flipped))
    if only is not None and lifted & ~only:
        return Verdict(VerdictKind.PUT_BACK, to_numbers(lifted & ~only))
    if lifted.bit_count() > 1:
        return Verdict(VerdictKind.PUT_BACK, to_numbers(lifted))
    return Verdict(VerdictKind.COMPLETE, to_numbers(lifted)) if lifted else FINE


def viable(profile: Profile, turn: Turn, down: Tiles) -> Tiles:
    """The open tiles that, with those flipped, are part of a legal move; those flipped left out."""
    flipped = down & turn.open
    union = 0
    for move in turns.answers(profile, turn):
        if not flipped & ~move:
            union |= move
    return union & ~flipped
