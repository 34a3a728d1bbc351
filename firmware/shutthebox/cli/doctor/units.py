"""Doctor checks of systemd's units: whether the box is running, and what its owner wants beside it."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping

from shutthebox.cli.doctor.result import CheckResult, failed, passed
from shutthebox.cli.services import services
from shutthebox.config.schema import CONFIG_FILE, Config

BOX = "shutthebox.service"

_KEYS = (
    "LoadState",
    "UnitFileState",
    "ActiveState",
    "SubState",
    "Result",
    "ConditionResult",
    "ConditionTimestampMonotonic",
    "NRestarts",
)


def check_units(config: Config) -> Iterator[CheckResult]:
    """Whether every unit runs that should; no results where systemd knows no box."""
    box = _ask(BOX)
    if box.get("LoadState", "not-found") == "not-found":
        return
    yield _judge("box", BOX, box, f"sudo systemctl start {BOX}")
    for service in services(config, CONFIG_FILE.parent):
        if not service.on:
            continue
        if shutil.which(service.program) is None:
            text = f"on, but {service.program} is missing: sudo apt install {service.package}"
            yield failed(service.name, f"{text}, then sudo systemctl restart {BOX}")
            continue
        found = [_ask(unit) for unit in service.units]
        # The first unit starts the others; those that can't be started count, too.
        number = next((n for n, told in enumerate(found) if {*told.values()} & {"masked", "failed"}), 0)
        yield _judge(service.name, service.units[number], found[number], f"sudo systemctl restart {BOX}")


def _ask(unit: str) -> Mapping[str, str]:
    """What systemd says of a unit; empty without systemd."""
    if shutil.which("systemctl") is None:
        return {}
    command = ["systemctl", "show", f"--property={','.join(_KEYS)}", unit]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {}
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)


def _judge(check: str, unit: str, found: Mapping[str, str], start: str) -> CheckResult:
    state = found.get("ActiveState", "")
    log = f"journalctl -u {unit}"
    if found.get("LoadState") == "masked":
        return failed(check, f"{unit} is masked: sudo systemctl unmask {unit}, then {start}")
    if state == "active":
        return passed(check, f"{unit} is running")
    if state == "failed":
        return failed(check, f"{unit} has failed ({found.get('Result')}): {log}")
    if found.get("SubState") == "auto-restart" or found.get("NRestarts", "0") != "0":
        return failed(check, f"{unit} ends again and again, {found['NRestarts']} times so far: {log}")
    if state == "activating":
        return failed(check, f"{unit} is still starting: {log}")
    if found.get("UnitFileState") == "disabled":
        return failed(check, f"{unit} is disabled: sudo systemctl enable --now {unit}")
    was_tried = found.get("ConditionTimestampMonotonic") != "0"
    if unit == BOX and was_tried and found.get("ConditionResult") == "no":
        return failed(check, f"{unit} wasn't started: this machine has no /dev/gpiochip*; it starts with one")
    return failed(check, f"{unit} is stopped: {start}")
