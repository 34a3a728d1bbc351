"""The doctor, on a machine that is no Pi."""

import importlib.metadata
import json
import os
import re
import socket
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gpiod
import pytest
from gpiozero.exc import PinUnknownPi
from tests.support.bus import OpenedBus
from tests.support.command import Said, command, printed
from tests.support.fake_gpiod import FakeKernel
from tests.support.kept import keep_throws
from tests.support.link import HelperProcess, LinkBox, LinkBroker
from tests.support.waiting import until

from shutthebox.adapters.store.database import Store
from shutthebox.cli.doctor import hardware, machine, network
from shutthebox.cli.doctor import store as memory
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began, Chosen, Faulted
from shutthebox.outbox_entry import UPLINK_STATUS_FILE, DeliveryState, UplinkStatus
from shutthebox.rules.match import begin


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A box with a panel on a bus that is not there, and no chip."""
    monkeypatch.setattr("gpiozero_gpiod.chips.DEV", tmp_path)
    monkeypatch.setattr(hardware, "DEV", tmp_path)
    monkeypatch.setattr(machine, "MACHINE", tmp_path)
    monkeypatch.setattr(network, "INTERFACES", tmp_path / "net")
    file = tmp_path / "config.toml"
    file.write_text(f'[display]\nbus = 32\n[store]\nfolder = "{tmp_path / "state"}"\n')
    return file


def write(file: Path, text: str) -> None:
    """Writes a file of the machine."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@contextmanager
def keeping(config: Path) -> Iterator[Store]:
    """The box's store, to keep something in."""
    with closing(Store(config.parent / "state", time.time)) as store:
        yield store


def results(config: Path) -> dict[str, tuple[str, str]]:
    """Per check its verdict and reason."""
    said = command("doctor", "--json", "--config", config)
    found = {entry["check"]: (entry["verdict"], entry["reason"]) for entry in json.loads(said.out)}
    assert said == Said(int("FAIL" in [verdict for verdict, _ in found.values()]), said.out, "")
    return found


def test_a_laptop_fails_with_reasons(config: Path, tmp_path: Path) -> None:
    found = results(config)
    assert found["python"][0] == found["store"][0] == "ok"
    assert found["chip"][0] == "FAIL"
    assert "no GPIO chip" in found["chip"][1]
    assert found["lines"][0] == "skip"
    assert found["display"] == ("FAIL", f"no {tmp_path}/i2c-32: dtparam=i2c_arm=on in config.txt, or i2c-dev")


@pytest.fixture
def pi(config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeKernel]:
    """A Pi on which all is well: its chip, its bus with a panel, and a store."""
    kernel = FakeKernel(tmp_path)
    kernel.add("pinctrl-bcm2711", 54)
    (tmp_path / "i2c-32").touch()
    write(tmp_path / "rules/tiny.toml", 'like = "traditional"\nname = "tiny"\ntiles = 3\n')
    small = f'[box]\nlevers = 3\n[game]\nprofile = "tiny"\n[rules]\nfolder = "{tmp_path}/rules"\n'
    config.write_text(f"{config.read_text()}{small}[gpio]\nservice = 20\n")
    monkeypatch.setitem(sys.modules, "smbus2", SimpleNamespace(SMBus=Bus))
    monkeypatch.setattr(memory, "KEPT_RIGHT", tmp_path / "synchronized")
    write(tmp_path / "sys/class/hwmon/hwmon0/name", "rpi_volt\n")
    write(tmp_path / "sys/class/hwmon/hwmon0/in0_lcrit_alarm", "0\n")
    write(tmp_path / "sys/class/thermal/thermal_zone0/temp", "52345\n")
    monkeypatch.setattr(time, "time", lambda: 1.8e9)
    Store(tmp_path / "state", time.time).close()
    with ExitStack() as stack:
        for patch in kernel.patches():
            stack.enter_context(patch)
        yield kernel


def test_a_box_on_which_all_is_well(config: Path, pi: FakeKernel, tmp_path: Path) -> None:
    """A line for every check; nothing that can't be known is a fault."""
    installed = {name: importlib.metadata.version(name) for name in ("gpiozero", "gpiod", "luma.oled")}
    with keeping(config) as store:
        store.keep_health(dict.fromkeys(range(4), 50), {})
    now = time.strftime("%Y-%m-%d %H:%M")
    assert printed("doctor", "--config", config).splitlines() == [
        f"ok    python          {sys.version.split()[0]}",
        f"ok    gpiozero        {installed['gpiozero']}, needed 2.0.1",
        f"ok    gpiod           {installed['gpiod']}, needed 2.1",
        f"ok    luma.oled       {installed['luma.oled']}, needed 3.9",
        "ok    settings        good; the game is tiny",
        "ok    levers          3, all in play; `shutthebox doctor --levers` watches them",
        "ok    lever health    up to 50 presses each, none chatters",
        f"ok    permission      {tmp_path}/gpiochip0, {tmp_path}/i2c-32",
        f"ok    chip            {tmp_path}/gpiochip0, pinctrl-bcm2711",
        "ok    lever 1         line 4 is free, up now",
        "ok    lever 2         line 17 is free, up now",
        "ok    lever 3         line 27 is free, up now",
        "ok    dice button     line 12 is free, up now",
        "ok    buzzer          line 18 is free",
        "ok    button lamp     line 19 is free",
        "ok    service button  line 20 is free, up now",
        f"ok    display         answers at 0x3C on {tmp_path}/i2c-32",
        "ok    power           good",
        "ok    temperature     52 °C",
        "ok    entropy         the kernel's is ready",
        f"ok    store           {tmp_path}/state/box.sqlite3: 0 matches",
        "skip  dice            0 throws are too few to tell",
        f"ok    clock           {now}; nothing here keeps it right, but only dates depend on it",
    ]
    assert all(handle.closed for handle in pi.handles)


@pytest.mark.parametrize(
    ("carrier", "networkd", "said"),
    [
        ("1", "", "lan9 is connected, but has no address: does the router give it one?"),
        (
            "0",
            "ADMIN_STATE=x\nNETWORK_FILE=/run/systemd/network/x\n",
            "lan9 is configured, but not connected",
        ),
        ("0", "ADMIN_STATE=unmanaged\n", None),
    ],
    ids=["no lease", "wrong password", "no network wanted"],
)
def test_a_network_that_gives_no_address_is_named(
    config: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    carrier: str,
    networkd: str,
    said: str | None,
) -> None:
    """Otherwise the page that nobody can open is looked for everywhere but there."""
    for name, text in (("type", "1"), ("carrier", carrier), ("ifindex", "9")):
        write(tmp_path / "net/lan9" / name, f"{text}\n")
    monkeypatch.setattr(network, "LINKS", tmp_path / "links")
    write(tmp_path / "links/9", networkd)
    found = results(config).get("network")
    if said is None:
        assert found is None
    else:
        assert found is not None
        assert found[0] == "FAIL"
        assert found[1].startswith(said)


# -- pins --------------------------------------------------------------------------------------


def test_a_panel_on_spi_and_inverted_switches_are_named(config: Path, tmp_path: Path, pi: FakeKernel) -> None:
    text = config.read_text().replace("bus = 32", 'interface = "spi"')
    config.write_text(text.replace("[gpio]\n", "[gpio]\ninverted = [3]\n"))
    found = results(config)
    assert found["lever 3"] == ("ok", "line 27 is free, inverted, down now")
    assert found["display DC"] == ("ok", "line 9 is free")
    assert found["display reset"] == ("ok", "line 7 is free")
    assert found["display"] == (
        "FAIL",
        f"no {tmp_path}/spidev0.0: dtparam=spi=on and dtoverlay=spi0-1cs,no_miso in config.txt",
    )
    (tmp_path / "spidev0.0").touch()
    assert results(config)["display"][0] == "ok"


def test_a_welded_dice_button_is_named_with_its_present_level(config: Path, pi: FakeKernel) -> None:
    """Whoever repairs a box need not press the button to hear that it is broken."""
    (chip,) = pi.chips.values()
    chip.lines[12].outside = chip.lines[4].outside = False
    found = results(config)
    assert found["dice button"] == (
        "FAIL",
        "line 12 is free, and down now: if nobody holds it, its switch is welded or its lead shorted",
    )
    assert found["lever 1"] == ("ok", "line 4 is free, down now"), "a lever may stay down"


def test_lines_are_free_or_busy_by_name(config: Path, pi: FakeKernel) -> None:
    (chip,) = pi.chips.values()
    chip.lines[17].consumer = "lirc"
    chip.lines[27].consumer = "shutthebox"
    found = results(config)
    assert found["lever 1"] == ("ok", "line 4 is free, up now")
    assert found["lever 2"] == ("FAIL", "line 17 is busy: lirc has it")
    held = "line 27 is held by the running box"
    hint = "Owner shows its state, and so does doctor as root"
    assert found["lever 3"] == ("ok", f"{held}; {hint}")


LINES_OF_LINUX_6_6 = """\
gpiochip1: GPIOs 504-511, parent: platform/soc:firmware:expgpio, raspberrypi-exp-gpio, can sleep:
 gpio-508 (CAM_GPIO            |shutthebox          ) out hi

gpiochip0: GPIOs 512-565, parent: platform/3f200000.gpio, pinctrl-bcm2835:
 gpio-516 (GPIO_GCLK           |shutthebox          ) in  hi IRQ
 gpio-524 (GPIO12              |shutthebox          ) in  lo IRQ
 gpio-529 (GPIO17              |shutthebox          ) in  lo IRQ ACTIVE LOW
"""
LINES_OF_LATEST_LINUX = re.sub(
    r"gpio-(\d+)", lambda line: f"gpio-{int(line[1]) - 512}", LINES_OF_LINUX_6_6
).replace("GPIOs 512-565", "54 GPIOs")


@pytest.mark.parametrize("lines", [LINES_OF_LINUX_6_6, LINES_OF_LATEST_LINUX])
def test_root_is_told_how_the_switches_of_a_running_box_stand(
    lines: str, config: Path, pi: FakeKernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A welded button need not wait for the box to be stopped."""
    (chip,) = pi.chips.values()
    for line in (4, 12, 17):
        chip.lines[line].consumer = "shutthebox"
    monkeypatch.setattr(hardware, "LINES_IN_USE", tmp_path / "gpio")
    write(tmp_path / "gpio", lines)
    found = results(config)
    assert found["lever 1"] == ("ok", "line 4 is held by the running box, up now")
    assert found["lever 2"] == ("ok", "line 17 is held by the running box, down now")
    assert found["dice button"][0] == "FAIL"
    assert "and down now: if nobody holds it" in found["dice button"][1]


def test_a_line_that_cannot_be_asked_leaves_out_no_other_check(config: Path, pi: FakeKernel) -> None:
    before = results(config)
    config.write_text(config.read_text().replace("[gpio]", '[gpio]\nlevers = [4, "gpiochip9:3", 27]'))
    found = results(config)
    assert found["lever 2"][0] == "FAIL"
    assert found.keys() == before.keys()


@pytest.mark.parametrize("backend", ["lgpio", "rpigpio"])
def test_a_back_end_that_cannot_start_the_box_is_no_green_line(
    backend: str, config: Path, pi: FakeKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("lgpio", "RPi", "RPi.GPIO"):
        monkeypatch.setitem(sys.modules, module, None)
    for module in ("gpiozero.pins.lgpio", "gpiozero.pins.rpigpio"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    config.write_text(config.read_text().replace("service = 20", f'service = 20\nbackend = "{backend}"'))
    verdict, reason = results(config)["chip"]
    assert verdict == "FAIL"
    assert reason.startswith(f"gpio.backend: {backend} can't open the pins: ")


class UnknownPi:
    """A factory on a kernel that reports no board revision, as Debian's own may."""

    @property
    def board_info(self) -> object:
        raise PinUnknownPi("unable to locate Pi revision")

    def close(self) -> None:
        """Nothing is open."""


def test_a_kernel_without_a_board_revision_is_named_and_not_line_12(
    config: Path, pi: FakeKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardware, "open_factory", lambda backend: UnknownPi())
    verdict, reason = results(config)["board"]
    assert verdict == "FAIL"
    assert "no board revision" in reason


def test_who_may_not_open_the_devices_is_told_the_group(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gpiochip0").touch()
    access = os.access

    def refuses(path: Any, mode: int) -> bool:
        return Path(path).name != "gpiochip0" and access(path, mode)

    monkeypatch.setattr(os, "access", refuses)
    group = (tmp_path / "gpiochip0").group()
    verdict, reason = results(config)["permission"]
    assert verdict == "FAIL"
    assert reason.startswith(f"{tmp_path}/gpiochip0 belongs to the group {group}: sudo usermod -aG {group} ")


# -- display -----------------------------------------------------------------------------------


class Bus(OpenedBus):
    """smbus2's, with a panel."""

    addresses: tuple[int, ...] = (0x3C,)

    def write_byte(self, address: int, value: int) -> None:
        assert value == 0x00
        if address not in self.addresses:
            raise OSError(121, "Remote I/O error")


def test_a_panel_at_its_other_address_is_pointed_out(
    config: Path, pi: FakeKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two modules that look alike differ in a resistor; without this the owner suspects the lead."""
    config.write_text(config.read_text().replace("bus = 32", "bus = 32\naddress = 0x3D"))
    nothing = "nothing answers at 0x3D: [Errno 121] Remote I/O error"
    said = ("FAIL", f"{nothing}; but 0x3C answers: display.address = 0x3C")
    assert results(config)["display"] == said
    monkeypatch.setattr(Bus, "addresses", ())
    verdict, reason = results(config)["display"]
    assert verdict == "FAIL"
    assert reason.startswith(f"{nothing}; check its lead")
    assert 'interface = "spi"' in reason, "most 2.42 inch panels come set to SPI"


def test_a_panel_that_answers_only_after_its_reset_is_found(
    config: Path, pi: FakeKernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reset = pi.chips[f"{tmp_path}/gpiochip0"].lines[7]

    class Resettable(Bus):
        def write_byte(self, address: int, value: int) -> None:
            if reset.request is None or [level for _, level in reset.history][-2:] != [0, 1]:
                raise OSError(121, "Remote I/O error")
            super().write_byte(address, value)

    monkeypatch.setitem(sys.modules, "smbus2", SimpleNamespace(SMBus=Resettable))
    assert results(config)["display"][0] == "FAIL"
    config.write_text(config.read_text().replace("bus = 32", "bus = 32\nreset = 7"))
    assert results(config)["display"] == ("ok", f"answers at 0x3C on {tmp_path}/i2c-32")
    assert reset.request is None, "the line is free again, for the box"
    low, high = (when for when, _ in reset.history[-2:])
    assert high - low >= 10_000_000, "as long as other drivers hold it low; some modules need it"


def test_a_reset_line_that_something_holds_is_named_if_no_panel_answers(
    config: Path, pi: FakeKernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the box runs, it holds the line, and its panel answers."""
    config.write_text(config.read_text().replace("bus = 32", "bus = 32\nreset = 7"))
    with pi.open(f"{tmp_path}/gpiochip0").request_lines({7: gpiod.LineSettings()}, "box", 1):
        assert results(config)["display"][0] == "ok"
        monkeypatch.setattr(Bus, "addresses", ())
        assert "; line 7 can't be driven: " in results(config)["display"][1]


def test_power_and_heat_now_and_as_the_box_has_kept_them(
    config: Path, pi: FakeKernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    day_s = 24 * 3600
    with keeping(config) as store:
        store.keep(Faulted("power", "too low"))
        store.keep(Faulted("heat", "too hot"))
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(1.8e9))
    monkeypatch.setattr(time, "time", lambda: 1.8e9 + 6 * day_s)
    found = results(config)
    assert found["power"] == (
        "FAIL",
        f"too low last at {when}: use a stronger supply, or a shorter and thicker lead",
    )
    assert found["temperature"] == ("FAIL", f"too hot last at {when}: give the Pi more air, or a heat sink")
    monkeypatch.setattr(time, "time", lambda: 1.8e9 + 8 * day_s)
    assert results(config)["power"] == ("ok", f"good; too low last at {when}")
    write(tmp_path / "sys/class/hwmon/hwmon0/in0_lcrit_alarm", "1\n")
    write(tmp_path / "sys/class/thermal/thermal_zone0/temp", "85000\n")
    found = results(config)
    assert found["power"][1].startswith("too low now: ")
    assert found["temperature"][1].startswith("too hot now: ")


# -- levers, store, clock ----------------------------------------------------------------------


def test_levers_out_of_play_are_said_wherever_it_was_settled(config: Path) -> None:
    config.write_text(config.read_text() + "[box]\nout_of_play = [3]\n")
    assert results(config)["levers"][1].startswith("9, out of play: 3")
    with keeping(config) as store:
        store.keep(Chosen("box.out_of_play", (8, 4)))
    assert results(config)["levers"][1].startswith("9, out of play: 4, 8"), "the latest word"


def test_lever_health_from_the_store(config: Path) -> None:
    def kept(presses: dict[int, int], chatter: dict[int, int]) -> tuple[str, str]:
        with keeping(config) as store:
            store.keep_health(presses, chatter)
        return results(config)["lever health"]

    sound = dict.fromkeys(range(10), 30)
    assert kept(sound | {4: 0}, {})[0] == "skip", "too few presses to tell"
    assert kept(sound | {4: 0}, {}) == ("FAIL", "lever 4 was never pressed: is its wire cut?")
    assert kept({4: 1}, {7: 2000}) == ("ok", "up to 60 presses each, none chatters")
    assert kept({}, {7: 2000}) == ("FAIL", "lever 7 chatters: 4000 edges in 60 presses")
    with keeping(config) as store:
        store.keep(Chosen("box.out_of_play", (7,)))
    assert results(config)["lever health"][0] == "ok"


@pytest.mark.parametrize(
    ("free", "verdict", "reason"),
    [
        (16 << 20, "ok", "0 matches"),
        ((16 << 20) - 1, "FAIL", "the disk is full, 16383 KiB are free: make room, or use a larger card"),
    ],
)
def test_a_full_disk_is_a_fault(
    free: int, verdict: str, reason: str, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with keeping(config):
        pass
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=free))
    assert results(config)["store"] == (verdict, f"{config.parent}/state/box.sqlite3: {reason}")


def test_a_store_that_has_been_written_to_by_another_hand_is_a_fault(config: Path) -> None:
    with keeping(config) as store:
        store.keep(Chosen("game.players", 3))
    with closing(sqlite3.connect(config.parent / "state/box.sqlite3", isolation_level=None)) as db:
        db.execute("update setting set value = '4'")
    found = results(config)
    assert found["store"][0] == "FAIL"
    assert "box.sqlite3: damaged: " in found["store"][1]
    assert found["dice"] == ("skip", "the store can't be read or trusted")


@pytest.mark.parametrize(
    ("heads", "other", "found"),
    [
        (552, False, ("ok", "least p = 0.0010")),
        (553, False, ("FAIL", "least p = 0.0008")),
        (553, True, ("ok", "least p = 0.0008")),
        (556, True, ("FAIL", "least p = 0.0004")),
    ],
)
def test_dice_are_called_unfair_at_one_in_a_thousand(
    heads: int, other: bool, found: tuple[str, str], config: Path
) -> None:
    """A thousand throws of a coin; with a second, fair one, each may be twice as unlucky."""
    rows = [(1, 2, 1, 1, heads), (1, 2, 1, 2, 1000 - heads)]
    rows += [(2, 2, 2, value, 500) for value in (1, 2)] if other else []
    keep_throws(config.parent / "state", rows)
    assert results(config)["dice"] == found


def test_a_box_that_cannot_deliver_says_why(config: Path, tmp_path: Path) -> None:
    outbox = tmp_path / "outbox"
    config.write_text(f'{config.read_text()}[outbox]\nfolder = "{outbox}"\n')
    assert "league" not in results(config), "a box that is in none"
    outbox.mkdir()
    assert results(config)["league"] == ("ok", "0 to send")
    entry = outbox / "0000000000000001-aa.json"
    entry.touch()
    assert results(config)["league"] == ("ok", "1 to send")
    two_days_ago = time.time() - 2 * 24 * 3600
    os.utime(entry, (two_days_ago, two_days_ago))
    verdict, reason = results(config)["league"]
    assert verdict == "FAIL"
    assert reason.startswith("1 to send, the oldest for more than a day")
    (outbox / UPLINK_STATUS_FILE).write_text(
        UplinkStatus(DeliveryState.HELD, "held by the league: the key is revoked").to_text()
    )
    assert results(config)["league"] == ("FAIL", "1 to send; held by the league: the key is revoked")
    (outbox / UPLINK_STATUS_FILE).write_bytes(b"x" * 10_000)
    verdict, reason = results(config)["league"]
    assert (verdict, "larger than" in reason) == ("FAIL", True)


def test_a_box_without_its_helper_is_told_from_no_box(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHUTTHEBOX_LINK", str(tmp_path))
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    config.write_text(f'{config.read_text()}[link]\non = true\nbroker = "mqtts://127.0.0.1:{port}"\n')
    assert results(config)["broker"] == ("FAIL", f"127.0.0.1:{port}: Connection refused")
    assert "the box doesn't listen" in results(config)["link"][1]
    with closing(socket.socket(socket.AF_UNIX)) as box, closing(socket.socket(socket.AF_UNIX)) as helper:
        box.bind(str(tmp_path / "link"))
        box.listen()
        assert "no helper calls" in results(config)["link"][1]
        helper.connect(str(tmp_path / "link"))
        with closing(box.accept()[0]):
            assert results(config)["link"] == ("ok", "the helper is there")


@pytest.mark.slow
def test_a_box_that_can_not_meet_another_says_why(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = config.read_text()
    assert not {"link", "broker"} & results(config).keys(), "a box that plays with no other"
    (folder := tmp_path / "mosquitto").mkdir()
    broker = LinkBroker(folder)
    monkeypatch.setenv("SHUTTHEBOX_LINK", str(tmp_path))

    def found(check: str, **link: str) -> tuple[str, str]:
        config.write_text(own + broker.config(tmp_path / "link.toml", **link).read_text())
        return results(config)[check]

    with ExitStack() as stack:
        stack.callback(broker.process.kill)
        host = f"localhost:{broker.ports[1]}"
        assert found("broker") == ("ok", f"{host} lets this box in")
        refused = "the broker refuses: are link.user and link.password right?"
        assert found("broker", password="wrong") == ("FAIL", f"{host}: {refused}")
        assert found("broker", user="wrong") == ("FAIL", f"{host}: {refused}")
        verdict, why = found("broker", ca="")
        assert (verdict, "certificate verify failed: self-signed certificate" in why) == ("FAIL", True)
        assert found("broker", ca="/nowhere.pem")[1] == "link.ca: /nowhere.pem: No such file or directory"
        assert found("broker", broker="mqtts://nowhere.invalid:8883")[0] == "FAIL"
        assert "the box doesn't listen" in found("link")[1]
        box = LinkBox(tmp_path / "link")
        assert "no helper calls" in found("link")[1]
        helper = HelperProcess(tmp_path / "link.toml", tmp_path / "link", tmp_path / "keys")
        until(lambda: found("link") == ("ok", "the helper is there"))
        helper.end()
        box.socket.close()
    assert found("broker") == ("FAIL", f"{host}: Connection refused")


@pytest.mark.parametrize(
    ("now", "verdict", "words"),
    [
        (1_800_000_000, "ok", "nothing here keeps it right"),
        (1_800_000_000 - 3600, "FAIL", "it has been set back, or was ahead"),
        (12, "FAIL", "it has never been set"),
    ],
)
def test_the_clock_against_the_last_match(
    now: float,
    verdict: str,
    words: str,
    config: Path,
    pi: FakeKernel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with keeping(config) as store:
        store.keep(Began(begin(builtin("pub"), 2)))
    monkeypatch.setattr(time, "time", lambda: now)
    found = results(config)["clock"]
    assert found[0] == verdict
    assert words in found[1]
    if verdict == "ok":
        (tmp_path / "synchronized").touch()
        assert "set by the network" in results(config)["clock"][1]
