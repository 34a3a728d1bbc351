"""The recipes for programs run as they stand on their pages, and print what's shown there."""

import importlib.util
import shutil
import subprocess
import sys
from contextlib import chdir, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

import pytest
from tests.support.fast import fast_among
from tests.support.recipes import Recipe, recipes_of

from doctools import PROJECT, notebook

PAGES = ("docs/engine.md", "docs/classroom.md")
RECIPES = [recipe for page in PAGES for recipe in recipes_of(PROJECT / page)]
LIBRARIES = {"": "shutthebox", "learn": "pettingzoo", "plots": "matplotlib"}


def slow(recipe: Recipe) -> bool:
    return recipe.extra == "plots" or "chances_to_win" in recipe.code


@pytest.mark.parametrize(
    "recipe", fast_among(RECIPES, [recipe for recipe in RECIPES if not slow(recipe)]), ids=str
)
def test_a_recipe_prints_what_the_page_shows(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = LIBRARIES[recipe.extra]
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"NOT TESTED: no {library} here: pip install 'shutthebox[{recipe.extra}]'")
    monkeypatch.setenv("MPLBACKEND", "agg")
    assert recipe.prints is not None, "a block with what it prints has to follow"
    with chdir(tmp_path), redirect_stdout(StringIO()) as printed:
        exec(compile(recipe.code, str(recipe), "exec"), {"__name__": "__main__"})
    assert printed.getvalue() == recipe.prints


@pytest.mark.slow
def test_the_site_shows_the_plots_twice_the_same(tmp_path: Path) -> None:
    """A release is built twice and compared, with the site in it."""
    pytest.importorskip(
        "matplotlib", reason="NOT TESTED: no matplotlib here: pip install 'shutthebox[plots]'"
    )
    made = []
    for name in ("one", "other"):
        (tmp_path / name / "docs").mkdir(parents=True)
        shutil.copy(PROJECT / notebook.PAGE, tmp_path / name / notebook.PAGE)
        notebook.add_plots(tmp_path / name)
        plots = sorted((tmp_path / name / "docs/plots").iterdir())
        made.append([path.read_bytes() for path in plots])
        page = (tmp_path / name / notebook.PAGE).read_text(encoding="utf-8")
        assert [f"(plots/{path.name})" in page for path in plots] == [True] * 4
    assert made[0] == made[1]


def test_every_recipe_is_found() -> None:
    found = sum((PROJECT / page).read_text(encoding="utf-8").count("```python") for page in PAGES)
    assert len(RECIPES) == found > 15


@cache
def wheel(folder: Path) -> Path:
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(PROJECT)]
    subprocess.run(command, check=True, capture_output=True)
    (found,) = folder.glob("shutthebox-*.whl")
    return found


@pytest.mark.wheel
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("extra", LIBRARIES)
def test_the_recipes_run_in_an_empty_environment_with_only_the_wheel(
    extra: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A stranger has nothing else; a module of a test's or an extra's library would be missing there."""
    built = wheel(tmp_path_factory.getbasetemp())
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = tmp_path / "venv/bin/python"
    constraints = ["--constraint", str(PROJECT / "constraints.txt")] if extra else ["--no-deps"]
    wanted = f"{built}[{extra}]" if extra else str(built)
    install = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        *constraints,
        wanted,
    ]
    subprocess.run(install, check=True, capture_output=True)
    (tmp_path / "work").mkdir()
    for recipe in RECIPES:
        if recipe.extra == extra:
            done = subprocess.run(
                [python, "-I", "-c", recipe.code],
                cwd=tmp_path / "work",
                env={"MPLBACKEND": "agg"},
                capture_output=True,
                text=True,
                check=False,
            )
            assert (done.returncode, done.stdout) == (0, recipe.prints), f"{recipe}: {done.stderr}"
