"""The judge: do the levers match the game?

Levers are positions, not commands. After every change the judge compares the levers as they stand
with the tiles the game has committed, no matter how they got there. So startup, a missed edge and
a resumed match need no special handling.
"""

from enum import StrEnum
from typing import NamedTuple

from shutthebox.rules import rows
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import totals
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.rules.turn import Turn


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


class Half(NamedTuple):
    """The half of an answer already confirmed by a press, when the rest of it uses the tiles behind.

    Attributes:
        move: the tiles shut so far for this throw.
        to_lift: levers that must come up before they can stand for the tiles behind.
    """

    move: Tiles = 0
    to_lift: Tiles = 0

    def standing(self, profile: Profile, turn: Turn) -> Turn:
        """The turn with these tiles shut, which is how the levers must be read."""
        opened, behind = rows.after(profile, turn.open, turn.behind, self.move)
        return turn._replace(open=opened, behind=behind)

    def rest(self, profile: Profile, move: Tiles) -> Tiles:
        """The rest of a move that starts with this half, as tiles that are still up."""
        (shut, _), (columns, through) = rows.parts(profile, self.move), rows.parts(profile, move & ~self.move)
        return columns | through & shut | (through & ~shut) << rows.reach(profile)

    def with_rest(self, profile: Profile, flipped: Tiles) -> Tiles:
        """The whole move: this half plus the tiles flipped since."""
        (shut, _), (columns, through) = rows.parts(profile, self.move), rows.parts(profile, flipped)
        return self.move | columns & ~shut | (columns & shut | through) << rows.reach(profile)


WHOLE = Half()
"""Nothing of the answer has been taken yet."""


def levers_behind(profile: Profile, levers: int, out: Tiles = 0) -> int:
    """The distance, in levers, from the lever of a front tile to that of the tile behind it.

    Args:
        profile: the game.
        levers: how many the box has.
        out: those that are out of play.

    Returns:
        0 where there is one row, or one lever stands for both tiles: it is lifted again once the
        tile in front has been shut. A box with levers for both rows has those of the back row
        after all those of the front row.
    """
    row = profile.tiles[-1]
    if profile.rows == 1 or levers < 2 * row or out & (profile.starting << row):
        return 0
    return row


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


def lever_of(turn: Turn, tile: int, behind: int = 0) -> int:
    """The lever that shuts this tile now; `behind` is what `levers_behind` returns."""
    return tile if turn.behind & to_tiles([tile]) else tile + behind


def flipped_tiles(turn: Turn, down: Tiles, behind: int = 0, *, through: bool = False) -> Tiles:
    """The open tiles whose levers are down; `behind` is what `levers_behind` returns.

    With `through` these may be both tiles of a column, as a move has them. Where the player opens tiles, they
    are shut ones whose levers are up.
    """
    if turn.opens:
        return turn.open & ~down
    if not behind:
        return down & turn.open
    both = down & turn.behind & down >> behind if through else 0
    return down & turn.behind | (down >> behind) & turn.open & ~turn.behind | both << behind


def judge(
    profile: Profile,
    turn: Turn,
    down: Tiles,
    only: Tiles | None = None,
    behind: int = 0,
    half: Half = WHOLE,
) -> Verdict:
    """The verdict on levers `down` for what the game has committed.

    Levers of tiles that the game starts shut, or does not have, are ignored. Where a blocked
    player has to open a tile, one lever lifted is the complete answer. With `only` no other answer counts:
    the computer has chosen it. `behind` is as `levers_behind` says. `half` is the part of the answer that has
    been taken.
    """
    if turn.outcome is not None:
        return FINE
    if turn.opens:
        # The same, upside down: what a hand lifts is what it would have flipped.
        return _upside_down(judge(profile, turn._replace(opens=False), profile.starting & ~down, only))
    legal = turns.answers(profile, turn) if only is None else (only,)
    before = turn
    if half.move:
        if half.to_lift & down:
            return Verdict(VerdictKind.PUT_BACK, to_numbers(half.to_lift & down), lifts=True)
        legal = tuple(half.rest(profile, move) for move in legal if not half.move & ~move)
        turn = half.standing(profile, turn)
    up = turn.open
    if behind:
        # Levers of the front row, and above them those of the back row.
        up = turn.behind | turn.open << behind
    row = profile.starting | (profile.starting << behind)
    lifted = row & ~up & ~down
    flipped = flipped_tiles(turn, down, behind, through=profile.through)
    too_soon = (down >> behind) & turn.behind if behind else 0
    if profile.through:
        too_soon &= ~down
    if not half.move and turns.reopenings(profile, turn):
        return _judge_reopening(lifted, flipped, only)
    if lifted:
        return Verdict(VerdictKind.PUT_BACK, to_numbers(lifted))
    if too_soon:
        # The tile in front must be shut by an earlier throw.
        return Verdict(VerdictKind.LIFT, to_numbers(too_soon << behind))
    if not flipped:
        return FINE
    if not turn.awaits_answer:
        wrong = (lever_of(turn, tile, behind) for tile in to_numbers(flipped))
        return Verdict(VerdictKind.LIFT, tuple(sorted(wrong)))
    if flipped in legal:
        return Verdict(VerdictKind.COMPLETE, move=half.with_rest(profile, flipped) if half.move else flipped)

    def made(move: Tiles) -> int:
        return rows.sum_of_move(profile, turn.open, turn.behind, move)

    fitting = [move for move in legal if not flipped & ~move]
    if fitting:
        least = min(map(made, fitting))
        return Verdict(VerdictKind.MISSING, amount=least - made(flipped), move=flipped)
    most = max(totals(profile, turn.throw or ()), default=0)
    if half.move:
        most -= rows.sum_of_move(profile, before.open, before.behind, half.move)
    over = made(flipped) - most
    if over > 0:
        return Verdict(VerdictKind.OVER, amount=over, move=flipped)
    return Verdict(VerdictKind.DEAD_END, move=flipped)


def _upside_down(verdict: Verdict) -> Verdict:
    kinds = {VerdictKind.PUT_BACK: VerdictKind.LIFT, VerdictKind.LIFT: VerdictKind.PUT_BACK}
    return verdict._replace(kind=kinds.get(verdict.kind, verdict.kind), opens=True)


def take_part(
    profile: Profile, turn: Turn, down: Tiles, behind: int, half: Half, only: Tiles | None = None
) -> Half | None:
    """The half of an answer that a press confirms when the rest uses the tiles behind; None if there is none.

    Takes the arguments of `judge`. A box with levers for both rows doesn't need it.
    """
    if not profile.through or behind or half.to_lift & down:
        return None
    legal = turns.answers(profile, turn) if only is None else (only,)
    now = half.standing(profile, turn)
    flipped = flipped_tiles(now, down)
    for move in legal:
        rest = half.rest(profile, move)
        columns, through = rows.parts(profile, rest)
        whole = only is None or flipped == columns
        if not half.move & ~move and not flipped & ~columns and flipped & through and whole:
            return Half(half.with_rest(profile, flipped), flipped & now.behind)
    return None


def _judge_reopening(lifted: Tiles, flipped: Tiles, only: Tiles | None) -> Verdict:
    if flipped:
        return Verdict(VerdictKind.LIFT, to_numbers(flipped))
    if only is not None and lifted & ~only:
        return Verdict(VerdictKind.PUT_BACK, to_numbers(lifted & ~only))
    if lifted.bit_count() > 1:
        return Verdict(VerdictKind.PUT_BACK, to_numbers(lifted))
    return Verdict(VerdictKind.COMPLETE, to_numbers(lifted)) if lifted else FINE


def viable_tiles(profile: Profile, turn: Turn, down: Tiles, behind: int = 0, half: Half = WHOLE) -> Tiles:
    """The open tiles that still complete a legal move together with the flipped ones, which are left out."""
    legal = turns.answers(profile, turn)
    if half.move:
        legal = tuple(half.rest(profile, move) for move in legal if not half.move & ~move)
        turn = half.standing(profile, turn)
    flipped = flipped_tiles(turn, down, behind, through=profile.through)
    union = 0
    for move in legal:
        if not flipped & ~move:
            union |= move
    return union & ~flipped
