"""The page's server, and messages that no well-behaved page sends."""

import json
import logging
import threading
from contextlib import suppress
from functools import partial

import pytest
from tests.box.simulator.page.pages import FakePanel, goodbye, page, raw_page, receive, server_of, shown
from tests.support.machine import settings_for
from tests.support.shows import changed
from tests.support.waiting import HANG_S, until
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Form
from shutthebox.game.inputs import CursorMoved, LeaveAsked, NamesGiven, SettingChosen
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.simulator.hardware.box import SimulatedBox
from shutthebox.simulator.page import server as server_module
from shutthebox.simulator.page.message import (
    MAX_MESSAGE,
    MAX_SCENARIO,
)
from shutthebox.simulator.page.request_guard import BURST
from shutthebox.simulator.page.server import PageServer
from shutthebox.simulator.page.transcript import Transcript

# -- the form ----------------------------------------------------------------------------


def test_the_box_is_told_only_of_what_it_offers(panel: FakePanel, box: SimulatedBox) -> None:
    told: list[object] = []
    transcript = Transcript()
    settings = settings_for("pub")._replace(profiles=(builtin("pub"), builtin("trac")))
    asked = {
        "locked": Form(settings, (), is_open=False, walks=False),
        "open": Form(settings, (), is_open=True, walks=True),
        "playing": Form(settings, (), is_open=False, walks=False, leaves=True),
    }
    with server_of(box, panel, transcript=transcript, fill_in=told.append) as server:
        for form in asked.values():
            transcript(changed(shown(Screen(Mode.ATTRACT)), form=form), 0)
            with page(server) as client:
                client.send('{"set": "game.profile", "to": "digits"}')
                client.send('{"set": "box.levers", "to": 12}')
                client.send('{"set": "game.profile", "to": [[[]]]}')
                client.send('{"set": "game.profile", "to": "trac"}')
                client.send('{"names": ["ANN", ""]}')
                client.send('{"cursor": -1}')
                client.send('{"leave": true}')
                client.send('{"lever": 9, "down": true}')
                until(lambda: 9 in box.levers_down)
            box.set_lever(9, False)
            until(lambda: 9 not in box.levers_down)
    chosen = SettingChosen("game.profile", "trac"), NamesGiven(("ANN", "")), CursorMoved(-1)
    assert told == [*chosen, LeaveAsked()]


# -- what nobody may send ----------------------------------------------------------------


MALFORMED = {
    "no JSON": "hello",
    "nothing": "",
    "no object": "[1, 2]",
    "an empty object": "{}",
    "half a wish": '{"lever": 3}',
    "a lever that is true": '{"lever": true, "down": true}',
    "a lever that is not there": '{"lever": 10, "down": true}',
    "a huge lever": '{"lever": 1' + "0" * 900 + ', "down": true}',
    "down is a number": '{"lever": 3, "down": 1}',
    "a button that is null": '{"button": null}',
    "too much": '{"lever": 3, "down": true, "button": true}',
    "dice": '{"dice": [6, 6]}',
    "deep": "[" * 1000,
    "bytes": b'{"button": true}',
    "too long": '{"button": true}' + " " * MAX_MESSAGE,
    "too long in bytes only": '{"é": "' + "é" * 600 + '"}',
    "a broken lever that is not there": '{"lever": 10, "state": "cut"}',
    "a bounce that no contact has": '{"bounce_ms": 101}',
    "more than all edges": '{"lost_percent": 101}',
    "a disk that is text": '{"disk_full": "yes"}',
    "no mending": '{"mend": false}',
    "a recording that is null": '{"record": null}',
    "a setting without a value": '{"set": "game.players"}',
    "a name that is too long": '{"names": ["ANNA"]}',
    "too many names": json.dumps({"names": [""] * 21}),
    "a box that is text": '{"build": "12"}',
    "a cursor that jumps": '{"cursor": 10}',
    "a scenario that is too long": json.dumps({"replay": "#" * MAX_SCENARIO}),
}


@pytest.mark.parametrize("message", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_messages_end_that_page_only(
    server: PageServer, box: SimulatedBox, message: str | bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with page(server) as good, page(server) as bad:
        receive(good)
        receive(bad)
        bad.send(message)
        end = goodbye(bad)
        assert end.code == 1008
        assert end.reason
        good.send('{"lever": 1, "down": true}')
        assert receive(good)["levers"][0]["down"]
    assert box.levers_down == {1, 2}
    assert not box.button_down
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_message_in_pieces_is_no_longer(server: PageServer) -> None:
    with page(server) as bad:
        receive(bad)
        with suppress(ConnectionClosed):
            bad.send(" " * 900 for _ in range(100))
        assert goodbye(bad).code == 1009


# -- crowds ------------------------------------------------------------------------------


def is_thrown_out(client: ClientConnection) -> bool:
    """Waits for the end, and whether it was for what the page sent; one that still sends may not hear why."""
    with pytest.raises(ConnectionClosed) as caught:
        list(iter(lambda: client.recv(timeout=HANG_S), None))
    return caught.value.rcvd is None or caught.value.rcvd.code == 1008


def test_a_flood_of_messages_ends_that_page_only(server: PageServer, box: SimulatedBox) -> None:
    with page(server) as good, page(server) as bad:
        with suppress(ConnectionClosed):
            for i in range(100 * BURST):
                bad.send(json.dumps({"lever": 3, "down": i % 2 == 0}))
        assert is_thrown_out(bad)
        good.send('{"lever": 1, "down": true}')
        until(lambda: 1 in box.levers_down)


FIRST_PIECE, NEXT_PIECE, PING, PONG = 0x01, 0x00, 0x89, 0x8A

LONG_PING = bytes([PING, 0x80 | 125, 0, 0, 0, 0]) + b"x" * 125


def empty_frame(kind: int) -> bytes:
    return bytes([kind, 0x80, 1, 2, 3, 4])


def test_a_flood_of_pieces_ends_that_page_only(server: PageServer, box: SimulatedBox) -> None:
    """The library would keep empty ones without end."""
    with page(server) as good, page(server) as bad:
        with suppress(OSError):
            bad.socket.sendall(empty_frame(FIRST_PIECE))
            for _ in range(100):
                bad.socket.sendall(empty_frame(NEXT_PIECE) * BURST)
        assert is_thrown_out(bad)
        good.send('{"lever": 1, "down": true}')
        until(lambda: 1 in box.levers_down)


@pytest.mark.parametrize("kind", [PING, PONG], ids=["pings", "pongs"])
def test_a_flood_of_pings_or_pongs_keeps_nobody_from_the_levers(
    server: PageServer, box: SimulatedBox, kind: int
) -> None:
    with page(server) as good, page(server) as bad, bad.socket.dup() as flooding:
        stop = threading.Event()

        def flood() -> None:
            with suppress(OSError):
                while not stop.is_set():
                    flooding.sendall(empty_frame(kind) * BURST)

        def is_down(lever: int) -> bool:
            return lever in box.levers_down

        flooder = threading.Thread(target=flood)
        flooder.start()
        try:
            for lever in (1, 3, 4):
                good.send(json.dumps({"lever": lever, "down": True}))
                until(partial(is_down, lever))
        finally:
            stop.set()
            bad.close()
            flooder.join()


def test_a_page_that_reads_nothing_more_is_cut_off(
    box: SimulatedBox, panel: FakePanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or else the answers to its pings would pile up."""
    monkeypatch.setattr(server_module, "_PING_S", 0.1)
    with server_of(box, panel) as server, raw_page(server, 2048) as deaf:
        sends = iter(lambda: deaf.sendall(LONG_PING * BURST), ...)
        with pytest.raises(OSError):
            list(sends)
        until(lambda: server.watchers == 0)


def test_closing_waits_for_no_page_that_reads_nothing(box: SimulatedBox, panel: FakePanel) -> None:
    with server_of(box, panel) as server, raw_page(server, 2048) as deaf:
        with suppress(ConnectionError):  # where sending takes long, it's cut off before the end
            for _ in range(400):
                deaf.sendall(LONG_PING * BURST)  # 10 MB of answers: more than the system keeps
        server.close()
        assert server.watchers == 0


def test_a_page_that_is_thrown_out_and_stays_is_cut_off(server: PageServer) -> None:
    with raw_page(server) as stays:
        until(lambda: server.watchers == 1)
        stays.sendall(empty_frame(FIRST_PIECE) + empty_frame(NEXT_PIECE) * BURST)
        # It never closes its side.
        until(lambda: server.watchers == 0)
