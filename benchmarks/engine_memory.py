"""Fitting a table of 10 GB in a process that may use 2 GB of address space."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import timing
from benchmarks.engines import N_COLUMNS, generate
from benchmarks.timing import Figure

MEMORY = "1GB"
LIMIT = 2_000_000_000
"""Address space of the process; Python and its libraries take 0.8 GB of it."""

TARGET = 1.5
"""Gigabytes: `memory`, and what Python and its libraries take."""

FIT = """
import json, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))
import modlearn
start = time.perf_counter()
result = modlearn.fit(sys.argv[1], "y", memory=sys.argv[2])
peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([time.perf_counter() - start, peak, result.evaluation.measures["accuracy"].mean]))
"""


def fitted(path: Path, memory: str) -> subprocess.CompletedProcess[str]:
    """Fit in a process whose address space is limited."""
    # Arenas of malloc and buffers of BLAS are address space that is never used.
    unused = {"MALLOC_ARENA_MAX": "2", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-c", FIT.format(limit=LIMIT), str(path), memory],
        capture_output=True,
        text=True,
        env=os.environ | unused,
        check=False,
    )


def figures(found: subprocess.CompletedProcess[str], work: str) -> list[Figure]:
    """Return whether the process finished, and what it needed."""
    failed = Figure(f"{work}: fits that do not finish", int(found.returncode != 0), 0)
    if found.returncode:
        print(found.stderr, file=sys.stderr)
        return [failed]
    seconds, peak, accuracy = json.loads(found.stdout.splitlines()[-1])
    return [
        failed,
        Figure(f"{work}: peak memory", peak / 1e9, TARGET, unit=" GB"),
        Figure(f"{work}: time", seconds, unit=" s", note=f"accuracy {accuracy:.4f}"),
    ]


def main() -> int:
    """Print the figures."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--rows", type=float, default=1.25e8)
    parser.add_argument("--memory", default=MEMORY)
    parser.add_argument("--folder", type=Path, help="folder where the table is kept")
    arguments = parser.parse_args()
    n_rows = int(arguments.rows)
    with tempfile.TemporaryDirectory() as temporary:
        path = generate((arguments.folder or Path(temporary)) / f"{n_rows}", n_rows)
        size = sum(one.stat().st_size for one in path.parent.glob(path.name)) / 1e9
        work = f"{n_rows:,} x {N_COLUMNS}, {size:.1f} GB, memory={arguments.memory}"
        found = fitted(path, arguments.memory)
    return timing.report("Memory of fits on disk", figures(found, work), arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())
