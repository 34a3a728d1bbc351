"""What the package exports: complete, documented, and loaded no sooner than it's used."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.extras import HAS_LEARNING, NO_LEARNING
from tests.support.sources import nodes_of

import shutthebox
from doctools import PROJECT

PACKAGE = Path(shutthebox.__file__).parent
WITH_EXTRA = {"MatchEnv", "TurnEnv"}
PAGE = (PROJECT / "docs/engine.md").read_text(encoding="utf-8")


def imported_for_type_checkers() -> dict[str, str]:
    """Each name that type checkers see, with its module."""
    (block,) = [node for node in ast.parse(inspect.getsource(shutthebox)).body if isinstance(node, ast.If)]
    found: dict[str, str] = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        found |= {alias.asname or "": node.module or "" for alias in node.names}
    return found


def test_type_checkers_see_the_names_that_programs_get() -> None:
    found = {name: f"shutthebox.{module}" for name, module in shutthebox._HOMES.items()}
    assert imported_for_type_checkers() == found
    assert set(shutthebox.__all__) | WITH_EXTRA == set(found)
    assert set(found) <= set(dir(shutthebox))


def run(program: str) -> str:
    return subprocess.check_output([sys.executable, "-c", program], text=True).strip()


def test_the_package_alone_loads_nothing_else_of_it() -> None:
    """Every command, and the daemon, imports the package."""
    program = (
        "import shutthebox, sys; print(*[name for name in sys.modules if name.startswith('shutthebox')])"
    )
    assert run(program) == "shutthebox"


def test_everything_but_the_environments_needs_only_python() -> None:
    program = (
        "import sys; before = {name.partition('.')[0] for name in sys.modules}; from shutthebox import *; "
        "after = {name.partition('.')[0] for name in sys.modules}; "
        "print(*sorted(after - before - set(sys.stdlib_module_names)))"
    )
    assert run(program) == "shutthebox"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Gmae'"):
        _ = shutthebox.Gmae


@pytest.mark.parametrize("name", sorted(shutthebox._HOMES))
def test_each_name_is_documented(name: str) -> None:
    """On the page, and for `help`: with every method."""
    if name in WITH_EXTRA and not HAS_LEARNING:
        pytest.skip(NO_LEARNING)
    found = getattr(shutthebox, name)
    assert f"`{name}`" in PAGE
    assert inspect.getdoc(found)
    if inspect.isclass(found) and found.__module__.startswith("shutthebox.engine"):
        for method, value in vars(found).items():
            if not method.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                assert inspect.getdoc(value), f"{name}.{method}"


def test_each_function_and_class_that_does_something_has_an_example() -> None:
    """Examples in docstrings are run by tests/project/test_examples.py, recipes by test_recipes.py."""
    recipes = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    for name in shutthebox._HOMES.keys() - (set() if HAS_LEARNING else WITH_EXTRA):
        found = getattr(shutthebox, name)
        if inspect.isclass(found) and (issubclass(found, (Exception, tuple)) or name == "Player"):
            continue
        documented = ">>>" in (inspect.getdoc(found) or "")
        assert documented or re.search(rf"\b{name}\b", recipes), f"{name} is in no example and no recipe"


def test_the_box_imports_none_of_it() -> None:
    """It would be ready later for code that it doesn't run."""
    names = set(shutthebox._HOMES)
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.is_relative_to(PACKAGE / "engine") or path == PACKAGE / "__init__.py":
            continue
        for node in nodes_of(path):
            if isinstance(node, ast.ImportFrom):
                of_engine = (node.module or "").startswith("shutthebox.engine")
                of_package = node.module == "shutthebox" and {alias.name for alias in node.names} & names
                if of_engine or of_package:
                    found.append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert found == []
