"""A card: its first start, a match through pulled plugs, an update there and back; `test_year` goes on."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from tests.support.league import enrolled
from tests.system.image.machine import BOOT_S, CARD_BYTES, CONFIG, CardPi, write_files
from tests.system.image.table import (
    BESIDE_BOX,
    BUILT_IN,
    PULLS,
    SETTINGS,
    SlowTable,
    await_box,
    confirmed,
    is_active,
    played,
    ports,
    said_in_attract,
    slot,
)
from tests.system.virtual_pi.play import Play
from tests.system.virtual_pi.table import GPIO, Table, attract, until

from shutthebox.rules.position import Stage

pytestmark = [pytest.mark.image, pytest.mark.timeout(12 * BOOT_S)]

MISTAKES = (
    'network.toml: country: is missing; use two letters, such as "BE" or "FR"',
    "ssh-key.txt: line 1: no public key; use a line like ssh-ed25519 AAAA... name",
)
FETCH = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8090/', timeout=300).read().decode())"
UPDATED = "/run/hardware/good.raucb"


@pytest.fixture(scope="module")
def table(pi: CardPi) -> Table:
    """The box in the machine, with its levers at rest."""
    found = SlowTable(pi, SETTINGS)
    assert until(lambda: found.shown("ActiveState") == "active", BOOT_S), found.journal()
    return found


def test_the_first_start_says_what_is_wrong_on_the_card(table: Table) -> None:
    table.see([said_in_attract(*MISTAKES, settings=BUILT_IN)])
    print(f"\nfirst start, emulated: {table.pi.boot_s:.0f} s")
    print(table.pi.run("systemd-analyze; systemd-analyze critical-chain shutthebox.service", check=False).out)


def test_nothing_failed_and_nothing_listens(table: Table) -> None:
    assert table.pi.run("systemctl --failed --no-legend --plain").out == ""
    assert ports(table.pi) == set()
    for unit in BESIDE_BOX:
        assert not is_active(table.pi, unit)
    assert (
        table.pi.run("systemctl is-active getty.target ssh.service", check=False).out.split()
        == ["inactive"] * 2
    )
    assert ":!" in table.pi.run("grep ^root: /etc/shadow").out, "nobody logs in with a password"


def test_once_it_is_put_right_what_is_wanted_is_on_and_stays_on(
    table: Table, pi: CardPi, tmp_path: Path
) -> None:
    enrolled(tmp_path)
    pi.pull_plug()
    wanted = {
        "shutthebox.toml": f"{CONFIG}[scoreboard]\non = true\n[speech]\non = true\n",
        "network.toml": "# none\n",
        "ssh-key.txt": "",
        "league.toml": (tmp_path / "lion.toml").read_text(),
    }
    write_files(pi.card, wanted)
    for start in range(min(PULLS, 3) + 1):
        if start:
            pi.pull_plug()
        pi.power_on()
        await_box(table)
        table.see([attract(SETTINGS)])
        for unit in BESIDE_BOX:
            assert until(partial(is_active, pi, unit), BOOT_S), table.journal()
        assert ports(pi) == {8090}
        assert "<html" in pi.run(f'python3 -c "{FETCH}"').out
        assert "espeak-ng" not in pi.run("journalctl --boot -u shutthebox-speech --no-pager -p warning").out
        assert pi.run("systemctl --failed --no-legend --plain").out == ""


def test_the_system_is_read_only_and_the_memory_has_the_rest_of_the_card(table: Table) -> None:
    mounts = dict(line.split()[1:3] for line in table.pi.run("cat /proc/mounts").out.splitlines())
    assert mounts["/"] == "overlay"
    assert mounts["/data"] == "ext4"
    sectors = int(
        table.pi.run("cat /sys/class/block/$(basename $(readlink -f /dev/disk/by-label/shutthebox))/size").out
    )
    assert sectors * 512 > CARD_BYTES - (820 << 20)
    assert table.pi.run("findmnt -no SOURCE /var/lib/private/shutthebox").out.strip().endswith("[/state]")
    kept = table.pi.run("ls /data/state").out.split()
    assert "box.sqlite3" in kept


def test_a_match_goes_on_whenever_the_plug_is_pulled(table: Table, pi: CardPi) -> None:
    play = Play(table, SETTINGS)
    pulled = 0
    while play.match.stage is not Stage.FINISHED:
        play.go_on()
        if play.match.stage is Stage.ANSWER and pulled < PULLS:
            pulled += 1
            pi.pull_plug()
            pi.power_on()
            await_box(table)
            play.see()  # the same throw is on the table, and the same tiles are shut
    assert pulled == PULLS
    assert until(lambda: pi.run("ls /data/spool/outbox").out.strip() != "", BOOT_S), (
        "the league's, once it is there"
    )
    assert play.match.result is not None
    print(f"\nplug pulled {pulled} times; winner: {play.match.result.winners}, totals: {play.match.totals}")


def test_the_match_is_left(table: Table, pi: CardPi) -> None:
    pi.set_line(int(GPIO.roll), 0)  # held until the box is in attract
    table.see([attract(SETTINGS)])
    pi.set_line(int(GPIO.roll), 1)
    table.stand(0)


def update(pi: CardPi, bundle: str) -> None:
    """Has the box take an update, and waits for the start that follows."""
    before = pi.boot_id()
    done = pi.run(f"shutthebox update {bundle} 2>&1", check=False)
    assert done.code == 0, done.out + pi.run("journalctl -u rauc --no-pager").out
    pi.await_restart(before)


def test_an_update_there_and_back_keeps_memory_and_configuration(table: Table, pi: CardPi) -> None:
    matches = played(pi)
    for expected in "BA":
        update(pi, UPDATED)
        assert slot(pi) == expected
        await_box(table)
        table.see([attract(SETTINGS)])
        assert until(lambda: confirmed(pi), BOOT_S), pi.run("journalctl -u shutthebox-confirm --no-pager").out
        assert played(pi) == matches
