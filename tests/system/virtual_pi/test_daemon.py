"""The real daemon as the real unit: played by moving lines and reading the glass, hung, killed, stopped."""

from __future__ import annotations

import time

import pytest
from tests.system.virtual_pi import PanelWrite, VirtualPi
from tests.system.virtual_pi.play import CONFIG, SETTINGS, Play
from tests.system.virtual_pi.table import Table, attract, install_box

from shutthebox.rules.position import Stage

pytestmark = [pytest.mark.virtual_pi, pytest.mark.timeout(240)]

SWITCHED_OFF = b"\x00\xae"
IDLE_S = 20


@pytest.fixture(scope="module")
def table(pi: VirtualPi) -> Table:
    install_box(pi, CONFIG)
    found = Table(pi, SETTINGS)
    found.start()
    return found


def usage(pi: VirtualPi, pid: str) -> tuple[float, int]:
    """CPU seconds that a process has used, and how often its threads have gone to sleep by themselves."""
    spent = pi.run(f"cat /proc/{pid}/task/*/schedstat").out.splitlines()
    slept = pi.run(f"grep -h ^voluntary /proc/{pid}/task/*/status").out.split()
    return sum(int(line.split()[0]) for line in spent) / 1e9, sum(int(number) for number in slept[1::2])


def test_it_is_up_and_may_do_little(table: Table) -> None:
    assert table.shown("ActiveState") == "active"
    assert table.pi.run("stat -c '%G %a' /dev/gpiochip0 /dev/i2c-1").out.split() == [
        "gpio", "660", "i2c", "660",
    ]  # fmt: skip
    assert table.pi.run(f"stat -c %u /proc/{table.shown('MainPID')}").out.strip() != "0"
    # Nine levers, the button, the lamp and the buzzer carry its name.
    assert table.pi.run("gpioinfo -c gpiochip0").out.count("consumer=shutthebox") == 12
    table.see([attract(SETTINGS)])


def test_at_rest_it_hardly_wakes(table: Table) -> None:
    pid = table.shown("MainPID")
    time.sleep(5)
    before, start = usage(table.pi, pid), time.monotonic()
    time.sleep(IDLE_S)
    after, passed = usage(table.pi, pid), time.monotonic() - start
    percent, rate = 100 * (after[0] - before[0]) / passed, (after[1] - before[1]) / passed
    print(f"\nat rest: {percent:.2f} % of a core, {rate:.1f} wake-ups/s")
    # Once a second all levers are read again and the words move on. Emulated, and on a busy
    # machine, that takes some fifteen times as long as it does on the host.
    assert rate < 4
    assert percent < 4


def test_two_people_play_a_match_through_a_hang_and_a_crash(table: Table) -> None:
    play = Play(table)
    # Whatever they throw, each has at least one throw to answer.
    incidents = [("kill -STOP", "watchdog"), ("kill -KILL", "code=killed")]
    while play.match.stage is not Stage.FINISHED:
        play.go_on()
        if play.match.stage is Stage.ANSWER and incidents:
            how, said = incidents.pop(0)
            before = table.shown("MainPID")
            list(table.frames())
            table.pi.run(f"{how} {before}")
            assert table.back_after(before), table.journal()
            assert went_dark([write for write, _ in table.frames()]), table.journal()
            assert said in table.journal().lower()
            play.see()  # the same throw is on the table, and the same tiles are shut
    assert not incidents
    assert play.match.result is not None
    print(f"\nwinner: {play.match.result.winners}, totals: {play.match.totals}")


def went_dark(sent: list[PanelWrite]) -> bool:
    """Whether the display was switched off, and stayed so until another process set it up."""
    dark = next((i for i, write in enumerate(sent) if write.data == SWITCHED_OFF), None)
    if dark is None:
        return False
    return dark + 1 == len(sent) or sent[dark + 1].time_ns - sent[dark].time_ns > 1e9


def test_it_says_goodbye_and_goes_dark(table: Table) -> None:
    list(table.frames())
    table.pi.run("systemctl stop shutthebox", timeout=60)
    assert table.shown("Result") == "success"
    seen = [(write.time_ns, write.data, picture) for write, picture in table.frames()]
    goodbyes = [time_ns for time_ns, _, picture in seen if picture == table.goodbye()]
    assert goodbyes, "it said no goodbye"
    assert seen[-1][1] == SWITCHED_OFF
    assert 1e9 < seen[-1][0] - goodbyes[0] < 12e9
    assert not table.glass.lit
    assert "consumer=shutthebox" not in table.pi.run("gpioinfo -c gpiochip0").out
    assert table.pi.run("ls /var/lib/private/shutthebox").out.split()[0] == "box.sqlite3"
