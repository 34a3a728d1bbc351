"""Equal dice: a tournament with the same throws at every box.

All throws derive from a seed. The league publishes the seed's commitment (a hash) before the tournament and
the seed afterwards, so that anyone can verify every record offline (`shutthebox verify`). A throw depends
only on the seat, the round and the number of the throw in the turn, not on what players do. Seat 1 gets the
same throws at every box; the other players at a table get different ones, because they can see each other's.

These throws aren't random. A box that uses them says so on its panel, and its records name the commitment.
"""

import hashlib
import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from shutthebox.errors import ShutTheBoxError, quoted
from shutthebox.rules.actions import apply
from shutthebox.rules.derived_throws import derive_throw, why_not_derived
from shutthebox.rules.match import Match
from shutthebox.rules.moves import Throw

if TYPE_CHECKING:
    from shutthebox.rules.record import Record

FIRST_LINE = "shut-the-box tournament 1"

MAX_NAME = 60

_NAME = re.compile(rf"[^\s](?:.{{0,{MAX_NAME - 2}}}[^\s])?")
_SEED = re.compile("[0-9a-f]{64}", re.ASCII)


class TournamentError(ShutTheBoxError, ValueError):
    """A text that isn't a tournament; the message says where and what's allowed, in one line."""


class Tournament(NamedTuple):
    """A tournament of equal dice.

    Attributes:
        name: a name for people, one line of at most 60 characters.
        seed: 64 hexadecimal digits; secret until the tournament is over.
    """

    name: str
    seed: str

    @property
    def commitment(self) -> str:
        """The hash of `to_text`: 64 hexadecimal digits, safe to publish before the first throw."""
        return hashlib.sha256(self.to_text().encode()).hexdigest()

    def to_text(self) -> str:
        """The tournament's file. `tournament_from_text` reads it back."""
        return f"{FIRST_LINE}\nname {self.name}\nseed {self.seed}\n"

    def throw(self, match: Match, dice: int) -> Throw:
        """The next throw with this many dice or, if the profile has a bag, the next domino."""
        if match.round.common is not None:
            return match.round.common.faces
        place = f"{match.player + 1} {match.round.number} {match.round.throws + match.turn.throws + 1}"
        return derive_throw(f"{self.seed} {place}", match, dice)


def tournament_from_text(text: str, where: str) -> Tournament:
    """Parses a tournament's file; `where` names it in error messages.

    Raises:
        TournamentError: if it isn't one.
    """
    lines, mistakes = text.splitlines(), list[str]()
    if lines[:1] != [FIRST_LINE]:
        mistakes.append(f"{where}:1: not a tournament; its first line must be {FIRST_LINE!r}")
    if len(lines) != 3:
        mistakes.append(f"{where}: {len(lines)} lines; use three: {FIRST_LINE!r}, name, seed")
        raise TournamentError(*mistakes)
    name = lines[1].removeprefix("name ")
    if not lines[1].startswith("name ") or not _NAME.fullmatch(name) or not name.isprintable():
        mistakes.append(
            f"{where}:2: {quoted(lines[1])} is not allowed; use name and up to {MAX_NAME} characters"
        )
    seed = lines[2].removeprefix("seed ")
    if not lines[2].startswith("seed ") or not _SEED.fullmatch(seed):
        mistakes.append(f"{where}:3: not allowed; use seed and 64 hexadecimal digits")
    if mistakes:
        raise TournamentError(*mistakes)
    return Tournament(name, seed)


def unequal(record: "Record", tournament: Tournament) -> str | None:
    """The first difference between a record and the tournament's seed; None if there is none.

    Returns:
        One short English sentence without a full stop.
    """
    commitment = record.conditions.equal_dice if record.conditions else ""
    if commitment != tournament.commitment:
        named = f"names {commitment[:16]}…" if commitment else "names none"
        return f"the record {named}, the commitment of this tournament is {tournament.commitment[:16]}…"
    match = record.beginning
    for number, action in enumerate(record.actions, 1):
        if action.faces:
            reason = why_not_derived(match, action.faces, partial(tournament.throw, match), "seed")
            if reason:
                return f"action {number}: {reason}"
        match = apply(match, action)
    return None
