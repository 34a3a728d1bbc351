"""A store for tests that need no more than one."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.kept import NOON

from shutthebox.adapters.store.database import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A new one, at noon."""
    with closing(Store(tmp_path, lambda: NOON)) as opened:
        yield opened
