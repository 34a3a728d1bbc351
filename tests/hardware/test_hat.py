"""The board itself: KiCad's own rules, and a bill of materials that can be ordered."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hwtools import hat
from hwtools.pinout import HARDWARE

HAT = HARDWARE / "hat"


# KiCad and its like take their time on a small or busy machine.
pytestmark = pytest.mark.timeout(60)


def kicad() -> str:
    """Return kicad-cli, or skip and say why."""
    found = shutil.which("kicad-cli")
    if not found:
        pytest.skip("NOT CHECKED: no kicad-cli here; ERC and DRC need KiCad 9 (docs/build.md)")
    version = subprocess.run([found, "version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.split(".")[0]) < 9:
        pytest.skip(f"NOT CHECKED: KiCad {version} is too old; ERC and DRC need KiCad 9")
    return found


def run(kind: str, file: str, *options: str, report: Path) -> dict[str, Any]:
    command = [kicad(), *kind.split(), "--severity-all", "--format", "json", "-o", str(report), *options]
    subprocess.run([*command, str(HAT / file)], check=True, capture_output=True, timeout=60)
    result: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return result


def test_erc_finds_nothing(tmp_path: Path) -> None:
    report = run("sch erc", "shutthebox-hat.kicad_sch", report=tmp_path / "erc.json")
    assert len(report["sheets"]) == 4
    assert [v for sheet in report["sheets"] for v in sheet["violations"]] == []


@pytest.mark.slow
def test_drc_finds_nothing_and_board_and_schematic_agree(tmp_path: Path) -> None:
    report = run("pcb drc", "shutthebox-hat.kicad_pcb", "--schematic-parity", report=tmp_path / "drc.json")
    for kind in ("violations", "unconnected_items", "schematic_parity"):
        assert report[kind] == []


def test_nothing_is_excluded_or_silenced() -> None:
    project = json.loads((HAT / "shutthebox-hat.kicad_pro").read_text(encoding="utf-8"))
    assert project["board"]["design_settings"]["drc_exclusions"] == []
    assert project["erc"]["erc_exclusions"] == []


@pytest.mark.slow
def test_the_schematic_is_the_one_that_its_script_draws(tmp_path: Path) -> None:
    if not Path("/usr/share/kicad/symbols/Device.kicad_sym").exists():
        pytest.skip("NOT CHECKED: KiCad's symbol libraries are not here")
    kicad()  # the symbols of another version would differ
    hat.draw(tmp_path)
    for page in sorted(tmp_path.iterdir()):
        assert page.read_bytes() == (HAT / page.name).read_bytes(), (
            f"{page.name}: run make -C hardware sources"
        )


def test_every_part_can_be_ordered() -> None:
    with (HAT / "bom.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    references = [ref for row in rows for ref in row["References"].split(",")]
    assert len(references) == len(set(references))
    for row in rows:
        assert row["Manufacturer"], row["References"]
        assert row["MPN"], row["References"]
        assert row["Alternative"], row["References"]
    assert {f"R{100 + n}" for n in hat.CHANNELS} <= set(references)


def test_the_optional_parts_are_marked() -> None:
    with (HAT / "bom.csv").open(encoding="utf-8", newline="") as file:
        left_out = {
            ref for row in csv.DictReader(file) if row["Do not fit"] for ref in row["References"].split(",")
        }
    assert left_out == {"C4", "C5", "J10", "R8", "R9", "R10", "R11", "RN1", "RN2", "RN3", "U1", "U2"}
