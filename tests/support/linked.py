"""A match on two linked boxes, without the boxes."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.support.chance import next_action

from shutthebox.config.profiles import builtin, recognize
from shutthebox.link.invitation import LIMIT_S, linkable
from shutthebox.link.proof import decided_hash, text_to_sign
from shutthebox.rules.actions import Action, Thrown, apply
from shutthebox.rules.conditions import RULES_VERSION, Conditions, LinkProof
from shutthebox.rules.linked_boxes import LinkedBoxes
from shutthebox.rules.linked_dice import DiceChain, linked_throw
from shutthebox.rules.match import begin
from shutthebox.rules.position import Stage
from shutthebox.rules.record import Record


def linked_record(seed: int = 1, game: str = "traditional", rounds: int = 1, most: int = 2000) -> Record:
    """A match at random, up to so many actions."""
    random = Random(seed)
    host, guest = (DiceChain(random.randbytes(32).hex()) for _ in range(2))
    commitments = links = host.commitment, guest.commitment
    match, actions, throws = begin(builtin(game), 2, rounds), list[Action](), 0
    while match.stage is not Stage.FINISHED and len(actions) < most:
        action = next_action(match, random)
        if isinstance(action, Thrown) and match.round.common is None:
            throws += 1
            links = host.link(throws), guest.link(throws)
            dice = random.choice(match.dice_allowed)
            action = Thrown(linked_throw(match, throws, dice, links))
        actions.append(action)
        match = apply(match, action)
    conditions = Conditions(versions=(f"1.0.0 rules {RULES_VERSION}",), linked=LinkProof(commitments, links))
    return Record(match.game, 2, match.rounds, tuple(actions), conditions)


KEYS = tuple(Ed25519PrivateKey.from_private_bytes(letter * 32) for letter in (b"h", b"g"))
"""Of the host and of the guest."""


def public(key: Ed25519PrivateKey) -> str:
    """A public key as a record has it."""
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def signed_record(seed: int = 1, game: str = "traditional", rounds: int = 1) -> Record:
    """A finished match at random, as both boxes have signed it."""
    played = linked_record(seed, game, rounds)
    rules = linkable(played.profile)
    assert rules is not None, f"two boxes play {game}"
    host, guest = map(public, KEYS)
    boxes = LinkedBoxes("5e" * 16, LIMIT_S, ("The Anchor", "The Crown"), (host, guest))
    return sign(replace(played, profile=recognize(rules), boxes=boxes))


def sign(record: Record, keys: Sequence[Ed25519PrivateKey] = KEYS) -> Record:
    """The record with the signatures of these keys, which the record has."""
    digest, boxes = decided_hash(record), record.boxes
    assert digest is not None, "it's finished"
    assert boxes is not None, "it names the boxes"
    host, guest = (key.sign(text_to_sign(digest)).hex() for key in keys)
    return replace(record, boxes=boxes._replace(signatures=(host, guest)))
