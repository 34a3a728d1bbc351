"""CI: whoever reads its green can trust the list of what ran."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import jobs
import pytest
from tests.support.history import GIT, is_clone
from tests.support.skips import read_allowed

CI = jobs.TOP / ".ci"
NAMES = {job.name for job in jobs.JOBS}
SCRIPTS = {name.split()[0] for name in NAMES}


def test_every_job_has_a_script_and_every_script_a_job() -> None:
    scripts = {
        path.name
        for path in CI.iterdir()
        if path.is_file() and path.suffix == "" and os.access(path, os.X_OK)
    }
    assert scripts - {"run"} == SCRIPTS
    for name in SCRIPTS:
        assert '. "$(dirname "$0")/job.sh"' in (CI / name).read_text(), f".ci/{name} doesn't start as a job"


def test_contributing_tells_of_every_job_and_when_it_runs() -> None:
    page = (jobs.TOP / "CONTRIBUTING.md").read_text()
    rows = re.findall(r"^\| `\.ci/([^`]+)` \|.*\| ([^|]+) \|$", page, re.MULTILINE)
    told = {
        jobs.When.ALWAYS: "always",
        jobs.When.CHANGED: "if files changed",
        jobs.When.WEEKLY: "weekly",
        jobs.When.MONTHLY: "monthly",
    }
    assert dict(rows) == {job.name: told[job.when] for job in jobs.JOBS}


@pytest.mark.skipif(not is_clone(), reason="NOT CHECKED: git lists the files, and this is no clone")
def test_whoever_asks_for_our_distributions_gets_all_of_them() -> None:
    """The audit takes any other for a library that it can't look up, and is red for ever."""
    listed = subprocess.check_output([*GIT, "ls-files", "*pyproject.toml"], cwd=jobs.TOP, text=True).split()
    found = [path for pattern in jobs.PYPROJECTS for path in jobs.TOP.glob(pattern)]
    assert sorted(found) == sorted(jobs.TOP / name for name in listed)


@pytest.mark.skipif(not is_clone(), reason="NOT CHECKED: git lists the files, and this is no clone")
def test_every_path_of_a_job_has_a_file() -> None:
    for job in jobs.JOBS:
        assert job.paths or job.when is not jobs.When.CHANGED, job.name
        for path in job.paths:
            found = subprocess.check_output([*GIT, "ls-files", path], cwd=jobs.TOP, text=True)
            assert found, f"{job.name}: no file matches {path}"


def test_the_tests_of_every_mark_have_a_job() -> None:
    """A mark is deselected everywhere but where it's asked for."""
    options = tomllib.loads((jobs.TOP / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    marks = {line.partition(":")[0] for line in options["markers"]}
    makefile = (jobs.TOP / "Makefile").read_text()
    scripts = "\n".join((CI / name).read_text() for name in SCRIPTS)
    for mark in marks:
        targets = re.findall(rf"^(\S+):.*\n\t@.*/pytest -m {mark} ", makefile, re.MULTILINE)
        asked = re.search(rf'-m "?\(?{mark}\b', scripts)
        assert asked or any(f"make {target}" in scripts for target in targets), f"no job runs what's {mark}"


@pytest.mark.parametrize(
    ("mark", "job"), [("virtual_pi", "virtual-pi"), ("postgresql", "postgresql"), ("wheel", "wheels")]
)
def test_a_test_that_only_one_job_runs_is_a_file_of_that_job(mark: str, job: str) -> None:
    (paths,) = (row.paths for row in jobs.JOBS if row.name == job)
    for path in (jobs.TOP / "tests").rglob("test_*.py"):
        if re.search(rf"\bmark\.{mark}\b", path.read_text("utf-8")):
            name = path.relative_to(jobs.TOP).as_posix()
            assert name.startswith(paths), f"{name} has changed, and {job} isn't asked for"


def test_each_skip_that_is_allowed_names_jobs_that_there_are() -> None:
    for entry in read_allowed():
        assert set(entry.jobs) <= SCRIPTS, entry
        assert entry.why


@pytest.mark.parametrize("job", ["slow", "fast", "package", "image"])
def test_a_job_asks_its_tests_to_tell_of_skips(job: str) -> None:
    """Whoever adds a job that runs tests copies one of these."""
    assert f"--job {job}" in (CI / job).read_text()


# --- skips

SKIPPING = """\
import pytest

def test_pins():
    pytest.skip("no gpio-sim chip here")

@pytest.mark.xfail
def test_expected_to_fail():
    assert False
"""


def run_tests(folder: Path, job: str, name: str, text: str, *more: str) -> subprocess.CompletedProcess[str]:
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\n")
    options = ["-p", "tests.support.skips", "-p", "no:cacheprovider", *more, f"--rootdir={folder}"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--job", job, name],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(jobs.TOP)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("job", "name", "code"),
    [
        ("fast", "tests/unit/pins/test_a.py", 0),
        ("virtual-pi", "tests/unit/pins/test_a.py", 1),
        ("fast", "tests/other/test_a.py", 1),
    ],
)  # fmt: skip
def test_a_skip_that_the_job_does_not_allow_is_red(tmp_path: Path, job: str, name: str, code: int) -> None:
    done = run_tests(tmp_path, job, name, SKIPPING)
    assert done.returncode == code, done.stdout
    assert ("allows no such skip" in done.stdout) == bool(code)
    assert "1 xfailed" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["-n0", "-n2"])
def test_a_whole_module_that_is_skipped_is_red(tmp_path: Path, processes: str) -> None:
    text = 'import pytest\npytest.importorskip("no_such_library")\n\ndef test_it():\n    pass\n'
    done = run_tests(tmp_path, "fast", "tests/other/test_a.py", text, processes)
    assert done.returncode != 0
    assert "no_such_library" in done.stdout


# --- what is due


class Checkout:
    """A repository with CI's files and a job's, on a machine that has all that a job needs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._programs = folder.with_name("programs")
        self._programs.mkdir()
        query = self._programs / "dpkg-query"
        query.write_text("#!/bin/sh\nprintf installed\n")
        query.chmod(0o755)
        (folder / ".ci").mkdir(parents=True)
        for name in ("jobs.py", "job.sh", "run"):
            shutil.copy(CI / name, folder / ".ci" / name)
        self.write("pyproject.toml", "first")
        self.git("init", "--quiet")
        self.first = self.commit()

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def git(self, *args: str) -> str:
        who = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
        return subprocess.check_output(["git", *who, *args], cwd=self.folder, text=True).strip()

    def commit(self) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "a change")
        return self.git("rev-parse", "HEAD")

    def due(self, *which: str) -> set[str]:
        said = subprocess.check_output(["sh", ".ci/run", "--matrix", *which], cwd=self.folder, text=True)
        return {row["job"] for row in json.loads(said)["include"]}

    def start(self, job: str, script: str, *args: str, path: str = "") -> subprocess.Popen[str]:
        self.write(f".ci/{job}", f'. "$(dirname "$0")/job.sh"\n{script}\n')
        environment = {**os.environ, "PATH": f"{path}{self._programs}:{os.environ['PATH']}"}
        environment.pop("SHUTTHEBOX_JOB", None)
        return subprocess.Popen(
            ["bash", f".ci/{job}", *args], cwd=self.folder, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    if shutil.which("git") is None:
        pytest.skip("NOT CHECKED: git says which jobs are due, and it isn't here")
    return Checkout(tmp_path / "checkout")


def test_a_job_is_due_until_it_passed_and_again_once_a_file_changes(
    checkout: Checkout,
) -> None:
    assert "wheels" in checkout.due(), "it's recorded nowhere that it passed"
    checkout.write(".ci/passed", f"# a remark\n{checkout.first} wheels\n")
    checkout.write("notes.md", "no file of its")
    checkout.commit()
    assert "wheels" not in checkout.due()
    assert "fast" in checkout.due()
    checkout.write("pyproject.toml", "second")
    assert "wheels" in checkout.due(), "not even committed"
    checkout.commit()
    assert "wheels" in checkout.due()


@pytest.mark.slow
def test_a_commit_that_this_history_has_not_counts_as_a_change(checkout: Checkout, tmp_path: Path) -> None:
    checkout.write(".ci/passed", f"{checkout.first} wheels\n")
    checkout.commit()
    subprocess.run(
        ["git", "clone", "--quiet", "--depth=1", f"file://{checkout.folder}", "shallow"],
        cwd=tmp_path,
        check=True,
    )
    checkout.folder = tmp_path / "shallow"
    assert "wheels" in checkout.due()
    checkout.write(".ci/passed", f"{'5' * 40} wheels\n")
    assert "wheels" in checkout.due()


@pytest.mark.slow
def test_every_job_runs_weekly_or_monthly(checkout: Checkout) -> None:
    assert checkout.due("weekly") | checkout.due("monthly") == NAMES == checkout.due("all")
    assert not checkout.due("weekly") & checkout.due("monthly")


@pytest.mark.slow
def test_a_job_that_passes_is_recorded_if_all_is_committed(checkout: Checkout) -> None:
    checkout.start("wheels", "true").communicate()
    commit = checkout.commit()
    with checkout.start("wheels", "true", "--record") as job:
        assert "ran: wheels" in job.communicate()[0]
    assert f"{commit} wheels\n" in (checkout.folder / ".ci/passed").read_text()
    checkout.write("pyproject.toml", "second")
    with checkout.start("wheels", "true", "--record") as job:
        assert "not recorded: commit first: M pyproject.toml" in job.communicate()[0]
    assert job.returncode == 1


# --- a job


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(("code", "said"), [(0, "ran: lint"), (3, "red: lint: exit 3")])
def test_a_job_ends_what_it_started_and_says_what_came_of_it(
    checkout: Checkout, code: int, said: str
) -> None:
    # In a session of its own, and its parent has ended.
    script = f"(setsid sleep 300 & echo $! >pid)\nexit {code}"
    with checkout.start("lint", script) as job:
        told = job.communicate()[0]
    assert job.returncode == code
    assert said in told
    assert not is_running(int((checkout.folder / "pid").read_text()))


@pytest.mark.slow
def test_a_job_that_is_stopped_ends_what_it_started(checkout: Checkout) -> None:
    with checkout.start("lint", "echo $$ >part\nmv part pid\nsleep 300") as job:
        end = time.monotonic() + 30
        while not (checkout.folder / "pid").exists():
            assert time.monotonic() < end
            time.sleep(0.01)
        job.send_signal(signal.SIGTERM)
        assert "ended processes that it left running" in job.communicate()[0]
    assert job.returncode == 128 + signal.SIGTERM
    assert not is_running(int((checkout.folder / "pid").read_text()))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root installs packages")
def test_a_package_that_cannot_be_had_makes_the_job_red_and_is_named(
    checkout: Checkout, tmp_path: Path
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    # As where gcc can't be had: nothing is installed together with it, and the others are without it.
    apt = '#!/bin/sh\ncase "$*" in *gcc*) echo "E: Unable to locate package gcc" >&2; exit 100;; esac\n'
    for name, text in (("dpkg-query", "#!/bin/sh\nexit 1\n"), ("apt-get", apt)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    with checkout.start("lint", "echo the work", path=f"{programs}:") as job:
        told = job.communicate()[0]
    assert job.returncode == 1
    assert "red: lint: can't be installed: gcc (E: Unable to locate package gcc)\n" in told
    assert "the work" not in told


# --- GitHub's workflow


def test_github_has_the_whole_history_and_trusts_it() -> None:
    """A shallow clone has no earlier versions, and git refuses a folder of another user."""
    for path in (jobs.TOP / ".github/workflows").glob("*.yml"):
        text = path.read_text()
        assert text.count("uses: actions/checkout") == text.count("fetch-depth: 0"), path.name
        assert text.count("container:") == text.count("git config --system --add safe.directory"), path.name
