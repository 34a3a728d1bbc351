"""The ledger: takes signed messages, checks chain and rules, and commits each entry once.

Each batch of messages is one transaction, which locks the rows of its chains; unique keys guard the rest. So
workers may run side by side, and messages may come twice or in any order.
"""

import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import cache
from typing import Any, TypeAlias

from sqlalchemy import Connection, Engine, Row, Select, delete, func, insert, select, update
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

from shutthebox import __version__ as box_version
from shutthebox.errors import one_line
from shutthebox.outbox_entry import (
    CHAIN_BEGINS_AGAIN,
    MAX_BYTES,
    NO_HASH,
    MatchPlayed,
    OutboxEntry,
    OutboxEntryError,
    PlayerSigned,
    entry_from_bytes,
    hash_of,
)
from shutthebox.rules.conditions import RULES_VERSION
from shutthebox.rules.equal_dice import Tournament, tournament_from_text, unequal
from shutthebox_league import players
from shutthebox_league.checking import EARLIEST_S, CheckedMatch, RefusedError, check_match
from shutthebox_league.database import (
    UNAVAILABLE,
    connect_to_read,
    in_transaction,
    insert_all,
    one_of,
    select_any,
    update_all,
)
from shutthebox_league.filing import NewMatch, NewSignature, add_matches, sign
from shutthebox_league.keys import Signed
from shutthebox_league.notices import CLOCK_IS_WRONG, has_notice, notice
from shutthebox_league.schema import ASIDE, CHAIN, ENTRY, GAP, KEY, MATCH, TOURNAMENT
from shutthebox_league.schema import BOX as BOX_TABLE
from shutthebox_league.tournaments import is_open
from shutthebox_uplink.signing import COMMITTED, HELD, REFUSED, Receipt

_log = logging.getLogger(__name__)

MAX_MESSAGE_BYTES = 2 * MAX_BYTES
"""Larger messages are refused unread."""

KEPT_ASIDE = 200
"""The most messages set aside per key; the oldest are dropped."""

KEPT_BYTES = 1024 * 1024
"""The most bytes stored per key of refused messages, and as many of those set aside. Beyond it only hash and
reason are stored."""

MAX_CHAINS = 20
"""The most chains that a box may start under one key."""

NO_MORE_MATCHES = "a match had wrong throws; its tournament takes no more from this key until it closes"
"""In the notice to the owner of the key, and in each refusal until then."""

YEARS_S = 400 * 24 * 3600
"""How long a box keeps its entries. A clock further off than that is wrong."""

_ENTRIES = select(ENTRY)
_REASON = 300
_PREPARED_S = 0.25
"""CPU seconds of checking after which a batch is committed. The others are passed in and opened again, which
takes a small part of that."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a message.

    Attributes:
        kind: "committed", "refused", "held", "repeated", "rejected" (no entry), "unknown" (no such key), or
            "failed".
        receipt: for the box; None for the last three.
        reason: one line; empty for a committed entry that continues its chain.
        cpu_s: CPU seconds that the message took.
    """

    kind: str
    receipt: Receipt | None
    reason: str = ""
    cpu_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Prepared:
    """A message that has been examined before anything is locked."""

    signed: Signed
    unknown: str = ""  # why it is thrown away
    rejected: str = ""  # why it is set aside without a receipt
    entry: OutboxEntry | None = None
    hash: str = ""
    box_id: int = 0
    pub_id: int = 0
    heads: tuple[tuple[int, int], ...] | None = None  # of its chains, if none of them has it
    held: str = ""
    checked: CheckedMatch | None = None
    refused: str = ""
    strays_from: str = ""  # the commitment of an open tournament, of which it doesn't have every throw
    cpu_s: float = 0.0

    @property
    def name(self) -> str:
        """The name of its key."""
        return self.signed.name

    @property
    def source(self) -> tuple[str, str]:
        """The key, and the journal: the id that the box drew for itself. Its chains are found by these."""
        assert self.entry is not None
        return self.name, self.entry.box

    @property
    def signature(self) -> tuple[str, int, int] | None:
        """The argument for `forgotten_among`; None for anything but a signature."""
        content = self.entry and self.entry.content
        if not isinstance(content, PlayerSigned):
            return None
        return content.initials, self.pub_id, content.began_s

    def receipt(self, status: str, reason: str = "") -> Receipt:
        """A receipt for the entry, which must exist."""
        assert self.entry is not None
        return receipt_of(self.entry.box, self.entry.sequence, self.hash, status, reason)


@dataclass(frozen=True, slots=True)
class _ChainedEntry:
    """An entry that is the next one of a chain."""

    found: Prepared
    entry: OutboxEntry
    chain_id: int
    status: str
    reason: str


def receipt_of(box: str, sequence: int, hash_: str, status: str, reason: str = "") -> Receipt:
    """A receipt of this league, which names its version and rules."""
    return Receipt(box, sequence, hash_, status, reason, box_version, RULES_VERSION)


_Chains: TypeAlias = dict[tuple[str, str], list[Row[Any]]]
"""Chains by key and journal, as in `Prepared.source`."""

_Known: TypeAlias = dict[tuple[str, str], Row[Any]]
"""Entries by key and hash."""


class Ledger:
    """The ledger of one league.

    Args:
        engine: its database.
        zone: of the league, for its nights.
        wall_clock_s: the time of day in seconds.
    """

    def __init__(self, engine: Engine, zone: tzinfo, wall_clock_s: Callable[[], float] = time.time) -> None:
        self.engine, self._zone, self._wall_clock_s = engine, zone, wall_clock_s

    def file_first(self, messages: Sequence[Signed]) -> list[Outcome]:
        """Prepares and commits the first of these messages, at least one; returns their outcomes."""
        return self.commit(self.prepare(messages))

    def prepare(self, messages: Sequence[Signed]) -> list[Prepared]:
        """Checks the first of these messages: at least one, at most one per box. Changes nothing.

        Returns:
            What `commit` takes. Pass the other messages in again. A message that causes an error is refused
            or set aside.

        Raises:
            SQLAlchemyError: if the database is unavailable.
        """
        with connect_to_read(self.engine) as db:
            return self._prepare(db, messages)

    # -- before the transaction --------------------------------------------------------

    def _prepare(self, db: Connection, messages: Sequence[Signed]) -> list[Prepared]:
        prepared, boxes, read = list[Prepared](), set[int](), self._read(db, messages)
        began_s = time.thread_time()  # what reading costs is bounded by the batch
        for found in read:
            each_began_s = time.thread_time()
            if prepared and (found.box_id in boxes or each_began_s - began_s > _PREPARED_S):
                break
            if found.entry is not None:
                boxes.add(found.box_id)
                if not found.held:
                    found = self._check(found)
            prepared.append(replace(found, cpu_s=found.cpu_s + time.thread_time() - each_began_s))
        return prepared

    def _read(self, db: Connection, messages: Sequence[Signed]) -> list[Prepared]:
        """The entries in messages, and whether their places in the chains make a check worth while."""
        opened = [_open(message) for message in messages]
        chains: _Chains = {found.source: [] for found in opened if found.entry is not None}
        names, journals = {found.name for found in opened}, {journal for _, journal in chains}
        keys, query = dict[str, Row[Any]](), _keys_query(db.dialect.name)
        for row in db.execute(query, {"names": list(names), "journals": list(journals)}):
            keys[row.key_name] = row
            chains.get((row.key_name, row.journal), []).append(row)
        sent = [_find_sender(found, keys.get(found.name)) for found in opened]
        known = _known(db, [found for found in sent if found.entry is not None], chains)
        return [self._examine(db, found, chains, known) for found in sent]

    def _examine(self, db: Connection, found: Prepared, chains: _Chains, known: _Known) -> Prepared:
        entry = found.entry
        if entry is None or found.held:
            return found
        if (found.name, found.hash) in known:
            return replace(found, held="it came before")
        _, wrong = _find_chain(chains[found.source], found, entry)
        heads = _heads(chains[found.source])
        return replace(found, heads=heads, held=wrong or self._clock_is_wrong(db, entry))

    def _check(self, found: Prepared) -> Prepared:
        content = found.entry and found.entry.content
        if not isinstance(content, MatchPlayed):
            return found
        try:
            checked = check_match(content)
            if checked.commitment:
                with connect_to_read(self.engine) as db:
                    return self._check_tournament(db, found, checked, int(self._wall_clock_s()))
        except RefusedError as error:
            return replace(found, refused=one_line(str(error))[:_REASON])
        except (*UNAVAILABLE, DBAPIError):
            raise
        except Exception as error:
            _log.exception("%s: the message is refused", found.name)
            return replace(found, refused=f"it can't be checked: {type(error).__name__}")
        return replace(found, checked=checked)

    @staticmethod
    def _check_tournament(db: Connection, found: Prepared, checked: CheckedMatch, now_s: int) -> Prepared:
        commitment = checked.commitment
        row = db.execute(select(TOURNAMENT).where(TOURNAMENT.c.commitment == commitment)).first()
        if row is None:
            raise RefusedError(f"no tournament of this league has the commitment {commitment[:16]}…")
        tournament: Tournament = tournament_from_text(row.text, "tournament")
        if is_open(db, commitment, now_s):
            # Refusals mustn't tell the throws, one after the other, to a box that hasn't got the seed.
            if has_notice(db, found.name, _strays(commitment)):
                raise RefusedError(f"equal dice: {NO_MORE_MATCHES}")
            if unequal(checked.record, tournament):
                refused = "equal dice: not every throw is the seed's"
                return replace(found, refused=refused, strays_from=commitment)
            return replace(found, checked=checked)
        if said := unequal(checked.record, tournament):
            raise RefusedError(f"equal dice: {said}")
        # Everybody knows its throws by now.
        unranked = checked.unranked or "came after its tournament had closed"
        return replace(found, checked=replace(checked, unranked=unranked))

    def _clock_is_wrong(self, db: Connection, entry: OutboxEntry) -> str:
        """Why nothing can be filed: our own clock is years off from the entry and everything before it.

        If the entry is years off from both, the box's clock is wrong, and we use our time for it.
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

    def commit(self, prepared: Sequence[Prepared]) -> list[Outcome]:
        """Commits what was prepared, in one transaction. Its chains may have grown since.

        A message that causes an error is refused; the others aren't affected.

        Raises:
            SQLAlchemyError: if the database is unavailable; nothing has changed then.
        """
        try:
            try:
                return self._commit_once(prepared)
            except IntegrityError:
                if len(prepared) > 1:
                    raise
                # Another worker has just begun the same chain or counted the same match: try again.
                with connect_to_read(self.engine) as db:
                    again = self._prepare(db, [prepared[0].signed])
                return self._commit_once(again)
        except UNAVAILABLE:
            raise
        except Exception as error:
            if len(prepared) == 1:
                if isinstance(error, DBAPIError) and not isinstance(error, DataError | IntegrityError):
                    raise  # The database is not as this program knows it; no message is to blame.
                _log.exception("%s: the message is refused", prepared[0].name)
                return [self._refuse(prepared[0], error)]
        half = len(prepared) // 2
        return [*self.commit(prepared[:half]), *self.commit(prepared[half:])]

    def _refuse(self, prepared: Prepared, error: Exception) -> Outcome:
        """Commits an entry that can't be stored as refused, so that the box doesn't retry it for ever."""
        reason = f"it can't be stored: {type(error).__name__}"
        unread = replace(prepared.signed, message=b"")
        try:
            return self._commit_once([replace(prepared, checked=None, refused=reason, signed=unread)])[0]
        except UNAVAILABLE:
            raise
        except Exception:
            _log.exception("%s: the message is passed over", prepared.name)
            return Outcome("failed", None, reason, prepared.cpu_s)

    def _commit_once(self, prepared: Sequence[Prepared]) -> list[Outcome]:
        began_s = time.thread_time()
        outcomes = in_transaction(self.engine, lambda db: self._take(db, prepared))
        each_s = (time.thread_time() - began_s) / len(prepared)
        return [
            replace(outcome, cpu_s=found.cpu_s + each_s)
            for found, outcome in zip(prepared, outcomes, strict=True)
        ]

    def _take(self, db: Connection, batch: Sequence[Prepared]) -> list[Outcome]:
        entries = [found for found in batch if found.entry is not None]
        chains = _lock_chains(db, entries)
        revoked = {row.key_name for rows in chains.values() for row in rows if row.revoked_s is not None}
        if unchained := list({found.name for found in entries if not chains[found.source]}):
            revoked |= set(db.execute(_revoked_query(db.dialect.name), {"names": unchained}).scalars())
        changed = [found for found in entries if _heads(chains[found.source]) != found.heads]
        known = _known(db, changed, chains)
        placed = list[_ChainedEntry]()
        outcomes = [self._judge(db, found, found.name in revoked, chains, known, placed) for found in batch]
        self._file(db, placed)
        return outcomes

    def _judge(
        self, db: Connection, found: Prepared, revoked: bool, chains: _Chains, known: _Known,
        placed: list[_ChainedEntry],
    ) -> Outcome:  # fmt: skip
        """The outcome of a message. An entry whose place is found is `placed`, and its chain goes on."""
        if found.unknown:
            return Outcome("unknown", None, found.unknown)
        entry, now_s = found.entry, int(self._wall_clock_s())
        if entry is None:
            return self._set_aside(db, found, found.rejected)
        if revoked:
            return self._set_aside(db, found, "the key is revoked")
        if found.held.startswith(CLOCK_IS_WRONG):
            _log.error("%s; nothing is filed", found.held)
            # By the box's time: ours can't be right.
            notice(db, "", "clock", found.held, now_s)
            return Outcome("held", found.receipt(HELD, found.held), found.held)
        if (before := known.get((found.name, found.hash))) is not None:
            return Outcome("repeated", found.receipt(before.status, before.reason))
        follows, wrong = _find_chain(chains[found.source], found, entry)
        if wrong:
            return self._set_aside(db, found, wrong)
        if not found.refused and found.checked is None:
            # Another worker has just taken the entry before it.
            found = self._check(found)
        if found.strays_from:
            notice(db, found.name, _strays(found.strays_from), NO_MORE_MATCHES, now_s)
        follows, note = _extend_chain(db, chains[found.source], follows, found, entry, now_s)
        status, reason = REFUSED if found.refused else COMMITTED, found.refused or note
        placed.append(_ChainedEntry(found, entry, follows, status, reason))
        return Outcome(status, found.receipt(status, reason), reason)

    def _file(self, db: Connection, placed: Sequence[_ChainedEntry]) -> None:
        """Commits the next entries of their chains, whether they count or were refused."""
        if not placed:
            return
        now_s = int(self._wall_clock_s())
        heads = [
            {"id": each.chain_id, "head_sequence": each.entry.sequence, "head_hash": each.found.hash}
            for each in placed
        ]
        update_all(db, CHAIN, (CHAIN.c.id,), heads)
        forgotten = players.forgotten_among(
            db, {each.found.signature for each in placed if each.found.signature}, now_s
        )
        rows, matches, signatures = list[dict[str, Any]](), list[NewMatch](), list[NewSignature]()
        for each in placed:
            found, entry, message, initials = each.found, each.entry, each.found.signed.message, None
            where = (each.chain_id, found.box_id, entry.box)
            if found.refused:
                message = _within_limits(db, found)
            elif found.signature in forgotten:
                message = b""
            elif isinstance(entry.content, PlayerSigned):
                signatures.append(NewSignature(*where, entry.content))
            elif found.checked is not None:
                matches.append(
                    NewMatch(*where, entry.content, entry.sequence, found.pub_id, found.checked, found.hash)
                )
            if isinstance(entry.content, PlayerSigned) and found.signature not in forgotten:
                initials = entry.content.initials
            rows.append({
                "chain_id": each.chain_id, "sequence": entry.sequence, "hash": found.hash,
                "received_s": now_s, "status": each.status, "reason": each.reason, "message": message,
                "initials": initials,
            })  # fmt: skip
        insert_all(db, ENTRY, rows)
        add_matches(db, matches, now_s, self._zone)
        sign(db, signatures, now_s)

    def _set_aside(self, db: Connection, found: Prepared, reason: str) -> Outcome:
        """Sets aside a message that wasn't taken: once, however often it comes, and only the latest per key.

        An entry is held. Anything else gets no receipt.
        """
        if found.entry is None:
            outcome = Outcome("rejected", None, reason)
        else:
            outcome = Outcome("held", found.receipt(HELD, reason), reason)
        message, name, now_s = found.signed.message, found.name, int(self._wall_clock_s())
        digest = hashlib.sha256(message).hexdigest()
        own = ASIDE.c.key_name == name
        again = update(ASIDE).where(own, ASIDE.c.hash == digest)
        if db.execute(again.values(times=ASIDE.c.times + 1, received_s=now_s)).rowcount:
            return outcome
        (kept,) = db.execute(
            select(func.coalesce(func.sum(func.length(ASIDE.c.message)), 0)).where(own)
        ).one()
        initials = found.signature[0] if found.signature else None
        if found.signature and players.forgotten_among(db, {found.signature}, now_s):
            initials, message = None, b""
        row = {
            "key_name": name, "hash": digest, "received_s": now_s, "times": 1, "reason": reason[:_REASON],
            "message": message if kept + len(message) <= KEPT_BYTES else b"",
            "initials": initials,
        }  # fmt: skip
        db.execute(insert(ASIDE), row)
        count = db.execute(select(func.count()).where(own)).scalar_one()
        if count > KEPT_ASIDE:
            oldest = select(ASIDE.c.id).where(own).order_by(ASIDE.c.id)
            db.execute(delete(ASIDE).where(ASIDE.c.id.in_(oldest.limit(count - KEPT_ASIDE))))
        return outcome


def _strays(commitment: str) -> str:
    """The kind of notice that a match of this tournament had other throws."""
    return f"dice {commitment[:12]}"


def _open(message: Signed) -> Prepared:
    """The entry in a message."""
    began_s, found = time.thread_time(), Prepared(message)
    try:
        found = replace(found, entry=entry_from_bytes(message.entry), hash=hash_of(message.entry))
    except OutboxEntryError as error:
        found = replace(found, rejected=str(error))
    except Exception as error:
        _log.exception("%s: the message is set aside", message.name)
        found = replace(found, rejected=f"it can't be read: {type(error).__name__}")
    return replace(found, cpu_s=time.thread_time() - began_s)


def _find_sender(found: Prepared, key: Row[Any] | None) -> Prepared:
    """A message with the box of its key."""
    if key is None:  # the database is an earlier backup
        return replace(found, unknown=f"no box is enrolled as {found.name}", entry=None)
    held = "" if key.revoked_s is None else "the key is revoked"
    return replace(found, box_id=key.box_id, pub_id=key.pub_id, held=held)


def _lock_chains(db: Connection, entries: Sequence[Prepared]) -> _Chains:
    """The chains of each box under its key, oldest first. Only this transaction can change them now."""
    found: _Chains = {each.source: [] for each in entries}
    if not found:
        return found
    names, journals = (list({source[i] for source in found}) for i in (0, 1))
    for row in db.execute(_chains_query(db.dialect.name), {"names": names, "journals": journals}):
        found.get((row.key_name, row.journal), []).append(row)
    return found


@cache
def _keys_query(dialect: str) -> Select[Any]:
    """Keys, each with every chain that it has for one of these journals, or once without one."""
    chains = (CHAIN.c.key_name == KEY.c.name) & one_of(dialect, CHAIN.c.journal, "journals")
    return (
        select(KEY.c.name.label("key_name"), KEY.c.revoked_s, KEY.c.box_id, BOX_TABLE.c.pub_id)
        .add_columns(*(column for column in CHAIN.c if column.name != "key_name"))
        .join(BOX_TABLE, BOX_TABLE.c.id == KEY.c.box_id)
        .join(CHAIN, chains, isouter=True)
        .where(one_of(dialect, KEY.c.name, "names"))
        .order_by(CHAIN.c.id)
    )


@cache
def _revoked_query(dialect: str) -> Select[str]:
    return select(KEY.c.name).where(one_of(dialect, KEY.c.name, "names"), KEY.c.revoked_s.is_not(None))


@cache
def _chains_query(dialect: str) -> Select[Any]:
    return (
        select(CHAIN, KEY.c.revoked_s)
        .join(KEY, KEY.c.name == CHAIN.c.key_name)
        .where(one_of(dialect, CHAIN.c.key_name, "names"), one_of(dialect, CHAIN.c.journal, "journals"))
        .order_by(CHAIN.c.id)
        .with_for_update(of=CHAIN)
    )


def _heads(chains: Sequence[Row[Any]]) -> tuple[tuple[int, int], ...]:
    """What changes with every entry that these chains take."""
    return tuple((chain.id, chain.head_sequence) for chain in chains)


def _known(db: Connection, entries: Sequence[Prepared], chains: _Chains) -> _Known:
    """Status and reason of those of these entries that came before, by key and hash."""
    hashes = {
        (chain.id, found.entry.sequence, found.hash): found.name
        for found in entries
        for chain in chains[found.source]
        if found.entry is not None and found.entry.sequence <= chain.head_sequence
    }
    if not hashes:
        return {}
    rows = select_any(db, _ENTRIES, (ENTRY.c.chain_id, ENTRY.c.sequence), {key[:2] for key in hashes})
    return {
        (hashes[key], row.hash): row
        for row in rows
        if (key := (row.chain_id, row.sequence, row.hash)) in hashes
    }


def _find_chain(chains: Sequence[Row[Any]], found: Prepared, entry: OutboxEntry) -> tuple[int | None, str]:
    """The chain that an entry continues, and why the entry has to wait; empty if it can be taken."""
    due = (entry.sequence, entry.previous)
    for chain in chains:
        if (chain.head_sequence + 1, chain.head_hash) == due:
            return int(chain.id), ""
    newest = chains[-1].head_sequence if chains else 0
    if (not chains and due == (1, NO_HASH)) or entry.sequence == found.signed.oldest:
        if len(chains) < MAX_CHAINS or entry.sequence > newest + 1:
            return None, ""
        return None, f"it began again {MAX_CHAINS} times; enrol the box again"
    if entry.sequence > newest + 1:
        return None, f"entry {newest + 1} is missing before it"
    return None, "it doesn't follow the entry before it"


def _extend_chain(
    db: Connection, chains: Sequence[Row[Any]], follows: int | None, found: Prepared, entry: OutboxEntry,
    now_s: int,
) -> tuple[int, str]:  # fmt: skip
    """The chain of an entry that can be taken, begun if there's none; and a note for the box."""
    newest = chains[-1].head_sequence if chains else 0
    missing = follows is None and entry.sequence > newest + 1
    if missing and chains:
        follows = int(chains[-1].id)
    note = ""
    if follows is None:
        # The box has nothing from before: an older image of its card, or two cards with one memory.
        number = chains[-1].number + 1 if chains else 1
        note = CHAIN_BEGINS_AGAIN if chains else ""
        row = {
            "key_name": found.name, "journal": entry.box, "number": number,
            "head_sequence": entry.sequence, "head_hash": found.hash,
        }  # fmt: skip
        follows = int(db.execute(insert(CHAIN).returning(CHAIN.c.id), row).scalar_one())
    if missing:
        gap = {"first": newest + 1, "last": entry.sequence - 1, "noticed_s": now_s}
        db.execute(insert(GAP).values(chain_id=follows, **gap))
    return follows, note


def _within_limits(db: Connection, found: Prepared) -> bytes:
    """The message of a refused entry, or nothing if its key has no room left for it."""
    own = KEY.c.name == found.name
    kept = db.execute(select(KEY.c.refused_bytes).where(own)).scalar_one()
    message = found.signed.message if kept + len(found.signed.message) <= KEPT_BYTES else b""
    db.execute(update(KEY).where(own).values(refused_bytes=KEY.c.refused_bytes + len(message)))
    return message
