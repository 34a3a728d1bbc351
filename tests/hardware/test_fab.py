"""The files for a workshop: all lists agree."""

from __future__ import annotations

import csv
import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hwtools import dates, fab, kicad
from hwtools.box.result import RESULT

pytestmark = pytest.mark.timeout(120)


def test_the_assembly_house_gets_every_fitted_smd_part_with_a_number() -> None:
    lines = fab.assembly_bill()
    refs = [ref for line in lines for ref in line.designators.split(",")]
    assert len(refs) == len(set(refs))
    assert all(line.mpn and line.maker for line in lines)
    board = kicad.read()
    no_parts = ("FID", "TP", "H")
    assert set(refs) == {
        r for r, p in board.parts.items() if p.smd and p.fitted and not r.startswith(no_parts)
    }
    assert not any(ref.startswith("J") for ref in refs), "plugs are soldered by hand"


@pytest.mark.slow
def test_the_positions_are_of_the_same_parts(tmp_path: Path) -> None:
    if not shutil.which("kicad-cli"):
        pytest.skip("NOT CHECKED: no kicad-cli here")
    target = tmp_path / "positions.csv"
    options = "--format csv --units mm --side front --smd-only --exclude-dnp"
    command = ["kicad-cli", "pcb", "export", "pos", *options.split(), "-o", str(target), str(kicad.BOARD)]
    subprocess.run(command, check=True, capture_output=True)
    with target.open(encoding="utf-8", newline="") as file:
        placed = {row["Ref"] for row in csv.DictReader(file) if not row["Ref"].startswith("FID")}
    billed = {ref for line in fab.assembly_bill() for ref in line.designators.split(",")}
    assert placed == billed


def test_everything_that_the_model_counts_can_be_bought() -> None:
    report = json.loads(RESULT.read_text(encoding="utf-8"))
    counted = {name for bill in report["bill"].values() for name in bill} | set(report["wooden bill"])
    buy = fab.kit()["buy"]
    assert set(buy) == counted
    for name, entry in buy.items():
        assert entry["example"], name
        assert entry["shop"], name
        assert entry["price"] > 0, name


def test_the_kit_list_has_a_line_for_everything() -> None:
    if not importlib.util.find_spec("manifold3d"):
        pytest.skip("NOT CHECKED: no manifold3d here: make -C hardware test")
    page = fab.kit_list()
    for word in ("perfboard", "reamer", "terminals", "rubber foot", "cable tie", "lever-12_x1", "plywood"):
        assert word in page.replace(".stl", "_x1"), word


def test_the_sums_are_those_of_sha256sum(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.txt").write_text("one")
    (tmp_path / "SHA256SUMS").write_text(fab.sums(tmp_path))
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=tmp_path, check=True)
    assert "SHA256SUMS" not in fab.sums(tmp_path)


def test_the_panel_has_all_boards_within_its_rails() -> None:
    drawing = fab.panel(2, 3)
    assert drawing.count('rx="3"') == 6
    assert "140 x 179.5 mm" in drawing


def test_the_guide_shows_every_step_and_every_picture_is_there() -> None:
    pictures = kicad.PROJECT.parent / "pictures"
    docs = kicad.PROJECT.parents[1] / "docs"
    guide = (docs / "build.md").read_text(encoding="utf-8")
    for step in sorted(pictures.glob("step-*.png")):
        assert f"pictures/{step.name}" in guide, step.name
    for page in ("build.md", "hardware.md"):
        shown = re.findall(r"hardware/pictures/([\w.-]+)", (docs / page).read_text(encoding="utf-8"))
        assert shown
        for name in shown:
            assert (pictures / name).exists(), f"{page}: {name}"


def test_the_guides_links_lead_somewhere() -> None:
    docs = kicad.PROJECT.parents[1] / "docs"

    def anchors(page: str) -> set[str]:
        heads = re.findall(r"(?m)^#+ (.+)$", (docs / page).read_text(encoding="utf-8"))
        return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}

    for page in ("build.md", "hardware.md"):
        for target, anchor in re.findall(
            r"\]\(([\w.]*)#([\w-]+)\)", (docs / page).read_text(encoding="utf-8")
        ):
            assert anchor in anchors(target or page), f"{page}: {target}#{anchor}"


def test_what_kicad_writes_of_the_time_is_the_epoch(tmp_path: Path) -> None:
    texts = {
        "a.gbr": "%TF.CreationDate,2026-11-22T05:38:46+00:00*%\nG04 (KiCad 9) date 2026-11-22 05:38:46*\n",
        "a.gbrjob": '"CreationDate": "2026-11-22T05:38:46+00:00"\n',
        "a.step": "FILE_NAME('board.step','2026-11-22T05:38:51',('Pcbnew'));\n",
        "a.pdf": "/CreationDate (D:20261122053850)\n",
        "a.csv": "2026-11-22 05:38:46\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    dates.set_times(tmp_path, 0)
    for name, text in texts.items():
        changed = (tmp_path / name).read_text()
        assert len(changed) == len(text)
        assert ("1970" in changed) is (name != "a.csv"), name
        assert ("2026" in changed) is (name == "a.csv"), name
    assert (tmp_path / "a.gbr").stat().st_mtime == 0
    assert (
        "1970-01-01T00:00:00+00:00*%\nG04 (KiCad 9) date 1970-01-01 00:00:00*"
        in (tmp_path / "a.gbr").read_text()
    )
