"""Options of the whole test suite."""

import contextlib
import gc
import logging
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from tests.support.open_databases import OpenDatabases

from shutthebox.config import schema

pytest_plugins = ("tests.support.evening", "tests.support.skips")

# No example has a deadline, because a loaded machine is no fault. The same tests try the same cases
# each time, so that a change is judged by what it changed; `search` looks for new ones.
settings.register_profile("quick", max_examples=5, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=150, deadline=None, derandomize=True)
settings.register_profile("search", max_examples=1000, deadline=None)
settings.load_profile("quick")

# A store is synced after every fact, which on a disk is most of the time of the tests that keep one.
_MEMORY = Path("/dev/shm")
if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > 2 << 30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))

# Collecting makes a million objects, and all stay: looking for garbage among them took a quarter of its time.
gc.disable()


@settings(max_examples=1, database=None)
@given(st.none())
def _ready_hypothesis(_: None) -> None:
    """Its first test looks for what refers to its random numbers, in all that there is."""


def _left_out(config: pytest.Config) -> list[str]:
    """Marks whose tests are deselected; of a test that was named, pytest is to say so itself."""
    named = any("::" in arg for arg in config.args)
    outside = re.sub(r"\([^()]*\)", "", config.option.markexpr)
    return [] if named or " or " in outside else re.findall(r"not (\w+)", outside)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skips modules whose tests are all deselected: each worker would import a browser's driver, and more."""
    left_out = _left_out(config)
    if not left_out or not collection_path.match("test_*.py"):
        return None
    whole = rf"^pytestmark = .*\bmark\.({'|'.join(left_out)})\b"
    return re.search(whole, collection_path.read_text("utf-8"), re.MULTILINE) is not None or None


def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Makes no items for a test that would be deselected: each worker would make thousands."""
    marks = obj.__dict__.get("pytestmark", ()) if isinstance(obj, FunctionType) else ()
    left_out = _left_out(collector.config) if marks else ()
    return [] if any(mark.name in left_out for mark in marks) else None


def pytest_collection() -> None:
    _ready_hypothesis()  # while there is little to look through


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 20)


def pytest_addoption(parser: pytest.Parser) -> None:
    with contextlib.suppress(ValueError):  # taken already
        parser.addoption(
            "--update-golden",
            action="store_true",
            default=False,
            help="write the golden pictures anew instead of comparing with them",
        )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """More than there are cores, since tests wait. Of the slow ones, many keep a browser busy, too."""
    return (os.cpu_count() or 1) + (2 if "slow" in _left_out(config) else 1)


@pytest.fixture(scope="session", autouse=True)
def _every_database_is_closed() -> Iterator[None]:
    """Looks at the end of all tests, because some belong to fixtures of a whole module."""
    opened = OpenDatabases()
    yield
    if left := opened.left:
        pytest.fail("\n".join(map(str, left)), pytrace=False)


def pytest_runtest_teardown() -> None:
    """What a command lets be logged does not outlast its test. A fixture would cost each test more."""
    if logging.root.level != logging.WARNING:
        logging.root.setLevel(logging.WARNING)


@pytest.fixture(scope="session", autouse=True)
def _machine_without_a_box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whoever tests may have a box on this machine, or have played on the simulated one."""
    nowhere = tmp_path_factory.getbasetemp() / "no-box"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "CONFIG_FILE", nowhere / "config.toml")
        patch.setenv("XDG_STATE_HOME", str(nowhere))
        yield
