"""Every kind of frame, a table of mixed types, a Spark session and a server of PostgreSQL."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.frames import FRAMES, Data, make_people
from tests.postgres import empty_database, serve_postgres
from tests.servers import connected_to_spark, started_spark

SESSIONS = {"spark_session", "connect_session"}
"""Fixtures that are a session of Spark."""

ENGINES = ("stored", "engine", "database", "session")
"""Fixtures whose parameters name an engine."""


def engine_of(item: pytest.Item) -> str | None:
    """Return the engine that a test runs on, as the parameter of its fixture names it."""
    params = callspec.params if (callspec := getattr(item, "callspec", None)) else {}
    return next((str(params[name]) for name in ENGINES if name in params), None)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests that need Spark: one process runs them all, with one session."""
    needed = SESSIONS.intersection(getattr(item, "fixturenames", ()))
    if needed or engine_of(item) in {"spark", "connect", *SESSIONS}:
        item.add_marker(pytest.mark.spark)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep one case of each test for Spark Connect, which runs the SQL of a classic session."""
    seen: set[str] = set()
    kept, left_out = [], []
    for item in items:
        test = item.nodeid.partition("[")[0]
        is_connect = engine_of(item) in {"connect", "connect_session"}
        (left_out if is_connect and test in seen else kept).append(item)
        seen |= {test} if is_connect else set()
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


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
