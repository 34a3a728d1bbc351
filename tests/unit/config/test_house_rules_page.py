"""The page for landlords: its examples play, and its table is the reader's."""

import json
import re
from dataclasses import fields
from enum import StrEnum
from pathlib import Path

import pytest
from tests.support import generate
from tests.support.each import each

from shutthebox.config import profiles
from shutthebox.config.schema import parse_config
from shutthebox.rules import contradictions, reader
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Profile
from shutthebox.rules.words import explain
from shutthebox.rules.writer import to_keys

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "house-rules.md").read_text(encoding="utf-8")
EXAMPLES = [
    re.sub(r"^ {3}", "", text, flags=re.MULTILINE)
    for text in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
]
PROFILES = [text for text in EXAMPLES if "[rules]" not in text and "[game]" not in text]
SHEETS = re.findall(r"```toml\n(.*?)```", (DOCS / "find-your-sheet.md").read_text("utf-8"), re.DOTALL)
IN_THE_MENU = set(re.findall(r": \*\*(.+)\*\*$", (DOCS / "find-your-sheet.md").read_text("utf-8"), re.M))


def rows() -> dict[str, tuple[set[str], str]]:
    """The list of keys: the words in quotation marks of each, and its default as written."""
    found: dict[str, tuple[set[str], str]] = {}
    section = PAGE.partition("## All keys")[2].partition("## Example")[0]
    for entry in re.findall(r"^\* .*(?:\n    \* .*)*", section, re.M):
        names, _, rest = entry.partition(":")
        allowed = re.findall(r"^    \* (.*?): ", rest, re.M) or [rest.partition(". ")[0]]
        default = re.search(r"(\S+) ✓|\((.*)\)$", "\n".join(allowed))
        values = set(re.findall(r'"([a-z0-9-]+)"', " ".join(allowed)))
        for key in re.findall(r"`([a-z_.]+)`", names):
            found[key] = (values, (default[1] or default[2]) if default else "")
    return found


def test_the_page_has_a_whole_example_and_a_short_one() -> None:
    assert len(PROFILES) == 2


@pytest.mark.parametrize("text", PROFILES)
def test_examples_are_read_and_play_to_their_end(text: str, tmp_path: Path) -> None:
    path = tmp_path / "friday.toml"
    path.write_text(text, encoding="utf-8")
    profile = profiles.read(path)
    assert profile.title("fr") != profile.title("en")
    assert explain(profile)
    for seed in range(5):
        *_, (_, _, last) = generate.play(profile, 3, seed, most=50_000)
        assert last.stage is Stage.FINISHED


@pytest.mark.parametrize("text", SHEETS)
def test_the_file_for_a_printed_sheet_is_read_and_plays_to_its_end(text: str, tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(text, encoding="utf-8")
    *_, (_, _, last) = generate.play(profiles.read(path), 3, 1, most=50_000)
    assert last.stage is Stage.FINISHED


def test_there_are_twenty_printed_sheets_or_more() -> None:
    assert len(set(SHEETS)) + len(IN_THE_MENU) >= 20


def test_the_page_names_games_as_the_menu_does() -> None:
    assert not IN_THE_MENU - {profile.title("en") for profile in profiles.builtins()}


@pytest.mark.parametrize("text", [text for text in EXAMPLES if text not in PROFILES])
def test_configs_are_read(text: str) -> None:
    parse_config(text, "config.toml")


def test_the_table_has_every_key() -> None:
    assert set(rows()) == {"like", *reader.KEYS}


def test_the_table_has_every_value() -> None:
    kinds = {key.name: type(key.default) for key in fields(Profile) if isinstance(key.default, StrEnum)}
    assert {key: rows()[key][0] for key in kinds} == {
        key: {str(value) for value in kind} for key, kind in kinds.items()
    }


def test_the_table_has_the_defaults() -> None:
    each(to_keys(Profile("")).items(), has_default)


def has_default(of_key: tuple[str, object]) -> None:
    key, value = of_key
    default = rows()[key][1].strip('`"')
    if isinstance(value, bool):
        assert default == str(value).lower()
    elif key == "tiles":
        assert default == "9"
    elif value == {}:
        assert default == "none"
    elif isinstance(value, list) and value:
        assert json.loads(default) == value
    elif isinstance(value, int) or (isinstance(value, str) and value):
        assert default == str(value)
    else:
        assert default in (
            "none",
            "all",
            "no limit",
            "",
            "the name",
            "the file's name",
            "just `tiles",
            "6; 1 with `tiles",
            "7, 8 and 9",
            "1 each",
            "the worst score",
        )


def test_the_numbers_on_the_page_are_those_of_the_code() -> None:
    assert f"its own {len(profiles.builtins())}." in PAGE
    assert f"more than {contradictions.MAX_MOVES:,} moves" in PAGE
    complaint = re.search(r"friday\.toml: (rounds: .*)", PAGE)
    assert complaint is not None
    with pytest.raises(reader.ProfileError) as caught:
        reader.parse_keys("rounds = 0", "friday.toml", profiles._builtin_keys)
    assert str(caught.value) == f"friday.toml: {complaint[1]}"
