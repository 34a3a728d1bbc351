"""The page's server and well-behaved pages, slow ones among them."""

import base64
import threading

import pytest
from gpiozero import PWMOutputDevice
from tests.box.simulator.page.pages import (
    FakePanel,
    goodbye,
    page,
    raw_page,
    receive,
    receive_until,
    server_of,
)
from tests.support.waiting import rests, until

from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.errors import ShutTheBoxError
from shutthebox.simulator.hardware.box import BUZZER_LINE, LAMP_LINE, SimulatedBox
from shutthebox.simulator.page.http import PortError, listen
from shutthebox.simulator.page.server import PageServer

# -- what a page sees --------------------------------------------------------------------


def test_later_only_what_changed(server: PageServer, box: SimulatedBox, panel: FakePanel) -> None:
    with page(server) as client:
        receive(client)
        box.set_lever(3, True)
        change = receive(client)
        assert change == {
            "type": "change",
            "levers": [{"number": n, "down": n in (2, 3)} for n in range(1, 10)],
        }
        panel.show(Bitmap.of(128, 64, lit=True))
        assert receive(client) == {
            "type": "change",
            "panel": base64.b64encode(b"\xff" * 1024).decode(),
        }
        lamp = PWMOutputDevice(LAMP_LINE, initial_value=0.25, pin_factory=box.factory)
        receive_until(client, "lamp", 0.25)
        buzzer = PWMOutputDevice(BUZZER_LINE, frequency=880, initial_value=0.5, pin_factory=box.factory)
        receive_until(client, "sound", 880)
        buzzer.value = 0
        receive_until(client, "sound", None)
        buzzer.close()
        lamp.close()


def test_a_page_that_goes_lets_go_of_the_button(server: PageServer, box: SimulatedBox) -> None:
    with page(server) as stays:
        with page(server) as leaves:
            leaves.send('{"button": true}')
            until(lambda: box.button_down)
        until(lambda: not box.button_down)
        stays.send('{"button": true}')
        until(lambda: box.button_down)
        with page(server) as other:
            other.send('{"button": true}')
            other.send('{"button": false}')
            other.send('{"lever": 9, "down": true}')
            until(lambda: 9 in box.levers_down)
        rests(lambda: box.button_down)  # a contact that is let go bounces for a while
        assert box.button_down  # still held by the first


# -- slow pages, ports, the end ----------------------------------------------------------


@pytest.mark.slow
def test_a_slow_page_delays_nobody(server: PageServer, box: SimulatedBox, panel: FakePanel) -> None:
    black, white = Bitmap.of(128, 64), Bitmap.of(128, 64, lit=True)
    with raw_page(server, 2048), page(server) as quick:
        until(lambda: server.watchers == 2)
        receive(quick)
        for i in range(150):
            panel.show(black if i % 2 else white)
            while "panel" not in receive(quick):
                pass
        box.set_lever(3, True)
        while "levers" not in receive(quick):
            pass
        server.close()


def test_a_page_sees_the_latest_not_every_state(server: PageServer, panel: FakePanel) -> None:
    images = [Bitmap.frombytes(128, bytes([i % 256]) * 1024) for i in range(1001)]
    with page(server) as client:
        receive(client)
        for image in images:
            panel.show(image)
        seen = 0
        latest = base64.b64encode(images[-1].tobytes()).decode()
        while receive(client)["panel"] != latest:
            seen += 1
        assert seen < 500


def test_a_port_in_use_is_one_clear_line(server: PageServer, box: SimulatedBox, panel: FakePanel) -> None:
    second = server_of(box, panel, port=server.port)
    with pytest.raises(PortError, match=f"port {server.port} is already in use: .*--port") as caught:
        second.start()
    assert isinstance(caught.value, ShutTheBoxError)
    assert isinstance(caught.value, OSError)
    assert "\n" not in str(caught.value)
    second.close()


@pytest.mark.parametrize(
    ("port", "complaint"),
    [
        (-1, "port -1: --port takes 0 (any free port) to 65535"),
        (65536, "port 65536: --port takes 0 (any free port) to 65535"),
        (65535, "--listen: 192.0.2.1 is not an address of this machine"),
    ],
)
def test_the_ports_that_there_are(port: int, complaint: str) -> None:
    with pytest.raises(PortError) as caught:
        listen(port, "192.0.2.1")
    assert str(caught.value) == complaint


def test_closing_says_goodbye_and_frees_the_port(box: SimulatedBox, panel: FakePanel) -> None:
    server = server_of(box, panel)
    server.start()
    port = server.port
    with page(server) as client:
        receive(client)
        client.send('{"button": true}')
        until(lambda: box.button_down)
        server.close()
        server.close()
        assert goodbye(client).code == 1001
    until(lambda: not box.button_down)
    assert not any(thread.name == "page-server" for thread in threading.enumerate())
    box.set_lever(1, True)  # nobody left to tell, and nothing breaks
    panel.show(Bitmap.of(128, 64, lit=True))
    with server_of(box, panel, port=port) as again, page(again) as client:
        assert receive(client)["type"] == "box"
