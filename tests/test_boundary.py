"""The core is pure: rules, odds and game know no clock, thread, file, pin or screen."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FIRMWARE = Path(__file__).resolve().parents[1] / "firmware"
PACKAGE = FIRMWARE / "shutthebox"

CORE = {
    "rules": ("shutthebox.rules",),
    "odds": ("shutthebox.rules", "shutthebox.odds"),
    "game": ("shutthebox.rules", "shutthebox.odds", "shutthebox.game"),
}
"""Per part of the core, the parts that it may use."""

HELPERS = ("shutthebox.errors", "shutthebox.validation")
"""Modules outside that all parts of the core may use, if they keep to the same rule."""

PURE = {
    "__future__", "abc", "array", "bisect", "collections", "copy", "dataclasses", "decimal", "difflib",
    "enum", "fractions", "functools", "hashlib", "heapq", "itertools", "json", "math", "numbers", "operator",
    "random", "re", "statistics", "string", "struct", "textwrap", "tomllib", "types", "typing",
    "unicodedata",
}  # fmt: skip
"""Modules of the standard library that only compute. Of random only its class: its functions are global."""

REACHING_OUT = {"open", "print", "input", "exec", "eval", "compile", "breakpoint", "__import__", "globals"}

PARTS = [(part, path) for part in CORE for path in sorted((PACKAGE / part).rglob("*.py"))]
PARTS += [("rules", PACKAGE / f"{helper.partition('.')[2]}.py") for helper in HELPERS]


def offences(source: str, part: str) -> list[str]:
    """The forbidden uses in a module of this part of the core, each with its line."""
    return [f"line {line}: {what}" for line, what in _offences(ast.parse(source), part)]


def _offences(tree: ast.AST, part: str) -> Iterator[tuple[int, str]]:
    random_names = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    if not _allowed(alias.name, part):
                        yield node.lineno, f"import {alias.name}"
                    if alias.name == "random":
                        random_names.add(alias.asname or alias.name)
            case ast.ImportFrom(level=0, module=str(module), names=names):
                for alias in names:
                    # `from shutthebox import validation` names a module, `from enum import Enum` does not.
                    if not (_allowed(module, part) or _allowed(f"{module}.{alias.name}", part)):
                        yield node.lineno, f"from {module} import {alias.name}"
                    if module == "random" and alias.name != "Random":
                        yield node.lineno, f"from random import {alias.name}"
            case ast.ImportFrom():
                yield node.lineno, "a relative import"
            case ast.Name(id=name, ctx=ast.Load()) if name in REACHING_OUT:
                yield node.lineno, name
    for node in ast.walk(tree):
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
    found = {path.name: offences(path.read_text(encoding="utf-8"), part) for part, path in PARTS}
    assert len(found) > 40
    assert {name: what for name, what in found.items() if what} == {}


@pytest.mark.parametrize(
    ("part", "source"),
    [
        ("game", "import time"),
        ("game", "import os.path"),
        ("game", "import collections, threading"),
        ("rules", "from pathlib import Path"),
        ("game", "from datetime import datetime"),
        ("odds", "import socket as s"),
        ("game", "def f():\n    import subprocess"),
        ("rules", "import io"),
        ("odds", "from random import choice"),
        ("odds", "import random as r\nx = r.random()"),
        ("game", "import gpiozero"),
        ("game", "from shutthebox.adapters import gpio"),
        ("game", "from shutthebox import config"),
        ("rules", "from shutthebox.game.judge import judge"),
        ("rules", "import shutthebox.odds"),
        ("odds", "from shutthebox.game import dice"),
        ("rules", "import shutthebox.rulesets"),
        ("game", "from . import judge"),
        ("game", "print('x')"),
        ("rules", "x = open"),
        ("rules", "__import__('os')"),
    ],
)
def test_an_offence_is_found(part: str, source: str) -> None:
    assert len(offences(source, part)) == 1


@pytest.mark.parametrize(
    ("part", "source"),
    [
        ("game", "from shutthebox.rules.tiles import Tiles\nfrom shutthebox.rules import turn as turns"),
        ("odds", "import random\nx: random.Random = random.Random(1)"),
        ("odds", "from random import Random\nfrom collections.abc import Iterable"),
        ("rules", "from shutthebox import validation\nfrom shutthebox.errors import ShutTheBoxError"),
        ("rules", "class Profile:\n    def open(self): ...\nProfile().open()"),
    ],
)
def test_what_computes_is_no_offence(part: str, source: str) -> None:
    assert offences(source, part) == []


@pytest.mark.parametrize("part", CORE)
def test_it_imports_without_anything_installed(part: str) -> None:
    modules = [
        ".".join(("shutthebox", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        for path in sorted((PACKAGE / part).rglob("*.py"))
    ]
    script = (
        "import importlib, json, sys\n"
        f"sys.path.insert(0, {str(FIRMWARE)!r})\n"
        f"for name in {modules!r}: importlib.import_module(name)\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-I", "-c", script], capture_output=True, text=True, check=False, timeout=120
    )
    assert run.returncode == 0, run.stderr
    loaded = json.loads(run.stdout)
    assert set(modules) <= set(loaded)
    ours = {name for name in loaded if name.startswith("shutthebox.")}
    assert all(_allowed(name, part) for name in ours)
    foreign = {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names - {"shutthebox"}
    assert foreign <= {"__main__", "__mp_main__"}


EACH_FIRST = """
import importlib, sys
for name in sys.argv[1:]:
    for loaded in [module for module in sys.modules if module.startswith("shutthebox")]:
        del sys.modules[loaded]
    importlib.import_module(name)
"""


@pytest.mark.slow
def test_each_module_of_the_core_can_be_imported_first() -> None:
    """Modes import each other: only as modules, or the order would matter."""
    names = [
        ".".join(path.relative_to(FIRMWARE).with_suffix("").parts).removesuffix(".__init__")
        for _, path in PARTS
    ]
    command = [sys.executable, "-c", EACH_FIRST, *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
