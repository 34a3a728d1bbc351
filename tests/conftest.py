"""Options of the whole test suite."""

import contextlib

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    with contextlib.suppress(ValueError):  # taken already
        parser.addoption(
            "--update-golden",
            action="store_true",
            default=False,
            help="write the golden pictures anew instead of comparing with them",
        )
