"""The page for telephones in the same network: who is let in, and who has the hands."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from tests.simulator.page.pages import FakePanel, goodbye, page, receive, receive_until, server_of
from tests.support.waiting import until
from websockets.exceptions import InvalidStatus

from shutthebox.adapters.network import address_of_process
from shutthebox.simulator.hardware.box import SimulatedBox
from shutthebox.simulator.page import server as server_module
from shutthebox.simulator.page.request_guard import visitor_of
from shutthebox.simulator.page.server import PageServer


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


RULES = '{"rules": "dice = 0", "file": ""}'


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
        for message in ('{"lever": 4, "down": true}', '{"button": true}', RULES):
            second.send(message)
        first.send('{"lever": 5, "down": true}')
        until(lambda: 5 in box.levers_down)
        first.send(RULES)
        receive_until(first, "rules", "A match is being played. These can be changed when it is over.")
        with page(open_server) as own:
            assert receive(own)["watching"] is False
            own.send('{"button": true}')
            until(lambda: box.button_down)
            receive_until(first, "watching", True)
        until(lambda: not box.button_down)
        receive_until(first, "watching", False)
        assert box.levers_down == {2, 3, 5}
        while (change := receive(second)).get("watching") is not False:
            assert "rules" not in change, "who watches gets no answer"


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


@pytest.mark.parametrize(
    "message", ['{"workshop": true}', '{"pull_plug": true}', '{"replay": ""}', '{"mend": true}']
)
def test_the_workshop_is_for_the_machine_of_the_box(
    open_server: PageServer, address: str, message: str
) -> None:
    with page(open_server, **names_of(address)) as client:
        assert receive(client)["maker"] is False
        client.send(message)
        assert "workshop" in goodbye(client).reason


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
