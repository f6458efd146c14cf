"""What tests need of PostgreSQL is missing with a reason, or fails where nothing may be skipped."""

import sys

import pytest
from tests.postgres import serve_postgres


@pytest.mark.parametrize("no_skip", [False, True])
def test_tests_fail_without_a_client_where_nothing_may_be_skipped(monkeypatch, no_skip):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delenv("MODLEARN_NO_SKIP", raising=False)
    if no_skip:
        monkeypatch.setenv("MODLEARN_NO_SKIP", "1")
    raised = pytest.fail.Exception if no_skip else pytest.skip.Exception
    with pytest.raises(raised, match="psycopg is not installed"), serve_postgres():
        pass
