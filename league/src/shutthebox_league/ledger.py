"""The ledger: takes signed messages, checks signature, chain and rules, and commits each entry once.

All changes by a message are one transaction. It locks the chain's row, and unique keys guard the rest. So
consumers may work side by side, and messages may come twice or in any order.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from sqlalchemy import Connection, Engine, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from shutthebox.errors import one_line
from shutthebox.outbox_entry import (
    MAX_BYTES,
    NO_HASH,
    MatchPlayed,
    OutboxEntry,
    OutboxEntryError,
    PlayerSigned,
    entry_from_bytes,
    hash_of,
)
from shutthebox.rules.equal_dice import Tournament, tournament_from_text, unequal
from shutthebox_league import players
from shutthebox_league.checking import CheckedMatch, RefusedError, check_match, night_of, time_of
from shutthebox_league.schema import ASIDE, CHAIN, ENTRY, GAP, KEY, MATCH, SEAT, TOURNAMENT
from shutthebox_league.schema import BOX as BOX_TABLE
from shutthebox_uplink.signing import COMMITTED, HELD, REFUSED, Receipt, SignatureError, open_entry

MAX_MESSAGE_BYTES = 2 * MAX_BYTES
"""A larger message is thrown away unread."""

KEPT_ASIDE = 200
"""Messages of one key that are kept aside, the latest."""

AGAIN = "a chain of entries begins again here: the card is an older copy, or another box has a copy of it"
"""The reason in the receipt of the first entry of a chain beside another one of the same box."""

_REASON = 300


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a message.

    Attributes:
        kind: "committed", "refused", "held", "repeated" or "rejected".
        receipt: for the box; None for a message that the box has not signed.
        reason: in a line; empty for a committed entry that follows on the one before.
    """

    kind: str
    receipt: Receipt | None
    reason: str = ""


class Ledger:
    """The ledger of one league. Used by one thread.

    Args:
        engine: its database.
        zone: of the league, for its nights.
        wall_clock_s: the time of day in seconds.
    """

    def __init__(self, engine: Engine, zone: tzinfo, wall_clock_s: Callable[[], float] = time.time) -> None:
        self._engine, self._zone, self._wall_clock_s = engine, zone, wall_clock_s

    def take(self, name: str, message: bytes) -> Outcome:
        """Takes one message of the key with this name.

        Raises:
            SQLAlchemyError: if the database is away; nothing is changed then.
        """
        return self.take_all([(name, message)])[0]

    def take_all(self, messages: Sequence[tuple[str, bytes]]) -> list[Outcome]:
        """Takes several messages in one transaction.

        Raises:
            SQLAlchemyError: if the database is away; nothing is changed then.
        """
        try:
            with self._engine.begin() as connection:
                return [self._take(connection, name, message) for name, message in messages]
        except IntegrityError:
            # Another consumer has just begun the same chain or counted the same match: again, one by one.
            if len(messages) > 1:
                return [self.take(name, message) for name, message in messages]
            with self._engine.begin() as connection:
                return [self._take(connection, *messages[0])]

    def _take(self, db: Connection, name: str, message: bytes) -> Outcome:
        key = db.execute(
            select(KEY.c.public_key, KEY.c.revoked_s, KEY.c.box_id).where(KEY.c.name == name)
        ).first()
        if key is None:
            return Outcome("rejected", None, f"no box is enrolled as {one_line(name)}")
        try:
            if len(message) > MAX_MESSAGE_BYTES:
                raise SignatureError(f"larger than {MAX_MESSAGE_BYTES} bytes")
            signed = open_entry(message, name, _public_key(key.public_key))
            entry = entry_from_bytes(signed.entry)
        except (SignatureError, OutboxEntryError) as error:
            return self._set_aside(db, name, message, "rejected", None, str(error))
        hash_ = hash_of(signed.entry)
        if key.revoked_s is not None:
            receipt = Receipt(entry.box, entry.sequence, hash_, HELD, "the key is revoked")
            return self._set_aside(db, name, message, "held", receipt, receipt.reason)
        return self._in_chain(db, name, key.box_id, message, entry, hash_, signed.oldest)

    def _in_chain(
        self,
        db: Connection,
        name: str,
        box_id: int,
        message: bytes,
        entry: OutboxEntry,
        hash_: str,
        oldest: int,
    ) -> Outcome:
        chains = db.execute(
            select(CHAIN)
            .where(CHAIN.c.key_name == name, or_(CHAIN.c.journal == entry.box, CHAIN.c.origin == entry.box))
            .order_by(CHAIN.c.id)
            .with_for_update()
        ).all()
        known = db.execute(
            select(ENTRY.c.status, ENTRY.c.reason).where(
                ENTRY.c.chain_id.in_([chain.id for chain in chains]),
                ENTRY.c.sequence == entry.sequence,
                ENTRY.c.hash == hash_,
            )
        ).first()
        if known is not None:
            receipt = Receipt(entry.box, entry.sequence, hash_, known.status, known.reason)
            return Outcome("repeated", receipt)
        newest = chains[-1].head_sequence if chains else 0
        follows = next(
            (
                chain.id
                for chain in chains
                if (chain.head_sequence + 1, chain.head_hash) == (entry.sequence, entry.previous)
            ),
            None,
        )
        begins = not chains and (entry.sequence, entry.previous) == (1, NO_HASH)
        if follows is None and not begins and entry.sequence != oldest:
            wrong = (
                f"entry {newest + 1} is missing before it"
                if entry.sequence > newest + 1
                else "it does not follow on the entry before it"
            )
            receipt = Receipt(entry.box, entry.sequence, hash_, HELD, wrong)
            return self._set_aside(db, name, message, "held", receipt, wrong)
        now_s = int(self._wall_clock_s())
        values = {"head_sequence": entry.sequence, "head_hash": hash_}
        note = ""
        if chains and follows is None and entry.sequence > newest + 1:
            follows = chains[-1].id
            _note_gap(db, follows, newest + 1, entry.sequence - 1, now_s)
        if follows is not None:
            db.execute(update(CHAIN).where(CHAIN.c.id == follows).values(values))
        else:
            # The box has nothing from before: an older image of its card, or two cards with one memory.
            names = {"journal": entry.box}
            if chains:
                names = {"journal": hash_[:32], "origin": entry.box}
                note = AGAIN
            row = {"key_name": name, **names, **values}
            follows = int(db.execute(insert(CHAIN).returning(CHAIN.c.id), row).scalar_one())
            if not chains and entry.sequence > 1:
                _note_gap(db, follows, 1, entry.sequence - 1, now_s)
        return self._count(db, follows, box_id, message, entry, hash_, now_s, note)

    def _count(
        self,
        db: Connection,
        chain_id: int,
        box_id: int,
        message: bytes,
        entry: OutboxEntry,
        hash_: str,
        now_s: int,
        note: str,
    ) -> Outcome:
        """The next entry of its chain: its content is checked, and it is committed either way."""
        status, reason, checked = COMMITTED, note, None
        content = entry.content
        if isinstance(content, MatchPlayed):
            try:
                checked = check_match(content)
                self._check_tournament(db, checked, now_s)
            except RefusedError as error:
                status, reason, checked = REFUSED, one_line(str(error))[:_REASON], None
        db.execute(
            insert(ENTRY).values(
                chain_id=chain_id, sequence=entry.sequence, hash=hash_, received_s=now_s,
                status=status, reason=reason, message=message,
            )
        )  # fmt: skip
        if isinstance(content, MatchPlayed) and checked is not None:
            self._add_match(db, chain_id, box_id, entry, content, checked, now_s)
        elif isinstance(content, PlayerSigned):
            self._sign(db, box_id, entry.box, content)
        kind = "committed" if status == COMMITTED else "refused"
        return Outcome(kind, Receipt(entry.box, entry.sequence, hash_, status, reason), reason)

    def _check_tournament(self, db: Connection, checked: CheckedMatch, now_s: int) -> None:
        if not checked.commitment:
            return
        where = TOURNAMENT.c.commitment == checked.commitment
        found = db.execute(select(TOURNAMENT.c.text).where(where)).first()
        if found is None:
            raise RefusedError(f"no tournament of this league has the commitment {checked.commitment[:16]}…")
        tournament: Tournament = tournament_from_text(found.text, "tournament")
        if said := unequal(checked.record, tournament):
            raise RefusedError(f"equal dice: {said}")

    def _add_match(
        self,
        db: Connection,
        chain_id: int,
        box_id: int,
        entry: OutboxEntry,
        played: MatchPlayed,
        checked: CheckedMatch,
        now_s: int,
    ) -> None:
        same = (
            (MATCH.c.box_id == box_id)
            & (MATCH.c.journal == entry.box)
            & (MATCH.c.number == played.number)
            & (MATCH.c.began_s == played.began_s)
        )
        if db.execute(select(MATCH.c.id).where(same)).first() is not None:
            return  # It came before under another key of the box.
        ended_s = time_of(played, now_s)
        record = checked.record
        (pub_id,) = db.execute(select(BOX_TABLE.c.pub_id).where(BOX_TABLE.c.id == box_id)).one()
        (match_id,) = db.execute(
            insert(MATCH).returning(MATCH.c.id),
            {
                "chain_id": chain_id, "sequence": entry.sequence, "box_id": box_id, "pub_id": pub_id,
                "journal": entry.box, "number": played.number, "began_s": played.began_s, "ended_s": ended_s,
                "night": night_of(ended_s, self._zone), "game": record.profile.name,
                "players": record.players,
                "unranked": checked.unranked, "commitment": checked.commitment, "record": played.record,
                "rated": False,
            },
        ).one()  # fmt: skip
        db.execute(
            insert(SEAT),
            [
                {
                    "match_id": match_id, "seat": place.seat, "place": place.place, "total": place.total,
                    "initials": None, "confirmed": True, "computer": place.computer,
                    "turns": 0, "score_sum": 0.0, "luck_sum": 0.0, "given_away_sum": 0.0,
                }
                for place in checked.places
            ],
        )  # fmt: skip

    def _sign(self, db: Connection, box_id: int, journal: str, signed: PlayerSigned) -> None:
        found = db.execute(
            select(MATCH.c.id, MATCH.c.pub_id).where(
                MATCH.c.box_id == box_id, MATCH.c.journal == journal,
                MATCH.c.number == signed.number, MATCH.c.began_s == signed.began_s,
            )
        ).first()  # fmt: skip
        if found is None:
            return  # The match was refused, or dropped by the box.
        protected = players.is_protected(db, signed.initials, found.pub_id)
        db.execute(
            update(SEAT)
            .where(SEAT.c.match_id == found.id, SEAT.c.seat == signed.player, SEAT.c.computer.is_(False))
            .values(initials=signed.initials, confirmed=not protected)
        )
        db.execute(update(MATCH).where(MATCH.c.id == found.id).values(rated=False))

    def _set_aside(
        self, db: Connection, name: str, message: bytes, kind: str, receipt: Receipt | None, reason: str
    ) -> Outcome:
        """Keeps a message that was not taken, once if it comes several times; the latest of each key."""
        kept, now_s = message[:MAX_MESSAGE_BYTES], int(self._wall_clock_s())
        digest = hashlib.sha256(kept).hexdigest()
        where = (ASIDE.c.key_name == name) & (ASIDE.c.hash == digest)
        again = db.execute(update(ASIDE).where(where).values(times=ASIDE.c.times + 1, received_s=now_s))
        if not again.rowcount:
            db.execute(
                insert(ASIDE).values(
                    key_name=name,
                    hash=digest,
                    received_s=now_s,
                    times=1,
                    reason=reason[:_REASON],
                    message=kept,
                )
            )
            count = db.execute(select(func.count()).where(ASIDE.c.key_name == name)).scalar_one()
            if count > KEPT_ASIDE:
                oldest = select(ASIDE.c.id).where(ASIDE.c.key_name == name).order_by(ASIDE.c.id)
                db.execute(delete(ASIDE).where(ASIDE.c.id.in_(oldest.limit(count - KEPT_ASIDE))))
        return Outcome(kind, receipt, reason)


def _note_gap(db: Connection, chain_id: int, first: int, last: int, now_s: int) -> None:
    db.execute(insert(GAP).values(chain_id=chain_id, first=first, last=last, noticed_s=now_s))


def _public_key(text: str) -> Ed25519PublicKey:
    key = load_pem_public_key(text.encode())
    assert isinstance(key, Ed25519PublicKey), "enrolment makes no others"
    return key
