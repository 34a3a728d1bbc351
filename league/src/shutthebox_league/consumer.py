"""A consumer: takes messages from the broker, has the ledger commit them, and sends receipts.

Several consumers may run side by side: the broker gives each message to one of them. If a consumer is
killed, it loses the messages that it has accepted and not committed; the boxes send these again, because
they have no receipts.
"""

import hashlib
import json
import logging
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Engine, insert, select, update

from shutthebox import __version__ as box_version
from shutthebox_league import __version__
from shutthebox_league.database import UNAVAILABLE
from shutthebox_league.fair_queue import FairQueue
from shutthebox_league.ledger import MAX_MESSAGE_BYTES, Ledger
from shutthebox_league.metrics import Metrics
from shutthebox_league.ratings import rate_new
from shutthebox_league.reviewing import review_some
from shutthebox_league.schema import HEALTH, KEY
from shutthebox_uplink.home_assistant import ONLINE
from shutthebox_uplink.mqtt import Broker, Connected, Disconnected, Event, Message
from shutthebox_uplink.signing import sign_receipt
from shutthebox_uplink.uplink import HELLO_TOPIC, receipt_topic

_log = logging.getLogger(__name__)

BATCH = 32
"""Messages in one transaction, each of another box."""

AGAIN_S = 1.0
"""After a transaction that failed, a consumer waits for so long."""

_HEALTH_EVERY_S = 2.0
_MAX_STATE = 8 * 1024


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """The address of the broker, and the consumer's certificate.

    Attributes:
        host: of the broker.
        port: of the broker.
        tls: with the league's certificate.
    """

    host: str
    port: int
    tls: ssl.SSLContext


class Consumer:
    """One consumer.

    Args:
        address: of the broker.
        engine: the league's database.
        ledger: of the same.
        key: the league's; signs receipts.
        metrics: counted up.
    """

    def __init__(
        self, address: BrokerAddress, engine: Engine, ledger: Ledger, key: Ed25519PrivateKey, metrics: Metrics
    ) -> None:
        self._engine, self._ledger, self._key, self._metrics = engine, ledger, key, metrics
        self._entries: FairQueue[bytes] = FairQueue()
        self._states: dict[str, tuple[str, bytes]] = {}
        self._health_due_s = 0.0
        self._ends = False
        self._dropped = 0
        self._failed = False
        share = share_of(key)
        topics = tuple(f"$share/{share}/shutthebox/+/{what}" for what in ("entry", "state", "availability"))
        self._broker = Broker(
            "league",
            address.host,
            address.port,
            self._event,
            topics,
            tls=address.tls,
        )

    def stop(self) -> None:
        """Has `run` return soon; may be called by a signal handler."""
        self._ends = True

    def run(self, beat: Callable[[], None] = lambda: None) -> None:
        """Consumes until `stop`.

        Args:
            beat: called at least every few seconds, for a watchdog.
        """
        self._broker.start()
        try:
            while not self._ends:
                taken = self._entries.take(BATCH, timeout_s=0.5)
                if taken:
                    self._commit(taken)
                else:
                    self._review()
                self._keep_states()
                self._metrics.waiting.set(len(self._entries))
                self._metrics.dropped.inc(self._entries.dropped - self._dropped)
                self._dropped = self._entries.dropped
                beat()
        finally:
            self._broker.close()

    def _event(self, event: Event) -> None:
        """In paho's thread: sorts the events, and does nothing that takes time."""
        match event:
            case Connected():
                self._metrics.connected.set(1)
                _log.info("connected to the broker")
                self._hello()
            case Disconnected(_, reason):
                self._metrics.connected.set(0)
                _log.warning("the broker is away%s", f": {reason}" if reason else "")
            case Message(_, topic, payload):
                _, name, what = topic.split("/", 2)
                if what == "entry":
                    if len(payload) <= MAX_MESSAGE_BYTES:
                        self._entries.put(name, payload)
                elif len(payload) <= _MAX_STATE:
                    self._states[f"{name}/{what}"] = (what, payload)

    def _hello(self) -> None:
        """Asks all boxes to send entries without a receipt again at once."""
        hello = {"version": box_version, "league": __version__, "started_s": int(time.time())}
        self._broker.publish(HELLO_TOPIC, json.dumps(hello), retain=True)

    def _commit(self, taken: list[tuple[str, bytes]]) -> None:
        # Consumers lock the boxes' rows in one order, so that none waits for another in a circle.
        taken.sort()
        try:
            with self._metrics.seconds.time():
                outcomes = self._ledger.take_all(taken)
        except UNAVAILABLE as error:
            self._metrics.database_errors.inc()
            _log.error("the database: %s; boxes send again", str(error).splitlines()[0])
            self._failed = True
            time.sleep(AGAIN_S)
            return
        except Exception:  # one box's message must not stop the others
            if len(taken) > 1:
                for message in taken:
                    self._commit([message])
                return
            _log.exception("%s: the message is passed over", taken[0][0])
            self._metrics.messages.labels("failed").inc()
            return
        if self._failed:
            self._failed = False
            self._hello()
        for (name, _), outcome in zip(taken, outcomes, strict=True):
            self._metrics.messages.labels(outcome.kind).inc()
            if outcome.kind not in ("committed", "repeated"):
                _log.warning("%s: %s: %s", name, outcome.kind, outcome.reason)
            if outcome.receipt is not None:
                self._broker.publish(receipt_topic(name), sign_receipt(outcome.receipt, self._key))

    def _review(self) -> None:
        """Does the work that can wait: the luck of matches, and the ratings."""
        try:
            if not review_some(self._engine, int(time.time())):
                rate_new(self._engine)
        except UNAVAILABLE as error:
            self._metrics.database_errors.inc()
            _log.error("the database: %s", str(error).splitlines()[0])

    def _keep_states(self) -> None:
        """Keeps the latest health of each box, not more often than needed."""
        if time.monotonic() < self._health_due_s or not self._states:
            return
        self._health_due_s = time.monotonic() + _HEALTH_EVERY_S
        states, self._states = self._states, {}
        try:
            with self._engine.begin() as db:
                for path, (what, payload) in states.items():
                    keep_state(db, path.partition("/")[0], what, payload, int(time.time()))
        except UNAVAILABLE as error:
            self._metrics.database_errors.inc()
            _log.error("the database: %s", str(error).splitlines()[0])


def share_of(key: Ed25519PrivateKey) -> str:
    """The secret name of the consumers' shared subscription.

    The broker gives each message to one subscriber of a share, and lets every box subscribe to any.
    """
    return hashlib.sha256(b"shutthebox share" + key.private_bytes_raw()).hexdigest()[:32]


def keep_state(db: Any, name: str, what: str, payload: bytes, now_s: int) -> None:  # noqa: ANN401
    """Keeps the health that a box reports; nothing for a key that is unknown or revoked."""
    key = db.execute(select(KEY.c.box_id).where(KEY.c.name == name, KEY.c.revoked_s.is_(None))).first()
    if key is None:
        return
    values: dict[str, Any] = {"seen_s": now_s, "online": True}
    if what == "availability":
        values["online"] = payload == ONLINE.encode()
    else:
        try:
            if not isinstance(json.loads(payload), dict):
                return
        except (ValueError, RecursionError):
            return
        values["state"] = payload.decode("utf-8")
    if not db.execute(update(HEALTH).where(HEALTH.c.box_id == key.box_id).values(values)).rowcount:
        db.execute(insert(HEALTH).values({"box_id": key.box_id, "state": "{}", **values}))
