"""The page on the architecture is true, and the package keeps to it."""

import ast
import re
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import get_args

import pytest

import shutthebox
from shutthebox.game.mode import Mode
from shutthebox.game.table import BENEATH, ENTRANCES, INPUT_NAMES, ModeState, diagram, transitions
from shutthebox.game.targets import Target

PACKAGE = Path(shutthebox.__file__).parent
PAGE = PACKAGE / "ARCHITECTURE.md"
TEXT = PAGE.read_text(encoding="utf-8")
PLACES = (PACKAGE, PACKAGE.parent, PACKAGE.parents[1])
"""Where a path on the page may begin."""

NAMED = re.findall(r"`([\w./-]+\.py)`: (`[\w.]+`(?:, `[\w.]+`)*)", TEXT)
"""Files on the page, each with the names that are said to be in it."""


def found(path: str) -> Path | None:
    return next((place / path for place in PLACES if (place / path).exists()), None)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def names_in(path: Path) -> frozenset[str]:
    """The names in a module: functions, classes with their methods and fields, constants."""
    names = set()
    for node in parsed(path).body:
        names |= set(_targets(node))
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{name}" for inner in node.body for name in _targets(inner)}
    return frozenset(names)


def _targets(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def test_every_file_on_the_page_exists() -> None:
    paths = set(re.findall(r"`((?:[\w.-]+/)+|[\w./-]+\.(?:py|md|toml|scn))`", TEXT))
    assert len(paths) > 40
    assert {path for path in paths if found(path) is None} == set()


@pytest.mark.parametrize(("path", "names"), NAMED)
def test_every_name_on_the_page_is_in_its_file(path: str, names: str) -> None:
    file = found(path)
    assert file is not None
    assert set(re.findall(r"[\w.]+", names)) <= names_in(file)


def floors() -> dict[str, int]:
    """Per folder or module of the package its floor, as the page's table says."""
    rows = re.findall(r"^\| (\d) \| (`.+?`) \|", TEXT, re.MULTILINE)
    return {
        part.removesuffix("/"): int(floor) for floor, parts in rows for part in re.findall(r"`(.+?)`", parts)
    }


def test_no_module_imports_from_a_higher_floor() -> None:
    height = floors()
    upwards = []
    for path in sorted(PACKAGE.rglob("*.py")):
        part = path.relative_to(PACKAGE).parts[0]
        if part in ("__init__.py", "__main__.py"):
            continue
        # Parsing all modules would take seconds.
        text = path.read_text(encoding="utf-8")
        for module in re.findall(r"^\s*from shutthebox\.([\w.]+) import", text, re.MULTILINE):
            target = module.split(".")[0]
            target = target if target in height else f"{target}.py"
            if height[target] > height[part]:
                upwards.append(f"{path.relative_to(PACKAGE)} imports {module}")
    assert upwards == []
    assert {
        entry.name for entry in PACKAGE.iterdir() if entry.suffix == ".py" or (entry / "__init__.py").exists()
    } == {*height, "__init__.py", "__main__.py"}


@pytest.mark.slow
def test_no_ring_of_imports() -> None:
    """Imports within functions count, too. Modes lead to one another by targets, so none imports another."""
    modules = {
        ".".join(("shutthebox", *path.relative_to(PACKAGE).with_suffix("").parts)): path
        for path in PACKAGE.rglob("*.py")
    }
    graph: dict[str, set[str]] = defaultdict(set)
    for name, path in modules.items():
        tree = parsed(path)
        only_types = {inner for node in ast.walk(tree) if _for_types(node) for inner in ast.walk(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node not in only_types:
                whole = {f"{node.module}.{alias.name}" for alias in node.names} & modules.keys()
                graph[name] |= whole or {node.module or ""}
    assert "shutthebox.rules.tiles" in graph["shutthebox.rules.turn"]
    modes = {name for name in graph if name.startswith("shutthebox.game.modes.")}
    others = modes - {"shutthebox.game.modes.base"}
    assert {name: graph[name] & others for name in modes if graph[name] & others} == {}
    TopologicalSorter(graph).prepare()  # a ring raises CycleError, which names its modules


def _for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def test_no_two_classes_have_one_name() -> None:
    """A name that is looked for is then found in one place."""
    places = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for name in re.findall(r"^\s*class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            places[name].append(str(path.relative_to(PACKAGE)))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_the_machines_diagram_is_drawn_from_its_table() -> None:
    blocks = re.findall(r"^```mermaid\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    drawn = [block for block in blocks if block.startswith("stateDiagram")]
    assert drawn == [diagram()], "replace the block with what shutthebox.game.table.diagram() gives"


def test_the_diagram_has_every_way_of_the_table() -> None:
    lines = diagram().splitlines()
    assert lines[:2] == ["stateDiagram-v2", "    [*] --> attract"]
    found = set()
    stages = [line.split()[-1] for line in lines if line.split()[0] == "next_stage"]
    assert set(stages) > {"ready", "flipping", "turn_over", "match_over"}
    for line in lines[2 : -len(stages)]:
        way = re.fullmatch(r"    (\w+) --> (\w+): (.+)", line)
        assert way, line
        names = "|".join(re.escape(name) for name in (*INPUT_NAMES.values(), "the computer's answer"))
        inputs = re.findall(names, way[3])
        assert ", ".join(inputs) == way[3], "nothing but inputs of the machine"
        leads_to = stages if way[2] == "next_stage" else [way[2]]
        found |= {(way[1], given, target) for given in inputs for target in leads_to if target != way[1]}
    drawn = str.maketrans("- ", "__")
    ways = ((mode.translate(drawn), given, target.translate(drawn)) for mode, given, target in transitions())
    assert found == set(ways)


def test_every_mode_that_can_be_entered_can_be_left() -> None:
    entered = {target for _, _, target in transitions()} - {BENEATH}
    left = {mode for mode, _, _ in transitions()}
    assert entered == left == {*Mode, "asleep", "abandon"}


def test_each_mode_is_one_class_and_each_target_has_its_entrance() -> None:
    assert sorted(mode.name for mode in get_args(ModeState)) == sorted(Mode)
    assert set(ENTRANCES) == set(get_args(Target))
