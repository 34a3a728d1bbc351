"""Each library works alone: the code that its README begins with runs where nothing else of ours is."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
FIRST = re.compile(r"# [\w-]+\n\n(?:[^`\n]+\n)+\n```python\n(.*?)```", re.DOTALL)

BUS = """
class SMBus:
    def __init__(self, port): self.port = port
    def write_i2c_block_data(self, address, register, data): print("sent", len(data) + 1)
    def i2c_rdwr(self, *messages): print("sent", *messages)
    def close(self): pass


class i2c_msg:
    @staticmethod
    def write(address, data): return len(data)
"""
"""Stands in for a bus with a display on it."""

CHIP = """
import contextlib, sys, tempfile
from pathlib import Path
sys.path.append({project!r})
from tests.support.fake_gpiod import FakeKernel

with contextlib.ExitStack() as stack:
    kernel = FakeKernel(Path(tempfile.mkdtemp()))
    kernel.add("pinctrl-bcm2711", 54)
    for patch in kernel.patches():
        stack.enter_context(patch)
    code = {code!r}
    exec(code)
    factory.close()
"""
"""Stands in for a kernel with a Pi's header."""


def first_lines(library: str) -> str:
    """The code that the README begins with, after at most a sentence."""
    found = FIRST.match((PROJECT / "libraries" / library / "README.md").read_text(encoding="utf-8"))
    assert found, f"{library}: lines of code come first"
    return found[1]


@pytest.mark.parametrize("library", ["gpiozero-gpiod", "luma-spans"])
def test_a_readme_begins_with_about_ten_lines_of_code(library: str) -> None:
    assert 8 <= len(first_lines(library).splitlines()) <= 12


@pytest.mark.wheel
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("library", "beside"), [("gpiozero-gpiod", "mock>=5.1"), ("luma-spans", "luma.oled>=3.9")]
)
def test_its_first_lines_run_where_it_is_alone(library: str, beside: str, tmp_path: Path) -> None:
    """`beside` is what the lines use besides, or their stand-in."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    install = ["install", "--quiet", "--disable-pip-version-check", "-c", str(PROJECT / "constraints.txt")]
    subprocess.run(
        [python, "-m", "pip", *install, str(PROJECT / "libraries" / library), beside],
        check=True,
        capture_output=True,
    )
    code = first_lines(library)
    if library == "luma-spans":
        code += "device.cleanup = lambda: None\n"  # which sends the dark display when it ends
        (tmp_path / "smbus2.py").write_text(BUS)
    else:
        code = CHIP.format(project=str(PROJECT), code=code)
    done = subprocess.run(
        [python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert ("sent" if library == "luma-spans" else "GPIO17 reads 0") in done.stdout
