"""A table of cases in one test: those that fail are named together, as one cause is often behind many."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

Case = TypeVar("Case")


def each(cases: Iterable[Case], check: Callable[[Case], object]) -> None:
    """Checks every case.

    Raises:
        AssertionError: if some fail, with all of them.
    """
    failed = list[str]()
    for case in cases:
        try:
            check(case)
        except (Exception, pytest.fail.Exception) as error:
            failed.append(f"{case}: {type(error).__name__}: {error}")
    assert not failed, "\n".join([f"{len(failed)} cases:", *failed])
