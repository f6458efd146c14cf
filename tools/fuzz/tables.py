"""Generated tables, in memory and as files: each gives a result, or one sentence.

Columns are of odd types and hold extreme values; names are hostile; rows repeat; the target may be
anything. A result must predict finite probabilities, and what was written must be whole.
"""

import datetime
import decimal
import json
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import feather, parquet

import modlearn
from tools.fuzz.command import run

__all__ = ["as_file", "attack_files", "attack_memory", "table"]

NAMES = [
    "x", "y", " ", "a b", 'say "no"', "it's", "x; DROP TABLE t; --", "</script><script>alert(1)",
    "é", "e\u0301", "日本", "\u202eabc", "select", "a,b", "a\tb", "a\nb", "{0}", "%s", "=1+1",
    "-", "x" * 300, "X", "level: 3", "P(a)", "predicted y", "None", "nan", "true", "1", "0.5",
    "\\", "[]",
]  # fmt: skip
EXTREMES = [
    0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1e-308, 1.7e308, -1.7e308, 1e300, 2.0**53, 2.0**63,
    float("nan"), float("inf"), float("-inf"), 0.1, 1 / 3,
]  # fmt: skip
WHOLE = [0, 1, -1, 127, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)]
TEXTS = [
    "", " ", "a", "A", "a ", "None", "nan", "NA", "null", "inf", "1", "1.0", "01", "1e5", "é", "ß",
    "🦆", "a,b", 'a"b', "a'b", "a\nb", "a\r\nb", "\t", "=1+1", "2020-01-01", "x" * 2_000, "\x00",
    "-", "{",
]  # fmt: skip
OBJECTS: list[Any] = [
    None, 0, 1, 10**400, -(10**30), 0.5, float("nan"), "a", "", True, b"bytes", decimal.Decimal(2),
    datetime.date(2020, 1, 1), datetime.datetime(1, 1, 1), datetime.timedelta(9), (1, 2), 1j,
]  # fmt: skip


def _numbers(rng: random.Random, n: int) -> Any:
    return [rng.choice(EXTREMES) if rng.random() < 0.3 else rng.gauss(0, 1) for _ in range(n)]


def _whole(rng: random.Random, n: int) -> Any:
    return np.array([rng.choice(WHOLE) for _ in range(n)], dtype=np.int64)


def _small(rng: random.Random, n: int) -> Any:
    kind = rng.choice([np.int8, np.uint8, np.float16, np.float32, np.uint64, np.int16])
    return np.array([rng.randrange(100) for _ in range(n)]).astype(kind)


def _texts(rng: random.Random, n: int) -> Any:
    some = rng.sample(TEXTS, rng.randrange(1, len(TEXTS)))
    return pd.Series([rng.choice([*some, None]) for _ in range(n)], dtype=object)


def _dates(rng: random.Random, n: int) -> Any:
    days = [rng.choice([None, 0, 1, -10_000, 60_000, rng.randrange(20_000)]) for _ in range(n)]
    return pd.to_datetime(pd.Series(days, dtype="Float64"), unit="D").astype("datetime64[us]")


def _durations(rng: random.Random, n: int) -> Any:
    return pd.to_timedelta([rng.choice([None, 0, -5, 10**9, 7]) for _ in range(n)], unit="s")


def _flags(rng: random.Random, n: int) -> Any:
    return pd.array([rng.choice([True, False, None]) for _ in range(n)], dtype="boolean")


def _constant(rng: random.Random, n: int) -> Any:
    return pd.Series([rng.choice([None, 1, "a"])] * n, dtype=object)


def _categories(rng: random.Random, n: int) -> Any:
    values = pd.Series([rng.choice(["a", "b", "c", None]) for _ in range(n)], dtype=object)
    return pd.Categorical(values, categories=["c", "b", "a", "never"], ordered=rng.random() < 0.5)


def _objects(rng: random.Random, n: int) -> Any:
    some = rng.sample(OBJECTS, rng.randrange(1, 5))
    return pd.Series([rng.choice(some) for _ in range(n)], dtype=object)


def _identifiers(rng: random.Random, n: int) -> Any:
    return pd.Series([f"{rng.randrange(10**6):06d}" for _ in range(n)], dtype=object)


def _labels(rng: random.Random, n: int) -> Any:
    some = rng.sample(["no", "yes", "maybe", "a b", "é", "1", "", "0.5", None, "x" * 100], 3)
    return pd.Series([rng.choice(some) for _ in range(n)], dtype=object)


PLAIN = [_numbers, _whole, _small, _texts, _dates, _flags, _constant, _identifiers]
ANY = [*PLAIN, _durations, _categories, _objects]


def table(rng: random.Random, makers: list[Callable[..., Any]]) -> tuple[pd.DataFrame, str]:
    """Return a table and the name of its target."""
    n = rng.choice([0, 1, 2, 3, 10, 30, 30, 80, 80, 200])
    names = rng.sample(NAMES, rng.randrange(1, 6))
    frame = pd.DataFrame({name: rng.choice(makers)(rng, n) for name in names}, index=range(n))
    target = names[-1]
    if rng.random() < 0.8:
        frame[target] = _labels(rng, n)
        first = frame.columns[0]
        if len(names) > 1 and rng.random() < 0.5:  # something to learn
            frame[target] = np.where(frame[first].astype(str) > "0.5", "yes", "no")
    if rng.random() < 0.2 and n:
        frame = frame.iloc[rng.choices(range(n), k=2 * n)].reset_index(drop=True)
    return frame, target


def attack_memory(seed: int, folder: Path) -> str:
    """Fit a generated table in memory; return "refused" or "result"."""
    rng = random.Random(seed)
    frame, target = table(rng, ANY)
    data: Any = frame
    try:
        data = {"pandas": lambda: frame, "polars": lambda: pl.from_pandas(frame),
                "arrow": lambda: pa.Table.from_pandas(frame)}[
            rng.choice(["pandas", "polars", "arrow"])
        ]()  # fmt: skip
    except Exception:
        data = frame  # the library cannot hold it
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            _fit_and_use(data, target, rng, folder)
        except (ValueError, TypeError) as error:
            # scikit-learn wants a TypeError for cells that no column can hold
            if isinstance(error, TypeError) and "each argument must be" not in str(error):
                raise
            refuse_odd_sentence(str(error))
            return "refused"
    return "result"


def _fit_and_use(data: Any, target: str, rng: random.Random, folder: Path) -> None:
    pairs = rng.choice(["none", "none", "all", 1])
    if rng.random() < 0.2:
        str(modlearn.analyze(data, target, pairs=pairs, n_jobs=1))
        return
    result = modlearn.fit(data, target, pairs=pairs, n_jobs=1)
    str(result)
    json.dumps(result.summary(), allow_nan=False)
    result.report(folder / "report.html")
    probabilities = result.predict_proba(data)
    assert np.isfinite(probabilities).all(), "probabilities are not finite"
    path = folder / "model.json"
    try:
        result.save(path)
    except modlearn.errors.ModelError:
        return  # a category that JSON cannot hold
    again = modlearn.load(path).predict_proba(data)
    assert again.tobytes() == probabilities.tobytes(), "a loaded model predicts otherwise"


LONGEST = 1_500
"""Characters of an error that a person reads."""


def refuse_odd_sentence(text: str) -> None:
    """Raise if an error is not one readable sentence."""
    assert text.strip(), "an error without a message"
    assert len(text) <= LONGEST, f"an error of {len(text)} characters: {text[:200]}"
    assert "Traceback" not in text, text


WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    ".csv": lambda frame, path: frame.to_csv(path, index=False),
    ".tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    ".csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    ".parquet": lambda frame, path: parquet.write_table(_arrow(frame), path),
    ".arrow": lambda frame, path: feather.write_feather(_arrow(frame), path, "uncompressed"),
    ".jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
}


def _arrow(frame: pd.DataFrame) -> Any:
    return pa.Table.from_pandas(frame, preserve_index=False)


def as_file(frame: pd.DataFrame, rng: random.Random, folder: Path) -> Path:
    """Write a table in a random format; CSV if the format cannot hold it."""
    suffix = rng.choice(list(WRITERS))
    path = folder / f"table{suffix}"
    try:
        WRITERS[suffix](frame, path)
    except Exception:
        path = folder / "table.csv"
        frame.to_csv(path, index=False, errors="replace")
    return path


def attack_files(seed: int, folder: Path) -> str:
    """Fit a generated file and predict it, on the command line."""
    rng = random.Random(seed)
    frame, target = table(rng, PLAIN)
    path = as_file(frame, rng, folder)
    return fit_and_predict(path, target, rng, folder)


def fit_and_predict(path: Path, target: str, rng: random.Random, folder: Path) -> str:
    """Fit a file and predict it on the command line; return "refused" or "result"."""
    model = folder / "table.modlearn.json"
    if not run("fit", path, "--target", target, "--out", model, "--quiet"):
        assert not model.exists(), "a model was written although the command failed"
        return "refused"
    out = folder / f"scored{rng.choice(['.csv', '.parquet', '.arrow', '.jsonl'])}"
    if run("predict", model, path, "--out", out, "--explain", rng.choice([0, 2]), "--quiet"):
        assert out.exists(), "nothing was written"
        return "result"
    assert not out.exists(), "a table was written although the command failed"
    return "refused"
