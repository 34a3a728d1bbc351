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
        verdict: how it ended; skip if that's unknown.
        reason: why, in words.
    """

    check: str
    verdict: CheckStatus
    reason: str


def passed(check: str, reason: str) -> CheckResult:
    """A check that ended well."""
    return CheckResult(check, CheckStatus.OK, reason)


def failed(check: str, reason: str) -> CheckResult:
    """A check that found a fault."""
    return CheckResult(check, CheckStatus.FAIL, reason)


def skipped(check: str, reason: str) -> CheckResult:
    """A check that couldn't be made."""
    return CheckResult(check, CheckStatus.SKIP, reason)


def report(results: Sequence[CheckResult], *, as_json: bool, as_lines: bool = False) -> int:
    """Prints the results; returns the exit code, 1 if any is bad.

    Args:
        results: in order.
        as_json: as one document; else one per line, for people.
        as_lines: in JSON, an object per line, behind others that are already printed.
    """
    if as_json and as_lines:
        print("\n".join(json.dumps(asdict(result)) for result in results))
    elif as_json:
        print(json.dumps([asdict(result) for result in results]))
    else:
        for result in results:
            print(f"{result.verdict:4}  {result.check:14}  {one_line(result.reason)}")
    return int(any(result.verdict is CheckStatus.FAIL for result in results))
