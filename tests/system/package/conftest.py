"""The package as `make deb` left it, and Debian roots to put it in."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from . import root as roots
from .root import GPIOZERO_DEB, LIBRARY_DEBS, NEEDED, Root, built


@pytest.fixture(scope="session")
def deb() -> Path:
    return built("shutthebox")


@pytest.fixture(scope="session")
def library_debs() -> list[Path]:
    """The packages that the box's needs: its Python, the pins, the display's transfers."""
    return [built(name) for name in NEEDED]


@pytest.fixture(scope="session")
def scoreboard_deb() -> Path:
    """The package that switches the scoreboard on."""
    return built("shutthebox-scoreboard")


@pytest.fixture(scope="session")
def newer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the box's Python as version 99, which says so."""
    if (why := roots.missing()) is not None:
        pytest.skip(why)
    folder = tmp_path_factory.mktemp("newer")
    tree, to = folder / "tree", folder / "python3-shutthebox_99_all.deb"
    subprocess.run(["dpkg-deb", "--raw-extract", str(built("python3-shutthebox")), str(tree)], check=True)
    control = tree / "DEBIAN/control"
    lines = control.read_text().splitlines()
    control.write_text("".join(f"{'Version: 99' if x.startswith('Version:') else x}\n" for x in lines))
    (tree / "usr/lib/python3/dist-packages/shutthebox/__init__.py").write_text('__version__ = "99"\n')
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", str(tree), str(to)], check=True)
    return to


@pytest.fixture(scope="module")
def new_root(deb: Path, library_debs: list[Path]) -> Iterator[Callable[[], Root]]:
    """Makes a Debian with the packages lying in /opt, not yet installed.

    The first time it's fetched, for as long as that takes: a test's limit counts the test alone.
    """
    if (why := roots.missing()) is not None:
        pytest.skip(why)
    try:
        roots.prepare()
    except roots.FetchError as error:
        pytest.skip(f"NOT CHECKED, no Debian 13 can be had: {str(error).strip().splitlines()[-1]}")

    folder = roots.room_for_roots()
    made: list[Root] = []

    def make() -> Root:
        root = Root(folder / f"root-{len(made)}")
        made.append(root)
        root.put(deb, "/opt/shutthebox.deb")
        for library, path in zip(library_debs, LIBRARY_DEBS, strict=True):
            root.put(library, path)
        return root

    yield make
    shutil.rmtree(folder)


@pytest.fixture
def bare(tmp_path: Path) -> Callable[..., Root]:
    """Makes a Debian that has nothing of what our packages depend on, and some packages of ours in /opt.

    It has this machine's network, for apt, until it's booted without one.
    """
    if (why := roots.missing()) is not None:
        pytest.skip(why)
    try:
        tar, openskill = roots.bare(), roots.openskill()
    except roots.FetchError as error:
        pytest.skip(f"NOT CHECKED, no Debian 13 can be had: {str(error).strip().splitlines()[-1]}")

    def make(*names: str) -> Root:
        root = Root(tmp_path / "root", tar, outside=("--bind-ro=/etc/resolv.conf",))
        (root.path / GPIOZERO_DEB[1:]).unlink()
        for name in names:
            root.put(built(name), f"/opt/{built(name).name}")
        root.put(openskill, "/opt/python3-openskill_6_all.deb")
        if root.run("apt-get", "update", check=False).returncode:
            pytest.skip("NOT CHECKED: no network")
        return root

    return make
