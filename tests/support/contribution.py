"""Contributions made of steps, each a change of one file that finds its place by a name, not by a line.

So whoever reformats a file, or moves what is in it, breaks no recipe.
"""

import ast
import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[2]
COPIED = (
    "firmware",
    "libraries",
    "league",
    "tests",
    "docs/tools",
    "hardware/tools",
    "hardware/pinout.toml",
    "pyproject.toml",
)
CACHE = PROJECT / "build/mypy"
"""One for all copies: mypy knows files by what's in them."""

SOURCES = ("firmware", "libraries/gpiozero-gpiod/src", "libraries/luma-spans/src", "league/uplink/src")

Change = Callable[[str], str]


def _put(text: str, line: int, column: int, new: str) -> str:
    """The text with something before a place: lines from 1, columns in bytes as `ast` counts them."""
    lines = text.splitlines(keepends=True)
    at = len(lines[line - 1].encode()[:column].decode())
    lines[line - 1] = lines[line - 1][:at] + new + lines[line - 1][at:]
    return "".join(lines)


def _block(text: str, line: int, indent: int, new: str) -> str:
    """The text with whole lines before a line, indented like what stands there."""
    lines = text.splitlines(keepends=True)
    return "".join((*lines[: line - 1], *_indented(new, indent), *lines[line - 1 :]))


def _indented(new: str, indent: int) -> Iterator[str]:
    for line in new.splitlines():
        yield f"{' ' * indent}{line}\n" if line else "\n"


def _named(tree: ast.Module, name: str) -> ast.stmt:
    """The class, function or constant of this name; a method with its class before it."""
    body: list[ast.stmt] = tree.body
    found: ast.stmt | None = None
    for part in name.split("."):
        found = next((node for node in body if part in _names(node)), None)
        if found is None:
            raise LookupError(f"there is no {name}")
        body = getattr(found, "body", [])
    assert found is not None
    return found


def _names(node: ast.stmt) -> list[str]:
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [ast.unparse(target) for target in targets]
        case ast.AnnAssign(target=target):
            return [ast.unparse(target)]
    return []


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def imports(line: str) -> Change:
    """Another import."""

    def change(text: str) -> str:
        last = [node for node in ast.parse(text).body if isinstance(node, ast.Import | ast.ImportFrom)][-1]
        assert last.end_lineno is not None
        return _block(text, last.end_lineno + 1, 0, line)

    return change


def before(name: str, new: str) -> Change:
    """Code before a class, a function, a method or a constant."""

    def change(text: str) -> str:
        node = _named(ast.parse(text), name)
        return _block(text, _first_line(node), node.col_offset, new)

    return change


def member(of: str, new: str) -> Change:
    """A member of an enumeration, or a field with a default: behind the others."""

    def change(text: str) -> str:
        kind = _named(ast.parse(text), of)
        assert isinstance(kind, ast.ClassDef)
        last = [node for node in kind.body if isinstance(node, ast.Assign | ast.AnnAssign)][-1]
        assert last.end_lineno is not None
        return _block(text, last.end_lineno + 1, last.col_offset, new)

    return change


def method(of: str, new: str) -> Change:
    """A method behind all others of a class."""

    def change(text: str) -> str:
        kind = _named(ast.parse(text), of)
        assert kind.end_lineno is not None
        return _block(text, kind.end_lineno + 1, kind.col_offset + 4, f"\n{new}")

    return change


def entry(of: str, new: str) -> Change:
    """An entry of a tuple, a set, a dictionary, or a call that a constant holds or a function returns: before
    the others.
    """

    def change(text: str) -> str:
        found = _named(ast.parse(text), of)
        node = getattr(found.body[-1] if isinstance(found, ast.FunctionDef) else found, "value", None)
        while True:
            match node:
                case ast.Dict(keys=[ast.expr() as first, *_]):
                    break
                case ast.DictComp(generators=[ast.comprehension(iter=inner)]):
                    node = inner
                case ast.Call(args=[inner]) if not isinstance(inner, ast.Call):
                    node = inner
                case ast.Call(keywords=[first, *_]):
                    break
                case ast.Tuple(elts=[first, *_]) | ast.Set(elts=[first, *_]) | ast.List(elts=[first, *_]):
                    break
                case _:
                    raise LookupError(f"{of} holds no entries")
        return _put(text, first.lineno, first.col_offset, f"{new}, ")

    return change


def alternative(of: str, new: str) -> Change:
    """Another member of a union."""

    def change(text: str) -> str:
        node = getattr(_named(ast.parse(text), of), "value", None)
        while isinstance(node, ast.BinOp):
            node = node.left
        assert isinstance(node, ast.Name)
        return _put(text, node.lineno, node.col_offset, f"{new} | ")

    return change


def case(function: str, new: str) -> Change:
    """A case of the first `match` of a function, before the others."""

    def change(text: str) -> str:
        function_def = _named(ast.parse(text), function)
        found = next(node for node in ast.walk(function_def) if isinstance(node, ast.Match))
        line = found.cases[0].pattern.lineno
        return _block(text, line, found.col_offset + 4, new)

    return change


def begins(function: str, new: str) -> Change:
    """The first lines of a function."""

    def change(text: str) -> str:
        found = _named(ast.parse(text), function)
        assert isinstance(found, ast.FunctionDef)
        first = found.body[1 if ast.get_docstring(found) else 0]
        return _block(text, _first_line(first), first.col_offset, new)

    return change


def contains(text: str) -> Change:
    """A new file."""
    return lambda _: text


class Step(NamedTuple):
    """One thing to do in one file.

    Attributes:
        path: of the file, below the project.
        changes: what is done there.
        noticed: a check that ends badly where the step is left out: ``mypy``, the start of a program as in
            ``import shutthebox.game.machine``, or a test.
        named: what that check then says: the place, or the thing that is missing there.
    """

    path: str
    changes: tuple[Change, ...]
    noticed: str
    named: str


class Tree:
    """A copy of the project that steps are done in, with mypy at hand.

    Args:
        folder: for the copy.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in COPIED:
            source, there = PROJECT / name, folder / name
            there.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__", ".*", "build", "*.png", "crowd")
                shutil.copytree(source, there, ignore=ignored)
            else:
                shutil.copy(source, there)
        # What every daemon of mypy starts from, in place of all files.
        CACHE.mkdir(parents=True, exist_ok=True)
        with (CACHE / "lock").open("w") as run:
            fcntl.flock(run, fcntl.LOCK_EX)
            self._run("-m", "mypy", "--cache-fine-grained", *self._mypy)

    @contextmanager
    def having(self, steps: Iterable[Step]) -> Iterator[None]:
        """The tree with these steps done; afterwards it is as it was."""
        before: dict[Path, str | None] = {}
        try:
            for step in steps:
                path = self.folder / step.path
                text = path.read_text("utf-8") if path.exists() else None
                before.setdefault(path, text)
                for change in step.changes:
                    text = change(text or "")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text or "", "utf-8")
            yield
        finally:
            for path, text in before.items():
                path.unlink() if text is None else path.write_text(text, "utf-8")

    def complaint(self, check: str) -> str:
        """What a check says; nothing if all is well."""
        if check == "mypy":
            return self._run(
                "-m", "mypy.dmypy", *self._dmypy, "run", "--", "--use-fine-grained-cache", *self._mypy
            )
        if not check.startswith("tests/"):
            return self._run("-c", check)
        # No cache of Python's: a file may change twice in the second that its time is kept in.
        return self._run("-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", *check.split())

    @property
    def _dmypy(self) -> tuple[str, ...]:
        return "--status-file", str(self.folder / "dmypy.json")

    @property
    def _mypy(self) -> tuple[str, ...]:
        return "--cache-dir", str(CACHE), "firmware/shutthebox"

    def _run(self, *command: str) -> str:
        sources = os.pathsep.join(str(self.folder / source) for source in SOURCES)
        environment = {**os.environ, "PYTHONPATH": sources, "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, *command],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr if done.returncode else ""

    def end_mypy(self) -> None:
        """Ends mypy's daemon. The next one knows nothing of what was changed before."""
        self._run("-m", "mypy.dmypy", *self._dmypy, "stop")
