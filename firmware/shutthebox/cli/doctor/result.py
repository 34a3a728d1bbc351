"""The result of a doctor check."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from shutthebox.errors import one_line


class CheckStatus(StrEnum):
    """How a check ended."""

    OK = "ok"
    FAIL = "FAIL"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check.

    Attributes:
        check: the subject of the check.
        verdict: how it ended; skip if that can't be known.
        reason: why, in words.
    """

    check: str
    verdict: CheckStatus
    reason: str


def passed(check: str, reason: str) -> CheckResult:
    """Return a check that ended well."""
    return CheckResult(check, CheckStatus.OK, reason)


def failed(check: str, reason: str) -> CheckResult:
    """Return a check that found a fault."""
    return CheckResult(check, CheckStatus.FAIL, reason)


def skipped(check: str, reason: str) -> CheckResult:
    """Return a check that could not be made."""
    return CheckResult(check, CheckStatus.SKIP, reason)


def reported(results: Sequence[CheckResult], *, as_json: bool) -> int:
    """Prints them, a line each or as one document, and returns the exit code: 1 if one of them is bad."""
    if as_json:
        print(json.dumps([asdict(result) for result in results]))
    else:
        for result in results:
            print(f"{result.verdict:4}  {result.check:14}  {one_line(result.reason)}")
    return int(any(result.verdict is CheckStatus.FAIL for result in results))
