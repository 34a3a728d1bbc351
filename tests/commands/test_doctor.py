"""The doctor, on a machine that is no Pi."""

import json
import sqlite3
from pathlib import Path

import pytest

from shutthebox.cli import main
from shutthebox.platform.store import Store


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A box with a panel on a bus that is not there, and no chip."""
    monkeypatch.setattr("gpiozero_gpiod.chips.DEV", tmp_path)
    file = tmp_path / "config.toml"
    file.write_text(f'[display]\nbus = 32\n[store]\nfolder = "{tmp_path / "state"}"\n')
    return file


def findings(config: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, tuple[str, str]]:
    assert main(["doctor", "--json", "--config", str(config)]) == 1
    document = json.loads(capsys.readouterr().out)
    return {entry["check"]: (entry["verdict"], entry["reason"]) for entry in document}


def test_a_laptop_fails_with_reasons(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = findings(config, capsys)
    assert found["python"][0] == found["gpiozero"][0] == found["clock"][0] == "ok"
    assert found["chip"][0] == "FAIL"
    assert "no GPIO chip" in found["chip"][1]
    assert found["lines"][0] == "skip"
    assert found["display"] == ("FAIL", "no /dev/i2c-32: dtparam=i2c_arm=on in config.txt, or i2c-dev")
    assert found["store"][0] == "ok"
    assert found["dice"][0] == "skip"


def test_one_check_a_line(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--config", str(config)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines} <= {"ok", "FAIL", "skip"}


def test_a_store_is_read(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(tmp_path / "state", lambda: 0.0).close()
    assert findings(config, capsys)["store"][1].endswith("0 matches")


def test_a_broken_store_is_a_fault(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "box.sqlite3").write_bytes(b"no database" * 100)
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(tmp_path / "state" / "box.sqlite3").execute("select * from match")
    assert findings(config, capsys)["store"][0] == "FAIL"
