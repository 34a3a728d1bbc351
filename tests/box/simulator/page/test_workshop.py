"""The page's server for makers: broken hardware, pins, log, recordings, replays."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gpiozero import InputDevice
from tests.box.simulator.page.pages import FakePanel, page, receive, receive_until, server_of
from tests.support.waiting import until
from websockets.sync.client import ClientConnection

from shutthebox.game.switches.switch import BUTTONS, DICE_BUTTON, SERVICE_BUTTON
from shutthebox.simulator import film
from shutthebox.simulator.hardware import disk
from shutthebox.simulator.hardware.box import LeverFault, SimulatedBox
from shutthebox.simulator.page.server import PageServer
from shutthebox.simulator.page.transcript import Transcript

SCENARIO = """\
config game.setup usual
dice 3 5
press
press
@3 flip 8
wait 0.5
expect mode flipping
"""


def receive_that(client: ClientConnection, fits: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """The first message that fits; earlier ones are thrown away."""
    while not fits(message := receive(client)):
        pass
    return message


def see(client: ClientConnection, state: dict[str, Any], fits: Callable[[], object]) -> None:
    """Takes changes into a page's state until it fits."""
    while not fits():
        state |= receive(client)


def test_makers_break_and_mend(server: PageServer, box: SimulatedBox, panel: FakePanel) -> None:
    with page(server) as client:
        receive(client)
        client.send('{"lever": 3, "state": "stuck"}')
        receive_until(client, "broken", True)
        assert box.lever_faults == {3: LeverFault.STUCK}
        client.send('{"lever": 3, "state": "works"}')
        receive_until(client, "broken", False)
        assert box.lever_faults == {}
        client.send('{"display_unplugged": true}')
        client.send('{"bounce_ms": 80}')
        client.send('{"lost_percent": 30}')
        client.send('{"disk_full": true}')
        until(disk.is_full)
        assert (panel.unplugged, box.bounce_ns, box.lost_edges) == (True, 80_000_000, 0.3)
        client.send('{"mend": true}')
        until(lambda: not disk.is_full())
        assert (panel.unplugged, box.bounce_ns, box.lost_edges) == (False, 5_000_000, 0.0)


def test_only_who_looks_in_the_workshop_gets_pins_and_log(
    server: PageServer, box: SimulatedBox, transcript: Transcript
) -> None:
    transcript.note("before")
    contact = InputDevice(box.lever_line(3), pull_up=True, pin_factory=box.factory)
    with page(server) as client, page(server) as plain:
        assert not {"pins", "hardware", "log", "power"} & receive(client).keys()
        receive(plain)
        client.send('{"workshop": true}')
        change = receive_that(client, lambda change: "pins" in change)
        assert change["log"] == ["    0.000  before"] or change["log"][0].endswith("before")
        assert change["power"] == {"recording": False, "recorded": False}
        assert change["hardware"]["bounce_ms"] == 5
        assert change["pins"][2] == [27, "3", 1.0, True, 0]
        client.send('{"lever": 3, "down": true}')
        change = receive_that(client, lambda change: "pins" in change and change["pins"][2][2] == 0.0)
        assert change["pins"][2][4] >= 1
        client.send('{"lever": 4, "state": "cut"}')
        change = receive_that(client, lambda change: "log" in change)
        assert change["log"][0].endswith("lever 4 cut")
        client.send('{"workshop": false}')
        client.send('{"lever": 5, "down": true}')
        change = receive_that(client, lambda change: "levers" in change and change["levers"][4]["down"])
        assert "pins" not in change
        while not (change := receive(plain)).get("levers", [{}] * 5)[4].get("down"):
            assert not {"pins", "hardware", "log", "power"} & change.keys()
    contact.close()


@pytest.mark.parametrize("has_one", [True, False])
def test_makers_press_the_button_inside_the_box_where_there_is_one(panel: FakePanel, has_one: bool) -> None:
    """The owner's part of a box with that button is in no menu."""
    edges: list[int] = []

    def moved(ticks: float, level: int) -> None:
        edges.append(level)

    buttons = (DICE_BUTTON, SERVICE_BUTTON) if has_one else (DICE_BUTTON,)
    with SimulatedBox(9, buttons=buttons) as box, server_of(box, panel) as server, page(server) as client:
        line = BUTTONS[SERVICE_BUTTON].line
        contact = InputDevice(line, pull_up=True, pin_factory=box.factory)
        contact.pin.edges, contact.pin.when_changed = "both", moved
        client.send('{"workshop": true}')
        assert receive_that(client, lambda message: "hardware" in message)["hardware"]["service"] is has_one
        client.send('{"press_service": true}')
        if has_one:
            until(lambda: 0 in edges and edges[-1] == 1)
        receive_that(client, lambda message: "inside the box is pressed" in str(message.get("log")))
        assert bool(edges) is has_one
        contact.close()


@pytest.mark.parametrize("recorded", [False, True])
def test_a_replay_is_another_box(
    server: PageServer,
    recording: Path,
    box: SimulatedBox,
    monkeypatch: pytest.MonkeyPatch,
    recorded: bool,
) -> None:
    monkeypatch.setattr(film, "LONGEST_GAP_NS", 100_000_000)
    recording.write_text(SCENARIO, encoding="utf-8")
    with page(server) as client, page(server) as other:
        state = receive(client)
        receive(other)
        client.send('{"replay": ""}' if recorded else film_of(SCENARIO))
        client.send('{"lever": 3, "down": true}')
        client.send('{"button": true}')
        # On a busy machine what happens at once comes in one message.
        see(client, state, lambda: (state["film"] or {}).get("over"))
        assert state["film"] == {"over": True, "complaint": ""}
        assert [lever["number"] for lever in state["levers"] if lever["down"]] == [8]
        assert "which is 8" in state["words"]
        client.send('{"replay": null}')
        see(client, state, lambda: state["film"] is None)
        assert [lever["number"] for lever in state["levers"] if lever["down"]] == [2]
        assert box.levers_down == {2}, "hands on a film move nothing"
        assert not box.button_down
        # The other page has seen nothing of it.
        box.set_lever(5, True)
        assert receive(other).keys() == {"type", "levers"}


def film_of(scenario: str) -> str:
    return '{"replay": "' + scenario.replace("\n", "\\n") + '"}'


def test_a_page_that_goes_ends_its_film(server: PageServer) -> None:
    with page(server) as client:
        receive(client)
        client.send(film_of("wait 1000\nexpect mode flipping"))
        until(lambda: any(thread.name == "film" for thread in threading.enumerate()))
    until(lambda: not any(thread.name == "film" for thread in threading.enumerate()))
