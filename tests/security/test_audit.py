"""The audit of the dependencies: red for a vulnerability, loud for what it could not do."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLEAN = {"name": "pillow", "version": "12.0", "vulns": []}
BAD = {
    "name": "luma.core",
    "version": "2.4",
    "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.5"], "aliases": [], "description": ""}],
}
UNKNOWN = {"name": "gpiod", "skip_reason": "not found"}
OURS = {"name": "shutthebox", "skip_reason": "marked as editable"}


def judge(tmp_path: Path, report: str) -> subprocess.CompletedProcess[str]:
    file = tmp_path / "report.json"
    file.write_text(report)
    command = [sys.executable, str(ROOT / ".ci" / "audit.py"), str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("dependencies", "code", "said"),
    [
        ([CLEAN, OURS], 0, ["1 dependencies looked up, 0 known"]),
        ([CLEAN, BAD], 1, ["VULNERABLE: luma.core 2.4: PYSEC-1; fixed in 2.5", "2 dependencies looked up"]),
        ([BAD, UNKNOWN], 1, ["VULNERABLE: luma.core", "SKIPPED: no advisories can be had here for gpiod"]),
        ([UNKNOWN, OURS], 0, ["SKIPPED: no advisories can be had here for any of 1", "NOT audited"]),
    ],
)  # fmt: skip
def test_its_verdict(tmp_path: Path, dependencies: list[dict[str, Any]], code: int, said: list[str]) -> None:
    done = judge(tmp_path, json.dumps({"dependencies": dependencies, "fixes": []}))
    assert done.returncode == code
    for words in said:
        assert words in done.stdout
    assert "for shutthebox" not in done.stdout


@pytest.mark.parametrize("report", ["", "no JSON", "{}", "[]"])
def test_without_advisories_it_says_so(tmp_path: Path, report: str) -> None:
    done = judge(tmp_path, report)
    assert done.returncode == 0
    assert done.stdout.startswith("SKIPPED: ")
    assert "NOT audited" in done.stdout


def test_ci_runs_it() -> None:
    assert "make audit" in (ROOT / ".ci" / "run").read_text()
    assert "python .ci/audit.py" in (ROOT / "Makefile").read_text()
