"""Generated files are as the code makes them now, and editors can use them."""

import json
import shutil
import subprocess
import sysconfig
import tomllib
from functools import cache
from pathlib import Path

import pytest
from jsonschema import Draft7Validator
from tests.support.each import each

from doctools import PROJECT
from doctools.generated import FILES
from shutthebox.config.profiles import builtins
from shutthebox.config.schema import Config, default_text, parse_config

PROFILES = sorted((PROJECT / "firmware/shutthebox/rules/profiles").glob("*.toml"))
SHIPPED = [PROJECT / "firmware/shutthebox/config/default.toml", *PROFILES]
TAPLO = Path(sysconfig.get_path("scripts")) / "taplo"


@pytest.mark.parametrize("path", FILES)
def test_files_are_as_the_code_makes_them(path: str) -> None:
    assert (PROJECT / path).read_text(encoding="utf-8") == FILES[path](), "make generated"


def test_the_default_file_means_the_defaults() -> None:
    assert parse_config(default_text(), "default.toml") == Config()


def test_the_commented_keys_of_the_default_file_are_good_too() -> None:
    lines = default_text().splitlines()
    examples = [line.removeprefix("# ") for line in lines if line.startswith("# ") and " = " in line]
    assert len(examples) >= 4
    for example in examples:
        parse_config(default_text().replace(f"# {example}", example), "default.toml")


@cache
def read_schema(path: Path) -> Draft7Validator:
    schema = json.loads(path.read_text(encoding="utf-8"))
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


def test_shipped_files_name_a_schema_that_allows_them() -> None:
    def check(path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        mark, _, name = text.splitlines()[0].partition(" ")
        assert mark == "#:schema"
        read_schema((path.parent / name).resolve()).validate(tomllib.loads(text))

    each(SHIPPED, check)


def test_every_profile_is_shipped_with_its_schema() -> None:
    assert {path.stem for path in PROFILES} == {profile.name for profile in builtins()}


@pytest.mark.skipif(not TAPLO.exists(), reason="no taplo here, which editors use: pip install taplo")
@pytest.mark.parametrize(
    ("shipped", "wrong", "complaint"),
    [
        (SHIPPED[0], "[game]\nplayers = 22", "22 is greater than the maximum of 20"),
        (PROFILES[0], "tile = 9", "'tile' was unexpected"),
    ],
)
def test_an_editor_finds_the_schema(shipped: Path, wrong: str, complaint: str, tmp_path: Path) -> None:
    """With taplo, which stands behind the TOML support of several editors."""

    def check(path: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [TAPLO, "check", path], capture_output=True, text=True, cwd=path.parent, timeout=50
        )

    assert check(shipped).returncode == 0
    schema = shipped.parent / shipped.read_text(encoding="utf-8").splitlines()[0].partition(" ")[2]
    # Beside it, because taplo can't read a path from the root that has a space in it.
    shutil.copy(schema, tmp_path)
    (tmp_path / "wrong.toml").write_text(f"#:schema ./{schema.name}\n{wrong}\n")
    done = check(tmp_path / "wrong.toml")
    assert done.returncode == 1
    assert complaint in done.stderr
