"""Which of the facts that were read are believed.

A fact is believed if its checksum over its stored predecessor holds. Of a match, nothing of play is believed
behind a gap: a throw without the move before it makes no sense. What stands alone is: a result, a signature.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from shutthebox.adapters.store.chain import ReadFact
from shutthebox.adapters.store.errors import UNREADABLE
from shutthebox.adapters.store.stored_facts import MatchBegun, StoredFact, fact_from_text, is_play


class Believed(NamedTuple):
    """A fact, and the gap before it.

    Attributes:
        fact: None if it is not believed, and then one of those that are lost.
        text: its words.
        lost: facts that are lost here.
    """

    fact: StoredFact | None
    text: str
    lost: int


def believe(facts: Iterable[ReadFact]) -> Iterator[Believed]:
    """Tells what is believed of facts, and how many are lost where."""
    is_spoilt = False
    for read in facts:
        fact = _understood(read) if read.good else None
        if isinstance(fact, MatchBegun):
            is_spoilt = False
        elif read.missing or fact is None:
            is_spoilt = True
        if fact is not None and is_spoilt and is_play(fact):
            fact = None
        yield Believed(fact, read.text, read.missing + (fact is None))


def _understood(read: ReadFact) -> StoredFact | None:
    try:
        return fact_from_text(read.text)
    except UNREADABLE:
        return None
