"""The printed box: the check's result is of today's model and found nothing; live where the tools are."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path

import pytest

from hwtools import box


def test_the_check_was_made_of_this_model_and_found_nothing() -> None:
    report = json.loads(box.RESULT.read_text(encoding="utf-8"))
    assert report["model"] == box.digest(), "box.scad changed: run make -C hardware box"
    assert set(report["levers"]) == {str(n) for n in box.COUNTS}
    assert report["faults"] == []


def test_every_part_fits_the_bed() -> None:
    report = json.loads(box.RESULT.read_text(encoding="utf-8"))
    for found in report["levers"].values():
        for part, size in found["sizes"].items():
            assert all(a <= b for a, b in zip(size, box.BED, strict=True)), part


def test_the_tile_presses_the_switch_but_not_its_body() -> None:
    report = json.loads(box.RESULT.read_text(encoding="utf-8"))
    for found in report["levers"].values():
        switch = found["switch"]
        assert switch["body_mm"] < switch["pressed_mm"] < switch["operates_mm"]


@pytest.mark.timeout(60)
def test_openscad_renders_a_lever(tmp_path: Path) -> None:
    if not shutil.which("openscad"):
        pytest.skip("NOT CHECKED: no openscad here")
    if not importlib.util.find_spec("trimesh"):
        target = box.render("lever", 9, tmp_path / "lever.stl", number=7)
        assert target.read_text(encoding="utf-8").startswith("solid")
        pytest.skip(
            "rendered, but NOT CHECKED for closedness: trimesh is not installed (hardware/requirements.txt)"
        )
    import trimesh

    mesh = trimesh.load_mesh(box.render("lever", 9, tmp_path / "lever.stl", number=7))
    assert mesh.is_watertight
    assert mesh.volume > 1000
