"""The jobs of CI: one table, and what runs them.

`.ci/run` runs the jobs that are due, one after the other. `.ci/NAME` runs one of them; with `--record` it
notes in `.ci/passed` that the job passed at this commit: `.ci/run` asks for it again once one of its files
has changed.

A job does all of its work or is red. It installs what it needs and says by name what couldn't be installed.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[1]
PASSED = TOP / ".ci/passed"
#: Minutes that `.ci/run` may take on two cores.
LIMIT = 40
#: A checkout may belong to another user, as in a container.
GIT = ("git", "-c", "safe.directory=*", "-C", str(TOP))


class When(Enum):
    """When a job is due, besides the weekly run of all."""

    ALWAYS = "at every run"
    CHANGED = "once one of its files has changed"
    #: What it looks at changes without a change here, or nobody can wait for it.
    WEEKLY = "weekly"
    MONTHLY = "monthly"


# Debian's packages, by what they're for.
_BUILD = ("git", "make", "gcc")
_ROOTS = ("mmdebstrap", "systemd-container")
_PAGES = ("chromium", "chromium-driver", "firefox-esr", "nodejs", "npm")
_SHEETS = ("libpango-1.0-0", "libpangoft2-1.0-0", "libharfbuzz-subset0", "fonts-dejavu-core")
_SERVERS = ("mosquitto", "nginx-light", "nftables", "lighttpd")
_CARD = (
    "shellcheck", "rauc", "squashfs-tools", "openssl", "qemu-system-arm", "u-boot-qemu", "u-boot-tools",
    "mtools", "dosfstools", "exfatprogs", "device-tree-compiler", "e2fsprogs", "fdisk",
)  # fmt: skip
_TESTS = (
    *_BUILD, *_PAGES, *_SHEETS, *_SERVERS, *_CARD, "espeak-ng", "zsh", "fish", "strace", "systemd", "procps",
    "iproute2", "gnupg", "dpkg-dev",
)  # fmt: skip
_QEMU = ("qemu-utils", "mmdebstrap", "e2fsprogs")
_VIRTUAL_PI = (*_BUILD, *_QEMU, "qemu-system-x86")
#: Programs that machines have from elsewhere, too; Debian's npm can't be installed beside another node.
_PROGRAMS = {"nodejs": "node", "npm": "npm"}


@dataclass(frozen=True)
class Job:
    """One row.

    Attributes:
        name: of its script, with the script's argument if it takes one.
        minutes: it takes on two idle cores, with what it needs installed and fetched.
        when: it's due.
        paths: its files, as git's pathspecs; for every job that's due once one has changed.
        packages: of Debian's, that it needs.
        is_privileged: it makes Debian roots or mounts disks, which a container only may with `--privileged`.
        debian: whose container it runs in.
    """

    name: str
    minutes: float
    when: When = When.CHANGED
    paths: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    is_privileged: bool = False
    debian: str = "trixie"

    @property
    def script(self) -> Path:
        """The script in `.ci/` that does the work; further words of the name are its arguments."""
        return TOP / ".ci" / self.name.split()[0]


#: Of our distributions, all of them.
PYPROJECTS = (
    "pyproject.toml",
    "libraries/*/pyproject.toml",
    "league/pyproject.toml",
    "league/uplink/pyproject.toml",
)
_GUIDE = ("README.md", "Makefile", "constraints.txt", *PYPROJECTS, "tests/system/pythons")

#: In the order in which they run: the ones that tell most within a minute come first.
JOBS = (
    Job("lint", 2, When.ALWAYS, packages=_BUILD),
    Job("fast", 2, When.ALWAYS, packages=_TESTS, is_privileged=True),
    Job("slow", 20, When.ALWAYS, packages=_TESTS, is_privileged=True),
    Job(
        "package", 6, When.ALWAYS, is_privileged=True,
        packages=(
            *_BUILD, *_ROOTS, "lintian", "debhelper", "dh-python", "pybuild-plugin-pyproject", "python3-all",
            "python3-hatchling", "build-essential", "openssl",
        ),
    ),
    Job("readme trixie", 4, When.ALWAYS, packages=(*_BUILD, *_ROOTS), is_privileged=True),
    Job("readme bookworm", 4, paths=_GUIDE, packages=(*_BUILD, *_ROOTS), is_privileged=True),
    Job("readme forky", 5, When.WEEKLY, paths=_GUIDE, packages=(*_BUILD, *_ROOTS), is_privileged=True),
    Job(
        "wheels", 6,
        paths=(
            *PYPROJECTS, ".ci/wheels", "constraints.txt", "docs/engine.md", "docs/classroom.md",
            "firmware/shutthebox/__init__.py", "firmware/shutthebox/engine", "libraries",
            "tests/project/docs/test_recipes.py", "tests/project/test_libraries.py",
        ),
        packages=_BUILD,
    ),
    Job(
        "libraries", 4,
        paths=("packaging/debian/control", "tests/system/pythons", "league/openskill.sh"),
        packages=(*_BUILD, *_ROOTS, "dpkg-dev"), is_privileged=True,
    ),
    Job(
        "postgresql", 4, paths=("league/src", "tests/box/league", "tests/support/postgresql.py"),
        packages=(*_BUILD, "postgresql", "mosquitto", "nginx-light", "systemd", "openssl"),
    ),
    Job(
        "hardware", 4, paths=("hardware", "tests/unit/hardware"),
        packages=(*_BUILD, "prusa-slicer"),
    ),
    Job(
        "virtual-pi", 25, When.WEEKLY,
        paths=(
            "tests/system/virtual_pi", "tests/unit/pins", "libraries", "systemd/shutthebox*.service",
            "firmware/shutthebox/adapters/gpio*", "firmware/shutthebox/runtime",
        ),
        packages=(*_VIRTUAL_PI, "mtools", "dosfstools", "exfatprogs", "fdisk"), is_privileged=True,
    ),
    Job(
        "image", 90, When.WEEKLY, is_privileged=True,
        packages=(
            *_BUILD, *_CARD, *_QEMU, "cpio", "kmod", "qemu-user-static", "binfmt-support", "arch-test",
            "genimage", "zstd", "xz-utils", "nodejs", "npm",
        ),
    ),
    Job(
        "gpiozero", 12, When.WEEKLY, paths=("libraries/gpiozero-gpiod", "tests/system/gpiozero_suite"),
        packages=_VIRTUAL_PI, is_privileged=True,
    ),
    Job(
        "lowest", 5, When.WEEKLY, paths=(*PYPROJECTS, ".ci/lowest*"), packages=_TESTS, is_privileged=True,
        debian="bookworm",
    ),
    Job("audit", 1, When.WEEKLY, packages=_BUILD),
    Job("unpinned", 4, When.MONTHLY, packages=_TESTS, is_privileged=True),
)  # fmt: skip


# -- which are due


def read_passed() -> dict[str, str]:
    """The commit at which each job last passed."""
    if not PASSED.exists():
        return {}
    pairs = (line.split(" ", 1) for line in PASSED.read_text().splitlines() if not line.startswith("#"))
    return {name: commit for commit, name in pairs}


def own_projects() -> dict[str, dict[str, Any]]:
    """The tables [project] of our distributions, by name."""
    files = [path for pattern in PYPROJECTS for path in TOP.glob(pattern)]
    tables = [tomllib.loads(path.read_text("utf-8")) for path in files]
    return {table["project"]["name"]: table["project"] for table in tables}


def why_due(job: Job) -> tuple[bool, str]:
    """Whether `.ci/run` asks for a job, and why or why not."""
    if job.when is not When.CHANGED:
        return job.when is When.ALWAYS, job.when.value
    commit = read_passed().get(job.name)
    if commit is None:
        return True, "no run of it that passed is recorded"
    # An unknown commit, and one of another history, may have had any content.
    if _git("merge-base", "--is-ancestor", commit, "HEAD").returncode:
        return True, f"it passed at {commit[:12]}, which isn't in this history"
    changed = _git("diff", "--name-only", commit, "--", *job.paths)
    if changed.returncode:
        return True, changed.stderr.strip()
    if names := changed.stdout.split("\n")[:-1]:
        return True, f"{names[0]} has changed" + (f", and {len(names) - 1} more" if names[1:] else "")
    return False, f"its files haven't changed since it passed at {commit[:12]}"


def _git(*args: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run([*GIT, *args], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return subprocess.CompletedProcess(args, 127, "", "git not found")


def record(job: Job) -> str | None:
    """Notes that a job passed at this commit; one line on why it can't be noted, None if it was."""
    changed = _git("status", "--porcelain", "--", *job.paths)
    if changed.returncode or changed.stdout:
        return f"not recorded: commit first: {(changed.stderr or changed.stdout).splitlines()[0].strip()}"
    lines = read_passed() | {job.name: _git("rev-parse", "HEAD").stdout.strip()}
    text = "# The commit at which each job last passed, as .ci/JOB --record notes it.\n"
    for each in JOBS:
        if each.name in lines:
            text += f"{lines[each.name]} {each.name}\n"
    PASSED.write_text(text)
    return None


# -- one job


def install(job: Job) -> str | None:
    """Installs the packages that a job needs and this machine lacks; one line on those it can't have."""
    lacking = [name for name in job.packages if not _is_installed(name)]
    if not lacking:
        return None
    if os.geteuid() or not shutil.which("apt-get"):
        return f"missing: apt-get install --no-install-recommends {' '.join(lacking)}"
    print(f"installing {' '.join(lacking)}", flush=True)
    updated = _apt("update", "-q")
    # All at once is quicker; one package that can't be had makes it fail as a whole.
    if _apt("install", *lacking).returncode == 0:
        return None
    refused = []
    for name in lacking:
        done = _apt("install", name)
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if line.startswith("E:")]
            refused.append(f"{name} ({said[0] if said else f'exit {done.returncode}'})")
    if refused and updated.returncode:
        refused.append(f"and apt-get update failed: {updated.stderr.strip().splitlines()[-1]}")
    return f"can't be installed: {', '.join(refused)}" if refused else None


def _is_installed(package: str) -> bool:
    if shutil.which(_PROGRAMS.get(package, "")):
        return True
    asked = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=False).stdout == "installed"
    except FileNotFoundError:
        return False


def _apt(*args: str) -> subprocess.CompletedProcess[str]:
    options = ("-q", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=600")
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(["apt-get", *options, *args], capture_output=True, text=True, env=env, check=False)


def adopt_orphans() -> None:
    """From now on this process is the parent of whatever its children leave behind."""
    set_child_subreaper = 36
    ctypes.CDLL(None, use_errno=True).prctl(set_child_subreaper, 1, 0, 0, 0)


def descendants() -> dict[int, str]:
    """The processes below this one, and their names."""
    parents: dict[int, list[tuple[int, str]]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, tail = entry.read_text(errors="replace").rpartition(")")
        except OSError:
            continue  # it has ended
        state, parent = tail.split()[:2]
        if state != "Z":
            pid, _, name = head.partition(" (")
            parents.setdefault(int(parent), []).append((int(pid), name))
    found: dict[int, str] = {}
    waiting = [os.getpid()]
    while waiting:
        for child, called in parents.get(waiting.pop(), ()):
            found[child] = called
            waiting.append(child)
    return found


def end_all(seconds: float = 10) -> list[str]:
    """Ends whatever a job has started and left running, and gives the names."""
    names = sorted(set(descendants().values()))
    end = time.monotonic() + seconds
    how = signal.SIGTERM
    while left := descendants():
        for pid in left:
            try:
                os.kill(pid, how)
            except ProcessLookupError:
                continue
        if time.monotonic() > end:
            how = signal.SIGKILL
        time.sleep(0.1)
    return names


def run(job: Job) -> int:
    """Runs a job and waits for it; returns its exit code, 1 if its tools can't be installed."""
    start = time.monotonic()
    if (lacking := install(job)) is not None:
        print(f"red: {job.name}: {lacking}", flush=True)
        return 1
    # The script knows by it that everything is installed.
    environment = {**os.environ, "SHUTTHEBOX_JOB": job.name}
    words = ["bash", str(job.script), *job.name.split()[1:]]
    # In a session of its own: a key at the terminal reaches this process alone, which then ends the job.
    process = subprocess.Popen(words, cwd=TOP, env=environment, start_new_session=True)
    try:
        code = process.wait()
    finally:
        if left := end_all():
            print(f"{job.name}: ended processes that it left running: {', '.join(left)}", flush=True)
    minutes, seconds = divmod(int(time.monotonic() - start), 60)
    said = f"red: {job.name}: exit {code}, after" if code else f"ran: {job.name},"
    print(f"{said} {minutes} min {seconds} s", flush=True)
    return code


# -- the commands


def is_wanted(job: Job, which: str) -> bool:
    """Whether a run of this kind has a job in it."""
    match which:
        case "all":
            return True
        case "weekly":
            return job.when is not When.MONTHLY
        case "monthly":
            return job.when is When.MONTHLY
    return why_due(job)[0]


def run_all(which: str) -> int:
    """Runs all that are asked for, says what and why before and after, and ends with 1 if one is red."""
    asked_for = [job for job in JOBS if is_wanted(job, which)]
    for job in asked_for:
        print(f"asked for: {job.name} ({job.minutes:g} min; {why_due(job)[1]})")
    others = [f"not asked for: {job.name} ({why_due(job)[1]})" for job in JOBS if job not in asked_for]
    print(*others, sep="\n")
    minutes = sum(job.minutes for job in asked_for)
    fits = f"{LIMIT} are allowed" if minutes <= LIMIT else f"NOT within {LIMIT}, and all of them are run"
    print(f"{minutes:g} minutes on two idle cores: {fits}", flush=True)
    codes = {}
    for job in asked_for:
        print(f"\n== {job.name}", flush=True)
        codes[job] = run(job)
    print("\n== what was done")
    for job, code in codes.items():
        print(f"red: {job.name}" if code else f"ran: {job.name}")
    print(*others, sep="\n", flush=True)
    return int(any(codes.values()))


def print_matrix(which: str) -> None:
    """The jobs that are asked for, as GitHub's workflow takes them."""
    rows = [
        {
            "job": job.name,
            "debian": job.debian,
            "options": "--privileged" if job.is_privileged else "--init",
            # GitHub's runners are slower, and fetch everything.
            "minutes": int(15 + 3 * job.minutes),
        }
        for job in JOBS
        if is_wanted(job, which)
    ]
    print(json.dumps({"include": rows}))


def run_script(path: str, args: list[str]) -> int:
    """Runs the job of a script, as somebody started it."""
    options = [arg for arg in args if arg != "--record"]
    name = " ".join([Path(path).name, *options])
    job = next((job for job in JOBS if job.name == name), None)
    if job is None:
        known = ", ".join(job.name for job in JOBS)
        print(f"{shlex.quote(name)} is not a job; use one of {known}", file=sys.stderr)
        return 2
    code = run(job)
    if code == 0 and "--record" in args and (why := record(job)) is not None:
        print(why, file=sys.stderr)
        return 1
    return code


def main() -> int:
    """`.ci/run` and each `.ci/JOB` call this."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    adopt_orphans()
    if sys.argv[1:2] == ["job"]:
        return run_script(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(prog=".ci/run", description="Runs the jobs that are due, or others.")
    kinds = ("due", "weekly", "monthly", "all")
    parser.add_argument("which", nargs="?", choices=kinds, default="due", help="which of them (due)")
    parser.add_argument("--matrix", action="store_true", help="only print them, for GitHub's workflow")
    args = parser.parse_args()
    if args.matrix:
        print_matrix(args.which)
        return 0
    return run_all(args.which)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
