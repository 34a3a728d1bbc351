"""A linked match played again: in the same session, with new dice, once the players of both boxes want it.

Each box that wants it says so with a commitment for its new dice (`Rematch`). The next match follows from the
last one and both commitments, so there's nothing else to agree on. It has a name, which follows from that of
the last one: a message that's late, from one match, is never taken for one of another.

The secret of the new dice must be durable before its commitment is sent. The other box may begin the match as
soon as it has that, and a power cut mustn't keep this one from following.
"""

from hashlib import sha256

from shutthebox.link.match import LinkedMatch, join
from shutthebox.link.messages import SESSION_DIGITS, Rematch, Sync
from shutthebox.rules.linked_dice import DiceChain
from shutthebox.rules.match import Match
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import First


def next_name(name: str) -> str:
    """The name of the match after the one with this name."""
    return sha256(f"{name} again".encode()).hexdigest()[:SESSION_DIGITS]


def want_rematch(linked: LinkedMatch, secret: str) -> LinkedMatch:
    """The log once this box's players want another match.

    Args:
        linked: of a finished match; the other box has its result.
        secret: of this box's dice for the next one.
    """
    return _confirm_all(linked)._replace(next_secret=secret)


def latest_message(linked: LinkedMatch, match: Match) -> Sync | Rematch:
    """What to tell the other box now, and again until it answers."""
    if not linked.next_secret:
        return linked.message(match)
    return Rematch(linked.agreement.session, DiceChain(linked.next_secret).commitment)


def hear_rematch(linked: LinkedMatch, match: Match, heard: Rematch) -> tuple[LinkedMatch, Rematch | None]:
    """Handles what the other box says of another match.

    Returns:
        The log after that, and the answer to a box that doesn't know yet that the next match has begun; None
        for none.
    """
    agreement = linked.agreement
    if linked.pairing and next_name(heard.match) == agreement.session:
        asks = linked.confirmed is None and not heard.other
        is_same = heard.commitment == agreement.commitments[linked.other]
        return linked, begun_message(linked, heard.match) if asks and is_same else None
    is_over = linked.is_settled(match) and match.stage is Stage.FINISHED
    if heard.match != agreement.session or not is_over or heard.commitment in _own_commitments(linked):
        return linked, None
    return _confirm_all(linked)._replace(next_commitment=heard.commitment), None


def next_match(linked: LinkedMatch, match: Match) -> LinkedMatch | None:
    """The next match, once both boxes want it. Whoever lost begins, unless the game says otherwise."""
    if not (linked.next_secret and linked.next_commitment):
        return None
    last, chain, seat = linked.agreement, DiceChain(linked.next_secret), linked.seat
    begins = match.begins_next_match if last.game.first is First.WINNER else match.loser or 0
    own, other = chain.commitment, linked.next_commitment
    agreement = last._replace(
        session=next_name(last.session), first=begins, commitments=(other, own) if seat else (own, other)
    )
    if not last.game.any_seat_begins:
        # There, the first seat always begins.
        agreement = agreement._replace(first=0)
        if begins:
            seat = 1 - seat
            agreement = agreement._replace(
                names=last.names[::-1], keys=last.keys[::-1], commitments=agreement.commitments[::-1]
            )
    return join(agreement, seat, chain, linked.session)


def begun_message(linked: LinkedMatch, last: str) -> Rematch:
    """What tells the other box that a rematch has begun, with all that it needs to begin it, too.

    Args:
        linked: the match.
        last: the name of the match before.
    """
    commitments = linked.agreement.commitments
    return Rematch(last, commitments[linked.seat], commitments[linked.other])


def _confirm_all(linked: LinkedMatch) -> LinkedMatch:
    """The log once it's certain that the other box has all of it, and knows that this one has."""
    count = len(linked.entries)
    return linked._replace(confirmed=count, acknowledged=count)


def _own_commitments(linked: LinkedMatch) -> tuple[str, ...]:
    """The commitments that the other box mustn't repeat: it would repeat this one's links."""
    return (DiceChain(linked.next_secret).commitment,) if linked.next_secret else ()
