"""Decides which of the facts that were read to trust.

A fact is trusted if its checksum is right. After a gap in a match, moves and throws aren't trusted, because
they make no sense without those before. Results and signatures still are.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from shutthebox.adapters.store.chain import ReadFact
from shutthebox.adapters.store.errors import UNREADABLE
from shutthebox.adapters.store.stored_facts import MatchBegun, StoredFact, fact_from_text, is_play


class TrustedFact(NamedTuple):
    """A fact, and the gap before it.

    Attributes:
        fact: None if it isn't trusted; then it's one of those that are lost.
        text: the line that was read.
        lost: how many facts are lost here.
    """

    fact: StoredFact | None
    text: str
    lost: int


def trust(facts: Iterable[ReadFact]) -> Iterator[TrustedFact]:
    """Yields the facts that are trusted, and how many are lost before each."""
    is_spoilt = False
    for read in facts:
        fact = _parse(read) if read.good else None
        if isinstance(fact, MatchBegun):
            is_spoilt = False
        elif read.missing or fact is None:
            is_spoilt = True
        if fact is not None and is_spoilt and is_play(fact):
            fact = None
        yield TrustedFact(fact, read.text, read.missing + (fact is None))


def _parse(read: ReadFact) -> StoredFact | None:
    try:
        return fact_from_text(read.text)
    except UNREADABLE:
        return None
