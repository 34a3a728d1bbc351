"""One box's end of a linked match: a log of entries that both boxes hold, in the same order.

Only the box whose player is at turn writes. It appends the player's actions and, before each throw, a
`Rolled`, which says what is about to be thrown. The other box checks every entry against its own rules and
appends it, too, so the logs never fork. A message (`Sync`) says how long the sender's log is, and repeats
what the other box may lack. So messages that are lost, doubled, late or out of order change nothing.

Either box may break a match off, and the other may learn of it late. So the entry that decides a match only
settles it once the box that didn't write it has it: from then on, that box can't break off, and until it
knows of that, the writer doesn't call the match decided. While the two wait for each other, only players who
refuse to wait can end up with different results; no protocol can do better over a link that may stay silent.

Everything here is an immutable value without a clock. A fact given to `LinkedMatch.after` must be durable
before `LinkedMatch.message` is sent or anything is shown. A box that was unplugged then still has every entry
it has ever announced, and catches up on the other box's.
"""

import json
from hashlib import sha256
from typing import NamedTuple, TypeAlias

from shutthebox.errors import ShutTheBoxError, quoted
from shutthebox.link.messages import MAX_ENTRIES, Levers, LogSignature, Sync
from shutthebox.rules.actions import Action, Thrown, action_from_text
from shutthebox.rules.conditions import LinkProof
from shutthebox.rules.linked_dice import LINKS, DiceChain, is_link, linked_throw, precedes
from shutthebox.rules.match import Match, begin
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import Outcome
from shutthebox.rules.writer import to_lines
from shutthebox.validation import count

SEATS = 2


class Rolled(NamedTuple):
    """The player at turn is about to throw this many dice; 2 if a domino is drawn."""

    dice: int

    def apply(self, match: Match) -> Match:
        """The match as it was: nothing lies on the table yet."""
        return match

    def to_text(self) -> str:
        """For example ``roll 2``."""
        return f"{_ROLL} {self.dice}"


class Revealed(NamedTuple):
    """The other box's link for the throw that was rolled."""

    link: str

    def apply(self, match: Match) -> Match:
        """The match as it was: the throw that follows is a fact of its own."""
        return match

    def to_text(self) -> str:
        """For example ``reveal 5d…``."""
        return f"{_REVEAL} {self.link}"


LinkFact: TypeAlias = Rolled | Revealed | Action
"""A fact of a linked match."""


class LinkError(ShutTheBoxError, ValueError):
    """The other box said something that isn't true or isn't allowed. The match can't go on."""

    exit_code = 1


class Agreement(NamedTuple):
    """What both boxes have agreed on before the first throw.

    Attributes:
        game: including everything that players can choose.
        rounds: of the match.
        first: the player, from 0, who begins.
        limit_s: seconds within which a box must reveal its link.
        names: what the boxes call themselves, by seat.
        commitments: the ends of their hash chains, by seat.
        session: the name that pairing gave to this meeting of the two boxes.
        keys: the public keys with which they sign the finished log, by seat; empty for a box without one.
    """

    game: Profile
    rounds: int
    first: int
    limit_s: int
    names: tuple[str, str]
    commitments: tuple[str, str]
    session: str
    keys: tuple[str, str] = ("", "")

    @property
    def beginning(self) -> Match:
        """The match before the first throw."""
        return begin(self.game, SEATS, self.rounds, self.first)


class LinkedMatch(NamedTuple):
    """The log as one box has it, and what it knows of the other box's.

    It has no position: the match in play has the only one. Methods that depend on it take it as `match`: the
    position after all entries.

    Attributes:
        agreement: between the two.
        seat: this box's, from 0: the host's is 0.
        chain: this box's own dice.
        hashes: of the agreement alone, and with all entries up to each.
        entries: the log.
        confirmed: how many entries the other box is known to have; None until it has sent a message.
        acknowledged: how many entries the other box is known to have counted as confirmed.
        has_result: the result is kept, so both boxes had it before a power cut made this one forget the rest.
        throws: the number of throws so far.
        links: the latest links revealed, by seat; the commitments before the first throw.
        rolled: the number of dice of the throw for which both now reveal their links; None if none is due.
        revealed: the other box's link for it.
        signatures: of both boxes, by seat, as far as this one has them; empty otherwise.
        pairing: the session in which it's played, if it isn't the first match there; otherwise empty.
        next_secret: of this box's dice for a rematch, once its players want one; otherwise empty.
        next_commitment: of the other box's dice for a rematch, once its players want one; otherwise empty.
    """

    agreement: Agreement
    seat: int
    chain: DiceChain
    hashes: tuple[str, ...]
    entries: tuple[str, ...] = ()
    confirmed: int | None = None
    acknowledged: int = 0
    has_result: bool = False
    throws: int = 0
    links: tuple[str, str] = ("", "")
    rolled: int | None = None
    revealed: str | None = None
    signatures: tuple[str, str] = ("", "")
    pairing: str = ""
    next_secret: str = ""
    next_commitment: str = ""

    @property
    def session(self) -> str:
        """The session in which the helpers carry its messages."""
        return self.pairing or self.agreement.session

    @property
    def other(self) -> int:
        """The other box's seat."""
        return 1 - self.seat

    @property
    def proof(self) -> LinkProof:
        """A proof of all throws so far."""
        return LinkProof(self.agreement.commitments, self.links)

    def is_ours(self, match: Match) -> bool:
        """Whether the next entry is this box's."""
        return match.player == self.seat and match.stage is not Stage.FINISHED

    def is_settled(self, match: Match) -> bool:
        """Whether both boxes have the entry that decides the match, so neither can take it back."""
        if match.result is None:
            return False
        is_theirs = match.player == self.other
        return self.has_result or is_theirs or (self.confirmed or 0) >= self._deciding_entry(match)

    def has_thrown(self, player: int, match: Match) -> bool:
        """Whether a throw of this player is on the table, or being made, and hasn't shut the box."""
        turn = match.turn
        is_thrown = turn.throw is not None and turn.outcome is not Outcome.SHUT
        return match.player == player and (is_thrown or self.rolled is not None)

    def awaits_confirmation(self, match: Match) -> bool:
        """Whether to repeat the message if there's no answer."""
        is_over = match.stage is Stage.FINISHED
        return (
            self.confirmed != len(self.entries)
            or self._awaits_link(match)
            or (is_over and self.acknowledged != len(self.entries))  # it waits for this box to confirm
        )

    def awaits_answer(self, match: Match) -> bool:
        """Whether to repeat the message if there's no answer, be it that the other box's players go on."""
        return self.awaits_confirmation(match) or bool(self.next_secret)

    def decided(self, match: Match) -> str:
        """What both boxes sign: the hash up to the entry that decides the match; empty before that."""
        return self.hashes[self._deciding_entry(match)] if match.result else ""

    def _deciding_entry(self, match: Match) -> int:
        """The number of the entry that decided the match; only the last turn's `Advanced` follows it."""
        return len(self.entries) - (match.stage is Stage.FINISHED)

    def with_signature(self, player: int, signature: str) -> "LinkedMatch":
        """The match with a box's signature."""
        host, guest = self.signatures
        return self._replace(signatures=(host, signature) if player else (signature, guest))

    def is_new_signature(self, player: int, signed: LogSignature | None, match: Match) -> bool:
        """Whether this is a signature of this log that's missing. The helper has checked it by its key."""
        if signed is None or not signed.signature or self.signatures[player]:
            return False
        return (signed.digest, signed.key) == (self.decided(match), self.agreement.keys[player])

    def after(self, fact: LinkFact, match: Match) -> "LinkedMatch":
        """The log after another fact, from either box.

        Args:
            fact: what happened.
            match: the position before it.

        Raises:
            LinkError: the rules, or the links, don't allow it.
        """
        match fact:
            case Rolled(dice):
                return self._after_roll(dice, match)
            case Revealed(link):
                if self.rolled is None or self.revealed is not None:
                    raise LinkError("a link without a throw")
                if not precedes(link, self.links[self.other]):
                    raise LinkError("a link that doesn't belong to the chain")
                return self._replace(revealed=link)
            case Thrown() if match.round.common is None:
                return self._after_throw(fact, match)
            case _:
                if not fact.PEER_MAY_SEND:
                    raise LinkError(f'"{fact.WORD}" isn\'t allowed in a match on two boxes')
                if self.rolled is not None:
                    raise LinkError("a throw is due")
                if reason := fact.why_not(match):
                    raise LinkError(reason)
                return self._with_entry(fact.to_text())

    def _after_roll(self, dice: int, match: Match) -> "LinkedMatch":
        if self.rolled is not None or match.stage is not Stage.THROW or match.round.common is not None:
            raise LinkError("no throw is due")
        if dice not in match.dice_allowed:
            raise LinkError(f"{dice} dice can't be thrown now")
        if self.throws == LINKS:
            raise LinkError(f"a linked match has at most {LINKS} throws")
        return self._with_entry(Rolled(dice).to_text())._replace(rolled=dice)

    def _after_throw(self, thrown: Thrown, match: Match) -> "LinkedMatch":
        if self.rolled is None or self.revealed is None:
            raise LinkError("a throw without links")
        if thrown != self._throw_due(match):
            raise LinkError("a throw that doesn't follow from the links")
        links = self._next_links
        logged = self._with_entry(thrown_entry(thrown, links[match.player]))
        return logged._replace(throws=self.throws + 1, links=links, rolled=None, revealed=None)

    def _with_entry(self, entry: str) -> "LinkedMatch":
        return self._replace(
            entries=(*self.entries, entry), hashes=(*self.hashes, chain_entry(self.hashes[-1], entry))
        )

    def message(self, match: Match) -> Sync:
        """What to tell the other box now, and again until it confirms it."""
        known, decided = self.confirmed or 0, self.decided(match)
        return Sync(
            len(self.entries),
            self.hashes[-1],
            known + 1,
            self.entries[known : known + MAX_ENTRIES],
            self.chain.link(self.throws + 1) if self._owes_link(match) else "",
            LogSignature(decided) if decided and self.agreement.keys[self.seat] else None,
            self._name,
        )

    def levers_message(self, down: Tiles) -> Levers:
        """What to tell the other box of this one's levers."""
        return Levers(len(self.entries), down, self._name)

    def is_about(self, message: Sync | Levers) -> bool:
        """Whether a message is about this match, not about an earlier or later one in the same session."""
        return message.match == self._name

    def next_fact(self, sync: Sync, match: Match) -> LinkFact | None:
        """The next fact that follows from a message of the other box; None once there are no more.

        Every fact has to be applied before the next one is asked for.

        Raises:
            LinkError: the message doesn't fit this match.
        """
        number = len(self.entries) + 1
        for at, entry in enumerate(sync.entries, sync.first):
            if at < number and self.entries[at - 1] != entry:
                raise LinkError(f"entry {at} isn't the same at both boxes")
            if at == number:
                if self.is_ours(match) or match.stage is Stage.FINISHED:
                    raise LinkError(f"entry {at} isn't for the other box to write")
                return self._fact_of(entry, match)
        if self._awaits_link(match) and sync.link and sync.number == len(self.entries):
            return Revealed(sync.link)
        if self.is_ours(match) and self.revealed is not None:
            return self._throw_due(match)  # also after a power cut between the two
        return None

    def confirm(self, sync: Sync) -> "LinkedMatch":
        """Notes how long the other box's log is.

        Raises:
            LinkError: it isn't the same log.
        """
        if not (self.confirmed or 0) <= sync.number <= len(self.entries):
            return self if self.confirmed is not None else self._replace(confirmed=0)
        if self.hashes[sync.number] != sync.hash:
            raise LinkError(f"the first {sync.number} entries aren't the same at both boxes")
        return self._replace(
            confirmed=sync.number,
            acknowledged=max(self.acknowledged, min(sync.first - 1, sync.number)),
        )

    def owes_answer(self, sync: Sync, match: Match) -> bool:
        """Whether the other box needs an answer at once to a message that says nothing new.

        To be asked before `confirm`.
        """
        if sync.number != len(self.entries):
            return sync.number >= (self.confirmed or 0)
        # The box that has to confirm last always answers: the other one is waiting for it.
        has_last_word = match.stage is Stage.FINISHED and match.player == self.seat
        return self._owes_link(match) or has_last_word or sync.first <= sync.number

    @property
    def _name(self) -> str:
        """What the match's messages are known by; empty for the first one in a session."""
        return self.agreement.session if self.pairing else ""

    def _awaits_link(self, match: Match) -> bool:
        """Whether this box has rolled and can't throw before the other reveals its link."""
        return self.rolled is not None and self.revealed is None and self.is_ours(match)

    def _owes_link(self, match: Match) -> bool:
        """Whether the other box has rolled and can't throw before this one reveals its link."""
        return self.rolled is not None and not self.is_ours(match)

    def _throw_due(self, match: Match) -> Thrown:
        """The throw that follows from both links; only to be called once the other box's is `revealed`."""
        assert self.rolled is not None, "a throw has been rolled"
        return Thrown(linked_throw(match, self.throws + 1, self.rolled, self._next_links))

    @property
    def _next_links(self) -> tuple[str, str]:
        assert self.revealed is not None, "the other box has revealed its link"
        own = self.chain.link(self.throws + 1)
        return (own, self.revealed) if self.seat == 0 else (self.revealed, own)

    def _fact_of(self, entry: str, match: Match) -> LinkFact:
        """The next fact that an entry from the other box stands for: a throw's stands for two."""
        try:
            word = entry.partition(" ")[0]
            if word == _ROLL:
                return link_fact_from_text(entry)
            if word != Thrown.WORD or match.round.common is not None:
                return action_from_text(entry)
            text, _, link = entry.rpartition(" ")
            thrown = action_from_text(text)
            return thrown if self.revealed == link else Revealed(link)
        except ValueError:  # its text quotes the other box
            raise LinkError("an entry that no box writes") from None


_ROLL, _REVEAL = "roll", "reveal"

LINK_WORDS = (_ROLL, _REVEAL)
"""The first words of the facts of a linked match that aren't actions."""


def link_fact_from_text(text: str) -> Rolled | Revealed:
    """The fact whose `to_text` this is.

    Raises:
        ValueError: the text isn't one of theirs.
    """
    word, _, rest = text.partition(" ")
    if word == _REVEAL and is_link(rest):
        return Revealed(rest)
    dice = count(rest, 9) if word == _ROLL else None
    if not dice:
        raise ValueError(f"{quoted(text)} is not a fact")
    return Rolled(dice)


def thrown_entry(thrown: Thrown, link: str) -> str:
    """The entry of a throw of the boxes' own dice, with the link of the box that has thrown."""
    return f"{thrown.to_text()} {link}"


def chain_entry(before: str, entry: str) -> str:
    """The hash of a log and another entry."""
    return sha256(f"{before} {entry}".encode()).hexdigest()


def agreement_hash(agreement: Agreement) -> str:
    """The hash of an agreement, the same at both boxes if they mean the same match."""
    *agreed, keys = to_lines(agreement.game), *agreement[1:]
    if any(agreement.keys):  # as ever for a match without signatures
        agreed.append(keys)
    return sha256(json.dumps(agreed).encode()).hexdigest()


def join(agreement: Agreement, seat: int, chain: DiceChain, pairing: str = "") -> LinkedMatch:
    """The log before its first entry.

    Args:
        agreement: between the two boxes.
        seat: this box's, from 0.
        chain: this box's own dice.
        pairing: the session in which it's played, if it isn't the first match there.

    Raises:
        LinkError: the chain isn't the one that the agreement has for this seat.
    """
    if chain.commitment != agreement.commitments[seat]:
        raise LinkError("the agreement has another commitment for this box")
    return LinkedMatch(
        agreement,
        seat,
        chain,
        (agreement_hash(agreement),),
        links=agreement.commitments,
        pairing=pairing,
    )
