"""What the doctor finds: one check, and how it ended."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How a check ended."""

    OK = "ok"
    FAIL = "FAIL"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check.

    Attributes:
        check: what was looked at.
        verdict: how it is; skip where it cannot be known.
        reason: why, in words.
    """

    check: str
    verdict: Verdict
    reason: str
