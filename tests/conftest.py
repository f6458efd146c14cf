"""Every kind of frame, a table of mixed types, a Spark session and a server of PostgreSQL."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.frames import FRAMES, Data, make_people
from tests.postgres import empty_database, serve_postgres
from tests.servers import connected_to_spark, started_spark


@pytest.fixture(params=FRAMES)
def frame(request: pytest.FixtureRequest) -> Callable[[Data], Any]:
    """Maker of a frame, once per back end."""
    return FRAMES[request.param]


@pytest.fixture
def people() -> tuple[Data, list[str]]:
    """Data and target of a table of mixed types."""
    return make_people()


@pytest.fixture(scope="session")
def spark_session() -> Iterator[Any]:
    """One local Spark session for all tests that need one: starting it takes seconds."""
    with started_spark() as session:
        yield session


@pytest.fixture(scope="session")
def connect_session(spark_session: Any) -> Iterator[Any]:
    """A session of Spark Connect, whose server is the one Spark of all tests."""
    with connected_to_spark(spark_session) as session:
        yield session


@pytest.fixture(scope="session")
def running_postgres() -> Iterator[str]:
    """Address of a server of PostgreSQL; one is started for all tests."""
    with serve_postgres() as address:
        yield address


@pytest.fixture(scope="module")
def postgres_server(running_postgres: str) -> str:
    """Address of a database of PostgreSQL that is empty when a module of tests begins."""
    empty_database(running_postgres)
    return running_postgres
