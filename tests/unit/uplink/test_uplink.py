"""An entry stays until the league has signed a receipt for it. Home Assistant is told by a real Mosquitto."""

import json
import logging
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt import PyJWS
from tests.support.certificates import Authority
from tests.support.http_client import answering
from tests.support.league import FakeBox, in_a_thread, played_record
from tests.support.league_server import Exchange, LeagueServer
from tests.support.mosquitto import Listener, free_port, plain_broker
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
from shutthebox_uplink import delivery, mqtt
from shutthebox_uplink import uplink as uplink_module
from shutthebox_uplink.home_assistant import OFFLINE, ONLINE, device_id
from shutthebox_uplink.https import League, NoAnswer, Result
from shutthebox_uplink.identity import IDENTITY_FILE, find_identity, keep_identity
from shutthebox_uplink.mqtt import Broker, Connected, Disconnected, Event, Message
from shutthebox_uplink.settings import Enrolment, HomeAssistant
from shutthebox_uplink.signing import COMMITTED, HELD, REFUSED, Receipt, open_entry, open_state, sign_receipt
from shutthebox_uplink.spool import Spool
from shutthebox_uplink.uplink import STATE_PATH, Uplink, remove_from_home_assistant


def running(uplink: Uplink) -> AbstractContextManager[None]:
    return in_a_thread(uplink.run, lambda: uplink.inbox.put(None))


def entry_of(message: bytes) -> int:
    return entry_from_bytes(PyJWS().decode(message, options={"verify_signature": False})).sequence


class Sender:
    """A box's outbox with entries, and its uplink."""

    def __init__(self, folder: Path, enrolment: Enrolment | None, home: HomeAssistant | None = None) -> None:
        self.outbox, self.enrolment = folder / "outbox", enrolment
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


def receipt_for(
    exchange: Exchange, key: Ed25519PrivateKey, status: str = COMMITTED, reason: str = "", **other: Any
) -> bytes:
    """The receipt for the entry or the state in a request."""
    payload = PyJWS().decode(exchange.body, options={"verify_signature": False})
    if exchange.path == STATE_PATH:
        return sign_receipt(Receipt("", 0, hash_of(payload), status, reason, version="9.9"), key)
    entry = entry_from_bytes(payload)
    receipt = Receipt(entry.box, entry.sequence, hash_of(payload), status, reason, version="9.9")
    return sign_receipt(replace(receipt, **other), key)


@pytest.fixture
def key() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.generate()


@pytest.fixture
def server(key: Ed25519PrivateKey) -> Iterator[LeagueServer]:
    """A league that commits all."""
    with answering(LeagueServer(lambda exchange: exchange.say(200, receipt_for(exchange, key)))) as server:
        yield server


def enrolment_at(url: str, key: Ed25519PrivateKey, ca: Path | None = None) -> Enrolment:
    return Enrolment(url, "lion.1", Ed25519PrivateKey.generate(), key.public_key(), ca)


@pytest.fixture
def enrolment(server: LeagueServer, key: Ed25519PrivateKey) -> Enrolment:
    return enrolment_at(f"http://127.0.0.1:{server.port}", key)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An uplink that waits a moment where others wait seconds."""
    monkeypatch.setattr(delivery, "FIRST_WAIT_S", 0.02)
    monkeypatch.setattr(delivery, "LONGEST_WAIT_S", 0.1)
    monkeypatch.setattr(uplink_module, "LOOK_S", 0.02)


def says(sender: Sender) -> UplinkStatus:
    path = sender.outbox / UPLINK_STATUS_FILE
    return uplink_status(path.read_text()) if path.exists() else UplinkStatus(DeliveryState.GOOD)


def test_entries_go_in_order_when_the_league_has_them(
    server: LeagueServer, enrolment: Enrolment, tmp_path: Path
) -> None:
    sender = Sender(tmp_path, enrolment)
    entries = [sender.leave(seed) for seed in range(3)]
    with running(sender.uplink):
        for entry in entries:
            signed = open_entry(server.next().body, "lion.1", enrolment.key.public_key())
            assert signed.entry == entry
        until(lambda: sender.waiting == 0)
        sender.leave(4)
        assert entry_of(server.next().body) == 4


@pytest.mark.parametrize(
    "wrong",
    [
        lambda exchange, key: exchange.say(200, receipt_for(exchange, Ed25519PrivateKey.generate())),
        lambda exchange, key: exchange.say(200, receipt_for(exchange, key, hash="f" * 64)),
        lambda exchange, key: exchange.say(200, receipt_for(exchange, key, sequence=2)),
        lambda exchange, key: exchange.say(200, receipt_for(exchange, key, HELD, "later")),
        lambda exchange, key: exchange.say(200, receipt_for(exchange, key, status="done")),
        lambda exchange, key: exchange.say(500, receipt_for(exchange, key)),
        lambda exchange, key: exchange.say(202, receipt_for(exchange, key)),
        lambda exchange, key: exchange.say(200, exchange.body),
        lambda exchange, key: exchange.say(200, b"<html>Welcome to our Wi-Fi</html>"),
        lambda exchange, key: exchange.say(200, b"[" * 60_000),
        lambda exchange, key: exchange.say(200, bytes(10_000_000)),
        lambda exchange, key: exchange.say(200, receipt_for(exchange, key) + bytes(70_000)),
        lambda exchange, key: exchange.say(204),
        lambda exchange, key: exchange.say(302, b"", Location="http://127.0.0.1:1/entry"),
        lambda exchange, key: exchange.say(307, b"", Location="/elsewhere"),
        lambda exchange, key: exchange.say(401),
        lambda exchange, key: exchange.say(413),
        lambda exchange, key: exchange.say(429, b"", Retry_After="0"),
        lambda exchange, key: exchange.say(429, b"", Retry_After="-1e999"),
        lambda exchange, key: exchange.say(503, b"", Retry_After="Wed, 21 Oct 2099 07:28:00 GMT"),
        lambda exchange, key: exchange.wfile.write(b"nonsense\r\n" * 100),
        lambda exchange, key: exchange.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 10_000),
        lambda exchange, key: exchange.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"),
        lambda exchange, key: exchange.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + b"x"),
        lambda exchange, key: exchange.wfile.write(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\n"
        ),
        lambda exchange, key: exchange.connection.close(),
    ],
)
def test_nothing_but_a_signed_receipt_removes_an_entry(
    server: LeagueServer,
    enrolment: Enrolment,
    key: Ed25519PrivateKey,
    tmp_path: Path,
    wrong: Callable[[Exchange, Ed25519PrivateKey], None],
) -> None:
    """A captive portal, an attacker without the league's key, a server that is ill."""
    right = server.answer

    def answer(exchange: Exchange) -> None:
        wrong(exchange, key)
        exchange.close_connection = True

    server.answer = answer
    sender = Sender(tmp_path, enrolment)
    entry = sender.leave()
    with running(sender.uplink):
        for _ in range(2):  # the second says that the first has been read
            assert open_entry(server.next().body, "lion.1", enrolment.key.public_key()).entry == entry
        assert sender.waiting == 1
        server.answer = right
        until(lambda: sender.waiting == 0)
        until(lambda: says(sender).state is DeliveryState.GOOD)


@pytest.mark.parametrize("status", [COMMITTED, REFUSED])
def test_what_is_committed_or_refused_goes_with_a_word_to_the_owner(
    server: LeagueServer, enrolment: Enrolment, key: Ed25519PrivateKey, tmp_path: Path, status: str
) -> None:
    server.answer = lambda exchange: exchange.say(200, receipt_for(exchange, key, status, "so it is"))
    sender = Sender(tmp_path, enrolment)
    sender.leave()
    with running(sender.uplink):
        until(lambda: sender.waiting == 0)
        if status == COMMITTED:
            until(lambda: says(sender) == UplinkStatus(DeliveryState.OTHER, "so it is"))


def test_a_league_that_was_away_gets_what_is_waiting(
    server: LeagueServer, enrolment: Enrolment, key: Ed25519PrivateKey, tmp_path: Path
) -> None:
    sender = Sender(tmp_path, enrolment_at(f"http://127.0.0.1:{free_port()}", key))
    sender.leave()
    with running(sender.uplink):
        port = int(sender.enrolment.url.rpartition(":")[2]) if sender.enrolment else 0
        time.sleep(0.3)
        assert sender.waiting == 1
        with answering(LeagueServer(server.answer, port=port)):
            until(lambda: sender.waiting == 0)


def test_a_connection_that_the_league_has_closed_meanwhile_is_made_again(
    server: LeagueServer, enrolment: Enrolment, key: Ed25519PrivateKey, tmp_path: Path
) -> None:
    def answer(exchange: Exchange) -> None:
        exchange.say(200, receipt_for(exchange, key))
        exchange.close_connection = True  # without a word about it

    server.answer = answer
    sender = Sender(tmp_path, enrolment)
    with running(sender.uplink):
        for number in range(3):
            sender.leave(number)
            until(lambda: sender.waiting == 0)


def test_a_silent_or_endless_server_is_given_up(key: Ed25519PrivateKey) -> None:
    ends = threading.Event()

    def silent(exchange: Exchange) -> None:
        ends.wait(HANG_S)

    def endless(exchange: Exchange) -> None:
        for _ in range(1000):
            if ends.wait(0.05):
                return
            exchange.wfile.write(b"H" if _ == 0 else b"T")

    for hangs, silent_s, whole_s in ((silent, 0.3, 60.0), (endless, 60.0, 0.5)):
        results: SimpleQueue[Result] = SimpleQueue()
        with answering(LeagueServer(hangs)) as server:
            enrolment = enrolment_at(f"http://127.0.0.1:{server.port}", key)
            league = League(enrolment, results.put, silent_s=silent_s, whole_s=whole_s)
            league.post("/entry", b"x")
            assert isinstance(results.get(timeout=HANG_S), NoAnswer)
            assert not league.is_busy
            league.close()
            ends.set()
        ends.clear()


def test_the_watchdog_is_fed_while_the_league_is_silent(
    server: LeagueServer, enrolment: Enrolment, tmp_path: Path
) -> None:
    ends, fed = threading.Event(), list[None]()

    def answer(exchange: Exchange) -> None:
        ends.wait(HANG_S)

    server.answer = answer
    sender = Sender(tmp_path, enrolment)
    sender.leave()
    with in_a_thread(
        lambda: sender.uplink.run(lambda: fed.append(None)), lambda: sender.uplink.inbox.put(None)
    ):
        server.next()
        count = len(fed)
        until(lambda: len(fed) > count + 1)
    ends.set()


@pytest.mark.parametrize(
    ("name", "days", "trusted", "works"),
    [
        ("localhost", 30, True, True),
        ("localhost", 30, False, False),
        ("localhost", -1, True, False),
        ("elsewhere.example", 30, True, False),
    ],
)
def test_the_leagues_certificate_has_to_be_signed_by_a_known_authority(
    key: Ed25519PrivateKey, tmp_path: Path, name: str, days: int, trusted: bool, works: bool
) -> None:
    authority = Authority(tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*authority.sign(name, days=days))
    server = LeagueServer(lambda exchange: exchange.say(200, receipt_for(exchange, key)), tls)
    enrolment = enrolment_at(f"https://localhost:{server.port}", key, authority.path if trusted else None)
    with answering(server):
        sender = Sender(tmp_path, enrolment)
        sender.leave()
        with running(sender.uplink):
            if works:
                until(lambda: sender.waiting == 0)
            else:
                until(lambda: says(sender).line.startswith("the league: its certificate isn't valid: "))
                assert (sender.waiting, server.requests.empty()) == (1, True)


def test_a_proxy_of_the_environment_is_used(key: Ed25519PrivateKey, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(LeagueServer(lambda exchange: exchange.say(200, receipt_for(exchange, key)))) as proxy:
        for scheme in ("http", "https"):
            monkeypatch.setenv(f"{scheme}_proxy", f"http://me:s%20e@127.0.0.1:{proxy.port}")
        results: SimpleQueue[Result] = SimpleQueue()
        for url, path in (
            ("http://10.1.2.3", "http://10.1.2.3/entry"), ("https://league.example", "league.example:443")
        ):  # fmt: skip
            league = League(enrolment_at(url, key), results.put)
            league.post("/entry", b"a.b.c")
            seen = proxy.next(path)
            assert seen.headers["proxy-authorization"] == "Basic bWU6cyBl"
            results.get(timeout=HANG_S)
            league.close()
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        league = League(enrolment_at(f"http://127.0.0.1:{proxy.port}", key), results.put)
        league.post("/entry", b"a.b.c")
        assert proxy.next("/entry").headers["proxy-authorization"] is None
        league.close()


def test_the_state_goes_to_the_league_signed_and_again_when_it_changes(
    server: LeagueServer, enrolment: Enrolment, tmp_path: Path
) -> None:
    sender = Sender(tmp_path, enrolment)
    with running(sender.uplink):
        first = json.loads(open_state(server.next("/state").body, "lion.1", enrolment.key.public_key()))
        assert (first["playing"], first["latest_version"]) == ("nobody", None)
        # What the league has answered is a change.
        second = json.loads(open_state(server.next("/state").body, "lion.1", enrolment.key.public_key()))
        assert second["latest_version"] == "9.9"
        time.sleep(1.1)  # an uptime has whole seconds
        assert server.requests.empty(), "the uptime alone is no change"


def test_a_restarted_uplink_says_that_its_league_is_well(tmp_path: Path) -> None:
    sender = Sender(tmp_path, None)
    with running(sender.uplink):
        until(lambda: says(sender).state is DeliveryState.NO_LEAGUE)
    assert says(sender) == UplinkStatus(DeliveryState.GOOD)


class OddBroker:
    """Accepts connections, and sends each what isn't MQTT."""

    def __init__(self, *odd: bytes) -> None:
        self._listener, self._odd = socket.create_server(("127.0.0.1", 0)), odd
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        for odd in self._odd:
            line, _ = self._listener.accept()
            with line, suppress(OSError):
                line.recv(1000)
                line.sendall(odd)
                line.settimeout(HANG_S)
                while line.recv(1000):
                    pass

    def close(self) -> None:
        self._thread.join()
        self._listener.close()


def test_what_is_not_mqtt_does_not_end_the_connection_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqtt, "_RECONNECT_S", 0.05)
    accepted = bytes((0x20, 2, 0, 0))
    odd = OddBroker(accepted + bytes((0x30, 3, 0xFF, 0xFF, 0)), accepted + bytes((0x90, 1, 0)), accepted)
    events: SimpleQueue[Event] = SimpleQueue()
    broker = Broker("x", "127.0.0.1", odd.port, events.put, ())
    broker.start()
    for _ in range(2):
        assert isinstance(events.get(timeout=HANG_S), Connected)
        assert isinstance(events.get(timeout=HANG_S), Disconnected)
    assert isinstance(events.get(timeout=HANG_S), Connected)
    broker.close()
    odd.close()


def test_a_flood_of_a_broker_is_not_kept(tmp_path: Path) -> None:
    sender = Sender(tmp_path, None)
    for _ in range(10_000):
        sender.uplink._tell(Message("home assistant", "x", b"{}"))
    sender.uplink._tell(Message("home assistant", "x", bytes(10_000_000)))
    sender.uplink._tell(Disconnected("home assistant", ""))
    assert sender.uplink.inbox.qsize() <= 101
    kept = [sender.uplink.inbox.get() for _ in range(sender.uplink.inbox.qsize())]
    assert isinstance(kept[-1], Disconnected), "this is never dropped"


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
        broker = sender.uplink._broker
        assert broker is not None
        line = broker._client.socket()
        assert line is not None
        line.close()
        assert assistant.message("/availability") == OFFLINE.encode()
        assert assistant.message("/availability") == ONLINE.encode()
    assistant.broker.close()
