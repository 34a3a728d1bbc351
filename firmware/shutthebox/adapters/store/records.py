"""Turns a stored match into a record."""

import sqlite3
from typing import TYPE_CHECKING, NamedTuple

from shutthebox.adapters.store.chain import Checkpoint, check_facts
from shutthebox.adapters.store.errors import UNREADABLE, StoreError
from shutthebox.adapters.store.stored_facts import (
    BoxKeys,
    BoxSigned,
    FactsLost,
    LaterFact,
    MatchBegun,
    MatchDecided,
    MatchLeft,
    MatchLinked,
    MatchResumed,
    PlayedAgain,
    RematchSecret,
    StoredFact,
    departure_of,
    is_play,
    known_conditions,
)
from shutthebox.adapters.store.trust import trust
from shutthebox.errors import quoted
from shutthebox.game.facts import ClockShown
from shutthebox.link.match import LinkedMatch, Revealed, Rolled
from shutthebox.link.rematch import want_rematch
from shutthebox.rules.actions import Action, Thrown
from shutthebox.rules.conditions import Conditions, LinkProof
from shutthebox.rules.linked_boxes import LinkedBoxes, linked_boxes_from_lines
from shutthebox.rules.linked_dice import DiceChain
from shutthebox.rules.match import Match
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import parse_keys, to_played_profile

if TYPE_CHECKING:
    from shutthebox.rules.record import Record


_FACTS = """
select number, previous, cast(text as blob), checksum from fact
where number >= (select first from match where id = ?1)
    and number < ifnull((select min(first) from match where id > ?1), 9e18) order by number
"""


class KeptFacts(NamedTuple):
    """The trusted facts of a match.

    Attributes:
        begun: the first.
        facts: the others, in order.
        lost: how many were lost and aren't in `conditions` yet.
    """

    begun: MatchBegun
    facts: tuple[StoredFact, ...]
    lost: int

    @property
    def conditions(self) -> Conditions:
        """The conditions of play, with everything that was lost."""
        text = self.begun.conditions
        for fact in self.facts:
            if isinstance(fact, MatchResumed | FactsLost):
                text = fact.conditions
        return known_conditions(text).joined(Conditions(lost=self.lost, linked=self._proof))

    @property
    def _link(self) -> MatchLinked | None:
        """What links it to another box; None for a match on this box alone."""
        return next((fact for fact in self.facts if isinstance(fact, MatchLinked)), None)

    @property
    def _proof(self) -> LinkProof | None:
        """The links of a linked match as far as they were revealed; None for a match on this box alone."""
        begun = self._link
        if begun is None:
            return None
        throws, revealed, theirs = 0, "", begun.commitments[1 - begun.seat]
        for fact in self.facts:
            if isinstance(fact, Revealed):
                revealed = fact.link
            elif isinstance(fact, Thrown) and revealed:
                throws, theirs, revealed = throws + 1, revealed, ""
        own = DiceChain(begun.secret).link(throws)
        links = (theirs, own) if begun.seat else (own, theirs)
        return LinkProof(begun.commitments, links)

    @property
    def boxes(self) -> LinkedBoxes | None:
        """Both boxes of a linked match; None for a match on this box alone."""
        begun = self._link
        if begun is None:
            return None
        quit_by = departure_of(self.facts)
        left = (quit_by.player + 1, quit_by.has_thrown) if quit_by else None
        boxes = LinkedBoxes(begun.session, begun.limit_s, begun.names, self._keys, self._signatures, left)
        try:
            return linked_boxes_from_lines(boxes.to_lines())
        except ValueError:  # a crafted memory, whose record nobody could read
            return None

    @property
    def _keys(self) -> tuple[str, str]:
        return next((fact.keys for fact in self.facts if isinstance(fact, BoxKeys)), ("", ""))

    @property
    def _pairing(self) -> str:
        return next((fact.pairing for fact in self.facts if isinstance(fact, PlayedAgain)), "")

    @property
    def _signatures(self) -> tuple[str, str]:
        found = {fact.player: fact.signature for fact in self.facts if isinstance(fact, BoxSigned)}
        return found.get(0, ""), found.get(1, "")

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions played.

        Raises:
            ValueError: some aren't actions that this version knows.
        """
        for fact in self.facts:
            if isinstance(fact, LaterFact) and fact.is_play:
                raise ValueError(f"{quoted(fact.text)} is not an action this version knows")
        return tuple(fact for fact in self.facts if isinstance(fact, Action))

    def replay(self, beginning: Match) -> LinkedMatch | None:
        """Plays the match again; returns this box's log of a linked one, and None for any other.

        Args:
            beginning: the match before its first throw.

        Raises:
            LinkError: the facts of the link make no sense.
            ValueError: the rules don't allow an action.
        """
        match, link = beginning, self._link
        linked = link and link.linked(beginning, self._keys, self._pairing)
        for fact in self.facts:
            if isinstance(fact, Action | Rolled | Revealed):
                following = fact.apply(match)
                linked = linked and linked.after(fact, match)
                match = following
        if linked is None:
            return None
        is_decided = any(isinstance(fact, MatchDecided) for fact in self.facts)
        linked = linked._replace(signatures=self._signatures, has_result=is_decided)
        secret = next((fact.secret for fact in self.facts if isinstance(fact, RematchSecret)), "")
        return want_rematch(linked, secret) if secret and match.stage is Stage.FINISHED else linked

    @property
    def is_given_up(self) -> bool:
        """Whether it was left undecided. A match that has lost facts may still have a result."""
        kinds = {type(fact) for fact in self.facts}
        return MatchLeft in kinds and MatchDecided not in kinds

    @property
    def clock(self) -> tuple[int, int] | None:
        """The clock's last reading in seconds, and how many actions came before it; None without a clock."""
        played, found = 0, None
        for fact in self.facts:
            if isinstance(fact, ClockShown):
                found = fact.seconds, played
            else:
                played += is_play(fact)
        return found


def kept_facts(db: sqlite3.Connection, number: int, where: str) -> KeptFacts:
    """The facts of a match.

    Args:
        db: the store.
        number: the match's id.
        where: the file, for error messages.

    Raises:
        StoreError: it isn't kept, or its beginning is missing.
        sqlite3.Error: if it can't be read.
    """
    rows = db.execute(_FACTS, (number,)).fetchall()
    if not rows:
        raise StoreError(f"{where}: there's no match {number}")
    first, previous, *_ = rows[0]
    begun, *others = trust(check_facts(rows, Checkpoint(), first - 1, previous))
    if not isinstance(begun.fact, MatchBegun) or begun.fact.match != number:
        raise StoreError(f"{where}: match {number}: its start is lost")
    decided = (at for at, fact in enumerate(others) if isinstance(fact.fact, MatchDecided))
    lost = sum(fact.lost for fact in others[: next(decided, None)])
    return KeptFacts(begun.fact, tuple(fact.fact for fact in others if fact.fact is not None), lost)


def kept_match(db: sqlite3.Connection, number: int, where: str) -> "Record":
    """The record of a stored match, as far as it got. Whether the rules allow it isn't checked.

    Args:
        db: the store.
        number: the match's id.
        where: the file, for error messages.

    Raises:
        StoreError: there's none, or its facts make no sense.
        sqlite3.Error: if it can't be read.
    """
    return record_of(kept_facts(db, number, where), where)


def record_of(kept: KeptFacts, where: str) -> "Record":
    """The record of a match from its facts.

    Raises:
        StoreError: they make no sense.
    """
    # Imported lazily to keep startup fast.
    from shutthebox.rules.record import Record

    begun = kept.begun
    try:
        return Record(
            profile=kept_profile(begun.profile, where),
            players=begun.players,
            rounds=begun.rounds,
            actions=kept.actions,
            conditions=kept.conditions,
            given_up=kept.is_given_up,
            boxes=kept.boxes,
        )
    except UNREADABLE as error:
        raise StoreError(f"{where}: match {begun.match}: {error}") from error


def kept_profile(text: str, where: str) -> Profile:
    """A profile from its stored text.

    Raises:
        ProfileError: it can't be played.
    """
    return to_played_profile(parse_keys(text, where, _no_model), where, "house")


def _no_model(name: str) -> dict[str, object]:
    raise KeyError("a kept profile stands alone")
