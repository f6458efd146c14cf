"""What workers count in a partition, without Spark."""

import subprocess
import sys

import numpy as np
import pytest
from tests._engines.twin import bins_twin, cells_twin, windows_twin

from modlearn._engines import spark_scans

pa = pytest.importorskip("pyarrow", reason="PyArrow is not installed: pyspark[sql]")

N_GROUPS = 3


def batches_of(columns, groups, n_rows):
    names = [*(f"c{k}" for k in range(len(columns))), "g"]
    arrays = [*(pa.array(column, from_pandas=True) for column in columns), pa.array(groups)]
    return pa.table(dict(zip(names, arrays, strict=True))).to_batches(max_chunksize=n_rows)


def random_partition(seed, n=500):
    rng = np.random.default_rng(seed)
    columns = [rng.normal(size=n), rng.integers(-3, 4, size=n) / 2]
    for column in columns:
        column[rng.random(n) < 0.1] = np.nan
    return columns, rng.integers(0, N_GROUPS, size=n)


def total(batches, n_cells):
    counts = np.zeros(n_cells, dtype=np.int64)
    for batch in batches:
        np.add.at(counts, batch["cell"].to_numpy(), batch["n"].to_numpy())
    return counts


@pytest.fixture(params=["array", "those that occur"])
def cells(request, monkeypatch):
    """Both ways to count cells."""
    if request.param != "array":
        monkeypatch.setattr(spark_scans, "MOST_CELLS", 10)
        monkeypatch.setattr(spark_scans, "MOST_PENDING", 100)


@pytest.mark.usefixtures("cells")
def test_bins_of_a_partition_are_those_of_numpy():
    columns, groups = random_partition(0)
    edges = [np.linspace(-1.0, 1.0, 9), np.array([-1.0, 0.5])]
    found = spark_scans.bins_scanner(edges, N_GROUPS)(iter(batches_of(columns, groups, 60)))
    expected = [
        bins_twin(column, some, groups, N_GROUPS).ravel()
        for column, some in zip(columns, edges, strict=True)
    ]
    expected = np.concatenate(expected)
    np.testing.assert_array_equal(total(found, len(expected)), expected)


@pytest.mark.usefixtures("cells")
def test_cells_of_a_partition_are_those_of_numpy():
    columns, groups = random_partition(1)
    edges, pairs = [np.linspace(-1.0, 1.0, 9), np.array([-1.0, 0.5])], np.array([[1, 0], [0, 1]])
    scanner = spark_scans.cells_scanner(edges, N_GROUPS, pairs, 12)
    expected = cells_twin(columns, edges, groups, N_GROUPS, pairs, 12)
    found = total(scanner(iter(batches_of(columns, groups, 60))), expected.size)
    np.testing.assert_array_equal(found, expected.ravel())


def test_rows_that_wait_are_counted_in_parts(monkeypatch):
    monkeypatch.setattr(spark_scans, "MOST_PENDING", 100)
    columns, groups = random_partition(2)
    edges = [np.array([-1.0, 0.0, 0.5, 1.0]), np.array([-1.0, 0.5])]
    scan = spark_scans.windows_scanner(edges)
    parts = list(scan(iter(batches_of(columns, groups, 60))))
    assert len(parts) > 2
    rows = [row for part in parts for row in part.to_pylist()]
    for k, column in enumerate(columns):
        for value, group, n in zip(*windows_twin(column, edges[k], groups), strict=True):
            same = [r["n"] for r in rows if (r["c"], r["v"], r["g"]) == (k, value, group)]
            assert sum(same) == n
    assert sum(row["n"] for row in rows) == sum(
        windows_twin(column, some, groups)[2].sum()
        for column, some in zip(columns, edges, strict=True)
    )


def test_a_partition_without_rows_has_no_counts():
    scan = spark_scans.bins_scanner([np.zeros(1)], 1)
    assert sum(batch.num_rows for batch in scan(iter([]))) == 0
    assert list(spark_scans.windows_scanner([np.zeros(2)])(iter([]))) == []


def test_workers_need_numpy_and_pyarrow_alone(tmp_path):
    """What travels is unpickled and run where modlearn cannot be imported."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(spark_scans)
    scanners = (
        spark_scans.bins_scanner([np.array([0.0])], 1),
        spark_scans.windows_scanner([np.array([0.0, 1.0])]),
        spark_scans.cells_scanner([np.array([0.0])], 1, np.array([[0, 0]]), 3),
    )
    (tmp_path / "scanners").write_bytes(cloudpickle.dumps(scanners))
    code = (
        "import pickle, sys; sys.modules['modlearn'] = None\n"
        "import pyarrow as pa\n"
        "batch = pa.record_batch({'c0': [0.5, 0.5, None], 'g': [0, 0, 0]})\n"
        "for scan in pickle.load(open('scanners', 'rb')):\n"
        "    print([row for part in scan(iter([batch])) for row in part.to_pylist()])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "[{'cell': 0, 'n': 1}, {'cell': 2, 'n': 2}]",
        "[{'c': 0, 'v': 0.5, 'g': 0, 'n': 2}]",
        "[{'cell': 0, 'n': 1}, {'cell': 8, 'n': 2}]",
    ]
