"""The page for telephones in the same network: who is let in, and who has the hands."""

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from mock import Mock
from tests.box.simulator.page.pages import FakePanel, goodbye, page, receive, receive_until, server_of, shown
from tests.support.http_client import ask
from tests.support.machine import settings_for
from tests.support.shows import changed
from tests.support.waiting import HANG_S, until
from websockets.exceptions import InvalidStatus

from shutthebox.game.effects import Form
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.network import address_of_process
from shutthebox.simulator.hardware.box import SimulatedBox
from shutthebox.simulator.page import request_guard
from shutthebox.simulator.page import server as server_module
from shutthebox.simulator.page.request_guard import visitor_of
from shutthebox.simulator.page.server import PageServer
from shutthebox.simulator.page.transcript import Transcript


@pytest.fixture
def address() -> str:
    """This machine's address in its network: whoever comes from it is a visitor."""
    found = address_of_process()
    if not found[0].isdigit() or not visitor_of((found,)):
        pytest.skip("NOT TESTED: visitors of the page, because this machine is in no network")
    return found


@pytest.fixture
def open_server(box: SimulatedBox, panel: FakePanel) -> Iterator[PageServer]:
    with server_of(box, panel, address="0.0.0.0", names=("box.local",)) as server:
        yield server


OF_THIS_MACHINE = [
    '{"workshop": true}',
    '{"pull_plug": true}',
    '{"replay": ""}',
    '{"mend": true}',
    '{"record": true}',
    '{"rules": "dice = 0", "file": ""}',
    '{"set": "game.players", "to": 3}',
    '{"names": ["ANN"]}',
    '{"cursor": 1}',
    '{"build": 12}',
]


def names_of(address: str) -> dict[str, str]:
    return {"host": f"{address}:{{port}}", "address": address}


def test_one_plays_at_a_time_and_the_others_watch(
    open_server: PageServer, box: SimulatedBox, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "HANDS_S", 3600.0)
    visitor = names_of(address)
    with page(open_server, **visitor) as first, page(open_server, **visitor) as second:
        assert [receive(client)["watching"] for client in (first, second)] == [False, False]
        first.send('{"lever": 3, "down": true}')
        until(lambda: box.levers_down == {2, 3})
        receive_until(second, "watching", True)
        for message in ('{"lever": 4, "down": true}', '{"button": true}'):
            second.send(message)
        first.send('{"lever": 5, "down": true}')
        until(lambda: 5 in box.levers_down)
        with page(open_server) as own:
            assert receive(own)["watching"] is False
            own.send('{"button": true}')
            until(lambda: box.button_down)
            receive_until(first, "watching", True)
        until(lambda: not box.button_down)
        receive_until(first, "watching", False)
        assert box.levers_down == {2, 3, 5}
        receive_until(second, "watching", False)


def test_hands_that_rest_are_free_and_a_held_button_is_let_go(
    open_server: PageServer, box: SimulatedBox, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "HANDS_S", 0.1)
    visitor = names_of(address)
    with page(open_server, **visitor) as first, page(open_server, **visitor) as second:
        receive(second)
        first.send('{"button": true}')
        receive_until(second, "watching", True)
        receive_until(second, "watching", False)
        assert box.button_down
        second.send('{"lever": 4, "down": true}')
        until(lambda: box.levers_down == {2, 4})
        until(lambda: not box.button_down)


@pytest.mark.parametrize("message", OF_THIS_MACHINE)
def test_visitors_have_hands_only(box: SimulatedBox, panel: FakePanel, address: str, message: str) -> None:
    given: list[object] = []
    transcript = Transcript()
    form = Form(settings_for("pub"), (), is_open=True, walks=True)
    transcript(changed(shown(Screen(Mode.ATTRACT)), form=form), 0)
    listening: dict[str, Any] = {"address": "0.0.0.0", "transcript": transcript, "fill_in": given.append}
    with server_of(box, panel, **listening) as server:
        with page(server, **names_of(address)) as client:
            state = receive(client)
            assert (state["maker"], state["form"]["open"], state["list"]) == (False, False, None)
            client.send(message)
            assert goodbye(client).reason == "visitors only get the levers and the button"
        with page(server) as own:
            state = receive(own)
            assert (state["maker"], state["form"]["open"], state["list"]) == (True, True, {"rows": False})
    assert given == []


def test_what_was_recorded_is_for_this_machine_only(
    box: SimulatedBox, panel: FakePanel, address: str, tmp_path: Path
) -> None:
    recording = tmp_path / "recording.scn"
    recording.write_text("wait 1\n", "utf-8")
    power = Mock(recording=recording, is_recording=False, boxes=())
    with server_of(box, panel, address="0.0.0.0", power=power) as server:
        assert ask(server.port, "/recording.scn")[0].status == 200
        host = f"{address}:{server.port}"
        assert ask(server.port, "/recording.scn", address=address, Host=host)[0].status == 404
        assert ask(server.port, "/", address=address, Host=host)[0].status == 200


@pytest.mark.parametrize(
    "host", ["evil.example:{port}", "192.0.2.77:{port}", "box.local", "box.local.evil:{port}"]
)
def test_a_page_of_another_site_that_points_here_is_refused(
    open_server: PageServer, address: str, host: str
) -> None:
    with pytest.raises(InvalidStatus), page(open_server, host=host, address=address):
        pass


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "box.local:{port}"])
def test_the_machines_names_are_answered(open_server: PageServer, address: str, host: str) -> None:
    with page(open_server, host=host, address=address) as client:
        assert receive(client)["type"] == "box"


def test_one_visitor_leaves_room_for_others(open_server: PageServer, address: str) -> None:
    visitor = names_of(address)
    with ExitStack() as stack:
        for _ in range(server_module.MAX_PAGES_OF_A_VISITOR):
            stack.enter_context(page(open_server, **visitor))
        until(lambda: open_server.watchers == server_module.MAX_PAGES_OF_A_VISITOR)
        with pytest.raises(InvalidStatus), page(open_server, **visitor):
            pass
        with page(open_server) as own:
            assert receive(own)["type"] == "box"


def test_a_visitor_who_floods_with_pings_is_hung_up_on(
    open_server: PageServer, box: SimulatedBox, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library would answer them all, and meanwhile everybody's levers would wait."""
    monkeypatch.setattr(server_module, "_PING_S", 3600.0)  # not for want of an answer
    visitor = names_of(address)
    ping = bytes([0x89, 0x80, 1, 2, 3, 4])
    with page(open_server, **visitor) as good, page(open_server, **visitor) as bad, bad.socket.dup() as line:
        line.settimeout(HANG_S)
        sends = iter(lambda: line.sendall(ping * 200), ...)
        with pytest.raises(ConnectionError):
            list(sends)
        until(lambda: open_server.watchers == 1)
        good.send('{"lever": 3, "down": true}')
        until(lambda: 3 in box.levers_down)


def test_a_visitor_may_be_as_quick_as_any_page(
    open_server: PageServer, box: SimulatedBox, address: str
) -> None:
    with page(open_server, **names_of(address)) as client:
        for number in range(request_guard.BURST - 10):
            client.send(json.dumps({"lever": number % 9 + 1, "down": True}))
        until(lambda: box.levers_down == set(range(1, 10)))
        assert open_server.watchers == 1


def test_visitors_never_keep_this_machine_out(
    open_server: PageServer, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if every page came from another visitor.
    monkeypatch.setattr(server_module, "MAX_PAGES_OF_A_VISITOR", server_module.MAX_PAGES)
    monkeypatch.setattr(request_guard, "MAX_CONNECTIONS_OF_A_VISITOR", request_guard.MAX_CONNECTIONS)
    visitor = names_of(address)
    with ExitStack() as stack:
        for _ in range(server_module.MAX_PAGES):
            stack.enter_context(page(open_server, **visitor))
        until(lambda: open_server.watchers == server_module.MAX_PAGES)
        with pytest.raises(InvalidStatus), page(open_server, **visitor):
            pass
        for _ in range(request_guard.MAX_CONNECTIONS - server_module.MAX_PAGES):
            stack.enter_context(socket.create_connection((address, open_server.port), timeout=HANG_S))
        with page(open_server) as own:
            assert receive(own)["type"] == "box"


@pytest.mark.parametrize(
    ("address", "visitor"),
    [
        ("127.0.0.1", ""),
        ("127.8.8.8", ""),
        ("::1", ""),
        ("::ffff:127.0.0.1", ""),
        ("192.168.1.5", "192.168.1.5"),
        ("::ffff:192.168.1.5", "192.168.1.5"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:bbbb::2", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%wlan0", "fe80::/64"),
    ],
)
def test_a_telephone_with_many_addresses_is_one_visitor(address: str, visitor: str) -> None:
    assert visitor_of((address, 1)) == visitor
