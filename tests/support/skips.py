"""Skips that a job of CI doesn't allow are failures: `pytest --job NAME` reads `.ci/skips.toml`."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parents[2] / ".ci/skips.toml"


@dataclass(frozen=True)
class Allowed:
    """Tests that may skip, and what they say then; both as a shell's patterns."""

    tests: str
    says: str
    jobs: tuple[str, ...]
    why: str

    def covers(self, test: str, said: str) -> bool:
        return fnmatchcase(test, self.tests) and fnmatchcase(said, f"*{self.says}*")


def read_allowed(file: Path = FILE) -> list[Allowed]:
    """All entries of the file; a key that's missing or unknown is an error."""
    entries = tomllib.loads(file.read_text("utf-8"))["skip"]
    return [Allowed(**{**entry, "jobs": tuple(entry["jobs"])}) for entry in entries]


class SkipsOfJob:
    """Turns each skip that the job doesn't allow into a failure, where the test runs."""

    def __init__(self, job: str) -> None:
        self._job = job
        self._allowed = [entry for entry in read_allowed() if job in entry.jobs]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        # An expected failure is reported as a skip, too.
        if not hasattr(report, "wasxfail"):
            self._judge(report)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        self._judge(report)
        return report

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """One line for each reason, in place of pytest's for each place."""
        reports = terminalreporter.stats.get("skipped", ())
        reasons = Counter(entry.why for report in reports if (entry := self._entry(report)) is not None)
        for why, count in reasons.items():
            terminalreporter.write_line(f"not run by {self._job}: {count} tests: {why}")

    def _judge(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and self._entry(report) is None:
            report.outcome = "failed"
            report.longrepr = (
                f"{report.nodeid}: .ci/skips.toml allows no such skip in {self._job}: {_said(report)}"
            )

    def _entry(self, report: pytest.TestReport | pytest.CollectReport) -> Allowed | None:
        """What allows a skip."""
        return next((entry for entry in self._allowed if entry.covers(report.nodeid, _said(report))), None)


def _said(report: pytest.TestReport | pytest.CollectReport) -> str:
    return report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--job", metavar="NAME", help="fail for each skip that this job of CI doesn't allow")


def pytest_configure(config: pytest.Config) -> None:
    if job := config.getoption("--job"):
        # All but the skips.
        config.option.reportchars = "xXEf"
        config.pluginmanager.register(SkipsOfJob(job), "skips of the job")
