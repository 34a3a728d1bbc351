from collections.abc import Callable, Iterator

import pytest
from tests.support.postgresql import Postgresql


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests that want a PostgreSQL server: in CI they have a job of their own."""
    for item in items:
        if "postgresql" in getattr(item, "fixturenames", ()) or "[postgresql" in item.name:
            item.add_marker(pytest.mark.postgresql)


@pytest.fixture(scope="session")
def server() -> Iterator[Postgresql]:
    server = Postgresql()
    yield server
    server.stop()


@pytest.fixture
def postgresql(server: Postgresql) -> Iterator[Postgresql]:
    """The server, which forgets each test's databases: together they would take gigabytes."""
    yield server
    server.drop_databases()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def new_database(request: pytest.FixtureRequest) -> Callable[[], str]:
    """Makes an empty database and returns its URL; "" is SQLite in the league's folder."""
    if request.param == "sqlite":
        return lambda: ""
    return request.getfixturevalue("postgresql").new_database  # type: ignore[no-any-return]
