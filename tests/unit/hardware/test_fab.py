"""The files for a workshop: all lists agree."""

from __future__ import annotations

import configparser
import csv
import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import slice_parts
from hwtools import assembler, dates, fab, kicad, slicing
from hwtools.box.result import RESULT

pytestmark = pytest.mark.timeout(120)
GUIDE = kicad.PROJECT.parents[1] / "docs" / "build.md"
PARTS = json.loads(slicing.RESULT.read_text(encoding="utf-8"))["parts"]
solids = pytest.mark.skipif(
    not importlib.util.find_spec("manifold3d"),
    reason="NOT CHECKED: no manifold3d here: make -C hardware test",
)


def test_the_assembly_house_gets_every_fitted_smd_part_with_a_number() -> None:
    lines = assembler.read_bill()
    refs = [ref for line in lines for ref in line["References"].split(",")]
    assert len(refs) == len(set(refs))
    assert all(line["MPN"] and line["Manufacturer"] for line in lines)
    board = kicad.read()
    no_parts = ("FID", "TP", "H")
    assert set(refs) == {
        r for r, p in board.parts.items() if p.smd and p.fitted and not r.startswith(no_parts)
    }
    assert not any(ref.startswith("J") for ref in refs), "plugs are soldered by hand"


def test_a_part_without_an_lcsc_number_says_what_to_search_for() -> None:
    """An empty cell would make the house guess, or leave the part out."""
    unknown = {line["References"]: line for line in assembler.read_bill() if not line["lcsc"]}
    assert set(unknown) == {"R2", "R5"}
    for line in unknown.values():
        assert line["comment"] == f"{line['Value']}; no LCSC number known: search for {line['MPN']}"
    guide = " ".join(GUIDE.read_text(encoding="utf-8").split())
    assert "R2 and R5 have no LCSC number" in guide


@pytest.mark.slow
def test_the_houses_get_positions_of_the_same_parts_in_their_own_columns(tmp_path: Path) -> None:
    if not shutil.which("kicad-cli"):
        pytest.skip("NOT CHECKED: no kicad-cli here")
    exported = tmp_path / "positions.csv"
    options = "--format csv --units mm --side front --smd-only --exclude-dnp"
    command = ["kicad-cli", "pcb", "export", "pos", *options.split(), "-o", str(exported), str(kicad.BOARD)]
    subprocess.run(command, check=True, capture_output=True)
    assembler.write(exported, tmp_path)
    billed = {ref for line in assembler.read_bill() for ref in line["References"].split(",")}

    def rows(house: str, name: str) -> list[dict[str, str]]:
        with (tmp_path / house / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    turned = {}
    for house in ("jlcpcb", "pcbway"):
        placed = rows(house, "positions.csv")
        assert {row["Designator"] for row in placed} == billed
        assert {ref for row in rows(house, "bom.csv") for ref in row["Designator"].split(",")} == billed
        turned[house] = {row["Designator"]: float(row["Rotation"]) for row in placed}
    assert list(rows("jlcpcb", "positions.csv")[0]) == ["Designator", "Mid X", "Mid Y", "Layer", "Rotation"]
    assert list(rows("jlcpcb", "bom.csv")[0])[:4] == ["Comment", "Designator", "Footprint", "JLCPCB Part #"]
    differ = {ref for ref in billed if turned["jlcpcb"][ref] != turned["pcbway"][ref]}
    assert differ == {"Q1", "Q2", "SW1", "SW2"}
    assert (turned["jlcpcb"]["Q1"] - turned["pcbway"]["Q1"]) % 360 == 180


def test_everything_that_the_model_counts_can_be_bought() -> None:
    report = json.loads(RESULT.read_text(encoding="utf-8"))
    counted = {name for bill in report["bill"].values() for name in bill} | set(report["wooden bill"])
    buy = fab.read_kit()["buy"]
    assert set(buy) == counted
    for name, entry in buy.items():
        assert entry["example"], name
        assert entry["shop"], name
        assert entry["price"] > 0, name


def said(page: Path, pattern: str) -> tuple[float, ...]:
    found = re.search(pattern, page.read_text(encoding="utf-8"))
    assert found, f"{page.name} has nothing like {pattern}"
    return tuple(float(word) for word in found.groups())


def test_hours_and_filament_are_the_slicers() -> None:
    """A maker plans a weekend and buys a spool by these figures."""
    speeds = list(slicing.SETTINGS["speeds"])

    def total(what: str, speed: str, *, wooden: bool = False) -> float:
        return sum(
            int(part["pieces"]) * float(part[speed][what])
            for part in slicing.read_parts(wooden=wooden).values()
        )

    hours = said(GUIDE, r"(\d+) hours of\s+printing at 45 mm/s, (\d+) at 100 mm/s")
    assert hours == tuple(round(total("hours", speed)) for speed in speeds)
    kilograms = said(fab.KIT, r"([\d.]+) kg; ([\d.]+) kg for the wooden box")
    assert kilograms == tuple(round(total("grams", speeds[0], wooden=w) / 1000, 2) for w in (False, True))
    assert said(GUIDE, r"; ([\d.]+) kg of\s+filament") == kilograms[:1]


def test_the_guide_says_what_the_kit_costs() -> None:
    """People decide by this figure whether to build one. It is rounded to 5 euros."""
    kit, report = fab.read_kit(), json.loads(RESULT.read_text(encoding="utf-8"))
    parts = sum(pieces * kit["buy"][name]["price"] for name, pieces in report["bill"]["9"].items())
    costs = said(GUIDE, r"Parts cost about €(\d+), and consumables another €(\d+)")
    assert costs == tuple(5 * round(euros / 5) for euros in (parts, fab.used_up(kit)))


def test_every_part_stays_on_every_bed_that_the_guide_names() -> None:
    """A skirt or a part over the edge is found at home, after hours, otherwise: the slicer doesn't say so."""
    named = {
        tuple(map(float, bed)) for bed in re.findall(r"(\d{3}) x (\d{3})", GUIDE.read_text(encoding="utf-8"))
    }
    beds = {
        tuple(sliced["bed"][:2]) for part in PARTS.values() for s, sliced in part.items() if s != "pieces"
    }
    assert beds <= named
    for name, part in PARTS.items():
        for speed in slicing.SETTINGS["speeds"]:
            assert not slice_parts.off_the_bed(part[speed]), f"{name}: {part[speed]}"


def test_what_was_sliced_is_what_is_printed() -> None:
    told = json.loads(slicing.RESULT.read_text(encoding="utf-8"))["sources"]
    assert told == slicing.digest(), "the parts or the settings have changed: run make -C hardware slice"


@solids
def test_fail__a_skirt_leaves_the_bed(tmp_path: Path) -> None:
    if not shutil.which("prusa-slicer"):
        pytest.skip("NOT CHECKED: no prusa-slicer here")
    from hwtools.box import fab as box_fab
    from hwtools.box.check import BEDS
    from hwtools.box.solids import block

    box_fab.write_stl(block((0, 0, 0), (216, 204, 0.6)), tmp_path / "plate.stl")
    values = slicing.read_profiles()["parts, 100 mm per s"]
    for bed in BEDS:
        assert not slice_parts.off_the_bed(slice_parts.slice_part(tmp_path / "plate.stl", values, bed))
        assert slice_parts.off_the_bed(
            slice_parts.slice_part(tmp_path / "plate.stl", values | {"skirts": "1"}, bed)
        )


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

    for page in ("build.md", "hardware.md", "errata.md", "build-log.md"):
        for target, anchor in re.findall(
            r"\]\(([\w.-]*)#([\w-]+)\)", (docs / page).read_text(encoding="utf-8")
        ):
            assert anchor in anchors(target or page), f"{page}: {target}#{anchor}"


def test_what_kicad_writes_of_the_time_is_the_epoch(tmp_path: Path) -> None:
    head = "%TF.CreationDate,{0}T{1}+00:00*%\nG04 (KiCad 9) date {0} {1}*\n"
    (tmp_path / "a.gbr").write_text(head.format("2026-11-22", "05:38:46"))
    (tmp_path / "a.pdf").write_text("/CreationDate (D:20261122053850)\n")
    (tmp_path / "a.csv").write_text("2026-11-22 05:38:46\n")
    dates.set_times(tmp_path, 0)
    assert (tmp_path / "a.gbr").read_text() == head.format("1970-01-01", "00:00:00")
    assert (tmp_path / "a.pdf").read_text() == "/CreationDate (D:19700101000000)\n"
    assert (tmp_path / "a.csv").read_text() == "2026-11-22 05:38:46\n", "what the house reads as text stays"
    assert (tmp_path / "a.gbr").stat().st_mtime == 0


@solids
def test_every_plate_is_whole_on_the_pages_of_its_template() -> None:
    from hwtools import templates
    from hwtools.box.dimensions import Dimensions
    from hwtools.box.wooden import plates, wooden

    for plate in plates(wooden(Dimensions())):
        _, _, width, height = plate.outline().bounds()
        found = templates.tiles(width, height)
        for left, low, right, high in found:
            assert right - left <= 190 + 1e-6, plate.name
            assert high - low <= 255 + 1e-6, plate.name
        assert min(w[0] for w in found) == 0
        assert max(w[2] for w in found) >= width
        assert max(w[3] for w in found) >= height
    assert len(templates.tiles(218, 210)) == 2, "the deck"


def test_the_profiles_of_both_slicers_have_every_setting_and_no_printers(tmp_path: Path) -> None:
    """A part with other walls isn't the one that was checked; and the printer stays the maker's."""
    slicing.write_profiles(tmp_path)
    bundle = configparser.ConfigParser(interpolation=None)
    bundle.read(tmp_path / "prusaslicer-bundle.ini")
    for name, values in slicing.read_profiles().items():
        assert dict(bundle[f"print:Shut the Box {name}"]) == values
        assert {key for key in values if key.endswith("_speed")} >= {"solid_infill_speed", "gap_fill_speed"}
        orca = json.loads((tmp_path / f"orca-{name.replace(',', '').replace(' ', '-')}.json").read_text())
        for key, value in values.items():
            for theirs in slicing.SETTINGS["orca"]["keys"][key]:
                assert orca[theirs] == {"rear": "back"}.get(value, value)
        assert orca["compatible_printers"]
        for word in ("temperature", "bed_shape", "printable_area", "filament", "nozzle_diameter", "gcode"):
            assert not [key for key in {*values, *orca} if word in key]
        assert values["support_material"] == "0"
