"""The ledger: takes signed messages, checks signature, chain and rules, and commits each entry once.

All changes by a message are one transaction. It locks the chain's row, and unique keys guard the rest. So
consumers may work side by side, and messages may come twice or in any order.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from sqlalchemy import Connection, Engine, Row, delete, func, insert, select, update
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
from shutthebox_league.checking import CheckedMatch, RefusedError, check_match, night_of, time_of
from shutthebox_league.schema import ASIDE, CHAIN, ENTRY, GAP, KEY, MATCH, PLAYER, SEAT, TOURNAMENT
from shutthebox_league.schema import BOX as BOX_TABLE
from shutthebox_uplink.signing import COMMITTED, HELD, REFUSED, Receipt, SignatureError, open_entry

MAX_MESSAGE_BYTES = 2 * MAX_BYTES
"""A larger message is thrown away unread."""

KEPT_ASIDE = 200
"""Messages of one key that are kept aside, the latest."""

_REASON = 300


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a message.

    Attributes:
        kind: "committed", "refused", "held", "repeated" or "rejected".
        receipt: for the box; None for a message that the box has not signed.
        reason: in a line; empty for a committed entry.
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
        where = (CHAIN.c.key_name == name) & (CHAIN.c.journal == entry.box)
        chain = db.execute(select(CHAIN).where(where).with_for_update()).first()
        head, head_hash = (chain.head_sequence, chain.head_hash) if chain else (0, NO_HASH)
        if entry.sequence <= head:
            assert chain is not None, "a chain without a row has no head"
            return self._again(db, name, message, chain, entry, hash_)
        wrong = ""
        if entry.sequence == head + 1:
            if entry.previous != head_hash:
                wrong = "it does not follow on the entry before it"
        elif entry.sequence != oldest:
            wrong = f"entry {head + 1} is missing before it"
        if wrong:
            receipt = Receipt(entry.box, entry.sequence, hash_, HELD, wrong)
            return self._set_aside(db, name, message, "held", receipt, wrong)
        now_s = int(self._wall_clock_s())
        values = {"head_sequence": entry.sequence, "head_hash": hash_}
        if chain is None:
            row = {"key_name": name, "journal": entry.box, **values}
            (chain_id,) = db.execute(insert(CHAIN).returning(CHAIN.c.id), row).one()
        else:
            chain_id = chain.id
            db.execute(update(CHAIN).where(CHAIN.c.id == chain_id).values(values))
        if entry.sequence > head + 1:
            db.execute(
                insert(GAP).values(
                    chain_id=chain_id, first=head + 1, last=entry.sequence - 1, noticed_s=now_s
                )
            )
        return self._count(db, chain_id, box_id, message, entry, hash_, now_s)

    def _again(
        self, db: Connection, name: str, message: bytes, chain: Row[Any], entry: OutboxEntry, hash_: str
    ) -> Outcome:
        """An entry whose number has been taken: the same again, or another in its place."""
        where = (ENTRY.c.chain_id == chain.id) & (ENTRY.c.sequence == entry.sequence)
        known = db.execute(select(ENTRY.c.hash, ENTRY.c.status, ENTRY.c.reason).where(where)).first()
        if known is not None and known.hash == hash_:
            return Outcome("repeated", Receipt(entry.box, entry.sequence, hash_, known.status, known.reason))
        wrong = "another entry has its number" if known else "it comes after entries that followed it"
        return self._set_aside(
            db, name, message, "held", Receipt(entry.box, entry.sequence, hash_, HELD, wrong), wrong
        )

    def _count(
        self,
        db: Connection,
        chain_id: int,
        box_id: int,
        message: bytes,
        entry: OutboxEntry,
        hash_: str,
        now_s: int,
    ) -> Outcome:
        """The next entry of its chain: its content is checked, and it is committed either way."""
        status, reason, checked = COMMITTED, "", None
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
            select(MATCH.c.id).where(
                MATCH.c.box_id == box_id, MATCH.c.journal == journal,
                MATCH.c.number == signed.number, MATCH.c.began_s == signed.began_s,
            )
        ).first()  # fmt: skip
        if found is None:
            return  # The match was refused, or dropped by the box.
        protected = db.execute(select(PLAYER.c.initials).where(PLAYER.c.initials == signed.initials)).first()
        db.execute(
            update(SEAT)
            .where(SEAT.c.match_id == found.id, SEAT.c.seat == signed.player, SEAT.c.computer.is_(False))
            .values(initials=signed.initials, confirmed=protected is None)
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


def _public_key(text: str) -> Ed25519PublicKey:
    key = load_pem_public_key(text.encode())
    assert isinstance(key, Ed25519PublicKey), "enrolment makes no others"
    return key
