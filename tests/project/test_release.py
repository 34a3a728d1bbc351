"""The changelog, and what makes a release of built files."""

from __future__ import annotations

import hashlib
import lzma
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
import release
from release import PARTS, Build, ReleaseError, check_changelog, find_differences, write_sums
from tests.support.fast import fast_among

TOP = Path(__file__).resolve().parents[2]
GOOD = "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-21\n\n### Added\n\n- A game.\n"


def test_ours_is_in_the_right_form() -> None:
    text, released = (TOP / "CHANGELOG.md").read_text(), release.version(TOP)
    # Between releases, what stands under Unreleased is what the next one brings, which may be nothing yet.
    released, _, is_dev = released.partition(".dev")
    if is_dev:
        heading = "## [Unreleased]\n"
        text = text.replace(heading, f"{heading}\n## [{released}] - 2026-01-01\n\nSo far:\n", 1)
    check_changelog(text, released)


def test_a_good_changelog() -> None:
    check_changelog(GOOD, "1.2.0")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Changelog\n", "first section"),
        (GOOD.replace("2026-11-21", "November"), "use"),
        (GOOD.replace("### Added", "### New"), "### New: use one of Added"),
        (GOOD.replace("1.2.0", "1.1.0"), r"the section ## \[1.2.0\] is missing"),
        (GOOD.replace("### Added\n\n- A game.\n", ""), "missing or empty"),
        (GOOD.replace("d]\n", "d]\n\n### Fixed\n\n- Something.\n", 1), "move the entries"),
    ],
)
def test_a_changelog_that_stops_a_release(text: str, said: str) -> None:
    with pytest.raises(ReleaseError, match=said):
        check_changelog(text, "1.2.0")


def test_two_builds_are_compared_byte_for_byte(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        (folder / "same").write_text("same")
        (folder / "differs").write_text(folder.name)
        (folder / "update.raucb").write_text(folder.name)
    (one / "only-here").touch()
    assert find_differences(one, other) == ["differs", "only-here"]


def test_sha256sum_agrees_with_the_sums(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_bytes(bytes(1000))
    sums = write_sums(tmp_path)
    check = ["sha256sum", "--check", "--strict", sums.name]
    assert subprocess.run(check, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    (tmp_path / "b").write_bytes(bytes(1001))
    assert subprocess.run(check, cwd=tmp_path, capture_output=True, check=False).returncode == 1


class NotBuiltError(Exception):
    """Raised in place of taking files that nobody has built."""


class Asked(Build):
    """Asks make whether it could."""

    asked = False

    def run(self, *command: str | Path, cwd: Path | None = None) -> None:
        if command[0] == "make":
            subprocess.run([*command, "--dry-run"], cwd=cwd or TOP, check=True)
            self.asked = True

    def collect(self, pattern: str) -> None:
        raise NotBuiltError


@pytest.mark.parametrize(
    "part", fast_among([name for name in PARTS if name != "python"], set(PARTS) - {"python", "image"})
)
def test_what_a_part_asks_of_make_is_there(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    # Of the page, because other tests build it at the same time.
    build = Asked(TOP, tmp_path, Path("python"), ("WEB=",))
    with suppress(NotBuiltError):
        PARTS[part](build)
    assert build.asked


def test_every_command_of_the_guide_is_there() -> None:
    guide = (TOP / "CONTRIBUTING.md").read_text()
    makefile = (TOP / "Makefile").read_text()
    named = {word.split()[1] for word in guide.split("`") if word.startswith("make ")}
    assert {"release", "test-image"} <= named
    for target in named:
        assert f"\n{target}:" in makefile, target


def test_the_list_for_imager_has_the_cards_own_sizes_and_hashes(tmp_path: Path) -> None:
    """Imager writes nothing that differs from its list, so a wrong figure is a card that nobody can write."""
    card = tmp_path / "shutthebox-1.2.3-pi-arm64.img.xz"
    raw = b"card" * 700_000
    card.write_bytes(lzma.compress(raw))
    listed = release.imager_list(card, "https://example.org/files/", "1.2.3", 1_790_000_000)
    (entry,) = listed["os_list"]
    assert (entry["extract_size"], entry["image_download_size"]) == (len(raw), card.stat().st_size)
    assert entry["extract_sha256"] == hashlib.sha256(raw).hexdigest()
    assert entry["image_download_sha256"] == hashlib.sha256(card.read_bytes()).hexdigest()
    assert entry["url"] == "https://example.org/files/shutthebox-1.2.3-pi-arm64.img.xz"
    assert (entry["release_date"], entry["init_format"]) == ("2026-09-21", "cloudinit")
    required = "name description icon url extract_size extract_sha256 image_download_size release_date"
    assert entry.keys() >= set(required.split()), "what Imager's schema requires"
    shown = {tag for device in listed["imager"]["devices"] for tag in device["tags"]}
    assert shown == set(entry["devices"]), "a custom repository brings its own list of Pis"
