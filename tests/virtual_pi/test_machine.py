"""The parts of the machine that need no guest."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.virtual_pi import image
from tests.virtual_pi.machine import speaks


@pytest.mark.parametrize(
    ("program", "runs"),
    [
        (f"echo booting; echo {image.FIRST_WORDS}; exec sleep 60", True),
        ("echo this processor is none; exit 1", False),
        ("exec sleep 60", False),
    ],
    ids=["runs", "ends", "stands still"],
)
def test_a_processor_is_tried(program: str, runs: bool) -> None:
    start = time.monotonic()
    assert speaks(["sh", "-c", program], 2 if runs else 0.3) is runs
    assert time.monotonic() - start < 5


def test_what_cannot_be_fetched_is_told_from_what_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = tmp_path / "mmdebstrap"
    bad.write_text("#!/bin/sh\necho no network >&2\nexit 25\n")
    bad.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("VIRTUAL_PI_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(image, "kernel_version", lambda: "6.1.0-0-amd64")
    with pytest.raises(image.FetchError, match="no network"):
        image.disk()
    assert not list((tmp_path / "cache").iterdir()), "nothing half made is kept"
