"""Dice for two boxes that don't trust each other: neither can predict a throw, and neither can bias it.

Before a match each box makes a hash chain: a secret, hashed `LINKS` times. It shows the other the end, its
commitment, which binds it to everything before. For each throw both reveal the next value towards the
secret, a *link*, and the faces follow from the two. A box that knows its own next link can't choose another,
because only one value has the right hash; and without the other's it knows nothing about the throw.

The box whose player throws first says which throw it is (its number, seat and dice), and only then do both
reveal. The last links give all the earlier ones, so a record with the two commitments and the last links
proves every throw (`why_unproven`).
"""

import re
from functools import lru_cache, partial
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from shutthebox.rules.actions import apply
from shutthebox.rules.conditions import LinkProof
from shutthebox.rules.derived_throws import derive_throw, why_not_derived
from shutthebox.rules.match import Match
from shutthebox.rules.moves import Throw

if TYPE_CHECKING:
    from shutthebox.rules.record import Record

LINKS = 4096
"""Throws in a match, at most: a longer one ends without a result."""

_EVERY = 64
_HEX = re.compile("[0-9a-f]{64}", re.ASCII)


def is_link(text: str) -> bool:
    """Whether this is written like a link or a commitment: 64 lower-case hexadecimal digits."""
    return _HEX.fullmatch(text) is not None


def _hash(link: str, times: int = 1) -> str:
    """A link hashed this many times, towards the commitment."""
    value = bytes.fromhex(link)
    for _ in range(times):
        value = sha256(value).digest()
    return value.hex()


def precedes(link: str, before: str) -> bool:
    """Whether a link is the one that follows `before`, which is the commitment before the first throw."""
    return is_link(link) and _hash(link) == before


@lru_cache(4)
def _milestones(secret: str) -> tuple[str, ...]:
    """Every `_EVERY`th value from the secret on: a throw then takes few hashes, however long the chain."""
    values = [secret]
    for _ in range(LINKS // _EVERY):
        values.append(_hash(values[-1], _EVERY))
    return tuple(values)


class DiceChain(NamedTuple):
    """A box's own hash chain.

    Attributes:
        secret: 64 hexadecimal digits, from a source that nobody can predict.
    """

    secret: str

    @property
    def commitment(self) -> str:
        """The end of the chain, which the other box is shown before the match."""
        return self.link(0)

    def link(self, number: int) -> str:
        """The link of a throw.

        Args:
            number: of the throw in the match, 1..`LINKS`; 0 for the commitment.
        """
        hashes = LINKS - number
        return _hash(_milestones(self.secret)[hashes // _EVERY], hashes % _EVERY)


def linked_throw(match: Match, number: int, dice: int, links: tuple[str, str]) -> Throw:
    """The throw that follows from both boxes' links.

    Args:
        match: the position before it.
        number: of the throw in the match, from 1.
        dice: how many.
        links: of seat 1's box and of seat 2's.
    """
    return derive_throw(f"{' '.join(links)} {number} {match.player + 1} {dice}", match, dice)


def own_throws(record: "Record") -> tuple[int, ...]:
    """The numbers, from 0, of the actions that are throws of the boxes' own: not of one throw for both."""
    found, match = list[int](), record.beginning
    for number, action in enumerate(record.actions):
        if action.faces and match.round.common is None:
            found.append(number)
        match = apply(match, action)
    return tuple(found)


def earlier_links(latest: tuple[str, str], throws: int) -> list[tuple[str, str]]:
    """The links of both boxes by the number of the throw.

    Args:
        latest: those of the last throw.
        throws: how many.

    Returns:
        One more than there are throws: the first ones have to be the commitments.
    """
    links = [latest]
    for _ in range(throws):
        links.append((_hash(links[-1][0]), _hash(links[-1][1])))
    return links[::-1]


def why_unproven(record: "Record", proof: LinkProof) -> str | None:
    """The first action of a record that two boxes don't make, or throw that doesn't follow from its links.

    Returns:
        One short English sentence without a full stop; None if there's none.
    """
    if proof.commitments[0] == proof.commitments[1]:
        return "both seats have the same commitment"
    thrown = own_throws(record)
    if len(thrown) > LINKS:
        return f"{len(thrown)} throws; a linked match has at most {LINKS}"
    ends, *links = earlier_links(proof.links, len(thrown))
    for seat, (link, commitment) in enumerate(zip(ends, proof.commitments, strict=True), 1):
        if link != commitment:
            return f"the links of seat {seat} don't lead to its commitment, {commitment[:16]}…"
    by_action, match = dict(zip(thrown, enumerate(links, 1), strict=True)), record.beginning
    for number, action in enumerate(record.actions):
        if not action.PEER_MAY_SEND:
            return f'action {number + 1}: "{action.WORD}" isn\'t allowed in a match on two boxes'
        if number in by_action:
            throw, both = by_action[number]
            derive = partial(linked_throw, match, throw, links=both)
            if reason := why_not_derived(match, action.faces, derive, "links"):
                return f"action {number + 1}: {reason}"
        match = apply(match, action)
    return None
