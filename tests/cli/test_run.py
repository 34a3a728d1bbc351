"""The commands `run` and `sim`, up to the daemon: how it is started, and what is cleared up after it."""

import argparse
import logging
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from shutthebox.adapters import gpio
from shutthebox.adapters.display import opening
from shutthebox.cli import run as run_command
from shutthebox.cli import sim
from shutthebox.cli.doctor.outputs import picture
from shutthebox.cli.main import command_line, main
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import Backend, Config
from shutthebox.game.dice import RandomDice
from shutthebox.game.faults import Fault
from shutthebox.runtime import daemon
from shutthebox.simulator.hardware.box import SimulatedBox, default_lever_lines
from shutthebox.simulator.hardware.panel_model import PanelModel
from shutthebox.simulator.hardware.workshop import Condition
from shutthebox.simulator.page.server import PageServer
from shutthebox.simulator.page.transcript import Transcript
from shutthebox.simulator.plug import Plug
from shutthebox.simulator.scenario.recorder import ScenarioRecorder


class Served(NamedTuple):
    """A daemon that has been started, and ended at once."""

    config: Config
    settings: Any
    factory: Any
    lines: Any
    connect: Callable[[], Any] | None
    dice: Any
    state: Path
    more: dict[str, Any]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Served]:
    found: list[Served] = []

    def serve(*args: Any, **more: Any) -> None:
        found.append(Served._make([*args, more]))
        more["started"]()

    monkeypatch.setattr(daemon, "serve", serve)
    return found


# -- run ---------------------------------------------------------------------------------------


@pytest.fixture
def real_box(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[SimulatedBox]:
    """The pins behind the back end."""
    box = SimulatedBox(default_lever_lines(9), real_time=False)
    opened: list[Backend] = []

    def open_factory(backend: Backend) -> Any:
        opened.append(backend)
        return box.factory

    monkeypatch.setattr(gpio, "open_factory", open_factory)
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    monkeypatch.setenv("RUNTIME_DIRECTORY", f"{tmp_path / 'run'}:{tmp_path / 'other'}")
    monkeypatch.setenv("SHUTTHEBOX_OUTBOX", str(tmp_path / "outbox"))
    monkeypatch.setattr(run_command, "NOTICES", tmp_path / "notices")
    yield box
    assert opened == [Backend.GPIOD]


def test_the_daemon_is_started_as_configured(
    real_box: SimulatedBox, served: list[Served], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[box]\nlevers = 9\nlanguage = "fr"\n[gpio]\nservice = 20\n')
    closed = []
    monkeypatch.setattr(real_box.factory, "close", lambda: closed.append(True))
    assert main(["run", "--config", str(config)]) == 0
    (box,) = served
    assert box.settings.language == "fr"
    lines = (4, 17, 27, 22, 23, 24, 25, 5, 6)
    assert box.lines == {-1: 20, 0: 12, **dict(enumerate(lines, 1))}
    assert box.factory is real_box.factory
    assert isinstance(box.dice, RandomDice)
    assert box.state == tmp_path / "state"
    assert (box.more["scores"], box.more["outbox"]) == (tmp_path / "run", tmp_path / "outbox")
    assert (box.more["fault"], list(box.more["observers"])) == (None, [])
    assert closed == [True]
    assert logging.getLogger().isEnabledFor(logging.INFO), "the journal says what happens"


def test_a_box_that_is_not_configured_has_nine_levers(
    real_box: SimulatedBox, served: list[Served], tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    config.write_text("")
    assert main(["run", "--config", str(config)]) == 0
    assert sorted(served[0].lines) == list(range(10))


def test_a_configuration_of_the_box_that_is_no_good_is_a_fault_of_the_box(
    real_box: SimulatedBox, served: list[Served], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.toml").write_text("[box]\nlevers = 'many'\n")
    found = run_command.find_config
    monkeypatch.setattr(run_command, "find_config", lambda asked: found(asked, tmp_path / "config.toml"))
    assert main(["run"]) == 0
    assert served[0].more["fault"] is Fault.CONFIG
    assert served[0].config == Config()


@pytest.mark.parametrize(
    ("text", "lamp"),
    [
        ("[game]\nplayers = 3\nprofile = 'unheard-of'\n[gpio]\nlamp = 20\n", 20),
        ("[game]\nprofile = 'unheard-of'\n[box]\nlevers = 12\n[gpio]\nlamp = 20\nlevers = [4, 17]\n", 19),
    ],
)
def test_of_a_bad_configuration_the_wiring_is_taken_where_it_is_good(
    text: str, lamp: int, tmp_path: Path
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    config, fault = run_command.find_config(None, path)
    assert fault is Fault.CONFIG
    assert config.gpio.lamp == lamp
    assert config.game == Config().game


@pytest.mark.parametrize("rotate", [0, 180])
def test_the_display_is_opened_as_it_is_mounted(
    rotate: int,
    real_box: SimulatedBox,
    served: list[Served],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    panel, asked = PanelModel(Controller.SH1106), []

    def open_i2c(bus: int, address: int) -> PanelModel:
        asked.append((bus, address))
        return panel

    monkeypatch.setattr(opening, "open_i2c", open_i2c)
    config = tmp_path / "config.toml"
    config.write_text(f'[display]\ncontroller = "sh1106"\nbus = 3\naddress = 0x3D\nrotate = {rotate}\n')
    assert main(["run", "--config", str(config)]) == 0
    connect = served[0].connect
    assert connect is not None
    shown = picture(Controller.SH1106, 0x3D)
    connect().push(shown)
    assert asked == [(3, 0x3D)]
    assert panel.picture() == (shown.flip().mirror() if rotate == 180 else shown)


def test_a_box_without_a_display_opens_none(
    real_box: SimulatedBox, served: list[Served], tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[display]\ncontroller = "none"\n')
    assert main(["run", "--config", str(config)]) == 0
    assert served[0].connect is None


def test_a_real_box_can_be_recorded_too(real_box: SimulatedBox, served: list[Served], tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[game]\nplayers = 4\n")
    assert main(["run", "--config", str(config), "--record", str(tmp_path / "a.scn")]) == 0
    (recorder,) = served[0].more["observers"]
    assert isinstance(recorder, ScenarioRecorder)
    assert "config game.players 4" in (tmp_path / "a.scn").read_text().splitlines()


def test_notices_for_the_owner_are_passed_on(
    real_box: SimulatedBox, served: list[Served], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_command, "notices", lambda: ("Update failed",))
    config = tmp_path / "config.toml"
    config.write_text("")
    main(["run", "--config", str(config)])
    assert served[0].more["notices"] == ("Update failed",)


# -- sim ---------------------------------------------------------------------------------------


@pytest.fixture
def browsers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The pages that a browser is asked to open; nothing is served."""
    opened: list[str] = []

    def entered(server: PageServer) -> PageServer:
        server._port = 8093
        return server

    monkeypatch.setattr(PageServer, "__enter__", entered)
    monkeypatch.setattr(PageServer, "__exit__", lambda server, *error: None)
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    monkeypatch.delenv("SHUTTHEBOX_OUTBOX", raising=False)
    return opened


def test_the_simulated_box(
    browsers: list[str], served: list[Served], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sim", "--port", "0", "--levers", "12"]) == 0
    (box,) = served
    assert box.lines == {0: 12, **default_lever_lines(12)}
    assert box.state == box.more["scores"] == tmp_path / "home/shutthebox/simulator"
    assert box.more["outbox"] is None
    assert [type(observer) for observer in box.more["observers"]] == [Transcript]
    said = capsys.readouterr()
    assert said.out == f"The box stands at {browsers[0]}  (Ctrl-C ends)\n"
    assert browsers == ["http://127.0.0.1:8093/"]
    assert said.err == "Goodbye.\n"


def test_the_levers_stand_as_they_were_left(
    browsers: list[str], served: list[Served], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that a smaller box no longer has are gone."""
    boxes = []

    def made(*args: Any, **more: Any) -> SimulatedBox:
        boxes.append(SimulatedBox(*args, **more))
        return boxes[0]

    monkeypatch.setattr("shutthebox.simulator.hardware.box.SimulatedBox", made)
    (tmp_path / "hardware.json").write_text(Condition(down=(1, 9, 10)).to_text())
    assert main(["sim", "--port", "0", "--no-browser", "--levers", "9", "--state", str(tmp_path)]) == 0
    assert boxes[0].levers_down == {1, 9}


def test_a_browser_is_opened_unless_somebody_has_one(
    browsers: list[str], served: list[Served], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sim", "--port", "0", "--no-browser"]) == 0
    assert browsers == []
    assert capsys.readouterr().out.startswith("The box stands at http://127.0.0.1:")


def test_a_config_wires_a_real_box_and_not_the_simulated_one(
    browsers: list[str], served: list[Served], tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    outbox = tmp_path / "league"
    config.write_text(
        '[gpio]\nroll = 21\nlevers = [5, 6]\n[game]\nprofile = "cards"\n[display]\ncontroller = "none"\n'
        f'[outbox]\nfolder = "{outbox}"\n'
    )
    assert main(["sim", "--port", "0", "--no-browser", "--config", str(config)]) == 0
    (box,) = served
    assert box.lines == {0: 12, **default_lever_lines(54)}, "as many as the game needs"
    assert box.connect is None
    assert box.more["outbox"] == outbox


def test_the_simulated_display_is_the_configured_one(
    browsers: list[str], served: list[Served], tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[display]\ncontroller = "sh1106"\n')
    assert main(["sim", "--port", "0", "--no-browser", "--config", str(config)]) == 0
    connect = served[0].connect
    assert connect is not None
    assert connect().controller is Controller.SH1106


def test_a_recording_starts_from_an_empty_box_whose_memory_is_deleted(
    browsers: list[str], served: list[Served], tmp_path: Path
) -> None:
    words = ["--state", str(tmp_path / "mine"), "--record", str(tmp_path / "a.scn")]
    assert main(["sim", "--port", "0", "--no-browser", "--language", "fr", *words]) == 0
    (box,) = served
    assert box.state == box.more["scores"]
    assert box.state.name.startswith("shutthebox-")
    assert not box.state.exists()
    assert (tmp_path / "mine").is_dir()
    transcript, recorder = box.more["observers"]
    assert (type(transcript), type(recorder)) == (Transcript, ScenarioRecorder)
    assert "config box.language fr" in (tmp_path / "a.scn").read_text()


def test_a_recording_goes_on_after_a_pulled_plug(
    browsers: list[str], served: list[Served], tmp_path: Path
) -> None:
    memory = tmp_path / "shutthebox-x"
    memory.mkdir()
    (tmp_path / "a.scn").write_text("press\n")
    words = ["--record", str(tmp_path / "a.scn"), "--recording-since", "5", str(memory)]
    assert main(["sim", "--port", "0", "--no-browser", *words]) == 0
    assert served[0].state == memory
    assert (tmp_path / "a.scn").read_text().startswith("press\n")
    assert not memory.exists()


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_is_none(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sim", "--port", str(port)]) == 2
    said = f"shutthebox: --port: {port} is not allowed; allowed is 0 to 65535\n"
    assert capsys.readouterr().err == said


def parsed(*words: str) -> argparse.Namespace:
    parser, _ = command_line(["sim"])
    return parser.parse_args(["sim", *words])


@pytest.mark.parametrize("port", [0, 65535])
def test_the_first_and_the_last_port(port: int) -> None:
    assert sim.config_of(parsed("--port", str(port))) == Config()


def test_the_box_starts_again_as_it_was_started() -> None:
    everything = ["--levers", "9", "--config", "c", "--language", "fr", "--state", "s"]
    again = ["sim", "--port", "8081", "--no-browser"]
    assert sim.arguments_again(parsed(), 8081, None) == again
    assert sim.arguments_again(parsed(*everything, "--port", "0"), 8081, None) == [*again, *everything]
    since = ("5", "memory")
    assert sim.arguments_again(parsed(*everything, "--record", "old"), 8081, Path("new"), since) == [
        *again, *everything, "--record", "new", "--recording-since", "5", "memory"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("records", "goes_on"), [(False, False), (True, False), (True, True)], ids=["plays", "records", "goes on"]
)
def test_a_pulled_plug_starts_it_again(
    records: bool,
    goes_on: bool,
    browsers: list[str],
    served: list[Served],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plugs = []

    def made(*args: Any) -> Plug:
        plugs.append(Plug(*args))
        return plugs[0]

    monkeypatch.setattr("shutthebox.simulator.plug.Plug", made)
    recording = ["--record", str(tmp_path / "a.scn")]
    assert main(["sim", "--no-browser", *(recording if records else [])]) == 0
    (plug,) = plugs
    assert plug.arguments is not None
    said = list(plug.arguments(records, goes_on))
    assert said[:3] == ["sim", "--port", "8093"]
    at = [*recording, *(["--recording-since", said[-2], str(served[0].state)] if goes_on else [])]
    assert said[3:] == ["--no-browser", *(at if records else [])]
    assert plug.recording == (
        tmp_path / "a.scn" if records else tmp_path / "home/shutthebox/simulator/recording.scn"
    )
