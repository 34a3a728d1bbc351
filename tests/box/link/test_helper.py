"""Two boxes with their helpers, as processes, over a real Mosquitto with TLS."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.link import LinkBroker, Side, kept_topics, pair, two_sides
from tests.support.waiting import until

from shutthebox.link.messages import Decline, Levers, Sync
from shutthebox.link.requests import (
    EnterRoom,
    Leave,
    NotPaired,
    OpenRoom,
    Peer,
    Received,
    Rejoin,
    RoomOpened,
    Send,
    WhyNotPaired,
)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LinkBroker]:
    broker = LinkBroker(tmp_path_factory.mktemp("broker"))
    yield broker
    broker.process.kill()


@pytest.fixture
def sides(tmp_path: Path, broker: LinkBroker) -> Iterator[tuple[Side, Side]]:
    with two_sides(tmp_path, broker) as sides:
        yield sides


def says(speaker: Side, listener: Side, number: int) -> None:
    """A message gets there. Asked once: the boxes are here, so nothing gets lost."""
    message = Sync(number, "a" * 64, 1, ("move 1,2",) * 8, "")
    speaker.box.ask(Send(message))
    assert listener.box.next(Received).message == message


def test_two_boxes_meet_talk_and_part(sides: tuple[Side, Side]) -> None:
    host, guest = sides
    session = pair(host.box, guest.box)
    for number in range(5):
        says(host, guest, number)
        says(guest, host, number)
    assert all(stat.S_IMODE(side.helper.keys.stat().st_mode) == 0o600 for side in sides)
    guest.box.ask(Send(Decline(1)))
    guest.box.ask(Leave())
    assert host.box.next(Received).message == Decline(1), "what was asked for before gets there"
    host.box.until(Peer.LEFT)
    host.box.ask(Leave())
    for side in sides:
        assert side.box.asked(Rejoin(session), NotPaired).why is WhyNotPaired.UNKNOWN
    until(lambda: all(side.helper.keys.read_bytes() == b"[]" for side in sides))


@pytest.mark.slow
def test_a_box_that_comes_back_hears_that_the_other_has_left(
    sides: tuple[Side, Side], broker: LinkBroker
) -> None:
    """Nobody waits for a box that knows of no match any more: the broker tells, if it's off by then."""
    host, guest = sides
    session = pair(host.box, guest.box)
    for side in sides:
        side.helper.kill()
        side.box.until(Peer.OFFLINE)
    guest.box.ask(Leave())
    host.box.ask(Rejoin(session))
    guest.helper.start()
    until(lambda: kept_topics(broker.ports[0]))
    guest.helper.kill()
    host.helper.start()
    host.box.until(Peer.LEFT)
    host.box.ask(Leave())
    guest.helper.start()
    until(lambda: all(side.helper.keys.read_bytes() == b"[]" for side in sides))
    until(lambda: not kept_topics(broker.ports[0]))


@pytest.mark.slow
def test_a_box_hears_that_the_other_has_left_from_a_broker_that_lost_it(
    sides: tuple[Side, Side], broker: LinkBroker
) -> None:
    """It waited for a match that had never begun, for a week."""
    host, guest = sides
    session = pair(host.box, guest.box)
    guest.helper.kill()
    guest.box.until(Peer.OFFLINE)
    guest.box.ask(Rejoin(session))
    host.box.ask(Leave())
    until(lambda: kept_topics(broker.ports[0]))
    broker.process.kill()
    broker.process.start()
    guest.helper.start()
    guest.box.until(Peer.LEFT)
    guest.box.ask(Leave())
    until(lambda: all(side.helper.keys.read_bytes() == b"[]" for side in sides))
    until(lambda: not kept_topics(broker.ports[0]))


@pytest.mark.slow
def test_a_wrong_code_closes_the_room_at_both(sides: tuple[Side, Side]) -> None:
    host, guest = sides
    opened = host.box.asked(OpenRoom(), RoomOpened)
    wrong = opened.code[:-1] + ("1" if opened.code[-1] != "1" else "2")
    assert guest.box.asked(EnterRoom(opened.room, wrong), NotPaired).why is WhyNotPaired.WRONG_CODE
    assert host.box.next(NotPaired).why is WhyNotPaired.WRONG_CODE
    assert pair(host.box, guest.box), "in another room"


@pytest.mark.slow
def test_a_match_goes_on_after_anything_is_killed(sides: tuple[Side, Side], broker: LinkBroker) -> None:
    host, guest = sides
    session = pair(host.box, guest.box)

    host.helper.kill()
    host.box.until(Peer.OFFLINE)
    guest.box.until(Peer.AWAY)
    host.helper.start()
    host.box.until(Peer.OFFLINE)  # it calls again
    host.box.ask(Rejoin(session))
    for side in sides:
        side.box.until(Peer.HERE)
    says(host, guest, 1)

    broker.process.kill()
    for side in sides:
        side.box.until(Peer.OFFLINE)
    broker.process.start()
    for side in sides:
        side.box.until(Peer.HERE)
    says(guest, host, 2)

    guest.box.socket.close()
    host.box.until(Peer.AWAY)
    guest.box.open()
    guest.box.until(Peer.OFFLINE)
    guest.box.until(Peer.OFFLINE)
    guest.box.ask(Rejoin(session))
    for side in sides:
        side.box.until(Peer.HERE)
    says(guest, host, 3)
    says(host, guest, 4)


@pytest.mark.slow
def test_levers_follow_one_another_as_they_move(sides: tuple[Side, Side]) -> None:
    host, guest = sides
    pair(host.box, guest.box)
    for down in range(15):
        host.box.ask(Send(Levers(0, down)))
    assert [guest.box.next(Received).message for _ in range(15)] == [Levers(0, down) for down in range(15)]


@pytest.mark.slow
@pytest.mark.parametrize("change", [{"password": "wrong"}, {"broker": "mqtts://localhost:1"}], ids=str)
def test_a_broker_that_lets_nobody_in(change: dict[str, str], tmp_path: Path, broker: LinkBroker) -> None:
    side = Side(tmp_path / "side", broker.config(tmp_path / "x.toml", **change))
    try:
        assert side.box.asked(OpenRoom(), NotPaired).why is WhyNotPaired.NO_BROKER
    finally:
        side.close()


@pytest.mark.slow
def test_the_helper_ends_when_told_to_and_the_other_box_knows(sides: tuple[Side, Side]) -> None:
    host, guest = sides
    pair(host.box, guest.box)
    assert host.helper.end() == 0
    guest.box.until(Peer.AWAY)
    host.box.until(Peer.OFFLINE)


@pytest.mark.slow
def test_a_helper_at_rest_has_no_connection_and_sleeps(sides: tuple[Side, Side], broker: LinkBroker) -> None:
    host, _ = sides
    opened = host.box.asked(OpenRoom(), RoomOpened)
    assert len(opened.room) == len(opened.code) == 4
    host.box.ask(Leave())
    log = broker.folder / "link.log"
    until(lambda: "disconnected" in log.read_text())
    threads = Path(f"/proc/{host.helper.process.pid}/task")
    until(lambda: len(list(threads.iterdir())) == 2, "the loop, and the thread of the box's socket")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[link]\n", "link.on: is false"),
        (
            '[link]\non = true\nbroker = "mqtt://x:1"\n',
            "link.broker: 'mqtt://x:1' is not allowed; use",
        ),
        ('[link]\non = true\nbroker = "mqtts://x:1"\nca = "/nowhere"\n', "link.ca: /nowhere: No such file"),
    ],
)
def test_a_mistake_is_one_line(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from shutthebox_link.main import main

    config = tmp_path / "config.toml"
    config.write_text(text)
    assert main(["--config", str(config), "--state", str(tmp_path)]) == 2
    line = capsys.readouterr().err
    assert said in line
    assert line.count("\n") == 1
