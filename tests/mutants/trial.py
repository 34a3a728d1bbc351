"""Which tests run which lines, and whether one of them fails when a line is changed.

The tests are collected once. For each change the process forks, the child puts the changed code into the
functions that have it and runs the tests of that line until one fails: a second in place of a minute.
"""

import ast
import contextlib
import functools
import gc
import importlib
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import CodeType, FunctionType

import coverage
import pytest
from tests.mutants.changes import Change, changed_tree, statement

ROOT = Path(__file__).resolve().parents[2]
FIRMWARE = ROOT / "firmware"
PACKAGES = ("shutthebox", "luma_spans")
STUCK_S = 120
"""A change that makes one test take so long is noticed."""
_fork = multiprocessing.get_context("fork")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change to a module.

    Attributes:
        path: of the module, below the folder of the packages.
        change: to it.
    """

    path: Path
    change: Change

    def __str__(self) -> str:
        return f"{self.path}:{self.change.line}: {self.change.text}"


@dataclass(frozen=True, slots=True)
class Record:
    """What a run of the tests without any change has shown.

    Attributes:
        tests: the tests that run a line, by module and line; an empty name for what runs outside tests.
        seconds: that a test took.
        failed: the tests that failed.
    """

    tests: dict[str, dict[int, list[str]]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def of(self, mutant: Mutant) -> set[str]:
        """The tests that run the statement which is changed."""
        first, last = statement((FIRMWARE / mutant.path).read_text(encoding="utf-8"), mutant.change.line)
        lines = self.tests.get(str(mutant.path), {})
        return {test for line in range(first, last + 1) for test in lines.get(line, ())}


class _Recorder:
    """A plugin of pytest: tells coverage.py which test runs.

    No test finds what an earlier one has cached, else it would not run the lines that it depends on.
    """

    def __init__(self, measured: coverage.Coverage) -> None:
        self._measured = measured
        self._caches: list[functools._lru_cache_wrapper[object]] = []
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: list[str] = []

    def pytest_collection_finish(self) -> None:
        self._caches = [
            cached
            for cached in gc.get_objects()
            if isinstance(cached, functools._lru_cache_wrapper) and cached.__module__.startswith(PACKAGES)
        ]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        for cached in self._caches:
            cached.cache_clear()
        self._measured.switch_context(item.nodeid)
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed.append(report.nodeid)


def record(files: Sequence[Path]) -> Record:
    """Runs the tests of `make test` in these files, without any change; takes minutes."""
    ours, theirs = _fork.Pipe(duplex=False)
    process = _fork.Process(target=_record, args=(files, theirs))
    process.start()
    theirs.close()
    known: Record = ours.recv()
    process.join()
    return known


def _record(files: Sequence[Path], to_parent: Connection) -> None:
    measured = coverage.Coverage(
        data_file=None, source=[str(FIRMWARE / package) for package in PACKAGES], concurrency="thread"
    )
    recorder = _Recorder(measured)
    measured.start()
    _run_pytest(files, recorder)
    measured.stop()
    data = measured.get_data()
    tests = {
        str(Path(file).relative_to(FIRMWARE)): dict(data.contexts_by_lineno(file))
        for file in data.measured_files()
    }
    to_parent.send(Record(tests, dict(recorder.seconds), recorder.failed))


def tried(
    mutants: Sequence[Mutant], files: Sequence[Path], known: Record, jobs: int
) -> Iterator[tuple[Mutant, str | None]]:
    """Tries changes with the tests in these files, in so many processes at once.

    Yields:
        each change and the first test that notices it; empty if none does, None if it must be tried in a
        new process, because it changes what runs when a module is imported.
    """
    open_: list[Connection] = []
    for job in range(jobs):
        ours, theirs = _fork.Pipe(duplex=False)
        _fork.Process(target=_run_pytest, args=(files, Trial(mutants[job::jobs], known, theirs))).start()
        theirs.close()
        open_.append(ours)
    while open_:
        ready = wait(open_)
        for stream in [stream for stream in open_ if stream in ready]:
            try:
                yield stream.recv()
            except EOFError:
                open_.remove(stream)


def _run_pytest(files: Sequence[Path], plugin: object) -> None:
    """Runs pytest without a word."""
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
    pytest.main(["-q", "-n0", "-p", "no:cacheprovider", *map(str, files)], plugins=[plugin])


class Trial:
    """A plugin of pytest that tries changes in place of running the tests."""

    def __init__(self, mutants: Sequence[Mutant], known: Record, to_parent: Connection) -> None:
        self._mutants, self._known, self._to_parent = mutants, known, to_parent
        self._items: dict[str, pytest.Item] = {}
        self._functions: dict[str, list[FunctionType]] = defaultdict(list)
        self._unreliable = set(known.failed)
        self._from_child: Connection | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._items = {item.nodeid: item for item in session.items}
        for path in {mutant.path for mutant in self._mutants}:
            # A module that is imported only when it is needed would come without its change.
            if path.stem != "__main__":
                with contextlib.suppress(ImportError):
                    importlib.import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))
        gc.collect()
        for function in gc.get_objects():
            if isinstance(function, FunctionType):
                self._functions[function.__code__.co_filename].append(function)
        gc.freeze()
        for mutant in self._mutants:
            self._to_parent.send((mutant, self._noticed_by(mutant)))
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self._from_child:
            self._from_child.send((report.nodeid, False, False))

    def _noticed_by(self, mutant: Mutant) -> str | None:
        file = FIRMWARE / mutant.path
        source = file.read_text(encoding="utf-8")
        tree = changed_tree(source, mutant.change)
        new, old = (_functions(compile(code, str(file), "exec")) for code in (tree, source))
        known = self._known.of(mutant)
        # What has run as the tests were collected, is not run again in the child.
        without_tests = None if "" in known else ""
        if all(code == old.get(name) for name, code in new.items()):
            return None
        changes = [
            (function, code)
            for function in self._functions[str(file)]
            if (code := new.get(_name(function.__code__))) and code != function.__code__
        ]
        near = (mutant.path.stem, mutant.path.parts[-2])
        tests = sorted(
            known & self._items.keys(),
            key=lambda test: (
                self._known.seconds[test] > 3,
                not any(word in test for word in near),
                self._known.seconds[test],
            ),
        )
        while tests := [test for test in tests if test not in self._unreliable]:
            failed = self._first_failure(tests, changes, mutant.path, ast.unparse(tree))
            if not failed:
                return without_tests
            # It counts only if the same tests pass without the change.
            if not self._first_failure(tests[: tests.index(failed) + 1], [], mutant.path, source):
                return failed
            self._unreliable.add(failed)
        return without_tests

    def _first_failure(
        self, tests: list[str], changes: list[tuple[FunctionType, CodeType]], path: Path, source: str
    ) -> str:
        """The first test that fails, or takes too long, with this code in these functions."""
        ours, theirs = _fork.Pipe(duplex=False)
        with tempfile.TemporaryDirectory(prefix="mutant-", ignore_cleanup_errors=True) as folder:
            child = _fork.Process(target=self._run, args=(tests, changes, path, source, Path(folder), theirs))
            child.start()
            theirs.close()
            test, passes, ended = tests[0], True, False
            while passes and not ended:
                # Without a word for so long it is stuck; without one when it has gone, it has died.
                wait([ours, child.sentinel], STUCK_S)
                try:
                    test, passes, ended = ours.recv() if ours.poll() else (test, False, False)
                except EOFError:
                    passes = False
            if child.pid:
                _kill_group(child.pid)
            child.join()
        return "" if passes else test

    def _run(
        self,
        tests: list[str],
        changes: list[tuple[FunctionType, CodeType]],
        path: Path,
        source: str,
        folder: Path,
        from_child: Connection,
    ) -> None:
        """Runs the tests, in the child."""
        os.setsid()
        folder.chmod(0o755)  # some tests go on as another user
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(folder)
        for function, code in changes:
            function.__code__ = code
        # For the tests that start the program.
        os.environ.update(copied(folder / "firmware", path, source))
        self._from_child = from_child
        for test, next_test in zip(tests, [*tests[1:], None], strict=True):
            from_child.send((test, True, False))
            item, next_item = self._items[test], self._items[next_test] if next_test else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)
        from_child.send((tests[-1], True, True))
        # No clean-up of what the parent has opened.
        os._exit(0)


def copied(folder: Path, path: Path, source: str) -> dict[str, str]:
    """Copies the packages, with this text of a module; returns the environment in which Python takes them.

    Compiled code comes along, and holds: only the changed module has another time.
    """
    for package in PACKAGES:
        shutil.copytree(FIRMWARE / package, folder / package, copy_function=os.symlink)
    (folder / path).unlink()
    (folder / path).write_text(source, encoding="utf-8")
    return {"PYTHONPATH": f"{folder}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}


def _functions(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """The code of all functions in a piece of code."""
    found: dict[tuple[str, int], CodeType] = {}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found |= {_name(inner): inner} | _functions(inner)
    return found


def _name(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _kill_group(pid: int) -> None:
    """Kills a process and those that its tests have started."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError):
            kill(pid, signal.SIGKILL)
