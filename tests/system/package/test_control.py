"""The facts in packaging/debian/, held against the same facts elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.support.history import GIT, is_clone

import gpiozero_gpiod
import luma_spans
import shutthebox_league
import shutthebox_uplink
from shutthebox import __version__
from shutthebox.cli.doctor.command import LIBRARIES

from .control import OWN, PROJECT, fields, relations, stanza_of

OTHER_NAMES = {
    "gpiod": "libgpiod",
    "luma": "luma.oled",
    "paho": "paho-mqtt",
    "pillow": "pil",
    "pyjwt": "jwt",
    "pyyaml": "yaml",
}
"""Debian's names of what it calls otherwise."""


def package(name: str) -> str:
    """Debian's package of a distribution that pyproject.toml names, or of a module that is imported."""
    name = name.lower().replace("_", "-")
    return f"python3-{OTHER_NAMES.get(name, name)}"


DEBIAN = PROJECT / "packaging/debian"
UNITS = {".service", ".socket", ".timer", ".path"}
PINS = PROJECT / "libraries/gpiozero-gpiod"
SPANS = PROJECT / "libraries/luma-spans"
BOX_STANZA, PYTHON_STANZA, PINS_STANZA, SPANS_STANZA, UPLINK_STANZA, LEAGUE_STANZA = map(
    stanza_of,
    (
        "shutthebox",
        "python3-shutthebox",
        "python3-gpiozero-gpiod",
        "python3-luma-spans",
        "shutthebox-uplink",
        "shutthebox-league",
    ),
)


def project(folder: Path) -> dict[str, Any]:
    """The table [project] of a distribution's pyproject.toml."""
    found: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


BOX, FACTORY, TRANSFERS = project(PROJECT), project(PINS), project(SPANS)
UPLINK, LEAGUE = project(PROJECT / "league/uplink"), project(PROJECT / "league")
EXTRAS = BOX["optional-dependencies"]


def required(requirements: list[str]) -> dict[str, str]:
    """Distributions that are required, with the least version."""
    found = {}
    for requirement in requirements:
        if match := re.match(r"([\w.-]+)>=([\w.]+)", requirement):
            found[match[1]] = match[2]
    return found


@pytest.mark.parametrize(
    ("requirements", "field", "stanza"),
    [
        (EXTRAS["box"], "Depends", BOX_STANZA),
        (EXTRAS["sim"], "Suggests", BOX_STANZA),
        (FACTORY["dependencies"], "Depends", PINS_STANZA),
        (TRANSFERS["dependencies"], "Depends", SPANS_STANZA),
        (UPLINK["dependencies"], "Depends", UPLINK_STANZA),
        (LEAGUE["dependencies"], "Depends", LEAGUE_STANZA),
    ],
    ids=["box", "sim", "pin factory", "luma-spans", "uplink", "league"],
)
def test_versions_are_those_of_pyproject(requirements: list[str], field: str, stanza: int) -> None:
    ours = relations(field, stanza)
    if stanza == BOX_STANZA:
        ours |= relations("Depends", PYTHON_STANZA)
    wanted = {package(name): version for name, version in required(requirements).items()}
    assert wanted
    assert {name: ours.get(name) for name in wanted} == wanted


@pytest.mark.parametrize(
    ("of", "stanza"),
    [
        (BOX, PYTHON_STANZA),
        (FACTORY, PINS_STANZA),
        (TRANSFERS, SPANS_STANZA),
        (UPLINK, UPLINK_STANZA),
        (LEAGUE, LEAGUE_STANZA),
    ],
    ids=["box", "pin factory", "luma-spans", "uplink", "league"],
)
def test_python_is_that_of_pyproject(of: dict[str, Any], stanza: int) -> None:
    assert of["requires-python"] == f">={relations('Depends', stanza)['python3']}"


def test_the_doctor_asks_for_the_versions_of_pyproject() -> None:
    needed = required(EXTRAS["box"]) | required(FACTORY["dependencies"])
    assert {name: ".".join(map(str, least)) for name, least in LIBRARIES.items()} == {
        name: needed[name] for name in LIBRARIES
    }


@pytest.mark.parametrize(
    ("name", "version"),
    [("gpiozero-gpiod", gpiozero_gpiod.__version__), ("luma-spans", luma_spans.__version__)],
)
def test_each_library_is_new_enough_for_the_box(name: str, version: str) -> None:
    least = required(EXTRAS["box"])[name]
    assert [int(n) for n in version.partition(".dev")[0].split(".")] >= [int(n) for n in least.split(".")]


@pytest.mark.parametrize(
    ("version", "file", "built_from"),
    [
        (__version__, "firmware/shutthebox/__init__.py", "."),
        (gpiozero_gpiod.__version__, "libraries/gpiozero-gpiod/src/gpiozero_gpiod/__init__.py", PINS),
        (luma_spans.__version__, "libraries/luma-spans/src/luma_spans/__init__.py", SPANS),
    ],
    ids=["box", "gpiozero-gpiod", "luma-spans"],
)
def test_nothing_but_a_release_has_its_number(version: str, file: str, built_from: Path | str) -> None:
    """Who installs or reports a version has to get what was released under that name."""
    if ".dev" in version or not is_clone():
        return
    log = [*GIT, "log", "--format=%h"]
    (released,) = subprocess.check_output([*log, "-1", "-G^__version__", "--", file], cwd=PROJECT).split()
    later = subprocess.check_output(
        [*log, f"{released.decode()}..HEAD", "--", built_from], cwd=PROJECT, text=True
    ).split()
    assert not later, f"{file}: {version} has been released; name the next version, with .dev0 behind it"


@pytest.mark.parametrize("folder", [PINS, SPANS], ids=["gpiozero-gpiod", "luma-spans"])
def test_the_licence_is_in_every_library(folder: Path) -> None:
    assert (folder / "LICENSE").read_text() == (PROJECT / "LICENSE").read_text()


NOT_IN_DEBIAN = {"gymnasium", "pettingzoo"}
"""What the environments of the extra `learn` need; whoever wants them has the wheel."""

IMPORT = re.compile(r"^ *(?:import ([\w.]+)(?: as \w+)?(?: *#.*)?|from (\w[\w.]*) import .*)$", re.MULTILINE)


def imported(folder: Path) -> set[str]:
    """Modules of others that the code in a folder imports, by their first names."""
    own, seen = (
        {"shutthebox", "shutthebox_uplink", "shutthebox_link", "shutthebox_league", "luma_spans"},
        set[str](),
    )
    for path in folder.rglob("*.py"):
        for whole, part in IMPORT.findall(path.read_text(encoding="utf-8")):
            seen.add((whole or part).partition(".")[0])
    return seen - own - sys.stdlib_module_names - NOT_IN_DEBIAN


@pytest.mark.parametrize(
    ("folder", "stanzas", "some"),
    [
        ("firmware/shutthebox", (BOX_STANZA, PYTHON_STANZA, PINS_STANZA), {"gpiozero", "PIL"}),
        ("libraries/luma-spans", (SPANS_STANZA, BOX_STANZA), {"PIL"}),
        ("libraries/gpiozero-gpiod", (PINS_STANZA,), {"gpiozero"}),
        ("league/uplink", (UPLINK_STANZA,), {"paho", "jwt", "spake2"}),
        ("league/src", (LEAGUE_STANZA,), {"sqlalchemy", "starlette"}),
    ],
)
def test_every_module_that_is_imported_has_its_package(
    folder: str, stanzas: tuple[int, ...], some: set[str]
) -> None:
    known: dict[str, str] = {}
    for stanza in stanzas:
        known |= relations("Depends", stanza)
        if "Suggests" in fields(stanza):
            known |= relations("Suggests", stanza)
    seen = imported(PROJECT / folder)
    assert some <= seen
    assert {name for name in seen if package(name) not in known} == set()


def test_every_file_of_systemd_is_in_a_package() -> None:
    rules = (DEBIAN / "rules").read_text(encoding="utf-8")
    linked = {path.resolve() for path in DEBIAN.iterdir()}
    files = [path for path in (PROJECT / "systemd").iterdir() if path.is_file()]
    assert [path.name for path in files if path.name not in rules and path not in linked] == []


def test_no_unit_of_a_package_stays_behind() -> None:
    """A unit with another name than its package is installed only if debhelper is told of it."""
    rules = (DEBIAN / "rules").read_text(encoding="utf-8")
    units = {tuple(path.name.split(".")[:2]) for path in DEBIAN.glob("*.*.*") if path.suffix in UNITS}
    told = [f"dh_installsystemd --package={package} --name={name}" for package, name in sorted(units)]
    assert len(told) > 5
    assert [line for line in told if not re.search(rf"{re.escape(line)}\b(?!-)", rules)] == []


def test_uplink_and_league_have_the_boxs_version() -> None:
    assert shutthebox_uplink.__version__ == shutthebox_league.__version__ == __version__


def test_the_changelog_names_the_version() -> None:
    first = (PROJECT / "packaging/debian/changelog").read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith(f"shutthebox ({__version__.replace('.dev', '~dev')}) ")
    assert fields(0)["Source"] == "shutthebox"


@pytest.mark.parametrize("package", OWN)
def test_an_update_of_one_package_removes_no_other(package: str) -> None:
    """A package that wants the exact version of another is removed when apt is only given that one."""
    for field in ("Depends", "Recommends"):
        assert "(=" not in fields(stanza_of(package)).get(field, "")


@pytest.mark.parametrize("package", ["python3-shutthebox", "shutthebox-league"])
def test_tools_and_league_need_no_box(package: str) -> None:
    """Debian 13 lacks what a box needs, and a server has no pins."""
    needed = relations("Depends", stanza_of(package)).keys()
    assert needed & {*OWN} <= {"python3-shutthebox"}
    assert "python3-gpiozero" not in needed
