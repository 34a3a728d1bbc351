"""The uplink's main loop: takes events from the brokers and checks the outbox once a second."""

import json
import logging
import ssl
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from socket import gethostname
from typing import Any

from shutthebox.errors import one_line
from shutthebox.files import reason
from shutthebox.outbox_entry import CHAIN_BEGINS_AGAIN, DeliveryState, UplinkStatus, hash_of
from shutthebox_uplink import home_assistant as ha
from shutthebox_uplink.delivery import Delivery, Sent
from shutthebox_uplink.mqtt import Broker, Connected, Disconnected, Event, Message
from shutthebox_uplink.settings import Enrolment, HomeAssistant, SettingsError
from shutthebox_uplink.signing import COMMITTED, HELD, SignatureError, open_receipt, sign_entry
from shutthebox_uplink.spool import Spool, Waiting
from shutthebox_uplink.vitals import vitals

_log = logging.getLogger(__name__)

LOOK_S = 1.0
"""How often the outbox and the state are checked."""

STATE_S = 60.0
"""The state is published when it changes, and at least this often."""

LEAGUE, HOME = "league", "home assistant"

_GOOD = UplinkStatus(DeliveryState.GOOD)
_NO_LINE = UplinkStatus(DeliveryState.NO_LINE, "no connection to the league")
_NOT_KNOWN = UplinkStatus(DeliveryState.HELD, "the league does not know this key, or not any more")

NO_LINE_AFTER_S = 60.0
"""Shorter interruptions aren't reported as a problem."""

_PATIENCE_S = 600
"""Home Assistant shows two boxes with one name as a device that comes and goes, so one of them holds back."""

_MOST_PAYLOAD = 16 * 1024  # bytes; a receipt has less than 1,000
_MOST_EVENTS = 100
_MOST_TO_PUBLISH = 20

HELLO_TOPIC = "shutthebox/league/hello"
"""The topic on which the league says that it has started, and its version every few minutes."""


def record_topic(name: str) -> str:
    """The topic on which a box publishes signed entries."""
    return f"shutthebox/{name}/entry"


def receipt_topic(name: str) -> str:
    """The topic on which the league publishes receipts."""
    return f"shutthebox/{name}/receipt"


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
        self._latest = ""
        self._published: dict[str, Any] = {}
        self._published_s = -STATE_S
        self._home_connected = False
        self._name = name
        self._waiting: Waiting | None = None
        self._problem: UplinkStatus | None = None
        self._note = None if enrolment else UplinkStatus(DeliveryState.NO_LEAGUE, "no league")
        self._lost_s = clock_s()
        self._brokers = {}
        if enrolment is not None:
            self._brokers[LEAGUE] = _league_broker(enrolment, self._tell)
        if home is not None:
            self._brokers[HOME] = _home_broker(home, self._name, self._tell)

    def _tell(self, event: Event) -> None:
        """Runs in the brokers' threads. Drops messages once too many wait: the league repeats them."""
        if isinstance(event, Message) and (
            len(event.payload) > _MOST_PAYLOAD or self.inbox.qsize() >= _MOST_EVENTS
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
        for broker in self._brokers.values():
            broker.start()
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
                self._look()
                feed_watchdog()
                if (now := self._status) != said:
                    said = now
                    status(said.line or "delivering")
                    self._spool.say(said)
        finally:
            if self._delivery.connected:
                self._brokers[LEAGUE].publish(ha.availability_topic(self._name), ha.OFFLINE, retain=True)
            if self._home_connected:
                self._brokers[HOME].publish(ha.availability_topic(self._name), ha.OFFLINE, retain=True)
            for broker in self._brokers.values():
                broker.close()
            self._spool.say(_GOOD)  # the last problem would stay after the owner has left the league

    @property
    def _status(self) -> UplinkStatus:
        return self._problem or self._note or _GOOD

    def _take(self, event: Event) -> None:
        match event:
            case Connected(broker):
                _log.info("%s: connected", broker)
                self._brokers[broker].publish(ha.availability_topic(self._name), ha.ONLINE, retain=True)
                self._published_s = -STATE_S
                if broker == LEAGUE:
                    self._delivery.connect(self._clock_s())
                    if self._problem in (_NO_LINE, _NOT_KNOWN):
                        self._problem = None
                else:
                    self._home_connected = True
                    self._describe()
            case Disconnected(broker, why, is_shared):
                if why or (broker == LEAGUE and self._delivery.connected):
                    _log.warning("%s: connection lost%s", broker, f": {why}" if why else "")
                if broker == HOME:
                    self._home_connected = False
                else:
                    if self._delivery.connected:
                        self._lost_s = self._clock_s()
                    self._delivery.disconnect()
                    if why == _NOT_KNOWN.line:
                        self._problem = _NOT_KNOWN
                    elif why:
                        self._problem = UplinkStatus(
                            DeliveryState.TWO_BOXES if is_shared else DeliveryState.OTHER, why
                        )
            case Message(broker, topic, payload):
                self._message(broker, topic, payload)

    def _message(self, broker: str, topic: str, payload: bytes) -> None:
        if broker == HOME:
            if payload == ha.ONLINE.encode():
                self._describe()
                self._published_s = -STATE_S
            return
        if topic == HELLO_TOPIC:
            self._hello(payload)
            return
        assert self._enrolment is not None, "only a box in a league hears of it"
        try:
            receipt = open_receipt(payload, self._enrolment.league_key)
        except SignatureError as error:
            _log.error("a receipt is not the league's: %s", error)
            return
        said = one_line(receipt.reason)
        if receipt.status == HELD:
            _log.error("entry %d is held, and sent again later: %s", receipt.sequence, said)
            self._problem = UplinkStatus(DeliveryState.HELD, f"held by the league: {said}")
            return
        if self._waiting is None or not self._delivery.receive(receipt):
            return
        self._problem = None
        if receipt.status == COMMITTED and said:
            # For as long as it runs: the owner should hear of an older card.
            state = DeliveryState.OLDER_CARD if said == CHAIN_BEGINS_AGAIN else DeliveryState.OTHER
            self._note = UplinkStatus(state, said)
        if said:
            _log.error("entry %d is %s by the league: %s", receipt.sequence, receipt.status, said)
        try:
            self._spool.remove(self._waiting)
        except OSError as error:
            _log.error("entry %d stays and is sent again: %s", receipt.sequence, error)

    def _hello(self, payload: bytes) -> None:
        try:
            version = json.loads(payload).get("version", "")
        except (ValueError, AttributeError, RecursionError):
            return
        self._latest = version if isinstance(version, str) and len(version) <= 30 else ""
        if self._delivery.connected:
            self._delivery.connect(self._clock_s())

    def _look(self) -> None:
        try:
            self._deliver()
        except OSError as error:
            _log.error("outbox: %s", error)
        self._publish_state(self._spool.count())

    def _deliver(self) -> None:
        now_s = self._clock_s()
        waits = self._enrolment is not None and not self._delivery.connected
        if waits and not self._problem and now_s - self._lost_s >= NO_LINE_AFTER_S:
            self._problem = _NO_LINE
            _log.warning("%s: %s", LEAGUE, _NO_LINE.line)
        if not self._delivery.wants(now_s):
            return
        self._waiting = found = self._spool.oldest()
        if found is None or self._enrolment is None:
            return
        message = sign_entry(found.data, found.sequence, self._enrolment.name, self._enrolment.key)
        self._brokers[LEAGUE].publish(record_topic(self._name), message)
        self._delivery.sent(Sent(found.sequence, hash_of(found.data)), now_s)

    def _publish_state(self, waiting: int) -> None:
        if not (self._delivery.connected or self._home_connected):
            return
        state = vitals(self._scores_file, waiting, time.time(), self._latest, problem=self._status.line)
        now_s = self._clock_s()
        # These change all the time without any meaning.
        restless = ("uptime_s", "temperature")
        same = all(state[key] == self._published.get(key) for key in state if key not in restless)
        if same and now_s - self._published_s < STATE_S:
            return
        self._published, self._published_s = state, now_s
        text = json.dumps(state)
        if self._delivery.connected:
            self._brokers[LEAGUE].publish(ha.state_topic(self._name), text, retain=True)
        if self._home_connected:
            self._brokers[HOME].publish(ha.state_topic(self._name), text, retain=True)

    @property
    def _shown_name(self) -> str:
        assert self._home is not None, "only a box with Home Assistant is shown there"
        return self._home.name or f"Shut the Box {self._enrolment.name if self._enrolment else gethostname()}"

    def _describe(self) -> None:
        assert self._home is not None, "only a box with Home Assistant describes itself"
        version = vitals(self._scores_file, 0, time.time())["version"]
        topic = ha.discovery_topic(self._home.prefix, self._name)
        self._brokers[HOME].publish(topic, ha.description(self._name, self._shown_name, version), retain=True)


def tls_context(enrolment: Enrolment) -> ssl.SSLContext:
    """TLS with the box's certificate. The broker's certificate and host name are verified.

    Raises:
        SettingsError: if the certificates can't be used.
    """
    try:
        context = ssl.create_default_context(cadata=enrolment.authority)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        # The library reads a key from a file only.
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(enrolment.certificate + "\n" + enrolment.key_text)
            file.flush()
            context.load_cert_chain(file.name)
    except (ssl.SSLError, ValueError) as error:
        raise SettingsError(f"the enrolment's certificates can't be used: {error}") from None
    return context


def _league_broker(enrolment: Enrolment, tell: Callable[[Event], None]) -> Broker:
    name = enrolment.name
    return Broker(
        LEAGUE,
        enrolment.host,
        enrolment.port,
        tell,
        (receipt_topic(name), HELLO_TOPIC),
        tls=tls_context(enrolment),
        will=(ha.availability_topic(name), ha.OFFLINE),
        client_id=name,
        shared="does another box use the same enrolment?",
        most_waiting=_MOST_TO_PUBLISH,
        refused=_NOT_KNOWN.line,
    )


def _home_broker(home: HomeAssistant, name: str, tell: Callable[[Event], None]) -> Broker:
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
        most_waiting=_MOST_TO_PUBLISH,
    )


def remove_from_home_assistant(home: HomeAssistant, name: str, timeout_s: float = 10.0) -> bool:
    """Removes the box and its retained messages; False if the broker could not be reached in time."""
    inbox: SimpleQueue[Event] = SimpleQueue()
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
