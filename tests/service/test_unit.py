"""The unit, as systemd itself judges it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

SYSTEMD = Path(__file__).resolve().parents[2] / "systemd"
UNIT = SYSTEMD / "shutthebox.service"

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing: apt-get install systemd"
)


@needs_systemd
def test_the_unit_is_sound(tmp_path: Path) -> None:
    # Its program is looked for where it will be installed, which is not here.
    text = UNIT.read_text().replace("/usr/bin/shutthebox ", "/bin/true ")
    unit = tmp_path / UNIT.name
    unit.write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(unit)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    complaints = [line for line in done.stderr.splitlines() if "shutthebox" in line]
    assert not complaints
    assert done.returncode == 0, done.stderr


@needs_systemd
def test_the_unit_may_do_next_to_nothing() -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=5", "--no-pager", str(UNIT)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    found = re.search(r"exposure level for \S+: ([\d.]+)", done.stdout)
    assert found is not None
    assert float(found[1]) <= 0.5


def test_every_group_that_the_unit_wants_is_made() -> None:
    wanted = re.findall(r"^SupplementaryGroups=(.*)$", UNIT.read_text(), re.MULTILINE)
    made = re.findall(r"^g (\S+)", (SYSTEMD / "shutthebox.sysusers").read_text(), re.MULTILINE)
    assert set(" ".join(wanted).split()) == set(made)


def test_every_device_that_the_unit_wants_has_its_group() -> None:
    rules = (SYSTEMD / "60-shutthebox.rules").read_text()
    for group in ("gpio", "i2c"):
        assert f'GROUP="{group}"' in rules
