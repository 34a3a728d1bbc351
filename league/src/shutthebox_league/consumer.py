"""A consumer: takes messages from the broker, has the ledger commit them, and sends receipts.

It also stores the boxes' health reports, records its pulse, makes the broker refuse keys that flood it, and
tells the broker which keys are valid.

Several consumers may run side by side: the broker gives each message to one of them. If a consumer is
killed, it loses the messages that it had accepted but not committed; the boxes send these again, because
they have no receipts.
"""

import hashlib
import json
import logging
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Connection, Engine, select

from shutthebox import __version__ as box_version
from shutthebox_league import __version__
from shutthebox_league.access import (
    CONTROL_TOPIC,
    FROM_BOXES,
    RESPONSE_TOPIC,
    changes,
    clients_in,
    list_clients,
)
from shutthebox_league.allowance import BYTES_A_DAY, CPU_S_AN_HOUR, MESSAGES_A_MINUTE, Allowance
from shutthebox_league.authority import Authority
from shutthebox_league.committer import Committer, Messages
from shutthebox_league.database import UNAVAILABLE, in_a_line, in_transaction, upsert
from shutthebox_league.enrolment import good_keys
from shutthebox_league.fair_queue import FairQueue
from shutthebox_league.health import MAX_BYTES, read_health
from shutthebox_league.league_health import BROKER, PULSE_EVERY_S, note_pulse
from shutthebox_league.ledger import MAX_MESSAGE_BYTES, Ledger, Outcome
from shutthebox_league.metrics import Metrics
from shutthebox_league.notices import notice
from shutthebox_league.schema import HEALTH, KEY
from shutthebox_uplink.home_assistant import ONLINE
from shutthebox_uplink.mqtt import Broker, Connected, Disconnected, Event, Message
from shutthebox_uplink.signing import sign_receipt
from shutthebox_uplink.uplink import HELLO_TOPIC, receipt_topic

_log = logging.getLogger(__name__)

_Result = TypeVar("_Result")

BATCH = 64
"""The most messages in one transaction, each from a different box."""

AGAIN_S = 1.0
"""Seconds that a consumer waits after a failed transaction."""

HEALTH_EVERY_S = 2.0
"""How often a consumer stores the health reports that have come in."""

FLOOD, FLOOD_WITHIN_S = 100, 2.0
"""A flood: this many reports of one key, or entries beyond those that may wait, in this many seconds. Each
16 KB of them counts as one more. The broker drops anybody's messages if a consumer can't keep up."""

HELLO_EVERY_S = 600.0
"""How often all boxes are told the version, for those that came since. The message isn't retained: a box
that reads nothing would have the broker keep it for each of the 40,000 subscriptions in a packet."""

SHUT_OUT_S = 600.0
"""How long the broker refuses a key after a flood."""

_LATER_EVERY_S = 10.0


@dataclass(slots=True)
class _Heard:
    """The latest from a box: whether it's online, and the state it published, if any."""

    online: bool = True
    state: bytes | None = None


class Consumer:
    """One consumer.

    Args:
        authority: the league's keys; the broker is on this machine.
        engine: the league's database.
        ledger: on the same database.
        metrics: updated as messages come in.
    """

    def __init__(self, authority: Authority, engine: Engine, ledger: Ledger, metrics: Metrics) -> None:
        self._authority, self._key = authority, authority.receipts_key
        self._engine, self._ledger, self._metrics = engine, ledger, metrics
        self._entries = FairQueue()
        self._heard: dict[str, _Heard] = {}
        self._hearing = Lock()
        self._messages = Allowance(MESSAGES_A_MINUTE, 60)
        self._cpu = Allowance(CPU_S_AN_HOUR, 3600)
        self._bytes = Allowance(BYTES_A_DAY, 24 * 3600)
        self._told_s: dict[str, float] = {}
        self._excess = Counter[str]()
        self._count_due_s = 0.0
        self._shut_out: dict[str, float] = {}
        self._health_due_s = self._pulse_due_s = self._hello_due_s = 0.0
        self._connected = False
        self._at_broker: set[str] | None = None
        self._ends = False
        self._dropped = 0
        self._failed = False
        share = f"$share/{share_of(self._key)}"
        topics = (*(f"{share}/shutthebox/+/{what}" for what in FROM_BOXES), RESPONSE_TOPIC)
        port, tls = authority.settings.consumers_port, authority.consumer_tls()
        self._broker = Broker("league", "127.0.0.1", port, self._event, topics, tls=tls)

    def stop(self) -> None:
        """Makes `run` return soon. Safe to call from a signal handler."""
        self._ends = True

    def run(self, beat: Callable[[], None] = lambda: None) -> None:
        """Consumes until `stop` is called.

        Args:
            beat: called at least every few seconds, for a watchdog.
        """
        self._broker.start()
        try:
            with Committer(self._ledger, self._commit) as committer:
                while not self._ends:
                    taken = self._allow(self._entries.take(BATCH, 0.5, self._spent))
                    while taken:
                        count = self._try(taken, partial(committer.take, taken))
                        taken = taken[len(taken) if count is None else count :]
                        self._stop_floods()
                        beat()
                    self._keep_health()
                    self._note_pulse()
                    if self._connected and time.monotonic() >= self._hello_due_s:
                        self._hello()
                    self._settle_broker()
                    self._stop_floods()
                    self._metrics.waiting.set(len(self._entries))
                    self._metrics.dropped.inc(self._entries.dropped - self._dropped)
                    self._dropped = self._entries.dropped
                    beat()
        finally:
            self._broker.close()

    def _event(self, event: Event) -> None:
        """Runs in paho's thread: queues events and does nothing slow."""
        match event:
            case Connected():
                self._metrics.connected.set(1)
                self._connected = True
                _log.info("connected to the broker")
                self._broker.publish(HELLO_TOPIC, b"", retain=True)  # Earlier versions retained theirs.
                self._hello()
                self._broker.publish(CONTROL_TOPIC, list_clients())
            case Disconnected(_, reason):
                self._metrics.connected.set(0)
                self._connected = False
                _log.warning("the broker can't be reached%s", f": {reason}" if reason else "")
            case Message(_, topic, payload) if topic == RESPONSE_TOPIC:
                known = clients_in(payload)
                self._at_broker = self._at_broker if known is None else known
            case Message(_, topic, payload):
                _, name, what = topic.split("/", 2)
                if what == "entry" and len(payload) <= MAX_MESSAGE_BYTES and self._entries.put(name, payload):
                    return
                self._excess[name] += 1 + len(payload) // 16384
                if what != "entry" and len(payload) <= MAX_BYTES:
                    with self._hearing:
                        heard = self._heard.setdefault(name, _Heard())
                        heard.online = what == "state" or payload == ONLINE.encode()
                        heard.state = payload if what == "state" else heard.state

    def _hello(self) -> None:
        """Asks all boxes to resend entries that have no receipt, at once."""
        self._hello_due_s = time.monotonic() + HELLO_EVERY_S
        self._broker.publish(HELLO_TOPIC, json.dumps({"version": box_version, "league": __version__}))

    def _allow(self, taken: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
        """The messages of keys that have not sent too much; the others are told to send later."""
        now_s, allowed = time.monotonic(), []
        for name, message in taken:
            if self._messages.is_spent(name, now_s):
                self._later(name, message, f"more than {MESSAGES_A_MINUTE} messages a minute", now_s)
            elif self._cpu.is_spent(name, now_s):
                reason = f"its messages took more than {CPU_S_AN_HOUR:.0f} s of computing in an hour"
                self._later(name, message, reason, now_s)
            elif self._bytes.is_spent(name, now_s):
                self._later(name, message, f"more than {BYTES_A_DAY // 2**20} MB in a day", now_s)
            else:
                self._messages.spend(name, 1, now_s)
                allowed.append((name, message))
        # All consumers lock the boxes' rows in the same order, which avoids deadlocks.
        return sorted(allowed)

    def _spent(self, name: str) -> float:
        return self._cpu.spent(name, time.monotonic())

    def _later(self, name: str, message: bytes, reason: str, now_s: float) -> None:
        """Holds a message unread, and says so now and then."""
        self._metrics.messages.labels("later").inc()
        if now_s < self._told_s.get(name, 0.0):
            return
        self._told_s[name] = now_s + _LATER_EVERY_S
        _log.warning("%s: later: %s", name, reason)
        try:
            outcome = self._ledger.hold(name, message, reason, int(time.time()))
        except UNAVAILABLE as error:
            self._away(error)
        else:
            self._answer(name, outcome)

    def _away(self, error: Exception) -> None:
        self._metrics.database_errors.inc()
        _log.error("the database: %s; boxes will send again", in_a_line(error))

    def _try(self, taken: Messages, do: Callable[[], _Result]) -> _Result | None:
        """What `do` returns; None if the database failed, in which case boxes still have their entries."""
        try:
            return do()
        except UNAVAILABLE as error:
            self._away(error)
            self._failed = True
        except Exception:  # the database is not as it should be
            _log.exception("nothing is committed")
            self._metrics.messages.labels("failed").inc(len(taken))
        time.sleep(AGAIN_S)
        return None

    def _commit(self, taken: Messages, commit: Callable[[], list[Outcome]]) -> None:
        """Commits a batch and answers it. Runs in the committer's thread."""
        with self._metrics.seconds.time():
            outcomes = self._try(taken, commit)
        if outcomes is None:
            return
        if self._failed:
            self._failed = False
            self._hello()
        for (name, message), outcome in zip(taken, outcomes, strict=True):
            self._cpu.spend(name, outcome.cpu_s, time.monotonic())
            if outcome.kind in ("committed", "refused"):
                self._bytes.spend(name, len(message), time.monotonic())
            self._metrics.messages.labels(outcome.kind).inc()
            if outcome.kind not in ("committed", "repeated"):
                _log.warning("%s: %s: %s", name, outcome.kind, outcome.reason)
            self._answer(name, outcome)

    def _answer(self, name: str, outcome: Outcome) -> None:
        if outcome.receipt is not None:
            self._broker.publish(receipt_topic(name), sign_receipt(outcome.receipt, self._key))

    def _settle_broker(self) -> None:
        """After each connect, makes the broker's keys match the valid ones."""
        known, self._at_broker = self._at_broker, None
        if known is None:
            return
        try:
            for message in changes(known, good_keys(self._engine)):
                _log.warning("the broker's keys differed from the league's; sending ours")
                self._broker.publish(CONTROL_TOPIC, message)
        except UNAVAILABLE as error:
            self._at_broker = known
            self._away(error)

    def _stop_floods(self) -> None:
        """Makes the broker disconnect keys that flood it, and accept them again later."""
        now_s = time.monotonic()
        if now_s < self._count_due_s:
            return
        self._count_due_s = now_s + FLOOD_WITHIN_S
        excess, self._excess = self._excess, Counter()
        flooding = {name for name, count in list(excess.items()) if count > FLOOD}
        for message in changes(flooding, set()):
            self._broker.publish(CONTROL_TOPIC, message)
        try:
            for name in flooding:
                _log.warning("%s: a flood; the broker refuses the key for %.0f s", name, SHUT_OUT_S)
                self._shut_out[name] = now_s + SHUT_OUT_S
                told = partial(
                    notice,
                    key_name=name,
                    kind="flood",
                    text=f"far more messages than a box sends; refused for {SHUT_OUT_S / 60:.0f} minutes",
                    now_s=int(time.time()),
                )
                in_transaction(self._engine, told)
            over = {name for name, until_s in self._shut_out.items() if until_s <= now_s}
            for message in changes(set(), over & good_keys(self._engine)) if over else ():
                self._broker.publish(CONTROL_TOPIC, message)
            for name in over:
                del self._shut_out[name]
        except UNAVAILABLE as error:
            self._away(error)

    def _note_pulse(self) -> None:
        """Records now and then that the broker is connected, for the league's monitoring."""
        if not self._connected or time.monotonic() < self._pulse_due_s:
            return
        self._pulse_due_s = time.monotonic() + PULSE_EVERY_S
        try:
            in_transaction(self._engine, lambda db: note_pulse(db, BROKER, int(time.time())))
        except UNAVAILABLE as error:
            self._away(error)

    def _keep_health(self) -> None:
        """Stores the latest health of each box, no more often than `HEALTH_EVERY_S`."""
        if time.monotonic() < self._health_due_s or not self._heard:
            return
        self._health_due_s = time.monotonic() + HEALTH_EVERY_S
        with self._hearing:
            heard, self._heard = self._heard, {}

        def keep(db: Connection) -> None:
            for name, latest in sorted(heard.items()):
                keep_health(db, name, latest.online, latest.state, int(time.time()))

        try:
            in_transaction(self._engine, keep)
        except UNAVAILABLE as error:
            self._away(error)


def share_of(key: Ed25519PrivateKey) -> str:
    """The secret name of the consumers' shared subscription.

    The broker gives each message to one subscriber of a share, and lets every box subscribe to any.
    """
    return hashlib.sha256(b"shutthebox share" + key.private_bytes_raw()).hexdigest()[:32]


def keep_health(db: Connection, name: str, online: bool, state: bytes | None, now_s: int) -> None:
    """Stores a box's health report. Reports under an unknown or revoked key are ignored."""
    key = db.execute(select(KEY.c.box_id).where(KEY.c.name == name, KEY.c.revoked_s.is_(None))).first()
    if key is None:
        return
    values: dict[str, Any] = {"seen_s": now_s, "online": online}
    if state is not None and (found := read_health(state)):
        values["state"] = json.dumps(found)
    row = upsert(db, HEALTH).values({"box_id": key.box_id, "state": "{}", **values})
    db.execute(row.on_conflict_do_update(index_elements=["box_id"], set_=values))
