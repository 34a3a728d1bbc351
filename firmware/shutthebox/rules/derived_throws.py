"""Throws that follow from a secret: the same secret gives the same throw; all are as likely as real ones."""

import hashlib
from collections.abc import Callable, Iterator

from shutthebox.rules.faces import faces_to_text
from shutthebox.rules.match import Match
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import Draw
from shutthebox.rules.turn import bag


def derive_throw(secret: str, match: Match, dice: int) -> Throw:
    """The throw of this many dice that follows from a secret or, if the game has a bag, the next domino."""
    source = _numbers(secret)
    if match.game.draw is Draw.DOMINOES:
        dominoes = bag(match.rules, match.turn)
        return dominoes[number_below(len(dominoes), source)]
    return tuple(number_below(match.game.sides, source) + 1 for _ in range(dice))


def why_not_derived(match: Match, faces: Throw, derive: Callable[[int], Throw], source: str) -> str | None:
    """What a throw should have been; None if it's the derived one.

    Args:
        match: the position before it.
        faces: thrown.
        derive: returns the throw of this many dice.
        source: what it derives from, in a word.
    """
    allowed = match.dice_allowed
    # A number alone may be the total of more dice, which proves nothing.
    due = derive(len(faces) if len(faces) in allowed else allowed[0])
    if faces == due:
        return None
    threw, follows = faces_to_text(faces), faces_to_text(due)
    return f"player {match.player + 1} threw {threw}, by the {source} it is {follows}"


def _numbers(secret: str) -> Iterator[int]:
    """Numbers from 0 to 2**32 - 1."""
    block = 0
    while True:
        digest = hashlib.sha256(f"{secret} {block}".encode()).digest()
        for start in range(0, len(digest), 4):
            yield int.from_bytes(digest[start : start + 4])
        block += 1


def number_below(bound: int, source: Iterator[int]) -> int:
    """A number from 0 up to the bound, each as likely as the others."""
    usable = 2**32 - 2**32 % bound
    return next(number for number in source if number < usable) % bound
