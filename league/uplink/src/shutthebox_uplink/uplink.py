"""The uplink's main loop: takes events from league and broker, and checks the outbox once a second."""

import json
import logging
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from socket import gethostname
from typing import Any, TypeAlias, assert_never

from shutthebox.errors import one_line
from shutthebox.files import reason
from shutthebox.outbox_entry import CHAIN_BEGINS_AGAIN, DeliveryState, UplinkStatus, hash_of
from shutthebox_uplink import home_assistant as ha
from shutthebox_uplink.delivery import Delivery, SentEntry
from shutthebox_uplink.https import Answer, League, NoAnswer, Result
from shutthebox_uplink.mqtt import Broker, Connected, Disconnected, Message
from shutthebox_uplink.mqtt import Event as BrokerEvent
from shutthebox_uplink.settings import Enrolment, HomeAssistant, SettingsError
from shutthebox_uplink.signing import (
    COMMITTED,
    HELD,
    Receipt,
    SignatureError,
    open_receipt,
    sign_entry,
    sign_state,
)
from shutthebox_uplink.spool import Spool, Waiting
from shutthebox_uplink.vitals import vitals

_log = logging.getLogger(__name__)

LOOK_S = 1.0
"""How often the outbox and the state are checked."""

STATE_S, STATE_TO_LEAGUE_S = 60.0, 300.0
"""The state is published when it changes, and at least this often: to Home Assistant, and to the league."""

ENTRY_PATH, STATE_PATH = "/entry", "/state"
"""Where the league takes entries and states."""

HOME = "home assistant"

_ALL_WELL = UplinkStatus(DeliveryState.GOOD)
_UNREACHABLE = UplinkStatus(DeliveryState.NO_LINE, "no connection to the league")
_UNKNOWN_KEY = UplinkStatus(DeliveryState.HELD, "the league does not know this key")
_OVERLOADED = UplinkStatus(DeliveryState.HELD, "the league takes no more at present")

NO_LINE_AFTER_S = 60.0
"""Shorter interruptions aren't reported as a problem."""

_PATIENCE_S = 600
"""Home Assistant shows two boxes with one name as a device that comes and goes, so one of them holds back."""

_MAX_PAYLOAD = 16 * 1024  # bytes; Home Assistant says a word
_MAX_EVENTS = 100
_MAX_TO_PUBLISH = 20
_ALWAYS_CHANGING = ("uptime_s", "temperature")
"""These change all the time without any meaning."""

Event: TypeAlias = BrokerEvent | Result


class Uplink:
    """One box's uplink.

    Args:
        spool: the outbox.
        scores_file: as the box writes it.
        enrolment: None for a box without a league.
        home: None for a box without Home Assistant.
        name: of the box, which no other box has.
        clock_s: monotonic time in seconds.
    """

    def __init__(
        self,
        spool: Spool,
        scores_file: Path,
        enrolment: Enrolment | None,
        home: HomeAssistant | None,
        name: str,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._spool, self._scores_file = spool, scores_file
        self._enrolment, self._home, self._clock_s = enrolment, home, clock_s
        self.inbox: SimpleQueue[Event | None] = SimpleQueue()
        self._delivery = Delivery()
        self._league_version = ""
        self._published: dict[str, Any] = {}
        self._published_s = -STATE_S
        self._sent: dict[str, Any] = {}
        self._state_due_s = self._state_not_before_s = 0.0
        self._home_connected = False
        self._name = name
        self._waiting: Waiting | None = None
        self._connection_status: UplinkStatus | None = None  # until the league answers
        self._entry_status: UplinkStatus | None = None  # until it takes the entry
        self._lasting_status = None if enrolment else UplinkStatus(DeliveryState.NO_LEAGUE, "no league")
        self._lost_s: float | None = None
        self._league = League(enrolment, self.inbox.put) if enrolment is not None else None
        self._broker = _home_broker(home, name, self._tell) if home is not None else None

    def _tell(self, event: BrokerEvent) -> None:
        """Runs in the broker's thread. Drops messages once too many wait."""
        if isinstance(event, Message) and (
            len(event.payload) > _MAX_PAYLOAD or self.inbox.qsize() >= _MAX_EVENTS
        ):
            return
        self.inbox.put(event)

    def run(
        self, feed_watchdog: Callable[[], None] = lambda: None, status: Callable[[str], None] = lambda _: None
    ) -> None:
        """Runs until None is in the inbox.

        Args:
            feed_watchdog: called at least every few seconds, for a watchdog.
            status: called with a line about the league whenever it changes.
        """
        if self._broker is not None:
            self._broker.start()
        try:
            said = None
            while True:
                try:
                    event = self.inbox.get(timeout=LOOK_S)
                except Empty:
                    pass
                else:
                    if event is None:
                        return
                    self._take(event)
                self._send_what_is_due()
                feed_watchdog()
                if (now := self._status) != said:
                    said = now
                    status(said.line or "delivering")
                    self._spool.write_status(said)
        finally:
            if self._league is not None:
                self._league.close()
            if self._broker is not None:
                if self._home_connected:
                    self._broker.publish(ha.availability_topic(self._name), ha.OFFLINE, retain=True)
                self._broker.close()
            self._spool.write_status(
                _ALL_WELL
            )  # the last problem would stay after the owner has left the league

    @property
    def _status(self) -> UplinkStatus:
        return self._connection_status or self._entry_status or self._lasting_status or _ALL_WELL

    def _take(self, event: Event) -> None:
        match event:
            case Answer(path=path, status=status, body=body, wait_s=wait_s):
                self._take_answer(path, status, body, wait_s)
            case NoAnswer(path=path, reason=why, is_certificate=is_certificate):
                self._take_no_answer(path, why, is_certificate=is_certificate)
            case Connected(broker):
                _log.info("%s: connected", broker)
                self._home_connected = True
                self._publish(ha.availability_topic(self._name), ha.ONLINE)
                self._published_s = -STATE_S
                self._describe()
            case Disconnected(broker, why):
                if why:
                    _log.warning("%s: connection lost: %s", broker, why)
                self._home_connected = False
            case Message(payload=payload):
                if payload == ha.ONLINE.encode():
                    self._describe()
                    self._published_s = -STATE_S
            case _:
                assert_never(event)

    # -- the league -------------------------------------------------------------------------

    def _take_no_answer(self, path: str, why: str, *, is_certificate: bool) -> None:
        now_s = self._clock_s()
        _log.warning("league: %s: %s", path, why)
        self._lost_s = now_s if self._lost_s is None else self._lost_s
        if is_certificate:
            self._connection_status = UplinkStatus(DeliveryState.OTHER, f"the league: {why}")
        elif now_s - self._lost_s >= NO_LINE_AFTER_S:
            self._connection_status = _UNREACHABLE
        self._wait_after_failure(path, now_s)

    def _take_answer(self, path: str, status: int, body: bytes, wait_s: float) -> None:
        now_s = self._clock_s()
        receipt = self._read_receipt(body) if status == 200 else None
        if receipt is None:
            _log.error("league: %s: answer %d without a receipt", path, status)
            known = {401: _UNKNOWN_KEY, 429: _OVERLOADED}
            no_receipt = UplinkStatus(
                DeliveryState.OTHER, f"no receipt at the league's address (answer {status})"
            )
            self._connection_status = known.get(status, no_receipt)
            self._wait_after_failure(path, now_s, wait_s)
            return
        self._connection_status = self._lost_s = None
        self._state_not_before_s = 0.0
        self._league_version = receipt.version if len(receipt.version) <= 30 else ""
        said = one_line(receipt.reason)
        if receipt.status == HELD:
            _log.error("entry %d is held by the league, and will be sent again: %s", receipt.sequence, said)
            self._entry_status = UplinkStatus(DeliveryState.HELD, f"held by the league: {said}")
        if path == ENTRY_PATH:
            self._take_receipt(receipt, said, now_s)

    def _take_receipt(self, receipt: Receipt, said: str, now_s: float) -> None:
        if self._waiting is None or not self._delivery.receive(receipt):
            if receipt.status != HELD:
                self._connection_status = UplinkStatus(
                    DeliveryState.OTHER, "the league's receipt is for another entry"
                )
            self._delivery.fail(now_s)
            return
        self._entry_status = None
        if receipt.status == COMMITTED and said:
            # For as long as it runs: the owner should hear of an older card.
            state = DeliveryState.OLDER_CARD if said == CHAIN_BEGINS_AGAIN else DeliveryState.OTHER
            self._lasting_status = UplinkStatus(state, said)
        if said:
            _log.error("entry %d is %s by the league: %s", receipt.sequence, receipt.status, said)
        try:
            self._spool.remove(self._waiting)
        except OSError as error:
            _log.error("entry %d can't be removed, and will be sent again: %s", receipt.sequence, error)
            self._delivery.fail(now_s)

    def _read_receipt(self, body: bytes) -> Receipt | None:
        assert self._enrolment is not None, "only a box in a league asks it"
        try:
            return open_receipt(body, self._enrolment.league_key)
        except SignatureError as error:
            _log.error("the league didn't sign this receipt: %s", error)
            return None

    def _wait_after_failure(self, path: str, now_s: float, wait_s: float = 0.0) -> None:
        """Has entries and states wait: there was no receipt."""
        if path == ENTRY_PATH:
            self._delivery.fail(now_s, wait_s)
        else:
            self._sent = {}
        self._state_not_before_s = now_s + STATE_S

    def _send_what_is_due(self) -> None:
        try:
            self._deliver()
        except OSError as error:
            _log.error("outbox: %s", error)
        self._publish_state(self._spool.count())

    def _deliver(self) -> None:
        if self._league is None or self._enrolment is None:
            return
        if self._league.is_busy or not self._delivery.is_due(self._clock_s()):
            return
        self._waiting = found = self._spool.oldest()
        if found is not None:
            message = sign_entry(found.data, found.sequence, self._enrolment.name, self._enrolment.key)
            self._delivery.note_sent(SentEntry(found.sequence, hash_of(found.data)))
            self._league.post(ENTRY_PATH, message)

    def _publish_state(self, waiting: int) -> None:
        state = vitals(
            self._scores_file, waiting, time.time(), self._league_version, problem=self._status.line
        )
        settled = {key: value for key, value in state.items() if key not in _ALWAYS_CHANGING}
        now_s = self._clock_s()
        if self._home_connected and (settled != self._published or now_s - self._published_s >= STATE_S):
            self._published, self._published_s = settled, now_s
            self._publish(ha.state_topic(self._name), json.dumps(state))
        if self._league is None or self._enrolment is None or self._league.is_busy:
            return
        is_due = settled != self._sent or now_s >= self._state_due_s
        if is_due and now_s >= self._state_not_before_s:
            self._sent, self._state_due_s = settled, now_s + STATE_TO_LEAGUE_S
            message = sign_state(json.dumps(state).encode(), self._enrolment.name, self._enrolment.key)
            self._league.post(STATE_PATH, message)

    # -- Home Assistant ---------------------------------------------------------------------

    def _publish(self, topic: str, text: str) -> None:
        assert self._broker is not None, "only a box with Home Assistant publishes"
        self._broker.publish(topic, text, retain=True)

    @property
    def _shown_name(self) -> str:
        assert self._home is not None, "only a box with Home Assistant is shown there"
        return self._home.name or f"Shut the Box {self._enrolment.name if self._enrolment else gethostname()}"

    def _describe(self) -> None:
        assert self._home is not None, "only a box with Home Assistant describes itself"
        version = vitals(self._scores_file, 0, time.time())["version"]
        topic = ha.discovery_topic(self._home.prefix, self._name)
        self._publish(topic, ha.description(self._name, self._shown_name, version))


def _home_broker(home: HomeAssistant, name: str, tell: Callable[[BrokerEvent], None]) -> Broker:
    try:
        tls = ssl.create_default_context(cafile=home.authority) if home.authority else None
    except OSError as error:
        raise SettingsError(f"home_assistant.authority: {home.authority}: {reason(error)}") from None
    return Broker(
        HOME,
        home.host,
        home.port,
        tell,
        (ha.birth_topic(home.prefix),),
        tls=tls,
        username=home.username,
        password=home.password,
        will=(ha.availability_topic(name), ha.OFFLINE),
        client_id=ha.device_id(name),
        shared=f"somebody else uses this name, {ha.device_id(name)}",
        patience_s=_PATIENCE_S,
        most_waiting=_MAX_TO_PUBLISH,
    )


def remove_from_home_assistant(home: HomeAssistant, name: str, timeout_s: float = 10.0) -> bool:
    """Removes the box and its retained messages; False if the broker could not be reached in time."""
    inbox: SimpleQueue[BrokerEvent] = SimpleQueue()
    broker = _home_broker(home, name, inbox.put)
    broker.start()
    try:
        event = inbox.get(timeout=timeout_s)
    except Empty:
        return False
    finally:
        for topic in (
            ha.discovery_topic(home.prefix, name),
            ha.state_topic(name),
            ha.availability_topic(name),
        ):
            broker.publish(topic, b"", retain=True)
        broker.close()
    return isinstance(event, Connected)
