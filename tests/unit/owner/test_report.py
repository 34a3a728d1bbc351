"""What the owner reads in service: about the box, its faults and tonight."""

import os
import subprocess
import time
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from tests.support.writer import facts

from shutthebox import __version__
from shutthebox.adapters.machine import MachineWatch, Sensors
from shutthebox.adapters.store.backup import note_save
from shutthebox.adapters.store.database import Store
from shutthebox.adapters.store.failsafe_store import FailsafeStore
from shutthebox.game.facts import Began, Faulted, WrongCodes
from shutthebox.game.faults import Fault, MachineFault
from shutthebox.game.lever_health import Ailment
from shutthebox.game.messages import localize
from shutthebox.game.owner_topics import Topic
from shutthebox.owner.report import BoxReport
from shutthebox.rules.actions import Thrown

EVENING_S = time.mktime((2026, 11, 20, 20, 10, 0, 0, 0, -1))
HOUR_S = 3600


class Box:
    def __init__(self, folder: Path) -> None:
        self.now_s, self.folder = EVENING_S, folder
        self.store = Store(folder, lambda: self.now_s)

    def lines(
        self, topic: Topic, wrong: Collection[int] = (), standing: frozenset[str] = frozenset()
    ) -> list[str]:
        memory = FailsafeStore(self.store)
        report = BoxReport(
            memory.lines, self.folder, EVENING_S, standing, lambda: self.now_s, self.folder / "machine"
        )
        return [localize(line, str) for line in report(topic, wrong)]

    def machine(self, path: str, text: str) -> None:
        file = self.folder / "machine" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = Box(tmp_path)
    with closing(box.store):
        yield box


def test_about_says_only_what_the_machine_tells(box: Box) -> None:
    lines = box.lines(Topic.ABOUT)
    assert lines[:2] == [f"Version\t{__version__}", "Since\tFri 20:10"]
    assert [line.split("\t")[0] for line in lines[2:]] == ["Free space", "Saved"]


def test_about_a_card(box: Box) -> None:
    box.machine("proc/cmdline", "rauc.slot=B panic=10 quiet\n")
    box.machine("sys/class/thermal/thermal_zone0/temp", "52345\n")
    box.machine("sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
    box.machine("sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    box.machine("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    box.machine("run/systemd/netif/leases/2", "# by networkd\nADDRESS=192.168.178.105\nNETMASK=255.0.0.0\n")
    lines = box.lines(Topic.ABOUT)
    assert lines[2:4] == ["System\tB", "192.168.178.105"]
    assert lines[4].endswith(".local")
    assert lines[5:7] == ["Temperature\t52 °C", "Power is too low"]
    box.machine("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
    assert "Power is good" in box.lines(Topic.ABOUT)


def test_low_power_and_heat_leave_a_trace_with_their_time(box: Box) -> None:
    """A supply that fails for a second when the buzzer sounds is never caught in the act."""
    box.machine("sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    watch: MachineWatch | None = None

    def look(volt: str, millidegrees: str) -> list[str]:
        nonlocal watch
        box.machine("sys/class/hwmon/hwmon1/in0_lcrit_alarm", volt)
        box.machine("sys/class/thermal/thermal_zone0/temp", millidegrees)
        watch = watch or MachineWatch(Sensors(box.folder / "machine"), box.store.keep)
        watch.check()
        return box.lines(Topic.FAULTS, standing=frozenset(fault.value for fault in watch.faults))

    assert look("0\n", "79999\n") == ["None"]
    low = ["Power is too low", "Fri 20:10\tnow"]
    assert look("1\n", "60000\n") == low
    box.now_s += HOUR_S
    assert look("1\n", "60000\n") == low, "it began at ten past eight"
    assert look("0\n", "80000\n") == ["The Pi is hot", "Fri 21:10\tnow", low[0], "Fri 20:10\tok"]
    box.now_s += 2 * HOUR_S
    assert look("0\n", "75000\n")[1] == "Fri 21:10\tnow"
    assert look("0\n", "74999\n")[1] == "Fri 21:10\tok"
    assert look("0\n", "80000\n")[1] == "Fri 23:10, 2x\tnow"


@pytest.mark.parametrize(
    ("bits", "faults"),
    [
        ("0", []),
        ("1", [MachineFault.POWER]),
        ("50005", [MachineFault.POWER]),
        ("50000", []),
        ("4", [MachineFault.HEAT]),
        ("zz", []),
    ],
)
def test_the_firmwares_own_word_on_a_raspberry_pi_kernel(
    bits: str, faults: list[MachineFault], box: Box
) -> None:
    box.machine("sys/devices/platform/soc/soc:firmware/get_throttled", f"{bits}\n")
    assert Sensors(box.folder / "machine").faults() == set(faults)


def test_a_machine_that_measures_nothing_has_no_such_fault(box: Box) -> None:
    box.machine("sys/class/thermal/thermal_zone0/temp", "broken\n")
    box.machine("sys/class/hwmon/hwmon0/name", "rpi_volt\n")
    assert Sensors(box.folder / "machine").faults() == frozenset()


def test_a_fault_is_told_with_its_date_how_often_and_whether_it_has_cleared(box: Box) -> None:
    for _ in range(3):
        box.store.keep(Faulted("lever", "switch 4 is stuck"))
        box.now_s += 2 * HOUR_S
    box.store.keep(Faulted(Fault.STORE_REPLACED.value, "kept as box.sqlite3.1.damaged"))
    box.store.keep(Faulted(Fault.FORGETS.value, "disk full"))
    box.store.keep(Faulted(Fault.STORE_REPLACED.value, "kept as box.sqlite3.2.damaged"))
    memory = ["Memory damaged", "Sat 02:10, 2x\tok", "Memory is off", "Sat 02:10\tok"]
    assert box.lines(Topic.FAULTS) == [*memory, "Lever 4: stuck?", "Sat 00:10, 3x\tok"]
    assert box.lines(Topic.FAULTS, wrong=[4])[5] == "Sat 00:10, 3x\tnow"
    assert box.lines(Topic.FAULTS, standing=frozenset({Fault.FORGETS.value}))[3] == "Sat 02:10\tnow"


def test_a_button_that_was_broken_is_told_as_a_lever_is(box: Box) -> None:
    for ailment in Ailment:
        box.store.keep(Faulted("button", f"switch 0 {ailment.value}"))
    box.store.keep(Faulted("button", "switch -1 is stuck"))
    box.store.keep(Faulted("lever", "switch 1 is taken"))
    lines = box.lines(Topic.FAULTS, wrong=[0])
    words = ["Button: dead?", "Button: stuck?", "Button chatters", "Button: line taken"]
    assert lines[::2] == ["Lever 1: line taken", "Service: stuck?", *words]
    assert lines[1::2] == ["Fri 20:10\tok"] * 2 + ["Fri 20:10\tnow"] * 4


def test_wrong_codes_have_cleared_once_the_right_one_came(box: Box) -> None:
    box.store.keep(Faulted("service", "wrong code, 6 times"))
    box.store.keep(WrongCodes(6))
    assert box.lines(Topic.FAULTS) == ["Wrong code", "Fri 20:10\tnow"]
    box.store.keep(WrongCodes(0))
    assert box.lines(Topic.FAULTS)[1] == "Fri 20:10\tok"


def test_a_week_later_the_weekday_is_a_date_and_in_another_year_one_with_the_year(box: Box) -> None:
    box.store.keep(Faulted("store", "disk full"))
    told_when = []
    for days in (5, 7, 60, -1):
        box.now_s = EVENING_S + days * 24 * HOUR_S
        told_when.append(box.lines(Topic.FAULTS)[1].split("\t")[0])
    assert told_when == ["Fri 20:10", "20/11 20:10", "20/11/2026", "20/11 20:10"]


def test_the_last_save(box: Box) -> None:
    assert box.lines(Topic.ABOUT)[-1] == "Saved\tnever"
    note_save(box.folder, EVENING_S - HOUR_S)
    assert box.lines(Topic.ABOUT)[-1] == "Saved\tFri 19:10"
    (box.folder / "last-save").write_text("1e400")
    assert box.lines(Topic.ABOUT)[-1] == "Saved\tnever"
    note_save(box.folder / "missing", EVENING_S)


def test_the_address_where_network_manager_has_the_network(box: Box) -> None:
    """NetworkManager runs the script with these arguments and variables."""
    script = Path(__file__).parents[3] / "systemd/networkmanager-address"

    def happened(interface: str, what: str, address: str = "") -> None:
        given = {
            "PATH": os.environ["PATH"],
            "SHUTTHEBOX_NETWORK": str(box.folder / "machine/run/shutthebox-network"),
            "IP4_ADDRESS_0": address,
        }
        subprocess.run([script, interface, what], env=given, check=True)

    def addresses() -> list[str]:
        return [line for line in box.lines(Topic.ABOUT) if line[0].isdigit()]

    happened("lo", "up", "127.0.0.1/8 0.0.0.0")
    happened("none", "hostname")
    assert addresses() == []
    happened("wlan0", "up", "192.168.1.7/24 192.168.1.1")
    assert addresses() == ["192.168.1.7"]
    happened("wlan0", "dhcp4-change", "192.168.1.8/24 192.168.1.1")
    happened("eth0", "up")  # without IPv4
    assert addresses() == ["192.168.1.8"]
    happened("wlan0", "down")
    assert addresses() == []


def test_a_box_without_faults_says_so_and_shows_the_latest_twenty_of_many(box: Box) -> None:
    assert box.lines(Topic.FAULTS) == ["None"]
    for number in range(30):
        box.store.keep(Faulted("lever", f"switch {number + 1} is dead"))
    assert len(box.lines(Topic.FAULTS)) == 2 * 20


def test_tonight_counts_from_six_in_the_morning_and_past_midnight(box: Box) -> None:
    box.now_s -= 15 * HOUR_S  # ten past five: last night
    matches, thrown = 0, 0
    when = [box.now_s, EVENING_S, EVENING_S + HOUR_S, EVENING_S + HOUR_S + 60]
    for fact in facts(None, Random(1)):
        if isinstance(fact, Began):
            if matches == len(when):
                break
            box.now_s = when[matches]
            matches += 1
        thrown += isinstance(fact, Thrown) and matches > 1
        box.store.keep(fact)
    box.now_s = EVENING_S + 6 * HOUR_S
    assert box.lines(Topic.TONIGHT) == ["Matches: 3", f"Throws: {thrown}", "Busiest\t21-22 h"]
    box.now_s += 4 * HOUR_S
    assert box.lines(Topic.TONIGHT) == ["Matches: 0", "Throws: 0"], "the next day has begun"


@pytest.mark.parametrize(("has_helper", "said"), [(True, "ready"), (False, "no helper")])
def test_about_says_whether_two_boxes_can_meet(has_helper: bool, said: str, box: Box) -> None:
    report = BoxReport(FailsafeStore(box.store).lines, None, EVENING_S, has_link_helper=has_helper)
    assert localize(report(Topic.ABOUT, ())[-1], str) == f"Another box\t{said}"
