"""One turn: a small frozen position, and the few things that can happen to it.

A turn awaits a throw, or an answer to the throw on the table, or it's over. `throw`, `move` and `reopen`
return the next position. `possible_throw`, `answers` and `reopenings` say what the rules allow.
`why_not_throw`, `why_not_move` and `why_not_reopen` say in one line why they forbid something; that's also
the text of the `ValueError` if it's done all the same.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import combinations_with_replacement
from typing import NamedTuple

from shutthebox.rules import rows
from shutthebox.rules import tiles as sets
from shutthebox.rules.faces import faces_to_text
from shutthebox.rules.moves import (
    Throw,
    can_ever_move,
    dice_allowed,
    ends_turn,
    is_double,
    is_one_die_ever_allowed,
    legal_moves,
    totals,
)
from shutthebox.rules.profile import Blocked, Draw, MoveKind, Profile
from shutthebox.rules.score import MAX_THROWS, final_score
from shutthebox.rules.tiles import Tiles

DOMINOES: tuple[Throw, ...] = tuple(combinations_with_replacement(range(1, 7), 2))
"""The bag of 21, each as its two ends."""


DOUBLE_BLANK: Throw = (0, 0)
"""The double blank: the player shuts nothing and draws again."""

_CHINESE_ONCE = frozenset({(1, 2), (1, 4), (2, 3), (2, 4), (2, 5), (2, 6), (3, 4), (3, 5), (3, 6), (4, 5)})

BAGS: Mapping[int, tuple[Throw, ...]] = {
    21: DOMINOES,
    28: DOMINOES + tuple((0, end) for end in range(7)),
    32: DOMINOES + tuple(domino for domino in DOMINOES if domino not in _CHINESE_ONCE),
}
"""The dominoes of each bag, each as its two ends."""


class Outcome(StrEnum):
    """How a turn ended."""

    SHUT = "shut"
    BLOCKED = "blocked"
    LOST = "lost"  # no legal first move
    ENDED = "ended"  # a total that ends the turn
    TIME = "time"  # the time for the turn is over
    UNPLAYED = "unplayed"  # the round was over before


class Refusal(StrEnum):
    """Why a number of dice can't be thrown, as shown on the panel; this text is its key in the catalogues."""

    ONE_DIE_NEVER = "One die: not here"
    ONE_DIE_NOT_YET = "One die: not yet"
    ONE_DIE_ONLY = "One die now"


THROW_DUE = "a throw is due"
ANSWER_DUE = "the throw on the table needs its answer first"
TURN_OVER = "the turn is over; its end comes next"


class Turn(NamedTuple):
    """A position within a turn.

    Attributes:
        open: the open tiles; with two rows, the numbers with an open tile. For a player who opens tiles, the
            shut ones: the moves are the same.
        throw: the throw on the table; after the turn, the one that ended it.
        throws: throws made so far.
        moves: throws answered so far by shutting tiles.
        drawn: dominoes out of the bag; bit i is the one at index i in `BAGS`.
        outcome: how the turn ended; None until it does.
        score: of a finished turn; None until then, and if the match was decided before the player's turn.
        behind: with two rows, the columns whose front and back tiles are both open.
        misses_left: how many throws without a move don't end the turn: insurances held, or strikes left.
        opens: whether the player opens tiles.
        repeated: own throws that the player has made again (`Profile.own_throws`).
    """

    open: Tiles
    throw: Throw | None = None
    throws: int = 0
    moves: int = 0
    drawn: int = 0
    outcome: Outcome | None = None
    score: int | None = None
    behind: Tiles = 0
    misses_left: int = 0
    opens: bool = False
    repeated: int = 0

    @property
    def counted_throws(self) -> int:
        """The throws made so far, without those made again."""
        return self.throws - self.repeated

    @property
    def awaits_answer(self) -> bool:
        """Whether there's a throw on the table to answer."""
        return self.throw is not None and self.outcome is None

    def to_text(self) -> str:
        """One line for a message: open tiles, throw, throws, moves, drawn (hex), outcome, score.

        For example ``2,3,5 3+1 4 3 0 - -``. Tiles behind others and insurances follow, if there are any:
        ``2,3,5 3+1 4 3 0 - - behind=3 insured=1``.
        """
        throw = faces_to_text(self.throw) if self.throw else "-"
        outcome = self.outcome or "-"
        points = "-" if self.score is None else self.score
        counts = f"{self.throws} {self.moves} {self.drawn:x}"
        more = f" behind={sets.to_text(self.behind)}" if self.behind else ""
        more += f" insured={self.misses_left}" if self.misses_left else ""
        more += " opens" if self.opens else ""
        more += f" repeated={self.repeated}" if self.repeated else ""
        return f"{sets.to_text(self.open)} {throw} {counts} {outcome} {points}{more}"


def refuse(reason: str | None) -> None:
    """Raises `ValueError` for this reason, if there's one."""
    if reason is not None:
        raise ValueError(reason)


def start(rules: Profile) -> Turn:
    """A turn before its first throw."""
    return Turn(rules.starting, behind=rules.starting_behind, misses_left=rules.spare_throws)


def bag(rules: Profile, turn: Turn) -> tuple[Throw, ...]:
    """The dominoes that the next one is drawn from; all of them again once the bag is empty."""
    whole = BAGS[rules.bag]
    return tuple(domino for i, domino in enumerate(whole) if not turn.drawn >> i & 1) or whole


def lowest_face(rules: Profile) -> int:
    """The fewest pips on a die, or on an end of a domino."""
    return min(map(min, BAGS[rules.bag])) if rules.draw is Draw.DOMINOES else 1


def draws_again(rules: Profile, faces: Throw | None) -> bool:
    """Whether a domino is the double blank, for which nothing can be shut and which doesn't count."""
    return faces == DOUBLE_BLANK and not ends_turn(rules, faces)


def throws_again(rules: Profile, turn: Turn) -> bool:
    """Whether a throw without a move costs an insurance or a strike, or is the double blank.

    Where players throw for themselves, they throw again.
    """
    return turn.misses_left > 0 or draws_again(rules, turn.throw)


def _drawn(rules: Profile, drawn: int, faces: Throw) -> int:
    """The dominoes out of the bag after this one."""
    whole = BAGS[rules.bag]
    if drawn == (1 << len(whole)) - 1:
        drawn = 0
    domino = (min(faces), max(faces))
    return drawn | next(1 << i for i, other in enumerate(whole) if other == domino and not drawn >> i & 1)


def possible_throw(rules: Profile, turn: Turn, faces: Throw, allowed: tuple[int, ...] | None = None) -> bool:
    """Whether these faces can be thrown (or drawn) now; a single number may be a real throw's total.

    `allowed` is as in `throw`.
    """
    if rules.draw is Draw.DOMINOES:
        return tuple(sorted(faces)) in bag(rules, turn)
    if not faces or not all(face >= 1 for face in faces):
        return False
    return bool(dice_that_show(rules, faces, allowed or dice_allowed(rules, turn.open, turn.behind)))


def dice_that_show(rules: Profile, faces: Throw, allowed: tuple[int, ...]) -> tuple[int, ...]:
    """Of some numbers of dice, those that can show this; several only for a total whose faces nobody read."""
    if len(faces) > 1 or rules.faces_matter:
        return tuple(dice for dice in allowed if dice == len(faces) and max(faces) <= rules.sides)
    return tuple(dice for dice in allowed if dice <= faces[0] <= dice * rules.sides)


def dice_refusal(rules: Profile, dice: int, allowed: tuple[int, ...]) -> Refusal | None:
    """Why this many dice may not be thrown now; None if they're among the numbers allowed."""
    if dice in allowed:
        return None
    if dice != 1:
        return Refusal.ONE_DIE_ONLY
    return Refusal.ONE_DIE_NOT_YET if is_one_die_ever_allowed(rules) else Refusal.ONE_DIE_NEVER


def why_not_throw(
    rules: Profile, turn: Turn, faces: Throw, allowed: tuple[int, ...] | None = None
) -> str | None:
    """Why these faces can't be thrown; None if they can. `allowed` is as in `throw`."""
    if turn.awaits_answer or turn.outcome:
        return ANSWER_DUE if turn.awaits_answer else TURN_OVER
    if possible_throw(rules, turn, faces, allowed):
        return None
    if rules.draw is Draw.DOMINOES:
        if tuple(sorted(faces)) in BAGS[rules.bag]:
            return f"the domino {min(faces)}-{max(faces)} has already been drawn"
        return f"a domino has two ends of {0 if rules.has_blanks else 1} to 6"
    own = dice_allowed(rules, turn.open, turn.behind)
    refusal = dice_refusal(rules, len(faces), allowed or own) if faces and min(faces) >= 1 else None
    if refusal is None:
        return f"a die shows 1 to {rules.sides}"
    if len(faces) not in (1, rules.dice):
        return f"{len(faces)} dice are never thrown in this game"
    if refusal is Refusal.ONE_DIE_NOT_YET:
        return f"{refusal.lower()}, {'for everyone' if 1 in own else f'with {sets.to_text(turn.open)} open'}"
    return refusal.lower()


def throw(rules: Profile, turn: Turn, faces: Throw, allowed: tuple[int, ...] | None = None) -> Turn:
    """The position after a throw: awaiting an answer, or over if the throw ends the turn.

    Args:
        rules: what the player plays by.
        turn: a turn that awaits a throw.
        faces: the throw.
        allowed: how many dice may be thrown, if the throw is for everyone; None where this row alone decides.

    Raises:
        ValueError: for the reason that `why_not_throw` gives.
    """
    refuse(why_not_throw(rules, turn, faces, allowed))
    drawn = turn.drawn
    if rules.draw is Draw.DOMINOES:
        drawn = _drawn(rules, drawn, faces)
    earned = rules.insurance and is_double(faces)
    turn = turn._replace(
        throw=faces, throws=turn.throws + 1, drawn=drawn, misses_left=turn.misses_left + earned
    )
    if ends_turn(rules, faces):
        return _over(rules, turn, Outcome.ENDED)
    if answers(rules, turn):
        return turn
    if turn.throws >= MAX_THROWS:
        return _over(rules, turn, Outcome.BLOCKED)
    if draws_again(rules, faces):
        return turn
    if turn.moves == 0 and rules.first_move_must_include is not None:
        return _over(rules, turn, Outcome.LOST)
    if rules.blocked in (Blocked.ENDS_TURN, Blocked.LOSES):
        return turn if turn.misses_left else _over(rules, turn, Outcome.BLOCKED)
    if not reopenings(rules, turn) and not can_ever_move(rules, turn.open, behind=turn.behind):
        return _over(rules, turn, Outcome.BLOCKED)
    return turn


def answers(rules: Profile, turn: Turn) -> tuple[Tiles, ...]:
    """The sets of tiles that may be shut for the throw on the table."""
    if not turn.awaits_answer or turn.throw is None:
        return ()
    return legal_moves(rules, turn.open, turn.throw, is_first=turn.moves == 0, behind=turn.behind)


def sums(rules: Profile, turn: Turn, moves: Iterable[Tiles]) -> set[int]:
    """The sums of these answers to the throw on the table. Skips the adding if all equal its total."""
    if rules.move is MoveKind.SET and len(read := totals(rules, turn.throw or ())) == 1:
        return set(read)
    return {rows.sum_of_move(rules, turn.open, turn.behind, shut) for shut in moves}


def reopenings(rules: Profile, turn: Turn) -> Tiles:
    """The tiles of which one must be opened, because the throw on the table has no move."""
    if rules.blocked is not Blocked.OPENS_ONE or not turn.awaits_answer or answers(rules, turn):
        return 0
    if draws_again(rules, turn.throw):
        return 0
    return rules.starting & ~turn.open


def why_not_move(rules: Profile, turn: Turn, shut: Tiles) -> str | None:
    """Why these tiles (none: a pass) don't answer the throw on the table; None if they do.

    Names the mistake, and a legal move if that's short.
    """
    if not turn.awaits_answer:
        return TURN_OVER if turn.outcome else THROW_DUE
    legal = answers(rules, turn)
    if shut in legal:
        return None
    if not shut:
        if legal:
            return f"{_example(legal)} can be shut"
        openable = reopenings(rules, turn)
        return f"a tile must be opened: {sets.to_text(openable)}" if openable else None
    box, opened = rules.all_tiles, turn.open
    if rules.through:
        box, opened = box | box << rows.reach(rules), opened | turn.behind << rows.reach(rules)
    for tiles, fault in ((~box, "on the box"), (~opened, "open")):
        if shut & tiles:
            wrong = sets.to_text(shut & tiles)
            return f"{wrong} is not {fault}" if "," not in wrong else f"{wrong} are not {fault}"
    must, shown = rules.first_move_must_include, sets.to_text(shut)
    if must is not None and not turn.moves and not shut & rows.bearing(rules, must):
        return f"the first move must shut {must}"
    if rules.max_tiles is not None and shut.bit_count() > rules.max_tiles:
        return f"{shown} are more than {rules.max_tiles} in one move"
    if shut.bit_count() < rules.min_tiles:
        return f"{shown} are fewer than {rules.min_tiles} in one move"
    thrown = turn.throw or ()
    if rules.move is MoveKind.SET:
        wanted = " or ".join(map(str, totals(rules, thrown)))
        if not wanted:
            return f"{faces_to_text(thrown)} makes no total here, so nothing can be shut for it"
        made = rows.sum_of_move(rules, turn.open, turn.behind, shut)
        return f"{shown} adds up to {made}, not {wanted}"
    allowed = ", or ".join(map(sets.to_text, legal)) or "none"
    rule = f'with move = "{rules.move}", use {allowed}'
    return f"{shown} does not answer {faces_to_text(thrown)}: {rule}"


def _example(legal: tuple[Tiles, ...]) -> str:
    """The move with the fewest tiles, the one people see first."""
    return sets.to_text(min(legal, key=int.bit_count))


def move(rules: Profile, turn: Turn, shut: Tiles) -> Turn:
    """The position after shutting these tiles; none passes a throw without a move.

    Passing uses up an insurance or a strike, if there's one.

    Raises:
        ValueError: for the reason that `why_not_move` gives.
    """
    refuse(why_not_move(rules, turn, shut))
    opened, behind = rows.after(rules, turn.open, turn.behind, shut)
    missed = not shut and turn.misses_left > 0 and not draws_again(rules, turn.throw)
    after = turn._replace(
        open=opened,
        behind=behind,
        throw=None,
        moves=turn.moves + (shut != 0),
        misses_left=turn.misses_left - missed,
    )
    return after if after.open else _over(rules, after._replace(throw=turn.throw), Outcome.SHUT)


def left_open(rules: Profile, turn: Turn, shut: Tiles) -> Tiles:
    """The columns that are open after a move."""
    return rows.after(rules, turn.open, turn.behind, shut)[0]


def out_of_time(rules: Profile, turn: Turn) -> Turn:
    """The position once the time for a turn that has begun is up."""
    return _over(rules, turn, Outcome.TIME)


def cut_off(rules: Profile, turn: Turn, last: Throw | None) -> Turn:
    """The position after the last throw allowed in a round, which has been answered."""
    return _over(rules, turn._replace(throw=last), Outcome.BLOCKED)


def why_not_reopen(rules: Profile, turn: Turn, tile: int) -> str | None:
    """Why this tile may not be opened for the throw on the table; None if it may."""
    if not turn.awaits_answer:
        return TURN_OVER if turn.outcome else THROW_DUE
    opened = sets.to_tiles([tile])
    if opened & reopenings(rules, turn):
        return None
    if rules.blocked is not Blocked.OPENS_ONE:
        return "shut tiles never open again in this game"
    if legal := answers(rules, turn):
        return f"no tile may be opened while {_example(legal)} can be shut"
    if opened & ~rules.starting:
        return f"{tile} is not in play"
    return f"{tile} is open already"


def reopen(rules: Profile, turn: Turn, tile: int) -> Turn:
    """The position after a blocked player has opened `tile`.

    Raises:
        ValueError: for the reason that `why_not_reopen` gives.
    """
    refuse(why_not_reopen(rules, turn, tile))
    return turn._replace(open=turn.open | sets.to_tiles([tile]), throw=None)


def _over(rules: Profile, turn: Turn, outcome: Outcome) -> Turn:
    lost, timed_out = outcome is Outcome.LOST, outcome is Outcome.TIME
    points = final_score(rules, turn, lost=lost, timed_out=timed_out)
    return turn._replace(outcome=outcome, score=points)
