"""Installed in a clean Debian 13: every file in its place, every command at work, nothing left behind."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support import debian

from shutthebox.config.profiles import builtins
from shutthebox.config.schema import default_text

from .control import PROJECT
from .root import GPIOZERO_DEB, LIBRARY_DEBS, Root, built

pytestmark = [pytest.mark.package, pytest.mark.timeout(600, func_only=True)]


def version_of(package: str) -> str:
    """What it was built as: of what's being developed, the time of its commit is part."""
    return built(package).name.split("_")[1]


@pytest.fixture(scope="module")
def installed(new_root: Callable[[], Root]) -> Root:
    root = new_root()
    root.run("dpkg", "--install", GPIOZERO_DEB, *LIBRARY_DEBS, "/opt/shutthebox.deb")
    return root


def test_lintian_has_no_complaint(deb: Path, library_debs: list[Path]) -> None:
    if (lacking := debian.missing("lintian")) is not None:
        pytest.skip(f"NOT CHECKED: {lacking}")
    done = subprocess.run(
        ["lintian", "--allow-root", "--fail-on=error,warning", str(deb), *map(str, library_debs)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_nothing_it_depends_on_is_missing(installed: Root) -> None:
    assert not installed.run("dpkg", "--audit").stdout
    assert not installed.run("dpkg", "--verify", "shutthebox").stdout
    shown = installed.run("dpkg-query", "--show", "--showformat=${db:Status-Abbrev}${Version}", "shutthebox")
    assert shown.stdout == f"ii {version_of('shutthebox')}"
    # Completion lies where each shell looks for it.
    folders = ("bash-completion/completions/", "zsh/vendor-completions/_", "fish/vendor_completions.d/")
    for folder, ending in zip(folders, ("", "", ".fish"), strict=True):
        assert "check-config" in installed.read(f"/usr/share/{folder}shutthebox{ending}")


def test_the_defaults_are_documentation_and_the_configuration_is_the_owners(installed: Root) -> None:
    assert not installed.run("dpkg-query", "--show", "--showformat=${Conffiles}", "shutthebox").stdout
    lines = installed.read("/etc/shutthebox/config.toml").splitlines()
    assert all(line.startswith("#") for line in lines)
    assert "/usr/share/shutthebox/default.toml" in lines[1]
    first, _, rest = installed.read("/usr/share/shutthebox/default.toml").partition("\n")
    assert rest == default_text().partition("\n")[2]
    schema = first.removeprefix("#:schema ")
    assert schema.startswith("/usr/share/shutthebox/")
    assert installed.read(schema) == (PROJECT / "firmware/shutthebox/config/config.schema.json").read_text()
    assert installed.run("shutthebox", "check-config").stdout.startswith("/etc/shutthebox/config.toml: good.")


def test_the_commands_say_what_they_say_here(installed: Root) -> None:
    said = installed.run("shutthebox", "--version").stdout
    assert said == f"shutthebox {version_of('python3-shutthebox').replace('~', '.')}\n"
    profiles = json.loads(installed.run("shutthebox", "profiles", "--json").stdout)
    assert {entry["name"] for entry in profiles} == {profile.name for profile in builtins()}
    odds = json.loads(installed.run("shutthebox", "odds", "traditional", "--json").stdout)
    assert 0.05 < odds["probability_shut"] < 0.15
    assert "lever 9           6   31\n" in installed.run("shutthebox", "pins").stdout


def test_a_scenario_is_played(installed: Root) -> None:
    installed.put(PROJECT / "tests/box/scenarios/pub-second-shuts.scn", "/opt/match.scn")
    installed.run("shutthebox", "replay", "/opt/match.scn", "--state", "/opt/state")
    assert "1 finished of 1 begun" in installed.run("shutthebox", "stats", "--state", "/opt/state").stdout


def test_what_is_not_installed_is_named(installed: Root) -> None:
    done = installed.run("shutthebox", "sim", "--no-browser", check=False)
    assert done.returncode == 1
    assert "python3-websockets" in done.stderr
    assert done.stderr.count("\n") == 1


def test_each_library_is_a_package_of_its_own(new_root: Callable[[], Root]) -> None:
    root = new_root()
    root.run("dpkg", "--install", GPIOZERO_DEB, *LIBRARY_DEBS)
    assert not root.run("dpkg", "--audit").stdout
    shown = root.run("dpkg-query", "--show", "--showformat=${Version}", "python3-gpiozero-gpiod")
    assert shown.stdout == (version := version_of("python3-gpiozero-gpiod"))
    code = "from gpiozero import *; import gpiozero_gpiod; print(gpiozero_gpiod.__version__)"
    assert root.run("python3", "-c", code).stdout.strip() == version.replace("~", ".")
    root.run("dpkg", "--purge", "python3-gpiozero-gpiod")
    assert root.run("python3", "-c", "import gpiozero_gpiod", check=False).returncode == 1
    shown = root.run("dpkg-query", "--show", "--showformat=${Version}", "python3-luma-spans")
    assert shown.stdout == version_of("python3-luma-spans")
    assert root.run("python3", "-c", "import luma_spans", check=False).returncode == 0


def test_what_the_service_needs_of_the_machine_is_there(installed: Root) -> None:
    groups = {line.split(":")[0] for line in installed.read("/etc/group").splitlines()}
    assert {"gpio", "i2c"} <= groups
    for file in ("modules-load.d/shutthebox.conf", "udev/rules.d/60-shutthebox.rules"):
        assert (installed.path / "usr/lib" / file).is_file()
    assert installed.read("/usr/share/shutthebox/config.txt") == (PROJECT / "hardware/config.txt").read_text()


def paths(root: Root) -> set[Path]:
    """All that is there but what dpkg and Python note down for themselves."""
    own = ("var/lib/dpkg/", "var/log/", "var/cache/", "var/lib/systemd/", "etc/group-", "etc/gshadow-")
    found = {path.relative_to(root.path) for path in root.path.rglob("*")}
    return {p for p in found if not str(p).startswith(own) and "__pycache__" not in p.parts}


def test_a_purge_leaves_nothing_of_it_and_all_else(new_root: Callable[[], Root]) -> None:
    root = new_root()
    root.run("dpkg", "--install", GPIOZERO_DEB, *LIBRARY_DEBS)
    (root.path / "var/lib/private/other").mkdir(parents=True)
    before = paths(root)
    root.run("dpkg", "--install", "/opt/shutthebox.deb")
    state = root.path / "var/lib/private/shutthebox"
    state.mkdir()
    (state / ".hidden").touch()
    (root.path / "var/lib/shutthebox").symlink_to("private/shutthebox")
    root.run("dpkg", "--remove", "shutthebox")
    kept = {"etc/shutthebox/config.toml", "var/lib/private/shutthebox/.hidden", "var/lib/shutthebox"}
    assert kept <= {str(path) for path in paths(root)}
    root.run("dpkg", "--purge", "shutthebox")
    assert paths(root) == before
