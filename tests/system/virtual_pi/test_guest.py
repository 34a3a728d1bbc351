"""The machine itself, and the project's pins on its kernel."""

from __future__ import annotations

import re

import pytest
from tests.system.virtual_pi import VirtualPi

# The first start builds the image.
pytestmark = [pytest.mark.virtual_pi, pytest.mark.timeout(1800)]


def test_systemd_is_up_with_nothing_failed(pi: VirtualPi) -> None:
    assert pi.run("systemctl is-system-running").out.strip() == "running"


def test_the_pins_on_a_real_kernel(pi: VirtualPi) -> None:
    """Runs tests/unit/pins in the guest, where gpiod has a chip to work on."""
    options = "-p no:cacheprovider -q -rA -o timeout=60 -m '' --ignore tests/unit/pins/test_pwm.py"
    options += " -k 'not fake'"  # those run everywhere else
    command = f"cd /opt/project && python3 -m pytest tests/unit/pins {options}"
    done = pi.run(command, timeout=1500, check=False)
    print(done.out[-6000:])
    assert done.code == 0, done.out + done.err
    assert re.search(r"^PASSED .*\[(.*-)?gpiod\]", done.out, re.MULTILINE), "the real library did not run"
