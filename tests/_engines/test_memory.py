"""The driver's memory does not depend on the number of rows."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

N_ROWS, N_COLUMNS = 2_500_000, 20

LIMIT = 1_400_000_000
"""Address space of the process; Python and its libraries take 0.8 GB of it."""

FIT = """
import os, resource, sys
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))
import modlearn
result = modlearn.fit(sys.argv[1], "y", memory=sys.argv[2])
print(sorted(name for name, one in result.partitions.items() if one.n_parts > 1))
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 400 MB whose target depends on the first two columns."""
    path = tmp_path_factory.mktemp("memory") / "table.parquet"
    columns = [f"hash(i * 31 + {k}) / 18446744073709551616 AS x{k}" for k in range(N_COLUMNS)]
    duckdb.connect().execute(
        "COPY (SELECT *, CASE WHEN x0 + 2 * x1 < 1 + hash(x2) / 18446744073709551616 "
        f"THEN 'a' ELSE 'b' END AS y FROM (SELECT {', '.join(columns)} "
        f"FROM range({N_ROWS}) t(i))) TO '{path}' (FORMAT parquet)"
    )
    return path


def fit(path: Path, memory: str) -> subprocess.CompletedProcess[str]:
    """Fit in a process with little address space."""
    # Arenas of malloc and buffers of BLAS are address space that is never used.
    unused = {"MALLOC_ARENA_MAX": "2", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-c", FIT.format(limit=LIMIT), str(path), memory],
        capture_output=True,
        text=True,
        env=os.environ | unused,
        check=False,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux only")
def test_a_table_is_fitted_in_less_memory_than_it_takes(table: Path) -> None:
    found = fit(table, "200MB")
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip() == "['x0', 'x1']"


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux only")
def test_the_limit_is_too_low_for_the_table_in_memory(table: Path) -> None:
    found = fit(table, "100GB")
    assert found.returncode != 0
    # NumPy or DuckDB, whichever asks for memory first when there is none.
    assert "MemoryError" in found.stderr or "pass less with memory" in found.stderr
