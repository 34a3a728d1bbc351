"""Doctor checks of the Pi itself: its power and temperature, now and in the store."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from shutthebox.adapters.machine import Sensors
from shutthebox.adapters.store import queries
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.reading import open_reading
from shutthebox.cli.doctor.result import CheckResult, failed, passed, skipped
from shutthebox.cli.stats import date_text
from shutthebox.config.schema import Config
from shutthebox.game.faults import MachineFault

MACHINE = Path("/")

LATELY_S = 7 * 24 * 3600
"""A stored fault no older than this, in seconds, still counts."""

_REMEDIES = {
    MachineFault.POWER: "use a stronger supply, or a shorter and thicker lead",
    MachineFault.HEAT: "give the Pi more air, or a heat sink",
}


def check_machine(config: Config) -> Iterator[CheckResult]:
    """Whether power and temperature are right, and have been for a week."""
    sensors = Sensors(MACHINE)
    now = sensors.faults()
    kept: list[queries.LoggedFault] = []
    with contextlib.suppress(StoreError), open_reading(config.memory_folder) as read:
        kept += queries.logged_faults(read.db)
    millidegrees = sensors.millidegrees()
    heat = "" if millidegrees is None else f"{millidegrees // 1000} °C"
    for fault in MachineFault:
        match fault:
            case MachineFault.POWER:
                yield _judge("power", fault, now, kept, "good" if sensors.measures_power else "", "too low")
            case MachineFault.HEAT:
                yield _judge("temperature", fault, now, kept, heat, "too hot")


def _judge(
    check: str,
    fault: MachineFault,
    now: frozenset[MachineFault],
    kept: list[queries.LoggedFault],
    value: str,
    wrong: str,
) -> CheckResult:
    when_s = [entry.at_s for entry in kept if entry.kind == fault.value]
    if fault in now:
        return failed(check, f"{wrong} now: {_REMEDIES[fault]}")
    if not when_s:
        return passed(check, value) if value else skipped(check, "this machine doesn't measure it")
    latest = f"{wrong} last at {date_text(max(when_s), '%Y-%m-%d %H:%M')}"
    if time.time() - max(when_s) > LATELY_S:
        return passed(check, f"{value or 'not measured'}; {latest}")
    return failed(check, f"{latest}: {_REMEDIES[fault]}")
