"""The box in the emulated machine, with hands and eyes that have the patience it takes."""

from __future__ import annotations

import json
import os
import re

from tests.system.image.machine import BOOT_S, CONFIG, CardPi
from tests.system.virtual_pi.machine import VirtualPi
from tests.system.virtual_pi.table import LEVERS, Table, attract, until

from shutthebox.config.schema import Config, parse_config
from shutthebox.config.settings_loader import settings_for
from shutthebox.game.machine import State
from shutthebox.game.settings import Settings

BUILT_IN = settings_for(Config(), LEVERS, "test")
SETTINGS = settings_for(parse_config(CONFIG, "test"), LEVERS, "test")
#: How often the plug is pulled; a start takes a minute on an idle machine.
PULLS = int(os.environ.get("PULLS", "10"))
#: What its owner may want beside the box.
BESIDE_BOX = ("shutthebox-scoreboard.socket", "shutthebox-speech.service", "shutthebox-uplink.service")


def said_in_attract(*notices: str, settings: Settings = SETTINGS) -> State:
    state = attract(settings)
    return state._replace(shared=state.shared._replace(notices=notices))


class SlowTable(Table):
    """Hands and eyes with the patience that an emulated arm64 on a busy machine takes."""

    patience_s = BOOT_S

    def journal(self) -> str:
        """The journal of the whole machine."""
        return self.pi.run("journalctl --boot --no-pager | tail --lines=200").out


def ports(pi: VirtualPi) -> set[int]:
    """The ports at which anything listens, in TCP or UDP."""
    table = pi.run("cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6").out
    rows = [line.split() for line in table.splitlines() if "local_address" not in line]
    return {int(row[1].rpartition(":")[2], 16) for row in rows if row[3] in ("0A", "07")}


def is_active(pi: VirtualPi, unit: str) -> bool:
    return pi.run(f"systemctl is-active {unit}", check=False).out == "active\n"


def slot(pi: CardPi) -> str:
    """Which of the two systems runs."""
    found = re.search(r"rauc\.slot=([AB])", pi.read("/proc/cmdline").decode())
    assert found
    return found[1]


def await_box(table: Table) -> None:
    """Waits until the box plays again, after a start; the old picture is gone from the glass."""
    assert until(lambda: table.shown("ActiveState") == "active", BOOT_S), table.journal()
    table.glass.plug_in()
    table.hold_levers()


def played(pi: CardPi) -> int:
    """How many finished matches the box remembers."""
    out = pi.run("shutthebox stats --json --state /var/lib/private/shutthebox", timeout=BOOT_S).out
    return int(json.loads(out)["finished"])


def confirmed(pi: CardPi) -> bool:
    """Whether the system that runs is started for good."""
    return pi.run(f"fw_printenv -n BOOT_{slot(pi)}_LEFT").out.strip() == "9"
