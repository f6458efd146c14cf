"""Damaged model files: each is refused with the name of a field, or works in every way.

A mutant is the record of a small fitted classifier with a few changes that keep it JSON: extreme
numbers, values of another type, fields that are missing or doubled, lists in another order, halves
of surrogate pairs. Some changes are made wherever a value occurs, as checks of one field against
another would hide them. A few mutants are damaged as text.
"""

import copy
import json
import random
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import modlearn
from modlearn._jobs.result import FitResult
from modlearn._show.page import page
from modlearn._show.reasons import Reasons
from modlearn._show.result import result_as_text
from modlearn._show.words import sentences_of
from modlearn.errors import ModelError
from modlearn.schema import Kind

__all__ = ["attack"]

Path_ = tuple[str | int, ...]

NUMBERS = [
    0, 1, -1, 2, 0.5, -0.0, 5e-324, 1e-300, 1e15, 1e99, 1e100, -1e100, 1.7e308, -1.7e308,
    2**31, 2**53 - 1, 2**53, 2**63 - 1, 2**63, 2**64, 10**400,
    float("nan"), float("inf"), float("-inf"),
]  # fmt: skip
TEXTS = [
    "", " ", "\ud800", "a\udfff", "\x00", "\n", "x" * 5_000, "\u202e", "inf", "-inf", "nan", "None",
    "</script><script>", "{", "'", '"', "missing", "e\u0301", "\ufffe",
]  # fmt: skip
OTHERS: list[Any] = [None, True, False, [], {}, [[]], [None], {"": None}]


def attack(seed: int, folder: Path) -> str:
    """Load a mutant and use it; return "refused" or "result", or raise what went wrong."""
    rng = random.Random(seed)
    path = folder / f"{seed}.modlearn.json"
    path.write_bytes(mutant(rng))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            saved = modlearn.load(path)
        except ModelError as error:
            str(error).encode()
            path.unlink()
            return "refused"
        use(saved, folder)
    path.unlink()
    return "result"


def mutant(rng: random.Random) -> bytes:
    """Return the bytes of a damaged model file."""
    record = copy.deepcopy(rng.choice(records()))
    for _ in range(1 + int(rng.expovariate(1.2))):
        rng.choice(CHANGES)(record, rng)
    text = json.dumps(record)
    if rng.random() < 0.05:
        text = _repeated_field(text, rng)
    content = bytearray(text.encode())
    if rng.random() < 0.05:
        content[rng.randrange(len(content))] = rng.randrange(256)
    return bytes(content)


def _repeated_field(text: str, rng: random.Random) -> str:
    """Return JSON in which a field occurs twice, with different values."""
    ends = [i for i, c in enumerate(text) if c == "{" and text[i + 1] == '"']
    at = rng.choice(ends) + 1
    name = text[at : text.index(":", at)]
    return f"{text[:at]}{name}: {rng.choice(['0', 'null', '[]', 'NaN'])}, {text[at:]}"


def _choose(record: Any, rng: random.Random) -> Path_:
    """Return a random path: half of them by field, as long lists would hide the others."""
    if rng.random() < 0.5:
        fields: dict[Path_, list[Path_]] = {}
        for path in _leaves(record):
            fields.setdefault(tuple(k for k in path if isinstance(k, str)), []).append(path)
        if fields:
            return rng.choice(fields[rng.choice(list(fields))])
    path = ()
    while isinstance(record, dict | list) and record and (not path or rng.random() < 0.85):
        key = rng.choice(list(record)) if isinstance(record, dict) else rng.randrange(len(record))
        path, record = (*path, key), record[key]
    return path


def _at(record: Any, path: Path_) -> Any:
    for key in path:
        record = record[key]
    return record


def _set(record: Any, path: Path_, value: Any) -> None:
    _at(record, path[:-1])[path[-1]] = value


def _extreme(value: Any, rng: random.Random) -> Any:
    """Return another value, mostly of the same type."""
    if rng.random() < 0.1:
        return rng.choice([*NUMBERS, *TEXTS, *copy.deepcopy(OTHERS)])
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float) and abs(value) < 2**64 and rng.random() < 0.4:
        factor = rng.choice([-1, 2, 0.5, 1e300, 1e-300])
        near = [value + 1, value - 1, value * factor, float(value), value + 1e-9]
        return rng.choice(near)
    if isinstance(value, str):
        return rng.choice([rng.choice(TEXTS), value + rng.choice(TEXTS), value[::-1]])
    return rng.choice(NUMBERS)


def _change_value(record: Any, rng: random.Random) -> None:
    path = _choose(record, rng)
    _set(record, path, _extreme(_at(record, path), rng))


def _change_everywhere(record: Any, rng: random.Random) -> None:
    """Replace a value wherever it occurs."""
    value = _at(record, _choose(record, rng))
    new = _extreme(value, rng)
    if not isinstance(value, dict | list):
        for path in list(_leaves(record)):
            found = _at(record, path)
            if type(found) is type(value) and found == value:
                _set(record, path, new)


def _leaves(record: Any, path: Path_ = ()) -> Iterator[Path_]:
    items = record.items() if isinstance(record, dict) else enumerate(record)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key)


def _delete(record: Any, rng: random.Random) -> None:
    path = _choose(record, rng)
    if isinstance(path[-1], int) or rng.random() < 0.3:
        del _at(record, path[:-1])[path[-1]]


def _repeat(record: Any, rng: random.Random) -> None:
    path = _choose(record, rng)
    holder = _at(record, path[:-1])
    if isinstance(holder, list):
        holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(holder[path[-1]]))


def _reorder(record: Any, rng: random.Random) -> None:
    value = _at(record, _choose(record, rng)[:-1])
    if isinstance(value, list):
        rng.choice([value.reverse, value.sort if _sortable(value) else value.reverse])()


def _sortable(values: list[Any]) -> bool:
    return all(type(value) in (int, float) for value in values)


def _exchange(record: Any, rng: random.Random) -> None:
    """Exchange two values of the same type, wherever they are."""
    first, second = _choose(record, rng), _choose(record, rng)
    a, b = _at(record, first), _at(record, second)
    if type(a) is type(b) and first[: len(second)] != second and second[: len(first)] != first:
        _set(record, first, copy.deepcopy(b))
        _set(record, second, copy.deepcopy(a))


def _fill(record: Any, rng: random.Random) -> None:
    """Give all numbers of a list of numbers, or of a table, one extreme value."""
    path = _choose(record, rng)
    value, new = _at(record, path[:-1]), rng.choice(NUMBERS)
    if isinstance(value, list):
        for leaf in list(_leaves(value)):
            _set(value, leaf, new)


CHANGES: list[Callable[[Any, random.Random], None]] = [
    *[_change_value] * 4,
    *[_change_everywhere] * 3,
    _delete,
    _repeat,
    _reorder,
    _exchange,
    _fill,
]


@cache
def records() -> list[Any]:
    """The records of small models of every kind."""
    import tempfile

    rng = np.random.default_rng(0)
    n = 70
    table = pd.DataFrame(
        {
            "x": np.where(rng.random(n) < 0.1, np.nan, rng.random(n).round(2)),
            "color": rng.choice(["red", "green", "blue", None], n),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 99, n), "D"),
            "wait": pd.to_timedelta(rng.integers(0, 99, n), "s"),
            "open": rng.random(n) < 0.5,
            "id": np.arange(n),
        }
    )
    table["y"] = np.where((table["x"] > 0.5) ^ (table["color"] == "red"), "yes", "no")
    three = table.assign(y=np.where(table["day"] > pd.Timestamp("2020-02-10"), 2, table["open"]))
    numbers, labels = rng.random((n, 3)).round(1), rng.integers(0, 2, n)
    labels[:50] = numbers[:50, 0] > 0.5
    fitted = [
        modlearn.fit(table, "y", pairs=2, n_jobs=1),
        modlearn.fit(three, "y", test=0.3, n_jobs=1, drop="id"),
        modlearn.fit(table, "y", only=["x", "color"], cost={("yes", "no"): 10}, n_jobs=1),
        modlearn.fit(three, "y", test=0.3, n_jobs=1, only="open", cost={(2, 1): 3, (0, 1): 0}),
        modlearn.NaiveBayesClassifier().fit(numbers, labels),
        modlearn.BestUnivariateClassifier().fit(numbers, labels.astype(float)),
        modlearn.BestBivariateClassifier().fit(numbers, labels == 1),
        modlearn.Encoder(output="log_odds").fit(table.drop(columns="y"), table["y"]),
        modlearn.PairEncoder(pairs=2).fit(table[["x", "color", "day"]], table["y"]),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        read = []
        for one in fitted:
            one.save(path)
            read.append(json.loads(path.read_text()))
    return read


def use(saved: Any, folder: Path) -> None:
    """Predict, explain, report and save again; everything must be finite and can be written."""
    result = FitResult.of(saved)
    estimator = saved if result.model is None else result.classifier
    table = rows_for(estimator)
    if result.model is not None:
        _predict(result.classifier, table)
    _show(result)
    before = _numbers_of(estimator, table)
    saved.save(folder / "again.modlearn.json")
    again = modlearn.load(folder / "again.modlearn.json")
    after = _numbers_of(again if result.model is None else FitResult.of(again).classifier, table)
    assert after.tobytes() == before.tobytes(), "what was saved again gives other numbers"


def _numbers_of(estimator: Any, table: Any) -> Any:
    """Return the probabilities of a classifier, or the columns of a transformer."""
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(table)
    return np.asarray(estimator.transform(table), dtype=np.float64)


def _predict(model: Any, table: Any) -> None:
    probabilities = model.predict_proba(table)
    assert np.isfinite(probabilities).all(), "probabilities are not finite"
    assert np.allclose(probabilities.sum(axis=1), 1), "probabilities do not add up to 1"
    assert np.isin(model.predict(table), model.classes_).all()
    for explanation in (model.explain(table), model.shapley_values(table)):
        assert np.isfinite(explanation.scores).all(), "scores are not finite"
        str(explanation[0]).encode("utf-8", "strict")
    codes = model.model_.codes(model._batch(table))
    Reasons(model.model_, 3).of_rows(codes, probabilities.argmax(axis=1), probabilities)


def rows_for(model: Any) -> Any:
    """Return rows with ordinary, extreme, unseen and missing values of every column."""
    columns: dict[Any, Any] = {}
    views = {} if not hasattr(model, "model_") else {c.name: c for c in model.model_.schema.columns}
    for name, partition in model.partitions_.items():
        column = views.get(name)
        if column is None or column.view is None:
            columns[name] = _cells(partition)
        else:
            columns[column.read.name] = DATES
    table = pd.concat([pd.Series(cells) for cells in columns.values()], axis=1)
    if not hasattr(model, "feature_names_in_"):
        return table.to_numpy(dtype=object)
    table.columns = pd.Index([*columns], dtype=object)
    return table


DATES = pd.to_datetime(["1700-01-01", "2020-02-02", "2020-02-10", "2200-01-01", None, None])


def _cells(partition: Any) -> Any:
    """Six cells of the type that a column had."""
    if isinstance(partition, modlearn.Intervals):
        cuts = [*partition.cuts.tolist(), 0.0][:1]
        if partition.kind == Kind.DATETIME:
            return DATES
        if partition.kind == Kind.DURATION:
            return pd.to_timedelta([0, 1, 50, 10**6, None, None], "s")
        return [np.nan, -np.inf, np.inf, 1.7e308, 0.5, *cuts]
    values = [value for group in partition.groups for value in group]
    if values and all(isinstance(value, bool) for value in values if value is not None):
        return pd.Series([True, False, None, True, False, None], dtype=object)
    texts = [value for value in values if isinstance(value, str)]
    if texts:
        values = [*texts, None]
        return pd.Series([values[0], values[-1], None, "unseen", "red", ""], dtype=object)
    return pd.Series([values[0], values[-1], None, 7, 8, 0], dtype=object)


def _show(result: FitResult) -> None:
    """Summary, page, sentences and text of a model."""
    for part in (*result.partitions.values(), *result.grids.values()):
        str(part), repr(part)
    summary = result.summary()
    json.dumps(sentences_of(summary, "command"), allow_nan=False, ensure_ascii=False).encode()
    result_as_text(summary).encode()
    page(summary, "command").encode()
    for name, measure in ((summary["evaluation"] or {}).get("measures") or {}).items():
        if measure["mean"] is not None and name != "log_loss":
            assert 0 <= measure["mean"] <= 1, f"{name} is {measure['mean']}"
