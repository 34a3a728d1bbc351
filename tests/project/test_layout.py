"""The tests are laid out so that their page can be believed, and none of them leans on another."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support.sources import nodes_of

import shutthebox

PACKAGE, TESTS = Path(shutthebox.__file__).parent, Path(__file__).parents[1]
PAGE = (TESTS / "README.md").read_text(encoding="utf-8")
BESIDE = {
    "hardware": "hardware/tools/hwtools",
    "luma_spans": "libraries/luma-spans/src/luma_spans",
    "pins": "libraries/gpiozero-gpiod/src/gpiozero_gpiod",
    "uplink": "league/uplink/src/shutthebox_uplink",
}
"""Folders below unit/ whose code isn't in the box's package, and where it is."""


def folders() -> Iterator[str]:
    """Those of tests/, and those one level below, with a module or a scenario in them or further down."""
    for folder in (*TESTS.glob("*/"), *TESTS.glob("*/*/")):
        if any(path.suffix in (".py", ".scn") for path in folder.rglob("*") if path.is_file()):
            yield folder.relative_to(TESTS).as_posix()


def imported(path: Path) -> Iterator[str]:
    """All modules, and all names from modules, that one imports."""
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module or ''}.{alias.name}" for alias in node.names)


def test_no_module_imports_from_a_test_module() -> None:
    """A change of one test would break another; what two need is a helper, in support/ or beside both."""
    found = [
        f"{path.relative_to(TESTS)} imports {name}"
        for path in sorted(TESTS.rglob("*.py"))
        for name in imported(path)
        if re.search(r"(^|\.)(test_\w+|conftest)(\.|$)", name) and not name.startswith("shutthebox")
    ]
    assert found == [], "move what both need to tests/support/, or to a helper in their folder"


def test_every_folder_has_its_row_on_the_page() -> None:
    rows = re.findall(r"^\| `([\w/]+)/` \|(?: [^|]*\|){4}$", PAGE, re.MULTILINE)
    assert sorted(rows) == sorted(folders()), "tests/README.md: one row a folder, in five columns"


def test_below_unit_is_what_there_is_to_test() -> None:
    """So that whoever has changed a module finds its tests, and the other way round."""
    for path in sorted((TESTS / "unit").rglob("test_*.py")):
        *names, module = path.relative_to(TESTS / "unit").parts
        if not names:
            assert (PACKAGE / module.removeprefix("test_")).is_file(), path
        elif names[0] not in BESIDE:
            assert PACKAGE.joinpath(*names).is_dir(), path
    for place in BESIDE.values():
        assert (PACKAGE.parents[1] / place).is_dir()
