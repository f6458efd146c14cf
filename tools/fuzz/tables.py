"""Generated tables, in memory and as files: each gives a result, or one sentence.

Columns are of odd types and hold extreme values; names are hostile; rows repeat; the target may be
anything. A result must predict finite probabilities, and what was written must be whole.
"""

import datetime
import decimal
import json
import random
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import modlearn
from tools.fuzz.command import run
from tools.fuzz.formats import as_file

__all__ = ["attack_files", "attack_memory", "fit_and_predict", "table"]

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
            _use(data, target, list(frame.columns), rng, folder)
        except (ValueError, TypeError) as error:
            # scikit-learn wants a TypeError for cells that no column can hold
            if isinstance(error, TypeError) and "each argument must be" not in str(error):
                raise
            refuse_odd_sentence(str(error))
            return "refused"
    return "result"


def _use(data: Any, target: str, names: list[str], rng: random.Random, folder: Path) -> None:
    """Fit, analyze, describe or propagate, with a few options."""
    pairs = rng.choice(["none", "none", "all", 1])
    match rng.randrange(10):
        case 0:
            str(modlearn.analyze(data, target, pairs=pairs, n_jobs=1))
        case 1:
            str(modlearn.analyze(data, n_jobs=1))
        case 2:
            X, y = nw.from_native(data).drop(target).to_native(), nw.from_native(data)[target]
            found = modlearn.LabelDistributionPropagation(n_neighbors=3).fit(X, y.to_list())
            assert np.isfinite(found.label_distributions_).all(), "a share is not finite"
        case _:
            chosen = _chosen(names, rng) if rng.random() < 0.4 else {}
            _fit_and_use(data, target, folder, pairs=pairs, **chosen)


def _chosen(names: list[str], rng: random.Random) -> dict[str, Any]:
    """Options of fit, of columns that may be unfit for them."""
    name = rng.choice(names)
    known: list[dict[str, Any]] = [
        {"group": name}, {"time": name}, {"group": name, "time": rng.choice(names)},
        {"trend": name}, {"as_date": name}, {"date_format": {name: "%d/%m/%Y"}}, {"test": 0.3},
        {"as_categorical": name}, {"drop": name}, {"only": name}, {"method": "averaged"},
        {"time": name, "test_last": 0.5}, {"test_last": 0.2}, {"positive": "yes"},
    ]  # fmt: skip
    return rng.choice(known)


def _fit_and_use(data: Any, target: str, folder: Path, **chosen: Any) -> None:
    result = modlearn.fit(data, target, n_jobs=1, **chosen)
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


STEMS = [
    "table", "a b", "it's", 'say "no"', "x; DROP TABLE t; --", "日本", "%s", "a,b", "[1]", "a*",
    "a?", "$HOME", "a::b", "{0}", "x" * 200, "\udcff",
]  # fmt: skip


def attack_files(seed: int, folder: Path) -> str:
    """Use a generated file on the command line; return "refused" or "result"."""
    rng = random.Random(seed)
    frame, target = table(rng, PLAIN)
    path = as_file(frame, rng, folder, rng.choice([*["table"] * len(STEMS), *STEMS]))
    chosen = options(list(frame.columns), rng)
    match rng.randrange(8):
        case 0:
            done = run("analyze", path, "--out", folder / "o.html", "--quiet", *chosen)
        case 1:
            done = run("propagate", path, "-t", target, "-o", folder / "p.csv", "-q", *chosen)
        case _:
            return fit_and_predict(path, target, rng, folder, chosen)
    return "result" if done else "refused"


def options(names: list[str], rng: random.Random) -> list[str]:
    """Return a few options, of columns that may be unfit for them."""
    if rng.random() < 0.4:
        return []
    name = rng.choice([*names, *names, *names, "absent", ""])
    shapes = ["%d/%m/%Y", "%Y", "%", "", "%s", "a'b", "%d" * 300]
    known = [
        ["--group", name], ["--time", name], ["--test-last", "0.3"], ["--trend", name],
        ["--time", name, "--test-last", "0.5"], ["--group", name, "--time", rng.choice(names)],
        ["--as-date", name], ["--date-format", f"{name}={rng.choice(shapes)}"],
        ["--as-categorical", name], ["--drop", name], ["--only", name], ["--pairs", "all"],
        ["--pairs", "2"], ["--test", "0.3"], ["--positive", rng.choice(["yes", "1", ""])],
        ["--decimal", ","], ["--missing", rng.choice(["", "a", "1"])], ["--method", "averaged"],
        ["--no-header"], ["--quote", ""], ["--delimiter", rng.choice([";", "\t", "a", "é"])],
    ]  # fmt: skip
    return [part for one in rng.sample(known, rng.choice([1, 1, 2, 3])) for part in one]


def fit_and_predict(
    path: Path, target: str, rng: random.Random, folder: Path, chosen: Sequence[str] = ()
) -> str:
    """Fit a file and predict it on the command line; return "refused" or "result"."""
    model = folder / "table.modlearn.json"
    if not run("fit", path, "--target", target, "--out", model, "--quiet", *chosen):
        assert not model.exists(), "a model was written although the command failed"
        return "refused"
    out = folder / f"scored{rng.choice(['.csv', '.parquet', '.arrow', '.jsonl'])}"
    more = rng.choice([[], [], ["--escape-formulas"], ["--keep", target]])
    count = rng.choice([0, 2])
    if run("predict", model, path, "--out", out, "--explain", count, "--quiet", *more):
        assert out.exists(), "nothing was written"
        return "result"
    assert not out.exists(), "a table was written although the command failed"
    return "refused"
