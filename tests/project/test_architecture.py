"""The pages on the architecture and its reasons are true, and the package keeps to them."""

import ast
import re
from collections import defaultdict
from collections.abc import Container, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from tests.support.sources import parsed

import shutthebox
from doctools.diagram import BENEATH, INPUT_NAMES, diagram, modes, transitions
from shutthebox.game.mode import Mode

PACKAGE = Path(shutthebox.__file__).parent
PAGE = PACKAGE / "ARCHITECTURE.md"
TEXT = PAGE.read_text(encoding="utf-8")
BOTH = TEXT + (PACKAGE / "DECISIONS.md").read_text(encoding="utf-8")
PLACES = (PACKAGE, PACKAGE.parent, PACKAGE.parents[1])
"""Where a path on the page may begin."""

NAMED = re.findall(r"`([\w./-]+\.py)`: (`[\w.]+`(?:, `[\w.]+`)*)", BOTH)
"""Files on the pages, each with the names that are said to be in it."""


def found(path: str) -> Path | None:
    return next((place / path for place in PLACES if (place / path).exists()), None)


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


def test_every_file_on_the_pages_exists() -> None:
    paths = set(re.findall(r"`((?:[\w.-]+/)+|[\w./-]+\.(?:py|md|toml|scn))`", BOTH))
    assert len(paths) > 40
    assert {path for path in paths if found(path) is None} == set()


def test_every_name_on_the_pages_is_in_its_file() -> None:
    lacking = {
        path: missing
        for path, names in NAMED
        if (missing := set(re.findall(r"[\w.]+", names)) - names_in(found(path) or PACKAGE / path))
    }
    assert lacking == {}


def floors() -> dict[str, int]:
    """Per folder or module of the package its floor, as the page's table says."""
    rows = re.findall(r"^\| (\d) \| (`.+?`) \|", TEXT, re.MULTILINE)
    return {
        part.removesuffix("/"): int(floor) for floor, parts in rows for part in re.findall(r"`(.+?)`", parts)
    }


SOURCES = {
    package: PACKAGE.parents[1] / folder / package
    for package, folder in {
        "shutthebox": "firmware",
        "gpiozero_gpiod": "libraries/gpiozero-gpiod/src",
        "luma_spans": "libraries/luma-spans/src",
        "shutthebox_league": "league/src",
        "shutthebox_uplink": "league/uplink/src",
        "shutthebox_link": "league/uplink/src",
    }.items()
}
"""Every package of ours."""

IMPORT = re.compile(
    r"^[ ]*from (?P<source>\.*[\w.]*) import (?:\((?P<many>[^)]*)\)|(?P<few>[^(#\n]+))"
    r"|^[ ]*import (?P<module>[\w.]+)",
    re.MULTILINE,
)
"""Parsing all modules would take seconds."""


@cache
def imports() -> dict[str, set[str]]:
    """Per module of ours those that it imports, within functions and for types too."""
    modules = {
        ".".join((package, *path.relative_to(folder).with_suffix("").parts)).removesuffix(".__init__"): path
        for package, folder in SOURCES.items()
        for path in folder.rglob("*.py")
    }
    return {name: set(_imported(name, path, modules)) - {name} for name, path in modules.items()}


def _imported(name: str, path: Path, modules: Container[str]) -> Iterator[str]:
    package = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    for found in IMPORT.finditer(path.read_text(encoding="utf-8")):
        source = found["source"] or found["module"]
        dots = len(source) - len(source.lstrip("."))
        if dots:
            source = ".".join((*package[: len(package) + 1 - dots], source[dots:])).strip(".")
        names = re.findall(r"(\w+)(?: as \w+)?", found["many"] or found["few"] or "")
        whole = {f"{source}.{each}" for each in names if f"{source}.{each}" in modules}
        yield from whole or ({source} if source in modules else ())


def test_no_module_imports_from_a_higher_floor() -> None:
    height = floors()

    def floor(module: str) -> int:
        _, part, *_ = f"{module}.".split(".")
        return height[part] if part in height else height.get(f"{part}.py", 0)

    ours = {name: found for name, found in imports().items() if name.startswith("shutthebox.")}
    del ours["shutthebox.__main__"]
    assert "shutthebox.rules.tiles" in ours["shutthebox.rules.turn"]
    assert {
        f"{name} imports {other}"
        for name, found in ours.items()
        for other in found
        if floor(other) > floor(name)
    } == set()
    assert {
        entry.name for entry in PACKAGE.iterdir() if entry.suffix == ".py" or (entry / "__init__.py").exists()
    } == {*height, "__init__.py", "__main__.py"}


def test_no_ring_of_imports() -> None:
    """A ring is a module that nobody can read alone."""
    try:
        TopologicalSorter(imports()).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_only_its_own_classes_compare_with_an_order_of_play() -> None:
    """Whoever adds one writes its class: a comparison elsewhere would take it for another one in silence."""
    compares = re.compile(r"\bTurns\.[A-Z]|\.turns (?:is|in|not|==|!=) ")
    assert {
        str(path.relative_to(folder))
        for folder in SOURCES.values()
        for path in folder.rglob("*.py")
        if compares.search(path.read_text(encoding="utf-8"))
    } == {
        "rules/profile.py",  # what other keys need `turns` to be, and its default
        "rules/orders.py",
        "odds/pick.py",
    }


def test_no_mode_imports_another() -> None:
    """Modes lead to one another by targets."""
    names = {name for name in imports() if name.startswith("shutthebox.game.modes.")}
    others = names - {"shutthebox.game.modes.base", "shutthebox.game.modes.match_mode"}
    assert {name: imports()[name] & others for name in names if imports()[name] & others} == {}


def test_no_two_classes_have_one_name() -> None:
    """A name that is looked for is found in one place. The API's classes bear the names of what they wrap."""
    places = defaultdict(list)
    for path in sorted(set(PACKAGE.rglob("*.py")) - set(PACKAGE.glob("engine/*.py"))):
        for name in re.findall(r"^\s*class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            places[name].append(str(path.relative_to(PACKAGE)))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_the_diagram_has_every_way_of_the_machine() -> None:
    lines = diagram().splitlines()
    assert lines[:2] == ["stateDiagram-v2", "    [*] --> attract"]
    found = set()
    stages = [line.split()[-1] for line in lines if line.split()[0] == "next_stage"]
    assert set(stages) > {"ready", "flipping", "turn_over", "match_over"}
    for line in lines[2 : -len(stages)]:
        way = re.fullmatch(r"    (\w+) --> (\w+): (.+)", line)
        assert way, line
        names = "|".join(map(re.escape, INPUT_NAMES.values()))
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


def test_every_mode_has_a_class_that_can_be_reached() -> None:
    assert [name for name, classes in modes().items() if not classes] == []
