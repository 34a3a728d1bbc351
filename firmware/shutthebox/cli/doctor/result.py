"""The result of a doctor check."""

from dataclasses import dataclass
from enum import StrEnum


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
        verdict: how it ended; skip where it cannot be known.
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
