"""Fitting in Spark: a standalone cluster of two workers on this machine; one worker is lost."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import duckdb

import modlearn
from benchmarks import timing
from benchmarks.timing import Figure
from modlearn._engines import spark
from modlearn._engines.spark import SparkEngine

N_COLUMNS = 10
MEMORY = 200_000_000
"""Memory of a fit: so little that DuckDB also fits from counts."""

START_SECONDS = 60.0
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


# The cluster


@dataclass(frozen=True)
class Cluster:
    """A standalone master with its workers, each in a process group of its own."""

    url: str
    workers: list[subprocess.Popen[bytes]]

    def session(self) -> Any:
        """Return a session whose executors run on the workers."""
        return session_of(self.url)

    def kill_worker(self) -> None:
        """Kill a worker and its executor at once, as if its machine were lost."""
        _kill(self.workers.pop())


@contextmanager
def standalone_cluster(n_workers: int = 2, memory: str = "512m") -> Iterator[Cluster]:
    """Start a master and workers of one core each on the loopback device; end them afterwards."""
    port, page = _free_ports(2)
    processes: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory() as folder:

        def start(kind: str, *arguments: str) -> subprocess.Popen[bytes]:
            process = _start(f"org.apache.spark.deploy.{kind}", arguments, Path(folder))
            processes.append(process)
            return process

        try:
            url = f"spark://127.0.0.1:{port}"
            start("master.Master", "--port", str(port), "--webui-port", str(page))
            options = ["--cores", "1", "--memory", memory, "--webui-port", "0"]
            _until(lambda: _answers(port), "The master of Spark does not start.")
            workers = [
                start("worker.Worker", *options, "--work-dir", f"{folder}/{i}", url)
                for i in range(n_workers)
            ]
            _until(lambda: _n_alive(page) == n_workers, "The workers of Spark do not start.")
            yield Cluster(url, workers)
        finally:
            for process in reversed(processes):
                _kill(process)


def session_of(url: str) -> Any:
    """Return a classic session of a master."""
    from pyspark.sql import SparkSession

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    builder = SparkSession.builder.master(url).appName("modlearn benchmark")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _start(name: str, arguments: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    import pyspark

    program = Path(pyspark.__file__).parent / "bin" / "spark-class"
    environment = {
        **os.environ,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_DAEMON_MEMORY": "256m",
    }
    command = [str(program), name, "--host", "127.0.0.1", *arguments]
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            command, env=environment, stdout=log, stderr=log, start_new_session=True
        )


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _free_ports(n: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [int(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1.0):
        return True
    return False


def _n_alive(page: int) -> int:
    """Return how many workers the master knows."""
    with (
        suppress(OSError, ValueError),
        urlopen(f"http://127.0.0.1:{page}/json/", timeout=5.0) as answer,
    ):
        return int(json.load(answer)["aliveworkers"])
    return 0


def _until(is_so: Callable[[], bool], message: str) -> None:
    end = time.monotonic() + START_SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise RuntimeError(message)
        time.sleep(0.1)


# The fits


@dataclass(frozen=True)
class FitFigures:
    """What a fit found, its passes over the rows, and the peak memory of Java in its process."""

    model: str
    n_scans: int = 0
    java: int = 0


def write_table(path: Path, n_rows: int) -> None:
    """Write a Parquet file of numeric columns; two of three depend on the target."""
    # Hashes of one number each: those of a pair of numbers repeat.
    noise = "(hash(i * 997 + {k}) / 18446744073709551616.0)"
    columns = [
        f"({noise.format(k=k)} + {noise.format(k=k + 100)} + {0.1 * (k % 3)} * y) AS x{k}"
        for k in range(N_COLUMNS)
    ]
    duckdb.sql(
        f"COPY (SELECT {', '.join(columns)}, CASE WHEN y = 1 THEN 'yes' ELSE 'no' END AS y FROM "
        f"(SELECT range AS i, (hash(range) % 10 < 3)::INT AS y FROM range({n_rows}))) "
        f"TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 100000)"
    )


def prepare_spark(path: str, url: str) -> Callable[[], FitFigures]:
    """Return the fit of a file in Spark."""
    frame = session_of(url).read.parquet(path)
    return lambda: fit_counted(frame)


def prepare_duckdb(path: str) -> Callable[[], FitFigures]:
    """Return the fit of a file from counts of DuckDB."""
    return lambda: FitFigures(_record(modlearn.fit(path, "y", memory=MEMORY)))


def fit_counted(frame: Any) -> FitFigures:
    """Fit in Spark, and count the passes over the rows."""
    engines: list[SparkEngine] = []
    opened = spark.open_spark

    def remember(*arguments: Any) -> SparkEngine:
        engines.append(opened(*arguments))
        return engines[-1]

    spark.open_spark = remember
    try:
        record = _record(modlearn.fit(frame, "y", memory=MEMORY))
    finally:
        spark.open_spark = opened
    return FitFigures(record, sum(engine.n_scans for engine in engines), _java_peak())


def _java_peak() -> int:
    """Return the peak memory in bytes of the Java process of the driver, a child of this one."""
    folders = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    children = [Path("/proc") / child for child in folders]
    (java,) = [one for one in children if b"pyspark-shell" in (one / "cmdline").read_bytes()]
    status = (java / "status").read_text().splitlines()
    (peak,) = [line for line in status if line.startswith("VmHWM:")]
    return int(peak.split()[1]) * 1024


def _record(result: modlearn.FitResult) -> str:
    """Return all numbers of a model as a text."""
    assert result.model is not None
    parts = {
        str(name): [found.labels, found.cost, found.counts.tolist()]
        for name, found in result.partitions.items()
    }
    weights = [(str(term.name), term.weight) for term in result.model.terms]
    return json.dumps([parts, weights])


def _warm_up() -> None:
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
    import pyspark.sql  # noqa: F401


def fit_with_loss(cluster: Cluster, path: str) -> tuple[FitFigures, float]:
    """Fit while a worker is killed in the first scan of bins; return also the seconds it took."""
    session = cluster.session()
    killed = threading.Event()
    count_bins = SparkEngine.count_bins

    def lose_worker(engine: SparkEngine, *arguments: Any) -> Any:
        if not killed.is_set():
            killed.set()
            threading.Timer(1.0, cluster.kill_worker).start()
        return count_bins(engine, *arguments)

    SparkEngine.count_bins = lose_worker  # type: ignore[method-assign]
    try:
        start = time.perf_counter()
        found = fit_counted(session.read.parquet(path))
        took = time.perf_counter() - start
    finally:
        SparkEngine.count_bins = count_bins  # type: ignore[method-assign]
        session.stop()
    if not killed.is_set() or len(cluster.workers) > 1:
        raise RuntimeError("The fit ended before the worker was killed: pass more --rows.")
    return found, took


def same(found: FitFigures) -> FitFigures:
    """Return what a fit found, as the process sends it that measures the fit."""
    return found


def fit_figures(call: timing.Call, peer: timing.Call, n_rows: int) -> list[Figure]:
    """Figures of a fit in Spark, and whether its model is that of DuckDB."""
    title, differs = f"{n_rows:,} rows in Spark", call.quality.model != peer.quality.model
    return [
        Figure(f"{title}: passes over the rows", call.quality.n_scans),
        Figure(f"{title}: time", call.seconds, unit=" s"),
        Figure(f"{title}: memory of the driver, Python", call.peak / 1e6, unit=" MB"),
        Figure(f"{title}: memory of the driver, Java", call.quality.java / 1e6, unit=" MB"),
        Figure(f"{title}: models unlike that of DuckDB", differs, 0),
    ]


def main() -> int:
    """Measure and report."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    arguments = parser.parse_args()
    calls, figures = [], []
    with tempfile.TemporaryDirectory() as folder, standalone_cluster() as cluster:
        for n_rows in (arguments.rows // 10, arguments.rows):
            path = f"{folder}/{n_rows}.parquet"
            write_table(Path(path), n_rows)
            task = prepare_spark, path, cluster.url
            calls.append(timing.call_beyond_input(*task, warm_up=_warm_up, quality=same))
            peer = timing.call_beyond_input(prepare_duckdb, path, warm_up=_warm_up, quality=same)
            figures += fit_figures(calls[-1], peer, n_rows)
        small, large = (call.peak + call.quality.java for call in calls)
        growth = large / small
        figures.append(Figure("memory of the driver, 10 times the rows", growth, 1.2))
        _warm_up()
        found, took = fit_with_loss(cluster, path)
        differs = found.model != calls[1].quality.model
        figures.append(Figure("a worker is lost: other models", differs, 0, note=f"{took:.0f} s"))
    return timing.report("Spark", figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())
