"""House-rules files as they lie on a disk: hostile ones, odd paths, a folder of them."""

import os
from pathlib import Path

import pytest

from shutthebox.config import profiles
from shutthebox.rules.reader import ProfileError

HOSTILE = {
    "ten megabytes": b"# " + b"x" * 10_000_000,
    "not UTF-8": b"dice = 2 # \xff",
    "UTF-16": "dice = 2".encode("utf-16"),
    "nested lists over lines": b"dice = " + b"[\n" * 5000 + b"]\n" * 5000,
    "a hexadecimal number of 900 digits": b"dice = 0x" + b"f" * 900,
    "a huge exponent": b"dice = 1e999999999",
    "a lone carriage return": b"dice = 1\rsides = 2",
    "a lone surrogate": b'name = "\\ud800"',
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_fail__hostile_files(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_bytes(content)
    with pytest.raises(ProfileError) as caught:
        profiles.read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 800


def test_fail__paths(tmp_path: Path) -> None:
    line_feed = tmp_path / "a\nb.toml"
    for path in (tmp_path, tmp_path / "absent.toml", Path("a\0b.toml"), Path("x" * 5000), line_feed):
        with pytest.raises(ProfileError) as caught:
            profiles.read(path)
        assert str(caught.value).isprintable()
    path = tmp_path / "our rules.toml"
    path.write_text("dice = 1")
    with pytest.raises(ProfileError, match="name: missing, and the file's, 'our rules', is not allowed"):
        profiles.read(path)
    path.write_text('name = "ours"')
    assert profiles.read(path).name == "ours"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_fail__unreadable(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.touch(mode=0o000)
    with pytest.raises(ProfileError, match="Permission denied"):
        profiles.read(path)


def test_good_ones_are_listed_and_bad_ones_explained(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text("dice = 1")
    (tmp_path / "a.toml").write_text('like = "pub"')
    (tmp_path / "bad.toml").write_text("dice = 0")
    (tmp_path / "c.toml").write_text('name = "pub"')
    (tmp_path / "d.toml").write_text('name = "a"')
    (tmp_path / "notes.txt").write_text("dice = 0")
    (tmp_path / "folder.toml").mkdir()
    assert profiles.house_rules(tmp_path / "absent") == ((), ())
    good, bad = profiles.house_rules(tmp_path)
    assert [profile.name for profile in good] == ["a", "b"]
    assert [str(error).split(":")[0].rpartition("/")[2] for error in bad] == [
        "bad.toml",
        "c.toml",
        "d.toml",
        "folder.toml",
    ]


def test_a_file_is_found_by_the_name_in_it_and_by_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "friday.toml").write_text('name = "red-lion"\ndice = 3')
    (tmp_path / "pub.toml").write_text('name = "other"')
    (tmp_path / "taken.toml").write_text('name = "pub"')
    for known in ("red-lion", "friday", str(tmp_path / "friday.toml")):
        assert (profiles.find(known, tmp_path).name, profiles.find(known, tmp_path).dice) == (
            "red-lion",
            3,
        )
    assert profiles.find("pub", tmp_path) == profiles.builtin("pub")
    for taken in ("taken", str(tmp_path / "taken.toml")):
        with pytest.raises(ProfileError, match="'pub' is taken; use a name of your own"):
            profiles.find(taken, tmp_path)
    with pytest.raises(ProfileError, match="profile: 'saturday' is not known; "):
        profiles.find("saturday", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert profiles.find("friday.toml").name == "red-lion", "a path, without a folder"
