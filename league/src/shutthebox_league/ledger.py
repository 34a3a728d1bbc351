"""The ledger: takes signed messages, checks signature, chain and rules, and commits each entry once.

All changes by a message are one transaction. It locks the chain's row, and unique keys guard the rest. So
consumers may work side by side, and messages may come twice or in any order.
"""

import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from sqlalchemy import Connection, Engine, Row, delete, func, insert, or_, select, update
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

from shutthebox.errors import one_line
from shutthebox.outbox_entry import (
    CHAIN_BEGINS_AGAIN,
    MAX_BYTES,
    NO_HASH,
    Content,
    MatchPlayed,
    OutboxEntry,
    OutboxEntryError,
    PlayerSigned,
    entry_from_bytes,
    hash_of,
)
from shutthebox.rules.equal_dice import Tournament, tournament_from_text, unequal
from shutthebox_league import players
from shutthebox_league.categories import category_id
from shutthebox_league.checking import (
    EARLIEST_S,
    CheckedMatch,
    RefusedError,
    check_match,
    night_of,
    time_of,
)
from shutthebox_league.database import UNAVAILABLE, is_deadlock
from shutthebox_league.notices import CLOCK_IS_WRONG, notice
from shutthebox_league.ratings import SIGNING_S, due_s
from shutthebox_league.schema import ASIDE, CHAIN, ENTRY, GAP, KEY, MATCH, SEAT, TOURNAMENT
from shutthebox_league.schema import BOX as BOX_TABLE
from shutthebox_uplink.signing import COMMITTED, HELD, REFUSED, Receipt, SignatureError, open_entry

_log = logging.getLogger(__name__)

MAX_MESSAGE_BYTES = 2 * MAX_BYTES
"""A larger message is thrown away unread."""

KEPT_ASIDE = 200
"""Messages of one key that are kept aside, the latest."""

KEPT_BYTES = 1024 * 1024
"""Of what was refused, and of what is aside, each key keeps so many bytes; of more only hash and reason."""

MOST_CHAINS = 20
"""Chains of one box that an entry may follow on, the latest."""

YEARS_S = 400 * 24 * 3600
"""A box keeps its entries for so long. A clock that is further away from them is wrong."""

_REASON = 300
_PREPARED_S = 0.25
"""Processor time after which what is prepared is committed, before more is checked."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a message.

    Attributes:
        kind: "committed", "refused", "held", "repeated", "rejected", or "failed".
        receipt: for the box; None for a message that the box has not signed, or that failed.
        reason: in a line; empty for a committed entry that follows on the one before.
        cpu_s: processor time that the message took.
    """

    kind: str
    receipt: Receipt | None
    reason: str = ""
    cpu_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A message that has been looked at, before anything is locked."""

    name: str
    message: bytes
    unknown: str = ""  # why it is thrown away
    rejected: str = ""  # why it is kept aside without a receipt
    entry: OutboxEntry | None = None
    hash: str = ""
    oldest: int = 1
    box_id: int = 0
    pub_id: int = 0
    heads: tuple[tuple[int, int], ...] | None = None  # of its chains, of which none has it
    held: str = ""
    checked: CheckedMatch | None = None
    refused: str = ""
    cpu_s: float = 0.0

    def receipt(self, status: str, reason: str = "") -> Receipt:
        """The league's word on the entry, which there is."""
        assert self.entry is not None
        return Receipt(self.entry.box, self.entry.sequence, self.hash, status, reason)


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
        """Takes the first of several messages in one transaction, one at least.

        Everything that takes time is done before the transaction begins. An error that a message causes
        is that message's: it is refused with it.

        Returns:
            The results of those that were taken. The others are to be given again.

        Raises:
            SQLAlchemyError: if the database is away; nothing is changed then.
        """
        began_s, prepared = time.thread_time(), list[_Prepared]()
        with self._engine.connect().execution_options(reads=True) as db:
            for name, message in messages:
                if prepared and time.thread_time() - began_s > _PREPARED_S:
                    break
                prepared.append(self._prepare(db, name, message))
        return self._commit(prepared)

    def hold(self, name: str, message: bytes, reason: str, now_s: int) -> Outcome:
        """Holds a message of a key that has sent too much, and tells the owner; keeps nothing of it.

        Raises:
            SQLAlchemyError: if the database is away.
        """
        with self._engine.begin() as db:
            found = self._read(db, name, message)
            if not found.unknown:
                notice(db, name, "later", reason, now_s)
        if found.entry is None:
            return Outcome("rejected", None, reason)
        receipt = found.receipt(HELD, f"later: {reason}")
        return Outcome("held", receipt, receipt.reason)

    # -- before the transaction --------------------------------------------------------

    def _prepare(self, db: Connection, name: str, message: bytes) -> _Prepared:
        began_s = time.thread_time()
        found = self._read(db, name, message)
        if found.entry is not None and not found.held:
            found = self._check(found, found.entry.content)
        return replace(found, cpu_s=time.thread_time() - began_s)

    def _read(self, db: Connection, name: str, message: bytes) -> _Prepared:
        """The entry in a message, and whether its place in the chain makes a check worth while."""
        found = _Prepared(name, message)
        key = db.execute(
            select(KEY.c.public_key, KEY.c.revoked_s, KEY.c.box_id, BOX_TABLE.c.pub_id)
            .join(BOX_TABLE, BOX_TABLE.c.id == KEY.c.box_id)
            .where(KEY.c.name == name)
        ).first()
        if key is None:
            return replace(found, unknown=f"no box is enrolled as {one_line(name)}")
        try:
            if len(message) > MAX_MESSAGE_BYTES:
                raise SignatureError(f"larger than {MAX_MESSAGE_BYTES} bytes")
            signed = open_entry(message, name, _public_key(key.public_key))
            entry = entry_from_bytes(signed.entry)
        except (SignatureError, OutboxEntryError) as error:
            return replace(found, rejected=str(error))
        found = replace(
            found, entry=entry, hash=hash_of(signed.entry), oldest=signed.oldest, box_id=key.box_id,
            pub_id=key.pub_id,
        )  # fmt: skip
        if key.revoked_s is not None:
            return replace(found, held="the key is revoked")
        chains = _chains(db, found, entry)
        if _known(db, chains, found, entry) is not None:
            return replace(found, held="it came before")
        _, wrong = _place(chains, found, entry)
        return replace(found, heads=_heads(chains), held=wrong or self._clock_is_wrong(db, entry))

    def _check(self, found: _Prepared, content: Content) -> _Prepared:
        if not isinstance(content, MatchPlayed):
            return found
        try:
            checked = check_match(content)
            if checked.commitment:
                with self._engine.connect().execution_options(reads=True) as db:
                    checked = self._check_tournament(db, checked, int(self._wall_clock_s()))
        except RefusedError as error:
            return replace(found, refused=one_line(str(error))[:_REASON])
        return replace(found, checked=checked)

    @staticmethod
    def _check_tournament(db: Connection, checked: CheckedMatch, now_s: int) -> CheckedMatch:
        where = TOURNAMENT.c.commitment == checked.commitment
        found = db.execute(select(TOURNAMENT.c.text, TOURNAMENT.c.closes_s).where(where)).first()
        if found is None:
            raise RefusedError(f"no tournament of this league has the commitment {checked.commitment[:16]}…")
        tournament: Tournament = tournament_from_text(found.text, "tournament")
        if said := unequal(checked.record, tournament):
            raise RefusedError(f"equal dice: {said}")
        if now_s >= found.closes_s:
            # Everybody knows its throws by now.
            return replace(checked, unranked=checked.unranked or "came after its tournament had closed")
        return checked

    def _clock_is_wrong(self, db: Connection, entry: OutboxEntry) -> str:
        """Why nothing can be filed: the entry and all that was before are years away from our own clock.

        An entry that is years away from both is a box with a wrong clock, which has a time of ours.
        """
        now_s, content = self._wall_clock_s(), entry.content
        time_s = content.ended_s if isinstance(content, MatchPlayed) else content.began_s
        if abs(now_s - time_s) < YEARS_S and now_s > EARLIEST_S:
            return ""
        enrolled_s = db.execute(select(KEY.c.enrolled_s).order_by(KEY.c.enrolled_s.desc()).limit(1)).scalar()
        newest = select(MATCH.c.chain_id, MATCH.c.sequence).order_by(MATCH.c.id.desc()).limit(1).subquery()
        joined = (ENTRY.c.chain_id == newest.c.chain_id) & (ENTRY.c.sequence == newest.c.sequence)
        received_s = db.execute(select(ENTRY.c.received_s).join(newest, joined)).scalar()
        known_s = max(enrolled_s or 0, received_s or 0)
        if abs(now_s - known_s) < YEARS_S and now_s > EARLIEST_S:
            return ""
        if abs(time_s - known_s) >= YEARS_S:
            return ""
        return f"{CLOCK_IS_WRONG}: it says {datetime.fromtimestamp(now_s, UTC):%Y-%m-%d}"

    # -- the transaction ---------------------------------------------------------------

    def _commit(self, prepared: Sequence[_Prepared]) -> list[Outcome]:
        try:
            try:
                return self._commit_once(prepared)
            except IntegrityError:
                if len(prepared) > 1:
                    raise
                # Another consumer has just begun the same chain or counted the same match: again.
                with self._engine.connect().execution_options(reads=True) as db:
                    again = self._prepare(db, prepared[0].name, prepared[0].message)
                return self._commit_once([again])
        except UNAVAILABLE as error:
            # A message alone holds too few rows to be in a circle with those who lock them in another order.
            if len(prepared) == 1 or not is_deadlock(error):
                raise
        except Exception as error:
            if len(prepared) == 1:
                if isinstance(error, DBAPIError) and not isinstance(error, DataError | IntegrityError):
                    raise  # The database is not as this program knows it; no message is to blame.
                _log.exception("%s: the message is refused", prepared[0].name)
                return [self._refuse(prepared[0], error)]
        return [outcome for each in prepared for outcome in self._commit([each])]

    def _refuse(self, prepared: _Prepared, error: Exception) -> Outcome:
        """Commits an entry that can't be stored as a refused one, so that it is not tried for ever."""
        reason = f"it can't be stored: {type(error).__name__}"
        try:
            return self._commit_once([replace(prepared, checked=None, refused=reason, message=b"")])[0]
        except UNAVAILABLE:
            raise
        except Exception:
            _log.exception("%s: the message is passed over", prepared.name)
            return Outcome("failed", None, reason, prepared.cpu_s)

    def _commit_once(self, prepared: Sequence[_Prepared]) -> list[Outcome]:
        outcomes = []
        with self._engine.begin() as db:
            for each in prepared:
                began_s = time.thread_time()
                outcome = self._take(db, each)
                outcomes.append(replace(outcome, cpu_s=each.cpu_s + time.thread_time() - began_s))
        return outcomes

    def _take(self, db: Connection, found: _Prepared) -> Outcome:
        if found.unknown:
            return Outcome("rejected", None, found.unknown)
        entry = found.entry
        if entry is None:
            return self._set_aside(db, found, found.rejected)
        revoked = db.execute(select(KEY.c.revoked_s).where(KEY.c.name == found.name)).scalar()
        if revoked is not None:
            return self._set_aside(db, found, "the key is revoked")
        if found.held.startswith(CLOCK_IS_WRONG):
            _log.error("%s; nothing is filed", found.held)
            # By the box's time: ours can't be right.
            notice(db, "", "clock", found.held, int(self._wall_clock_s()))
            return Outcome("held", found.receipt(HELD, found.held), found.held)
        chains = _chains(db, found, entry, lock=True)
        if _heads(chains) != found.heads and (known := _known(db, chains, found, entry)) is not None:
            return Outcome("repeated", found.receipt(known.status, known.reason))
        follows, wrong = _place(chains, found, entry)
        if wrong:
            return self._set_aside(db, found, wrong)
        if isinstance(entry.content, MatchPlayed) and not found.refused and found.checked is None:
            # Another consumer has just taken the entry before it.
            found = self._check(found, entry.content)
        now_s = int(self._wall_clock_s())
        values = {"head_sequence": entry.sequence, "head_hash": found.hash}
        newest, note = (chains[-1].head_sequence if chains else 0), ""
        if chains and follows is None and entry.sequence > newest + 1:
            follows = chains[-1].id
            _note_gap(db, follows, newest + 1, entry.sequence - 1, now_s)
        if follows is not None:
            db.execute(update(CHAIN).where(CHAIN.c.id == follows).values(values))
        else:
            # The box has nothing from before: an older image of its card, or two cards with one memory.
            names = {"journal": entry.box}
            if chains:
                names = {"journal": found.hash[:32], "origin": entry.box}
                note = CHAIN_BEGINS_AGAIN
            row = {"key_name": found.name, **names, **values}
            follows = int(db.execute(insert(CHAIN).returning(CHAIN.c.id), row).scalar_one())
            if not chains and entry.sequence > 1:
                _note_gap(db, follows, 1, entry.sequence - 1, now_s)
        return self._file(db, follows, found, entry, now_s, note)

    def _file(
        self,
        db: Connection,
        chain_id: int,
        found: _Prepared,
        entry: OutboxEntry,
        now_s: int,
        note: str,
    ) -> Outcome:
        """The next entry of its chain is committed, whether it counts or was refused."""
        content, message = entry.content, found.message
        status = REFUSED if found.refused else COMMITTED
        if found.refused:
            kept = db.execute(select(KEY.c.refused_bytes).where(KEY.c.name == found.name)).scalar_one()
            if kept + len(message) > KEPT_BYTES:
                message = b""
            more = KEY.c.refused_bytes + len(message)
            db.execute(update(KEY).where(KEY.c.name == found.name).values(refused_bytes=more))
        reason = found.refused or note
        initials = content.initials if isinstance(content, PlayerSigned) else None
        forgotten = isinstance(content, PlayerSigned) and self._is_forgotten(db, found, content)
        if forgotten:
            message, initials = b"", None
        db.execute(
            insert(ENTRY).values(
                chain_id=chain_id, sequence=entry.sequence, hash=found.hash, received_s=now_s,
                status=status, reason=reason, message=message, initials=initials,
            )
        )  # fmt: skip
        if isinstance(content, MatchPlayed) and found.checked is not None:
            self._add_match(db, chain_id, found, entry, content, found.checked, now_s)
        elif isinstance(content, PlayerSigned) and not (found.refused or forgotten):
            self._sign(db, found.box_id, (again_journal(chain_id), entry.box), content, now_s)
        kind = "refused" if found.refused else "committed"
        return Outcome(kind, found.receipt(status, reason), reason)

    def _add_match(
        self,
        db: Connection,
        chain_id: int,
        found: _Prepared,
        entry: OutboxEntry,
        played: MatchPlayed,
        checked: CheckedMatch,
        now_s: int,
    ) -> None:
        journals = (entry.box, again_journal(chain_id))
        same = (
            (MATCH.c.box_id == found.box_id)
            & MATCH.c.journal.in_(journals)
            & (MATCH.c.number == played.number)
            & (MATCH.c.began_s == played.began_s)
        )
        known = dict(map(tuple, db.execute(select(MATCH.c.journal, MATCH.c.record).where(same)).all()))
        if played.record in known.values() or len(known) == len(journals):
            return  # It came before under another key of the box.
        # A card that was put back plays another match with the same number, in the same second.
        journal = journals[1] if entry.box in known else entry.box
        ended_s = time_of(played, now_s)
        record, counts = checked.record, not checked.unranked
        (match_id,) = db.execute(
            insert(MATCH).returning(MATCH.c.id),
            {
                "chain_id": chain_id, "sequence": entry.sequence, "box_id": found.box_id,
                "pub_id": found.pub_id, "journal": journal, "number": played.number,
                "began_s": played.began_s, "ended_s": ended_s,
                "night": night_of(ended_s, self._zone), "game": record.profile.name,
                "category_id": category_id(db, checked.category) if checked.category else None,
                "players": record.players, "unranked": checked.unranked, "commitment": checked.commitment,
                "ended": checked.ended, "record": played.record,
                "due_s": now_s + SIGNING_S if counts else None,
            },
        ).one()  # fmt: skip
        db.execute(
            insert(SEAT),
            [
                {
                    "match_id": match_id, "seat": place.seat, "place": place.place, "total": place.total,
                    "initials": None, "confirmed": True, "computer": place.computer,
                    "counted": not counts or place.computer or place.total is None,
                    "turns": 0, "score_sum": 0.0, "luck_sum": 0.0, "given_away_sum": 0.0,
                }
                for place in checked.places
            ],
        )  # fmt: skip

    @staticmethod
    def _is_forgotten(db: Connection, found: _Prepared, signed: PlayerSigned) -> bool:
        return players.is_forgotten(db, signed.initials, found.box_id, signed.began_s)

    def _sign(
        self, db: Connection, box_id: int, journals: Sequence[str], signed: PlayerSigned, now_s: int
    ) -> None:
        """Names a seat, if that has no name that counts yet and nobody has signed another seat so."""
        found = db.execute(
            select(MATCH.c.id, MATCH.c.pub_id, MATCH.c.due_s, MATCH.c.rated)
            .where(
                MATCH.c.box_id == box_id, MATCH.c.journal.in_(journals),
                MATCH.c.number == signed.number, MATCH.c.began_s == signed.began_s,
            )
            .order_by(MATCH.c.journal != journals[0])
            .limit(1)
            .with_for_update()
        ).first()  # fmt: skip
        if found is None:
            return  # The match was refused, or dropped by the box.
        protected = players.is_protected(db, signed.initials, found.pub_id)
        where = SEAT.c.match_id == found.id
        seats = {seat.seat: seat for seat in db.execute(select(SEAT).where(where)).all()}
        seat = seats.get(signed.player)
        if seat is None or seat.computer or (seat.initials is not None and seat.counted):
            return
        if any(other.initials == signed.initials for other in seats.values() if other is not seat):
            return
        named = {"initials": signed.initials, "confirmed": not protected, "named_s": now_s}
        db.execute(update(SEAT).where(where, SEAT.c.seat == signed.player).values(named))
        if found.due_s is not None and not found.rated:
            db.execute(update(MATCH).where(MATCH.c.id == found.id).values(due_s=due_s(db, found.id, now_s)))

    def _set_aside(self, db: Connection, found: _Prepared, reason: str) -> Outcome:
        """Keeps a message that was not taken, once if it comes several times; the latest of each key.

        An entry is held; what is none, or is not signed by the box, has no receipt.
        """
        if found.entry is None:
            outcome = Outcome("rejected", None, reason)
        else:
            outcome = Outcome("held", found.receipt(HELD, reason), reason)
        message, name, now_s = found.message, found.name, int(self._wall_clock_s())
        digest = hashlib.sha256(message).hexdigest()
        own = ASIDE.c.key_name == name
        again = update(ASIDE).where(own, ASIDE.c.hash == digest)
        if db.execute(again.values(times=ASIDE.c.times + 1, received_s=now_s)).rowcount:
            return outcome
        (kept,) = db.execute(
            select(func.coalesce(func.sum(func.length(ASIDE.c.message)), 0)).where(own)
        ).one()
        content = found.entry.content if found.entry else None
        signed = content if isinstance(content, PlayerSigned) else None
        if signed is not None and self._is_forgotten(db, found, signed):
            signed, message = None, b""
        row = {
            "key_name": name, "hash": digest, "received_s": now_s, "times": 1, "reason": reason[:_REASON],
            "message": message if kept + len(message) <= KEPT_BYTES else b"",
            "initials": signed.initials if signed else None,
        }  # fmt: skip
        db.execute(insert(ASIDE), row)
        count = db.execute(select(func.count()).where(own)).scalar_one()
        if count > KEPT_ASIDE:
            oldest = select(ASIDE.c.id).where(own).order_by(ASIDE.c.id)
            db.execute(delete(ASIDE).where(ASIDE.c.id.in_(oldest.limit(count - KEPT_ASIDE))))
        return outcome


def again_journal(chain_id: int) -> str:
    """The journal of a chain's matches whose number and second another match of the box has already."""
    return f"again-{chain_id}"


def _chains(db: Connection, found: _Prepared, entry: OutboxEntry, *, lock: bool = False) -> list[Row[Any]]:
    """The latest chains of a box under a key, the first of them first."""
    query = (
        select(CHAIN)
        .where(CHAIN.c.key_name == found.name, or_(CHAIN.c.journal == entry.box, CHAIN.c.origin == entry.box))
        .order_by(CHAIN.c.id.desc())
        .limit(MOST_CHAINS)
    )
    return list(reversed(db.execute(query.with_for_update() if lock else query).all()))


def _heads(chains: Sequence[Row[Any]]) -> tuple[tuple[int, int], ...]:
    """What changes with every entry that these chains take."""
    return tuple((chain.id, chain.head_sequence) for chain in chains)


def _known(db: Connection, chains: Sequence[Row[Any]], found: _Prepared, entry: OutboxEntry) -> Any:  # noqa: ANN401  (a row)
    """Status and reason of an entry that came before; None if it did not."""
    return db.execute(
        select(ENTRY.c.status, ENTRY.c.reason).where(
            ENTRY.c.chain_id.in_([chain.id for chain in chains]),
            ENTRY.c.sequence == entry.sequence,
            ENTRY.c.hash == found.hash,
        )
    ).first()


def _place(chains: Sequence[Row[Any]], found: _Prepared, entry: OutboxEntry) -> tuple[int | None, str]:
    """The chain that an entry follows on; and why it has to wait, empty if it can be taken."""
    due = (entry.sequence, entry.previous)
    for chain in chains:
        if (chain.head_sequence + 1, chain.head_hash) == due:
            return int(chain.id), ""
    if (not chains and due == (1, NO_HASH)) or entry.sequence == found.oldest:
        return None, ""
    newest = chains[-1].head_sequence if chains else 0
    if entry.sequence > newest + 1:
        return None, f"entry {newest + 1} is missing before it"
    return None, "it does not follow on the entry before it"


def _note_gap(db: Connection, chain_id: int, first: int, last: int, now_s: int) -> None:
    db.execute(insert(GAP).values(chain_id=chain_id, first=first, last=last, noticed_s=now_s))


def _public_key(text: str) -> Ed25519PublicKey:
    key = load_pem_public_key(text.encode())
    assert isinstance(key, Ed25519PublicKey), "enrolment makes no others"
    return key
