"""The uplink against a real Mosquitto: an entry is kept until the league has given a receipt for it."""

import json
import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

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
from tests.support.waiting import HANG_S, until

from shutthebox.adapters.outbox import entry_name
from shutthebox.errors import ShutTheBoxError
from shutthebox.outbox_entry import (
    UPLINK_STATUS_FILE,
    DeliveryState,
    UplinkStatus,
    entry_from_bytes,
    hash_of,
    uplink_status,
)
from shutthebox_uplink.home_assistant import OFFLINE, ONLINE, device_id
from shutthebox_uplink.identity import IDENTITY_FILE, find_identity, keep_identity
from shutthebox_uplink.mqtt import Broker, Connected, Disconnected, Event, Message
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
        self.name = enrolment.name if enrolment else keep_identity(self.outbox)
        self.uplink = Uplink(Spool(self.outbox), folder / "scores.json", enrolment, home, self.name)

    def leave(self, seed: int = 1) -> bytes:
        data = self.box.play(played_record(seed))
        (self.outbox / entry_name(self.box.sequence, self.box.journal)).write_bytes(data)
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
        says = sender.outbox / UPLINK_STATUS_FILE
        until(lambda: says.exists() and uplink_status(says.read_text()).state is DeliveryState.HELD)
        answer(COMMITTED, hash_of(entries[0]))
        assert entry_of(league.message("entry")) == 2
        until(lambda: uplink_status(says.read_text()).state is DeliveryState.GOOD)
        until(lambda: sender.waiting == 2)
        answer(REFUSED, hash_of(entries[1]), sequence=2)
        assert entry_of(league.message("entry")) == 3
        answer(COMMITTED, hash_of(entries[2]), sequence=3)
        until(lambda: sender.waiting == 0)
        entries.append(sender.leave(4))
        assert entry_of(league.message("entry")) == 4
    league.broker.close()


def test_a_box_that_is_switched_off_is_offline_for_the_league(place: Place, tmp_path: Path) -> None:
    """A goodbye in good order isn't a lost line: the broker has no last word to give for it."""
    sender = Sender(tmp_path, place.enrol("lion"))
    league = consumer_listener(place, "shutthebox/+/availability")
    with running(sender.uplink):
        assert league.message("lion.1/availability") == ONLINE.encode()
    assert league.message("lion.1/availability") == OFFLINE.encode()
    league.broker.close()
    late = consumer_listener(place, "shutthebox/+/availability")
    assert late.message("lion.1/availability") == OFFLINE.encode(), "it's retained"
    late.broker.close()


def test_a_box_that_has_left_the_league_is_not_told_of_it_for_ever(tmp_path: Path) -> None:
    sender = Sender(tmp_path, None)
    says = sender.outbox / UPLINK_STATUS_FILE
    with running(sender.uplink):
        until(lambda: says.exists() and uplink_status(says.read_text()).state is DeliveryState.NO_LEAGUE)
    assert uplink_status(says.read_text()) == UplinkStatus(DeliveryState.GOOD)


def test_nothing_that_a_broker_sends_ends_the_uplink(place: Place, tmp_path: Path) -> None:
    sender = Sender(tmp_path, place.enrol("lion"))
    league = consumer_listener(place, "shutthebox/+/entry")
    with running(sender.uplink):
        odd = (b"[" * 10_000, b"{" * 10_000, b" " * 1_000_000, b"\xff\xfe\x00", b"[1]", b'{"version": 1}')
        for hello in odd:
            league.broker.publish(HELLO_TOPIC, hello)
            league.broker.publish(receipt_topic("lion.1"), hello)
        entry = sender.leave()
        league.message("entry")
        receipt = Receipt("b" * 32, 1, hash_of(entry), COMMITTED)
        league.broker.publish(receipt_topic("lion.1"), sign_receipt(receipt, place.authority.receipts_key))
        until(lambda: sender.waiting == 0)
    league.broker.close()


class HostileBroker:
    """Accepts one connection, then announces a packet of 200 MB and sends as much as is taken."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.taken = 0
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        line, _ = self._listener.accept()
        with line, suppress(OSError):
            line.recv(1000)
            line.sendall(bytes((0x20, 2, 0, 0)))  # CONNACK
            line.sendall(bytes((0x30, 0x80, 0x84, 0xAF, 0x5F)))  # PUBLISH, of 200,000,000 bytes
            while self.taken < 200_000_000:
                self.taken += line.send(bytes(100_000))

    def close(self) -> None:
        self._thread.join()
        self._listener.close()


def test_a_packet_of_200_megabytes_is_not_taken(caplog: pytest.LogCaptureFixture) -> None:
    hostile = HostileBroker()
    events: SimpleQueue[Event] = SimpleQueue()
    broker = Broker("x", "127.0.0.1", hostile.port, events.put, ())
    broker.start()
    assert isinstance(events.get(timeout=HANG_S), Connected)
    assert isinstance(events.get(timeout=HANG_S), Disconnected)
    hostile.close()
    broker.close()
    assert hostile.taken < 20_000_000, "what the kernel buffers, and no more"


def test_a_flood_of_a_broker_is_not_kept(tmp_path: Path) -> None:
    sender = Sender(tmp_path, None)
    for _ in range(10_000):
        sender.uplink._tell(Message("league", HELLO_TOPIC, b"{}"))
    sender.uplink._tell(Message("league", HELLO_TOPIC, bytes(10_000_000)))
    sender.uplink._tell(Disconnected("league", ""))
    assert sender.uplink.inbox.qsize() <= 101
    kept = [sender.uplink.inbox.get() for _ in range(sender.uplink.inbox.qsize())]
    assert isinstance(kept[-1], Disconnected), "this is never dropped"


@pytest.mark.slow
def test_two_boxes_with_one_enrolment_say_so(place: Place, tmp_path: Path) -> None:
    enrolment = place.enrol("lion")
    league = consumer_listener(place, "shutthebox/+/state")
    said = list[str]()
    for name in "ab":
        (tmp_path / name).mkdir()
    first, second = Sender(tmp_path / "a", enrolment), Sender(tmp_path / "b", enrolment)
    with in_a_thread(lambda: first.uplink.run(status=said.append), lambda: first.uplink.inbox.put(None)):
        assert json.loads(league.message("/state"))["delivery"] == "good"
        with running(second.uplink):
            until(lambda: any("another box use the same enrolment" in line for line in said))
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
    (sender.outbox / "1.json").write_bytes(b"noise")
    (sender.outbox / "2.json").mkdir()
    (sender.outbox / "3.json").symlink_to("/etc/passwd")
    (sender.outbox / "4.json").symlink_to("nowhere")
    os.mkfifo(sender.outbox / "5.json")
    (sender.outbox / "6.json").write_bytes(b" " * 1_000_000)
    # Its name aside is taken.
    (sender.outbox / "7.json").write_bytes(b"noise")
    (sender.outbox / "7.damaged").mkdir()
    sender.box.sequence = 7
    data = sender.leave()
    spool = Spool(sender.outbox)
    found = spool.oldest()
    assert found is not None
    assert (found.sequence, found.data) == (8, data)
    spool.remove(found)
    assert spool.oldest() is None
    left = {
        path.stem: path.suffix
        for path in sender.outbox.iterdir()
        if path.name not in ("7.damaged", IDENTITY_FILE)
    }
    assert left == {**dict.fromkeys("12356", ".damaged"), "4": ".damaged", "7": ".json"}


def test_a_full_outbox_is_listed_once(tmp_path: Path) -> None:
    """A list takes long, so one for each entry would make the time grow with the square."""
    sender = Sender(tmp_path, None)
    entries = [sender.leave() for _ in range(20)]
    lists = 0

    class Counted(Spool):
        def _list(self) -> list[str]:
            nonlocal lists
            lists += 1
            return super()._list()

    spool = Counted(sender.outbox)
    for number, entry in enumerate(entries):
        found = spool.oldest()
        assert found is not None
        assert found.data == entry
        assert spool.count() == len(entries) - number
        spool.remove(found)
    assert (lists, spool.oldest()) == (1, None)
    last = sender.leave()
    again = spool.oldest()
    assert again is not None
    assert again.data == last


@pytest.fixture
def home(tmp_path: Path) -> Iterator[HomeAssistant]:
    broker, port = plain_broker(tmp_path)
    yield HomeAssistant("127.0.0.1", port)
    broker.kill()


def test_home_assistant_is_told_all_in_one_retained_message(home: HomeAssistant, tmp_path: Path) -> None:
    sender = Sender(tmp_path, None, home)
    with running(sender.uplink):
        assistant = Listener(home.port, ("homeassistant/#", "shutthebox/#"))
        described = json.loads(assistant.message("/config"))
        # It comes again when Home Assistant has started, and with it the state.
        assistant.broker.publish("homeassistant/status", ONLINE)
        assert json.loads(assistant.message("/config")) == described
        state = json.loads(assistant.message(described["state_topic"]))
        assert state["playing"] == "nobody"
    assert assistant.message("/availability") == OFFLINE.encode()
    late = Listener(home.port, ("homeassistant/#", "shutthebox/#"), client_id="late")
    assert json.loads(late.message("/config")) == described
    assert remove_from_home_assistant(home, sender.name)
    for topic in ("/config", "/state", "/availability"):
        assert assistant.message(topic) is not None
    later = Listener(home.port, ("homeassistant/#", "shutthebox/#", "end"), client_id="later")
    later.broker.publish("end", b"end")
    assert later.message("") == b"end", "nothing is retained any more"
    for listener in (assistant, late, later):
        listener.broker.close()


def test_two_boxes_without_a_league_are_two_devices(home: HomeAssistant, tmp_path: Path) -> None:
    assistant = Listener(home.port, ("homeassistant/device/#", "shutthebox/#"))
    senders = []
    for name in "ab":
        (tmp_path / name).mkdir()
        senders.append(Sender(tmp_path / name, None, home))
    devices = {}
    with running(senders[0].uplink), running(senders[1].uplink):
        for _ in senders:
            described = json.loads(assistant.message("/config"))
            devices[described["state_topic"]] = described["dev"]["ids"]
    assert {f"shutthebox/{sender.name}/state" for sender in senders} == devices.keys()
    assert len({ids[0] for ids in devices.values()}) == 2
    assert remove_from_home_assistant(home, senders[0].name)
    later = Listener(home.port, ("homeassistant/#", "shutthebox/#", "end"), client_id="later")
    assert json.loads(later.message("/config"))["state_topic"] == f"shutthebox/{senders[1].name}/state"
    for listener in (assistant, later):
        listener.broker.close()


@pytest.mark.slow
def test_two_boxes_with_one_identity_say_so(
    home: HomeAssistant, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    senders = []
    for name in "ab":
        (tmp_path / name).mkdir()
        senders.append(Sender(tmp_path / name, None, home))
    copy = Uplink(Spool(senders[1].outbox), tmp_path / "scores.json", None, home, senders[0].name)
    with caplog.at_level(logging.WARNING), running(senders[0].uplink), running(copy):
        until(lambda: f"somebody else uses this name, {device_id(senders[0].name)}" in caplog.text)


def test_an_identity_is_kept_but_not_on_another_pi(tmp_path: Path) -> None:
    serial = tmp_path / "serial-number"
    serial.write_bytes(b"10000000abcdef01\0")
    assert find_identity(tmp_path, serial) is None
    made = keep_identity(tmp_path, serial)
    assert keep_identity(tmp_path, serial) == made == find_identity(tmp_path, serial)
    serial.write_bytes(b"10000000abcdef02\0")  # a copy of the card, in another Pi
    assert find_identity(tmp_path, serial) is None
    assert keep_identity(tmp_path, serial) != made


def test_a_damaged_identity_is_made_again_and_an_unreadable_one_is_not(tmp_path: Path) -> None:
    (tmp_path / IDENTITY_FILE).write_bytes(b"\xff\0")
    made = keep_identity(tmp_path)
    assert find_identity(tmp_path) == made
    (tmp_path / IDENTITY_FILE).unlink()
    (tmp_path / IDENTITY_FILE).mkdir()
    with pytest.raises(ShutTheBoxError, match="is a folder"):
        keep_identity(tmp_path)


@pytest.mark.parametrize(
    ("name", "shown"), [("The bar", "The bar"), ("", f"Shut the Box {socket.gethostname()}")]
)
def test_home_assistant_shows_the_owners_name(
    home: HomeAssistant, tmp_path: Path, name: str, shown: str
) -> None:
    sender = Sender(tmp_path, None, replace(home, name=name))
    assistant = Listener(home.port, ("homeassistant/device/#",))
    with running(sender.uplink):
        assert json.loads(assistant.message("/config"))["dev"]["name"] == shown
    assistant.broker.close()


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
