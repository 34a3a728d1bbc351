"""How the levers stand in a turn: read once after each change, for the judge, the prompts and the screen.

In a game with two rows a column is a front tile and the tile behind it. A box with a lever for each tile has
those of the back row after all those of the front row; on any other box one lever moves both, one after the
other. Three of the columns of *Double Shutter*, seven thrown:

    column                2        3        7
    back tile             open     open     open
    front tile            open     open     shut earlier
    lever (one for both)  down     up       up, for the tile behind
    reads as              flipped  open     open

Where both tiles of a column may go with one throw, and they share a lever, an answer is given in two parts:
a press confirms the front tiles, their levers come up again, and then stand for the tiles behind.
"""

from typing import NamedTuple

from shutthebox.rules import rows
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.rules.turn import Turn


class Confirmed(NamedTuple):
    """The part of an answer that a press has confirmed, when the rest of it uses the tiles behind.

    Attributes:
        move: the tiles shut so far for this throw.
        to_lift: levers that must come up before they can stand for the tiles behind.
    """

    move: Tiles = 0
    to_lift: Tiles = 0


NOTHING = Confirmed()


class Board(NamedTuple):
    """The levers as they stand, against the turn.

    Attributes:
        rules: the game as the player plays it.
        turn: the player's, without what's confirmed.
        levers: those that are down.
        offset: the distance from a front tile's lever to that of the tile behind it, as `lever_offset` says.
        asked: the only answer that counts, because the computer has chosen it; None if any legal one does.
        confirmed: the part of the answer that's confirmed.
        standing: the turn with the confirmed tiles shut, which is how the levers must be read.
        answers: the legal answers to the throw that contain what's confirmed.
        rests: what's left of each of these answers, as tiles that are still up.
        flipped: the open tiles whose levers are down; with levers for both rows, both tiles of a column, as a
            move has them. Where the player opens tiles, shut ones whose levers are up.
    """

    rules: Profile
    turn: Turn
    levers: Tiles
    offset: int
    asked: Tiles | None
    confirmed: Confirmed
    standing: Turn
    answers: tuple[Tiles, ...]
    rests: tuple[Tiles, ...]
    flipped: Tiles

    @property
    def moved(self) -> Tiles:
        """The tiles confirmed and flipped for this throw, as a move has them."""
        if not self.confirmed.move:
            return self.flipped
        shut, _ = rows.parts(self.rules, self.confirmed.move)
        columns, through = rows.parts(self.rules, self.flipped)
        return self.confirmed.move | columns & ~shut | (columns & shut | through) << rows.reach(self.rules)

    @property
    def asked_rest(self) -> Tiles:
        """What's left of the computer's answer; nothing if it has chosen none."""
        return 0 if self.asked is None else _rest(self.rules, self.confirmed.move, self.asked)

    @property
    def counted(self) -> tuple[Tiles, ...]:
        """What the levers may complete: what's left of the computer's answer, or of any legal one."""
        if self.asked is None:
            return self.rests
        return () if self.confirmed.move & ~self.asked else (self.asked_rest,)

    @property
    def can_follow(self) -> Tiles:
        """The tiles that may still be flipped with those that are."""
        tiles = 0
        for rest in self.rests:
            if not self.flipped & ~rest:
                tiles |= rest
        return tiles & ~self.flipped & (-1 if self.asked is None else self.asked_rest)

    @property
    def to_open(self) -> Tiles:
        """The tiles of which the player has to open one, because the throw has no answer."""
        return turns.reopenings(self.rules, self.turn)

    @property
    def must_pass(self) -> bool:
        """Whether the throw on the table has no answer and opens no tile, so it must be passed."""
        return not self.answers and not self.to_open

    def levers_of(self, tiles: Tiles) -> tuple[int, ...]:
        """The levers that move these tiles now.

        A tile that goes with the one in front of it has none if both share a lever: it isn't its turn yet.
        """
        columns, through = rows.parts(self.rules, tiles)
        in_front = self.standing.behind
        levers = [n if in_front & to_tiles([n]) else n + self.offset for n in to_numbers(columns)]
        return (*levers, *(n + self.offset for n in to_numbers(through) if self.offset))

    def confirm(self) -> Confirmed | None:
        """What a press confirms of an answer whose rest uses the tiles behind; None if nothing."""
        if not self.rules.through or self.offset or self.confirmed.to_lift & self.levers:
            return None
        for rest in self.counted:
            columns, through = rows.parts(self.rules, rest)
            is_ready = self.asked is None or self.flipped == columns
            if is_ready and self.flipped & through and not self.flipped & ~columns:
                return Confirmed(self.moved, self.flipped & self.standing.behind)
        return None


def read_board(
    rules: Profile,
    turn: Turn,
    levers: Tiles,
    *,
    offset: int = 0,
    asked: Tiles | None = None,
    confirmed: Confirmed = NOTHING,
) -> Board:
    """Reads the levers that are down against a turn.

    Args:
        rules: the game as the player plays it.
        turn: the player's, without what's confirmed.
        levers: those that are down.
        offset: as `lever_offset` says.
        asked: the only answer that counts; None if any legal one does.
        confirmed: the part of the answer that's confirmed.
    """
    standing, answers = turn, turns.answers(rules, turn)
    rests = answers
    if confirmed.move:
        confirmed = confirmed._replace(to_lift=confirmed.to_lift & levers)
        opened, in_front = rows.after(rules, turn.open, turn.behind, confirmed.move)
        standing = turn._replace(open=opened, behind=in_front)
        answers = tuple(answer for answer in answers if not confirmed.move & ~answer)
        rests = tuple(_rest(rules, confirmed.move, answer) for answer in answers)
    flipped = _flipped(rules, standing, levers, offset)
    return Board(rules, turn, levers, offset, asked, confirmed, standing, answers, rests, flipped)


def lever_offset(rules: Profile, levers: int, out: Tiles = 0) -> int:
    """The distance, in levers, from the lever of a front tile to that of the tile behind it.

    Args:
        rules: the game.
        levers: how many the box has.
        out: those that are out of play.

    Returns:
        0 where there is one row, or one lever stands for both tiles: it is lifted again once the
        tile in front has been shut. A box with levers for both rows has those of the back row
        after all those of the front row.
    """
    row = rules.tiles[-1]
    if rules.rows == 1 or levers < 2 * row or out & (rules.starting << row):
        return 0
    return row


def _rest(rules: Profile, confirmed: Tiles, answer: Tiles) -> Tiles:
    """The rest of an answer of which a part is confirmed."""
    (shut, _), (columns, through) = rows.parts(rules, confirmed), rows.parts(rules, answer & ~confirmed)
    return columns | through & shut | (through & ~shut) << rows.reach(rules)


def _flipped(rules: Profile, turn: Turn, levers: Tiles, offset: int) -> Tiles:
    if turn.opens:
        return turn.open & ~levers
    if not offset:
        return levers & turn.open
    both = levers & turn.behind & levers >> offset if rules.through else 0
    return levers & turn.behind | (levers >> offset) & turn.open & ~turn.behind | both << offset
