"""The core is pure: rules, odds and game know no clock, thread, file, pin or screen."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.support.sources import nodes_of

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
PACKAGE = FIRMWARE / "shutthebox"

CORE = {
    "rules": ("shutthebox.rules",),
    "odds": ("shutthebox.rules", "shutthebox.odds"),
    "link": ("shutthebox.rules", "shutthebox.link"),
    "game": ("shutthebox.rules", "shutthebox.odds", "shutthebox.link", "shutthebox.game"),
}
"""Per part of the core, the parts that it may use."""

HELPERS = (
    "shutthebox.errors",
    "shutthebox.marker",
    "shutthebox.sections",
    "shutthebox.texts",
    "shutthebox.validation",
)
"""Modules outside that all parts of the core may use, if they keep to the same rule."""

PURE = {
    "__future__", "abc", "array", "bisect", "collections", "copy", "dataclasses", "decimal", "difflib",
    "enum", "fractions", "functools", "gettext", "hashlib", "heapq", "itertools", "json", "math", "numbers",
    "operator", "random", "re", "statistics", "string", "struct", "textwrap", "tomllib", "types", "typing",
    "unicodedata",
}  # fmt: skip
"""Modules of the standard library that only compute, or have something that does: `ONLY`."""

ONLY = {"random": "Random", "gettext": "c2py"}
"""The one name that may be imported: functions of random are global, others of gettext read files."""

REACHING_OUT = {"open", "print", "input", "exec", "eval", "compile", "breakpoint", "__import__", "globals"}

PARTS = [(part, path) for part in CORE for path in sorted((PACKAGE / part).rglob("*.py"))]
PARTS += [("rules", PACKAGE / f"{helper.partition('.')[2]}.py") for helper in HELPERS]


def offences(nodes: Sequence[ast.AST], part: str) -> list[str]:
    """The forbidden uses in a module of this part of the core, each with its line."""
    return [f"line {line}: {what}" for line, what in _offences(nodes, part)]


def _offences(nodes: Sequence[ast.AST], part: str) -> Iterator[tuple[int, str]]:
    random_names = set()
    for node in nodes:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    if not _allowed(alias.name, part) or alias.name == "gettext":
                        yield node.lineno, f"import {alias.name}"
                    if alias.name == "random":
                        random_names.add(alias.asname or alias.name)
            case ast.ImportFrom(level=0, module=str(module), names=names):
                for alias in names:
                    # `from shutthebox import validation` names a module, `from enum import Enum` does not.
                    if not (_allowed(module, part) or _allowed(f"{module}.{alias.name}", part)):
                        yield node.lineno, f"from {module} import {alias.name}"
                    if ONLY.get(module, alias.name) != alias.name:
                        yield node.lineno, f"from {module} import {alias.name}"
            case ast.ImportFrom():
                yield node.lineno, "a relative import"
            case ast.Name(id=name, ctx=ast.Load()) if name in REACHING_OUT:
                yield node.lineno, name
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if (
                name in random_names and attr != "Random"
            ):
                yield node.lineno, f"{name}.{attr}"


def _allowed(module: str, part: str) -> bool:
    if module.partition(".")[0] in PURE:
        return True
    return any(f"{module}.".startswith(f"{home}.") for home in (*CORE[part], *HELPERS))


def test_the_core_only_computes() -> None:
    found = {path.name: offences(nodes_of(path), part) for part, path in PARTS}
    assert len(found) > 40
    assert {name: what for name, what in found.items() if what} == {}


STATE = ("machine", "modes", "play", "state")
"""The modules of `game` that have the machine's state, or change it."""


def touches_the_state(nodes: Iterable[ast.AST]) -> list[str]:
    """What a module takes of the machine's state, each with its line."""
    found = []
    for node in nodes:
        match node:
            case ast.ImportFrom(module=str(module), names=names):
                for imported in (module, *(f"{module}.{alias.name}" for alias in names)):
                    if imported.removeprefix("shutthebox.game.").split(".")[0] in STATE:
                        found.append(f"line {node.lineno}: {imported}")
            case ast.Attribute(value=ast.Attribute(attr="runner") | ast.Name(id="runner"), attr="machine"):
                found.append(f"line {node.lineno}: runner.machine")
    return found


@pytest.mark.slow
def test_what_tells_of_the_box_reads_its_scene_and_never_its_state() -> None:
    """Pages, voice and files may be in another thread, which would see a state that is half changed."""
    outside = [
        path
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] not in ("game", "runtime")
    ]
    found = {path.name: touches_the_state(nodes_of(path)) for path in outside}
    assert {name: what for name, what in found.items() if what} == {}, "`game.effects.Scene` has what goes on"
    reaching = "from shutthebox.game.state import Shared\nbox.runner.machine.state"
    assert touches_the_state(ast.walk(ast.parse(reaching))) != []


@pytest.mark.parametrize(
    ("part", "source", "found"),
    [
        ("game", "def f():\n    import os.path", 1),
        ("odds", "import random as r\nx: r.Random = r.Random(r.random())", 1),
        ("odds", "from random import Random\nfrom collections.abc import Iterable", 0),
        ("game", "from shutthebox.adapters import gpio", 1),
        ("rules", "import shutthebox.rulesets", 1),
        ("rules", "from shutthebox import validation\nfrom shutthebox.errors import ShutTheBoxError", 0),
        ("rules", "x = open", 1),
        ("rules", "from gettext import c2py\nfrom gettext import gettext", 1),
    ],
)
def test_an_offence_is_found(part: str, source: str, found: int) -> None:
    assert len(offences(tuple(ast.walk(ast.parse(source))), part)) == found
