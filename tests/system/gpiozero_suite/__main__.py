"""Runs gpiozero's own tests, unchanged, on our pins.

python3 -m tests.system.gpiozero_suite [devices] [kernel]

``devices`` has the tests of gpiozero's devices on our pins over a fake kernel: anywhere on Linux,
in half a minute. ``kernel`` has, in the virtual Pi, `test_real_pins.py` and the devices' tests once
more over the real kernel. Both, if neither is named.

Ends with 1 if a test fails on our pins that `exceptions` does not name; with 75 and one line
where something can't be fetched, or there can be no virtual Pi.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.system.gpiozero_suite.exceptions import TIMED
from tests.system.gpiozero_suite.source import FetchError, lay_out
from tests.system.virtual_pi import Done, VirtualPi, missing
from tests.system.virtual_pi.image import PACKAGES_IN_GUEST, disk
from tests.system.virtual_pi.image import FetchError as ImageFetchError
from tests.system.virtual_pi.machine import accelerator
from tests.system.virtual_pi.project import PROJECT, build_wheels, install

#: Of the mock itself, which is not what is asked for here.
LEFT_OUT = ("test_mock_pin.py", "test_real_pins.py")
PYTEST = "-m pytest -c pytest.ini -p no:cacheprovider -q -rfExX"
#: Two of its lines are joined there: what the first shows, the second is pulled to.
WIRED = (22, 27)
OURS = "gpiod"
#: Those of `test_real_pins.py` that are of no back end in particular.
OF_NONE = "compatibility_names or bad_factory or default_factory"


def tests_of_devices(folder: Path) -> list[str]:
    """The files whose tests run on any pins."""
    names = {path.name for path in (folder / "tests").glob("test_*.py")} - set(LEFT_OUT)
    return sorted(f"tests/{name}" for name in names)


def closing_line(text: str) -> str:
    found = re.findall(r"^\d+ (?:passed|failed|error|skipped).*$", text, re.MULTILINE)
    return found[-1] if found else "nothing ran"


Run = Callable[[list[str], bool], Done]
"""Runs tests, by their names, on our pins or else on gpiozero's own mock ones."""


def devices_pass(folder: Path, where: str, run: Run, *, emulated: bool = False) -> bool:
    """The tests of gpiozero's devices on our pins; whether all passed that should.

    A test that compares with the clock shows that the machine is too slow for it, if it fails on gpiozero's
    own mock pins too, or if the machine is emulated: its clock goes on while it is waited for.
    """
    done = run(tests_of_devices(folder), True)
    print(f"devices on {OURS}, {where + ':':<22} {closing_line(done.out)}", flush=True)
    print(*re.findall("^XFAIL.*", done.out, re.MULTILINE), sep="\n", flush=True)
    if not done.code:
        return True
    failed = names_of_failed(done)
    if failed and all(measures_time(folder, name) for name in failed):
        slow = failed if emulated else names_of_failed(run(failed, False))
        if set(failed) <= set(slow):
            print(f"no fault of ours: this machine is too slow for {', '.join(failed)}")
            return True
    print(done.out[-20000:] + done.err)
    return False


def names_of_failed(done: Done) -> list[str]:
    return re.findall(r"^(?:FAILED|ERROR) (\S+)", done.out, re.MULTILINE)


def measures_time(folder: Path, name: str) -> bool:
    """Whether a test compares with the clock."""
    file, _, function = name.partition("::")
    tree = ast.parse(text := (folder / file).read_text(encoding="utf-8"))
    sources = [
        ast.get_source_segment(text, node) or ""
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == function.partition("[")[0]
    ]
    return any(TIMED in source for source in sources)


def on_the_fake_kernel(folder: Path) -> bool:
    def run(tests: list[str], on_ours: bool) -> Done:
        paths = {"GPIOZERO_RIG": str(int(on_ours)), "PYTHONPATH": f"{folder}:{PROJECT}"}
        done = subprocess.run(
            [sys.executable, *PYTEST.split(), *tests],
            cwd=folder, env={**os.environ, **paths}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    return devices_pass(folder, "fake kernel", run)


def in_the_guest(pi: VirtualPi, what: str, **environment: str) -> Done:
    paths = f"/opt/gpiozero:{PACKAGES_IN_GUEST}:/opt/project"
    settings = {"PYTHONPATH": paths, "LG_WD": "/tmp", **environment}
    return pi.run(f"cd /opt/gpiozero && python3 {PYTEST} {what}", timeout=3600, check=False, env=settings)


def on_a_real_kernel(folder: Path) -> bool:
    """All in the virtual Pi; whether all passed on our pins that should."""
    with build_wheels() as wheels, VirtualPi() as pi:
        install(pi, wheels)
        pi.copy_in(folder, "/opt/gpiozero")
        pi.copy_in(PROJECT / "tests/system/gpiozero_suite", "/opt/project/tests/system/gpiozero_suite")
        pins = {"GPIOZERO_TEST_PIN": f"GPIO{WIRED[0]}", "GPIOZERO_TEST_INPUT_PIN": f"GPIO{WIRED[1]}"}

        def run(tests: list[str], on_ours: bool) -> Done:
            kind = {"GPIOZERO_RIG": str(int(on_ours)), "GPIOZERO_EMULATED": accelerator()}
            return in_the_guest(pi, " ".join(tests), **kind)

        pi.write("/sys/module/gpio_sim_pi/parameters/wire", ",".join(map(str, WIRED)))
        real = in_the_guest(pi, f"tests/test_real_pins.py -k '[{OURS}] or {OF_NONE}'", **pins)
        print(f"test_real_pins on {OURS + ':':<22} {closing_line(real.out)}", flush=True)
        pi.write("/sys/module/gpio_sim_pi/parameters/wire", "-1,-1")
        if real.code:
            print(real.out)
        emulated = accelerator() == "tcg"
        return devices_pass(folder, "Linux's gpio-sim", run, emulated=emulated) and not real.code


def main() -> int:
    parser = argparse.ArgumentParser(description="gpiozero's own tests on our pins.")
    parser.add_argument("what", nargs="*", choices=["devices", "kernel", []], help="both, if not given")
    wanted = parser.parse_args().what or ["devices", "kernel"]
    lacking = missing() if "kernel" in wanted else None
    with tempfile.TemporaryDirectory(prefix="gpiozero-") as folder:
        try:
            lay_out(Path(folder))
            if "kernel" in wanted and lacking is None:
                disk()
        except (FetchError, ImageFetchError) as error:
            print(f"can't be fetched: {error}", file=sys.stderr)
            return os.EX_TEMPFAIL
        good = "devices" not in wanted or on_the_fake_kernel(Path(folder))
        if "kernel" in wanted and lacking is None:
            good &= on_a_real_kernel(Path(folder))
    if lacking is not None:
        print(f"{lacking}; NOT tested over a real kernel", file=sys.stderr)
        return os.EX_TEMPFAIL if good else 1
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
