"""The audit of the dependencies: red for a vulnerability, and for what could not be looked up."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import audit
import pytest
from jobs import own_projects

CLEAN = {"name": "pillow", "version": "12.0", "vulns": []}
BAD = {
    "name": "luma.core",
    "version": "2.4",
    "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.5"], "aliases": [], "description": ""}],
}
UNKNOWN = {"name": "gpiod", "skip_reason": "not found"}
OURS = [{"name": name, "skip_reason": "marked as editable"} for name in own_projects()]


def judge(tmp_path: Path, report: str) -> tuple[int, str]:
    file = tmp_path / "report.json"
    file.write_text(report)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = audit.main(file)
    return code, out.getvalue()


@pytest.mark.parametrize(
    ("dependencies", "code", "said"),
    [
        ([CLEAN, *OURS], 0, ["1 dependencies looked up, 0 known"]),
        ([CLEAN, BAD], 1, ["VULNERABLE: luma.core 2.4: PYSEC-1; fixed in 2.5", "2 dependencies looked up"]),
        ([BAD, UNKNOWN], 1, ["VULNERABLE: luma.core", "no advisories available for gpiod"]),
        ([UNKNOWN, *OURS], 1, ["no advisories available for any of 1", "not audited"]),
    ],
)  # fmt: skip
def test_its_verdict(tmp_path: Path, dependencies: list[dict[str, Any]], code: int, said: list[str]) -> None:
    found, out = judge(tmp_path, json.dumps({"dependencies": dependencies, "fixes": []}))
    assert found == code
    for words in said:
        assert words in out
    assert "for shutthebox" not in out


@pytest.mark.parametrize("report", ["", "no JSON", "{}", "[]"])
def test_without_advisories_it_is_red(tmp_path: Path, report: str) -> None:
    code, out = judge(tmp_path, report)
    assert code == 1
    assert "not audited" in out
