"""Cases of a test of which `make test` runs a few, and `make test-all` every one."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def fast_among(cases: Iterable[Any], fast: Collection[Any]) -> list[Any]:
    """The cases as parameters; all but the `fast` ones are marked slow.

    Raises:
        ValueError: if a fast one is no case.
    """
    cases = list(cases)
    for case in fast:
        if case not in cases:
            raise ValueError(f"{case!r} is no case")
    return [case if case in fast else _slow(case) for case in cases]


def _slow(case: Any) -> Any:
    if isinstance(case, type(pytest.param())):
        return case._replace(marks=(*case.marks, pytest.mark.slow))
    return pytest.param(case, marks=pytest.mark.slow)
