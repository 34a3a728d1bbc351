"""The uplink against a real Mosquitto: an entry is kept until the league has given a receipt for it."""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.support.league import (
    FakeBox,
    Listener,
    Place,
    consumer_listener,
    in_a_thread,
    league_with_broker,
    played_record,
)
from tests.support.mosquitto import plain_broker
from tests.support.waiting import until

from shutthebox.adapters.outbox import entry_name
from shutthebox.outbox_entry import entry_from_bytes, hash_of
from shutthebox_uplink.home_assistant import OFFLINE, ONLINE
from shutthebox_uplink.settings import Enrolment, HomeAssistant
from shutthebox_uplink.signing import COMMITTED, HELD, REFUSED, Receipt, open_entry, sign_receipt
from shutthebox_uplink.spool import Spool
from shutthebox_uplink.uplink import HELLO_TOPIC, Uplink, receipt_topic, remove_from_home_assistant


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with league_with_broker(tmp_path) as found:
        yield found


def running(uplink: Uplink) -> AbstractContextManager[None]:
    return in_a_thread(uplink.run, lambda: uplink.inbox.put(None))


class Sender:
    """A box's outbox with entries, and its uplink."""

    def __init__(self, folder: Path, enrolment: Enrolment | None, home: HomeAssistant | None = None) -> None:
        self.outbox = folder / "outbox"
        self.outbox.mkdir()
        self.box = FakeBox("b" * 32)
        self.uplink = Uplink(Spool(self.outbox), folder / "scores.json", enrolment, home)

    def leave(self, seed: int = 1) -> bytes:
        data = self.box.play(played_record(seed))
        (self.outbox / entry_name(self.box.sequence)).write_bytes(data)
        return data

    @property
    def waiting(self) -> int:
        return len(list(self.outbox.glob("*.json")))


def test_an_entry_goes_when_the_league_has_it_and_not_before(place: Place, tmp_path: Path) -> None:
    enrolment = place.enrol("lion")
    sender = Sender(tmp_path, enrolment)
    entries = [sender.leave(seed) for seed in range(3)]
    league = consumer_listener(place, "shutthebox/+/entry")
    key = place.authority.receipts_key

    def answer(status: str, hash_: str, signer: Ed25519PrivateKey = key, sequence: int = 1) -> None:
        receipt = Receipt("b" * 32, sequence, hash_, status)
        league.broker.publish(receipt_topic("lion.1"), sign_receipt(receipt, signer))

    with running(sender.uplink):
        signed = open_entry(league.message("lion.1/entry"), "lion.1", enrolment.key.public_key())
        assert signed.entry == entries[0]
        assert signed.oldest == 1
        # The broker has acknowledged it by now. Only the league's own word counts, on this very entry.
        answer(COMMITTED, "f" * 64)
        answer(COMMITTED, hash_of(entries[0]), Ed25519PrivateKey.generate())
        answer(HELD, hash_of(entries[0]))
        league.broker.publish(receipt_topic("lion.1"), b"nonsense")
        # The league has started anew and asks for what it may have lost: all receipts before have been read.
        league.broker.publish(HELLO_TOPIC, "{}", retain=True)
        assert open_entry(league.message("entry"), "lion.1", enrolment.key.public_key()).entry == entries[0]
        assert sender.waiting == 3
        answer(COMMITTED, hash_of(entries[0]))
        assert entry_of(league.message("entry")) == 2
        until(lambda: sender.waiting == 2)
        answer(REFUSED, hash_of(entries[1]), sequence=2)
        assert entry_of(league.message("entry")) == 3
        answer(COMMITTED, hash_of(entries[2]), sequence=3)
        until(lambda: sender.waiting == 0)
        entries.append(sender.leave(4))
        assert entry_of(league.message("entry")) == 4
    league.broker.close()


def entry_of(message: bytes) -> int:
    from jwt import PyJWS

    payload = PyJWS().decode(message, options={"verify_signature": False})
    return entry_from_bytes(payload).sequence


@pytest.mark.slow
def test_a_broker_that_was_away_gets_what_is_waiting(place: Place, tmp_path: Path) -> None:
    sender = Sender(tmp_path, place.enrol("lion"))
    assert place.broker is not None
    place.broker.kill()
    with running(sender.uplink):
        sender.leave()
        place.broker.start()
        league = consumer_listener(place, "shutthebox/+/entry")
        assert entry_of(league.message("entry")) == 1
        place.broker.kill()
        place.broker.start()
        assert entry_of(league.message("entry")) == 1
        assert sender.waiting == 1
    league.broker.close()


def test_what_is_no_entry_is_set_aside(tmp_path: Path) -> None:
    sender = Sender(tmp_path, None)
    (sender.outbox / entry_name(1)).write_bytes(b"noise")
    sender.box.sequence = 1
    sender.leave()
    found = Spool(sender.outbox).oldest()
    assert found is not None
    assert found[0] == 2
    assert [path.name for path in sender.outbox.glob("*.damaged")] == [
        entry_name(1).replace("json", "damaged")
    ]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[HomeAssistant]:
    broker, port = plain_broker(tmp_path)
    yield HomeAssistant("127.0.0.1", port)
    broker.kill()


def test_home_assistant_is_told_all_in_one_retained_message(home: HomeAssistant, tmp_path: Path) -> None:
    sender = Sender(tmp_path, None, home)
    with running(sender.uplink):
        assistant = Listener(home.port, ("homeassistant/#", "shutthebox/#"))
        described = json.loads(assistant.message("homeassistant/device/shutthebox_box/config"))
        # It comes again when Home Assistant has started, and with it the state.
        assistant.broker.publish("homeassistant/status", ONLINE)
        assert json.loads(assistant.message("/config")) == described
        state = json.loads(assistant.message(described["state_topic"]))
        assert state["playing"] == "nobody"
    assert assistant.message("/availability") == OFFLINE.encode()
    late = Listener(home.port, ("homeassistant/#", "shutthebox/#"), client_id="late")
    assert json.loads(late.message("/config")) == described
    assert remove_from_home_assistant(home, "box")
    for topic in ("/config", "/state", "/availability"):
        assert assistant.message(topic) is not None
    later = Listener(home.port, ("homeassistant/#", "shutthebox/#", "end"), client_id="later")
    later.broker.publish("end", b"end")
    assert later.message("") == b"end", "nothing is retained any more"
    for listener in (assistant, late, later):
        listener.broker.close()


@pytest.mark.slow
def test_a_box_that_is_unplugged_is_offline(home: HomeAssistant, tmp_path: Path) -> None:
    sender = Sender(tmp_path, None, home)
    assistant = Listener(home.port, ("shutthebox/#",))
    with running(sender.uplink):
        assert assistant.message("/availability") == ONLINE.encode()
        broker = sender.uplink._brokers["home assistant"]
        line = broker._client.socket()
        assert line is not None
        line.close()
        assert assistant.message("/availability") == OFFLINE.encode()
        assert assistant.message("/availability") == ONLINE.encode()
    assistant.broker.close()


@pytest.mark.slow
def test_home_assistant_away_is_said(tmp_path: Path) -> None:
    assert not remove_from_home_assistant(HomeAssistant("127.0.0.1", 1), "box", timeout_s=0.1)
