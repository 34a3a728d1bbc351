"""What the record of a linked match proves, and to whom.

The links of both boxes prove its throws (`shutthebox.rules.linked_dice`). People chose everything else: the
game, the names, the moves. So each box signs the hash of the agreement and of the log up to the entry that
decides the match.

Anybody can make both chains, and both keys. But a box's commitment binds its key to the dice that it had
chosen before the match. So whoever knows that one of the commitments is theirs knows that their own box has
signed the record.

Signing and checking a signature need a library that the box doesn't have.
"""

from hashlib import sha256

from shutthebox.link.invitation import linkable
from shutthebox.link.match import Agreement, Rolled, agreement_hash, chain_entry, thrown_entry
from shutthebox.rules.actions import Thrown, apply
from shutthebox.rules.linked_dice import earlier_links, own_throws
from shutthebox.rules.record import Record


def text_to_sign(digest: str) -> bytes:
    """What a box signs with Ed25519."""
    return f"shut-the-box linked match {digest}".encode()


def commitment_of(end: str, key: str) -> str:
    """What the owner of a box notes to know a match by: the hash of the chain's end and the key.

    Args:
        end: of the box's hash chain.
        key: the box's; empty for a box without one, whose commitment is the chain's end alone.
    """
    return sha256(f"{end} {key}".encode()).hexdigest() if key else end


def decided_hash(record: Record) -> str | None:
    """What both boxes have signed; None for a match that isn't decided, or wasn't played on two boxes."""
    game, boxes = linkable(record.profile), record.boxes
    proof = record.conditions.linked if record.conditions else None
    if game is None or boxes is None or proof is None:
        return None
    match = record.beginning
    agreement = Agreement(
        game,
        record.rounds,
        match.round.first_player,
        boxes.limit_s,
        boxes.names,
        proof.commitments,
        boxes.session,
        boxes.keys,
    )
    digest, thrown = agreement_hash(agreement), own_throws(record)
    links = dict(zip(thrown, earlier_links(proof.links, len(thrown))[1:], strict=True))
    for number, action in enumerate(record.actions):
        entry = action.to_text()
        if isinstance(action, Thrown) and number in links:
            digest = chain_entry(digest, Rolled(len(action.faces)).to_text())
            entry = thrown_entry(action, links[number][match.player])
        digest = chain_entry(digest, entry)
        match = apply(match, action)
        if match.result is not None:
            return digest
    return None
