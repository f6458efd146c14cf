"""Kills at random moments: files are whole or as they were, and the next run leaves nothing."""

import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import modlearn
from tools.fuzz.command import FaultError, refuse_odd_error

__all__ = ["attack", "attack_full_disk"]

N_ROWS = 4_000


def attack(seed: int, folder: Path) -> str:
    """Kill or terminate fit or predict; return "killed" or "finished"."""
    rng = random.Random(seed)
    content = _csv()
    (folder / "data.csv").write_bytes(content)
    command = rng.choice(["fit", "predict"])
    arguments: list[Any] = ["fit", "data.csv", "-t", "y", "-o", "m.modlearn.json", "-q"]
    if command == "predict":
        (folder / "m.modlearn.json").write_bytes(_model())
        out = f"scored{rng.choice(['.csv', '.parquet', '.jsonl', '.duckdb::t', '.sqlite::t'])}"
        arguments = ["predict", "m.modlearn.json", "data.csv", "-o", out, "-q"]
    elif rng.random() < 0.7:
        (folder / "m.modlearn.json").write_bytes(_model())
        (folder / "m.modlearn.html").write_text("<html>old, of another model</html>")
    sent = rng.choice([signal.SIGKILL, signal.SIGTERM])
    code = _run(arguments, folder, sent, rng.random() ** 0.5 * _duration(command))
    allowed = {0, -sent, 143 if sent == signal.SIGTERM else -sent}
    if code not in allowed:
        raise FaultError(f"{command} ended with {code} after {sent.name}")
    _check(folder)
    if code:
        _run(arguments, folder, None, 120)
        _check(folder)
        left = [path.name for path in folder.iterdir() if path.name.startswith(".")]
        if left:
            raise FaultError(f"{command} left {left} after {sent.name} and another run")
    return "killed" if code else "finished"


def attack_full_disk(seed: int, folder: Path) -> str:
    """Let a file grow to a limit only; the error names it, and nothing else changes."""
    rng = random.Random(seed)
    (folder / "data.csv").write_bytes(_csv())
    (folder / "m.modlearn.json").write_bytes(_model())
    endings = [".csv", ".parquet", ".jsonl", ".arrow", ".duckdb::t", ".sqlite::t"]
    out = rng.choice([None, *(f"scored{ending}" for ending in endings)])
    arguments = ["predict", "m.modlearn.json", "data.csv", "-o", out or ""]
    if out is None:
        arguments = ["fit", "data.csv", "-t", "y", "-o", "m.modlearn.json"]
    limit = rng.choice([100, 5_000, 20_000, 50_000, 200_000, 10_000_000])
    done = subprocess.run(
        [sys.executable, "-m", "modlearn", *arguments, "-q"],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(modlearn.__file__).parents[1])},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    _check(folder)
    if done.returncode == 0:
        return "result"
    refuse_odd_error(done.returncode, done.stderr)
    known = {"data.csv", "m.modlearn.json", "m.modlearn.html"}
    left = {path.name for path in folder.iterdir()} - known
    if left or "cannot be written" not in done.stderr:
        raise FaultError(f"{arguments[0]} to {out} left {left}: {done.stderr[:200]}")
    return "refused"


def _run(arguments: list[Any], folder: Path, sent: Any, after: float) -> int:
    source = str(Path(modlearn.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-m", "modlearn", *arguments],
        cwd=folder,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": source},
    )
    try:
        return process.wait(timeout=after)
    except subprocess.TimeoutExpired:
        process.send_signal(sent or signal.SIGKILL)
        return process.wait(timeout=60)


def _check(folder: Path) -> None:
    """Raise if a file is not whole."""
    for path in folder.iterdir():
        if path.name == "m.modlearn.json":
            modlearn.load(path)
        elif path.suffix in (".csv", ".parquet", ".jsonl") and path.name.startswith("scored"):
            n_rows = len(READERS[path.suffix](path))
            if n_rows != N_ROWS:
                raise FaultError(f"{path.name} has {n_rows} rows")
    _check_report(folder)


READERS: dict[str, Any] = {
    ".csv": pd.read_csv,
    ".parquet": pd.read_parquet,
    ".jsonl": lambda path: path.read_text().splitlines(),
}


def _check_report(folder: Path) -> None:
    """Raise if a report next to a model is of another model and does not say so."""
    model, page = folder / "m.modlearn.json", folder / "m.modlearn.html"
    if not (model.exists() and page.exists()):
        return
    text = page.read_text()
    found = re.search(r'name="modlearn-id" content="(\w+)"', text)
    known = json.loads(model.read_text())["diagnostics"]["id"]
    is_old = model.read_bytes() == _model() and text == "<html>old, of another model</html>"
    if not is_old and "was interrupted" not in text and (found is None or found[1] != known):
        raise FaultError("the report belongs to another model")


@cache
def _csv() -> bytes:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((N_ROWS, 6)).round(3)).rename(columns="c{}".format)
    frame["y"] = np.where(frame["c0"] > frame["c1"], "yes", "no")
    return frame.to_csv(index=False).encode()


@cache
def _model() -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "data.csv").write_bytes(_csv())
        path = Path(folder) / "m.json"
        modlearn.fit(str(Path(folder) / "data.csv"), "y", test=0.3).save(path)
        return path.read_bytes()


@cache
def _duration(command: str) -> float:
    """How long a command takes when nothing stops it."""
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data.csv").write_bytes(_csv())
        (folder / "m.modlearn.json").write_bytes(_model())
        last = {"fit": ["-t", "y", "-o", "n.json"], "predict": ["-o", "s.csv"]}[command]
        first = ["data.csv"] if command == "fit" else ["m.modlearn.json", "data.csv"]
        start = time.perf_counter()
        _run([command, *first, *last, "-q"], folder, None, 120)
        return time.perf_counter() - start
