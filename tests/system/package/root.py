"""A Debian 13 of its own on this machine, made from Debian's packages, to install ours in.

It is entered with systemd-nspawn: one command at a time, or booted with its own systemd.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support import debian

from .control import OWN, PROJECT, relations, stanza_of

SUITE = "trixie"
#: What every Raspberry Pi OS has; colorzero is what gpiozero depends on.
BASE = [
    "systemd", "systemd-sysv", "dbus", "udev", "tzdata", "cloud-init", "sudo", "iproute2", "openssl",
    "python3-colorzero",
    # Roots have no network; the page about two boxes installs it with apt.
    "mosquitto",
]  # fmt: skip
#: What every Debian has whose owner may use sudo.
BARE = ["systemd", "systemd-sysv", "dbus", "udev", "sudo", "ca-certificates"]
#: Debian 13 has gpiozero 1.6. Raspberry Pi OS has 2.0.1 instead; here it is made from PyPI's.
GPIOZERO = "2.0.1"
#: Ours that the box's package depends on, apart from its own Python.
LIBRARIES = ("python3-gpiozero-gpiod", "python3-luma-spans")
NEEDED = ("python3-shutthebox", *LIBRARIES)
#: Where a root has the packages that the box's depends on and Debian 13 has not.
GPIOZERO_DEB, LIBRARY_DEBS = "/opt/python3-gpiozero.deb", tuple(f"/opt/{name}.deb" for name in NEEDED)
_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}


class FetchError(RuntimeError):
    """The parts of the root could not be had, as without a network."""


def built(package: str) -> Path:
    """What `make deb` has made."""
    found = sorted((PROJECT / "build/deb").glob(f"{package}_*_all.deb"))
    assert len(found) == 1, f"no {package} in build/deb: make deb"
    return found[0]


def prepare() -> None:
    """Makes the parts that are made once, so that they are there when a root is wanted."""
    base()
    bare()
    gpiozero()
    openskill()


def missing() -> str | None:
    """One line on what this machine lacks; None if nothing."""
    if not sys.platform.startswith("linux"):
        return "a Debian root needs Linux"
    if os.geteuid() != 0:
        return "a Debian root needs root"
    return debian.missing("mmdebstrap", "systemd-nspawn", "dpkg-deb", "nsenter")


def cached(name: str, made_of: list[str], make: Callable[[Path], None]) -> Path:
    """A file that is made once, by whoever comes first; its name has a digest of its inputs."""
    folder = Path(os.environ.get("PACKAGE_CACHE") or "~/.cache/shutthebox-package").expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256("\n".join(made_of).encode()).hexdigest()[:12]
    path = folder / f"{digest}-{name}"
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            part = folder / f"part-{name}"
            try:
                make(part)
                part.rename(path)
            finally:
                part.unlink(missing_ok=True)
    return path


def base() -> Path:
    """The root as a tar: Debian with all that our packages depend on, but for gpiozero and each other."""
    return base_with([*BASE, *debians_for(*OWN)])


def bare() -> Path:
    """A root, as a tar, that has nothing of what our packages depend on."""
    return base_with(BARE)


def debians_for(*packages: str) -> list[str]:
    """What Debian has of all that these packages of ours depend on."""
    wanted = dict.fromkeys(name for package in packages for name in relations("Depends", stanza_of(package)))
    return [name for name in wanted if name not in {*OWN, "python3-gpiozero", "python3-openskill"}]


def base_with(names: list[str], suite: str = SUITE) -> Path:
    """A root as a tar: Debian with these packages."""

    def make(to: Path) -> None:
        include = "--include=" + ",".join(names)
        # The lists of a Debian that is still being made are out of date after a week.
        old = "--aptopt=Acquire::Check-Valid-Until false"
        _run(
            ["nice", "mmdebstrap", "--quiet", "--variant=minbase", old, include, suite, str(to)], fetches=True
        )

    return cached("root.tar", [suite, *names], make)


def room_for_roots() -> Path:
    """A new folder for roots: in memory, where 300 MB in 10,000 files are there and gone in a second."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 2 << 30
    return Path(tempfile.mkdtemp(prefix="debian-", dir=memory if roomy else None))


def gpiozero() -> Path:
    """gpiozero as a package of the version that Raspberry Pi OS has."""
    control = (
        f"Package: python3-gpiozero\nVersion: {GPIOZERO}-0+test\nArchitecture: all\n"
        "Maintainer: nobody <nobody@example.org>\nDepends: python3, python3-colorzero\n"
        "Description: gpiozero for a test\n"
    )

    def make(to: Path) -> None:
        tree = to.with_suffix(".tree")
        try:
            modules = tree / "usr/lib/python3/dist-packages"
            _run(
                [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                 "--root-user-action=ignore", "--no-deps", "--only-binary=:all:", f"--target={modules}",
                 f"gpiozero=={GPIOZERO}"], fetches=True
            )  # fmt: skip
            (tree / "DEBIAN").mkdir()
            (tree / "DEBIAN/control").write_text(control)
            _run(["dpkg-deb", "--build", "--root-owner-group", str(tree), str(to)])
        finally:
            shutil.rmtree(tree, ignore_errors=True)

    return cached("python3-gpiozero.deb", [control], make)


def openskill() -> Path:
    """The league's library for ratings as the package that `make openskill-deb` makes."""
    script = Path(__file__).resolve().parents[3] / "league/openskill.sh"

    def make(to: Path) -> None:
        with tempfile.TemporaryDirectory() as folder:
            _run(["sh", str(script), folder], fetches=True)
            (made,) = Path(folder).iterdir()
            shutil.copyfile(made, to)

    return cached("python3-openskill.deb", [script.read_text()], make)


def _run(command: list[str], *, fetches: bool = False) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        # A package that Debian does not know is a mistake of ours.
        raise FetchError(said) if fetches and "Unable to locate" not in said else RuntimeError(said)


@contextmanager
def _own_cgroup() -> Iterator[str]:
    """A cgroup for one machine. nspawn puts all that it starts from one cgroup into the same below it."""
    (path,) = re.findall(r"(?m)^0::(.*)$", Path("/proc/self/cgroup").read_text())
    mounted, *_ = re.findall(r"(?m)^(?:\S+ ){4}(\S+) .*- cgroup2 ", Path("/proc/self/mountinfo").read_text())
    own = tempfile.mkdtemp(prefix="machine-", dir=f"{mounted}{path}")
    try:
        yield own
    finally:
        for folder, _, _ in os.walk(own, topdown=False):
            with suppress(OSError):  # a cgroup that stays behind is empty
                Path(folder).rmdir()


class Root:
    """A Debian in a folder.

    Args:
        path: where to unpack it; it must not exist.
        tar: its content; None for `base`.
        outside: options of systemd-nspawn for what it has from outside; by default it has no network.
    """

    def __init__(
        self, path: Path, tar: Path | None = None, *, outside: Sequence[str] = ("--private-network",)
    ) -> None:
        self.path, self._options = path, outside
        self._outside: subprocess.Popen[bytes] | None = None
        path.mkdir()
        _run(["tar", "-xpf", str(tar or base()), "-C", str(path)])
        self.put(gpiozero(), GPIOZERO_DEB)

    def put(self, file: Path, to: str) -> None:
        shutil.copy(file, self.path / to[1:])

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        (self.path / path[1:]).write_text(text, encoding="utf-8")
        (self.path / path[1:]).chmod(mode)

    def read(self, path: str) -> str:
        return (self.path / path[1:]).read_text(encoding="utf-8")

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs a command in it, on its running system if it is booted."""
        done = subprocess.run(
            [*self._enter(), *command], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        # nspawn's own complaint where /run is no tmpfs, as in other containers.
        done.stderr = re.sub(r"Attempted to remove disk file system under .*\n", "", done.stderr)
        if check:
            shown = f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
            assert done.returncode == 0, shown
        return done

    def show(self, *command: str) -> int:
        """Runs a command in it whose output is seen as it comes; its exit code."""
        return subprocess.run([*self._enter(), *command], stdin=subprocess.DEVNULL, check=False).returncode

    def start(self, *command: str) -> subprocess.Popen[str]:
        """Starts a command in it, whose output can be read as it comes."""
        return subprocess.Popen(
            [*self._enter(), *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )

    def _enter(self) -> list[str]:
        environment = [f"{name}={value}" for name, value in _ENVIRONMENT.items()]
        if self._outside is not None:
            return [
                "nsenter", f"--target={self._leader()}", "--mount", "--uts", "--ipc", "--net", "--pid",
                "--root", "--wd=/", "env", "--ignore-environment", *environment,
            ]  # fmt: skip
        return [*self._nspawn(), "--pipe", "--as-pid2", *(f"--setenv={e}" for e in environment)]

    def _nspawn(self) -> list[str]:
        # It registers nothing, so it needs no systemd here.
        return [
            "systemd-nspawn", "--quiet", "--register=no", "--keep-unit", *self._options,
            f"--directory={self.path}",
        ]  # fmt: skip

    @contextmanager
    def boot(
        self, options: Sequence[str] = (), *, settled: bool = True, seconds: float = 60
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Its systemd runs within this context, and is shut down at the end if it still runs.

        Gives the process outside, which ends with the system; a reboot is its exit code 133.

        Args:
            options: of systemd-nspawn.
            settled: wait until all that starts with it has started.
            seconds: how long to wait for that at most, and for the shutdown.
        """
        log = self.path.with_name(self.path.name + "-console.log")
        environment = {**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"}
        with _own_cgroup() as cgroup:
            with log.open("ab") as console:
                outside = subprocess.Popen(
                    ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', cgroup,
                     *self._nspawn(), *options, "--boot"],
                    stdin=subprocess.DEVNULL, stdout=console, stderr=console, env=environment,
                )  # fmt: skip
            self._outside = outside
            try:
                end = time.monotonic() + seconds
                while self.state() not in (("running", "degraded") if settled else ("starting", "running")):
                    shown = log.read_text(errors="replace")[-3000:]
                    assert outside.poll() is None, shown
                    assert time.monotonic() < end, shown
                    time.sleep(0.1)
                inside = self.run("cat", "/sys/fs/cgroup/init.scope/cgroup.procs").stdout.split()
                assert "0" not in inside, "another machine shares its cgroups"
                yield outside
                if outside.poll() is None:
                    self.run("systemctl", "poweroff", check=False)
                    outside.wait(seconds)
            finally:
                self._outside = None
                if outside.poll() is None:
                    outside.send_signal(signal.SIGTERM)
                    try:
                        outside.wait(20)
                    except subprocess.TimeoutExpired:
                        outside.kill()
                        outside.wait()

    def state(self) -> str:
        """The state of its systemd: starting, running, degraded, stopping; offline without one."""
        return self.run("systemctl", "is-system-running", check=False).stdout.strip()

    def _leader(self) -> int:
        """The process that is 1 in there, a child of the one outside; 0 if there is none."""
        assert self._outside is not None
        for process in Path("/proc").glob("[0-9]*"):
            try:
                status = (process / "status").read_text()
            except OSError:
                continue
            if re.search(rf"^PPid:\t{self._outside.pid}$.*^NSpid:.*\t1$", status, re.MULTILINE | re.DOTALL):
                return int(process.name)
        return 0
