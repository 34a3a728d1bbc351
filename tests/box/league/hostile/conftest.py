"""A town for each file of tests, on both databases."""

from collections.abc import Iterator

import pytest
from tests.box.league.hostile.town import Town, open_town
from tests.support.postgresql import Postgresql


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def town(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    server = Postgresql(fsync=True) if request.param == "postgresql" else None
    try:
        town = open_town(tmp_path_factory.mktemp("town"), server)
        try:
            yield town
        finally:
            town.close()
    finally:
        if server is not None:
            server.stop()
