from collections.abc import Iterator

import pytest
from tests.support.postgresql import Postgresql


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Postgresql]:
    server = Postgresql()
    yield server
    server.stop()
