"""Compute what the public names of modlearn give on 20 tables, exactly, to compare with later code.

``python -m tools.golden PATH`` writes the results. ``tests/golden/results.json`` was written by the
code as it was before it was rebuilt around statistics and one additive model, but for log odds,
whose class shares are now those of the classifiers; only public names are used, so that any version
can be asked. Arrays are kept as a digest of their bytes, with their first values to show what
differs, floats in hexadecimal.
"""

import hashlib
import json
import math
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.special
from threadpoolctl import threadpool_limits

import modlearn
from tools.golden_tables import GoldenTable, golden_tables

__all__ = ["arithmetic", "results_of", "unequal"]

METHODS = ("auto", "supervised", "map", "averaged", "post_optimized")
N_SHOWN = 3
"""Values of an array that are kept as they are."""


def arithmetic() -> str:
    """Return a digest of the logarithms, exponentials and products of matrices of this machine.

    Processors and versions of NumPy and of its BLAS differ in their last bits. Only where this
    digest is that of the golden file may its floats be expected to be equal to the last bit.
    """
    x = np.linspace(0.001, 700, 10_007)
    square = np.outer(np.sin(x[:61]), np.cos(x[61:122]))
    parts = [np.log(x), np.exp(-x), np.log1p(x), scipy.special.gammaln(x), square @ square[0]]
    parts.append(np.array([math.lgamma(value) for value in x.tolist()]))
    for rows, columns in ((4, 9), (13, 61)):
        some = square[:rows, :columns] + np.eye(rows, columns)
        squares = some @ some.T
        parts += [squares.ravel(), [some[0] @ some[1]], np.linalg.solve(squares, some[:, 0])]
    return digest(np.concatenate(parts))


def results_of(table: GoldenTable) -> dict[str, Any]:
    """Return everything that is computed on a table, by what computes it."""
    found: dict[str, Any] = {}
    with threadpool_limits(1):
        for key, compute in computations(table):
            found[key] = compute()
    return found


def computations(table: GoldenTable) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what is to be computed on a table, with its key."""
    numeric = numbers_of(table.X)
    if numeric is not None:
        for method in METHODS:
            yield f"Discretizer {method}", lambda m=method: partitioned(table, m, numeric)
    yield "Discretizer limits", lambda: limited(table, modlearn.Discretizer, numeric)
    yield "Grouper limits", lambda: limited(table, modlearn.Grouper, table.X)
    yield "Grouper", lambda: grouped(table)
    for method in ("auto", "averaged"):
        yield f"Encoder {method}", lambda m=method: encoded(table, m)
    for kind in CLASSIFIERS:
        yield kind, lambda k=kind: classified(table, CLASSIFIERS[k], table.X)
    if table.paired:
        yield "PairEncoder", lambda: paired(table)
        for kind in PAIR_CLASSIFIERS:
            yield kind, lambda k=kind: classified(table, PAIR_CLASSIFIERS[k], columns_of(table))
    yield "LabelDistributionPropagation", lambda: propagated(table)
    if table.weights is None:
        yield "analyze", lambda: analyzed(table)
        yield "fit", lambda: job(table)


# estimators


def selective(**options: Any) -> Callable[[], Any]:
    """Return what makes a selective naive Bayes classifier."""
    return partial(modlearn.SelectiveNaiveBayesClassifier, **options)


CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "NaiveBayesClassifier": modlearn.NaiveBayesClassifier,
    "SelectiveNaiveBayesClassifier weighted": selective(),
    "SelectiveNaiveBayesClassifier averaged": selective(method="averaged"),
    "BestUnivariateClassifier": modlearn.BestUnivariateClassifier,
}

PAIR_CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "SelectiveNaiveBayesClassifier weighted, pairs": selective(pairs="all"),
    "SelectiveNaiveBayesClassifier averaged, pairs": selective(pairs="all", method="averaged"),
    "BestBivariateClassifier": modlearn.BestBivariateClassifier,
}


def numbers_of(X: Any) -> Any:
    """Return the columns that can be cut into intervals; None if there are none."""
    if isinstance(X, np.ndarray):
        return X
    kept = X.select_dtypes(["number", "datetime", "timedelta"])
    return kept if kept.shape[1] else None


def partitioned(table: GoldenTable, method: str, X: Any) -> Any:
    """Cut numbers into intervals."""
    fitted = modlearn.Discretizer(method=method).fit(X, table.y, table.weights)
    return {**partitions(fitted.partitions_), "codes": array(fitted.transform(X))}


def limited(table: GoldenTable, transformer: Callable[..., Any], X: Any) -> Any:
    """Partition with few and large parts."""
    if X is None:
        return None
    fitted = transformer(max_parts=3, min_part_size=8).fit(X, table.y, table.weights)
    return partitions(fitted.partitions_)


def grouped(table: GoldenTable) -> Any:
    """Group the values of all columns, numbers too."""
    fitted = modlearn.Grouper().fit(table.X, table.y, table.weights)
    codes = fitted.transform(table.rows_counted(table.X))
    return {**partitions(fitted.partitions_), "codes": array(codes)}


def encoded(table: GoldenTable, method: str) -> Any:
    """Partition every column by its type, and write what comes out in each way."""
    fitted = modlearn.Encoder(method=method).fit(table.X, table.y, table.weights)
    found = {**partitions(fitted.partitions_), "levels": scalars(fitted.levels_)}
    X = table.rows_counted(table.X)
    for output in ("code", "onehot", "log_odds"):
        found[output] = array(fitted.set_params(output=output).transform(X))
    return found


def paired(table: GoldenTable) -> Any:
    """Search grids of pairs of columns."""
    X = columns_of(table)
    fitted = modlearn.PairEncoder().fit(X, table.y, table.weights)
    found = {"grids": grids(fitted.grids_), "levels": scalars(fitted.levels_)}
    found |= {"gains": scalars(fitted.gains_), "synergy": scalars(fitted.synergy_)}
    return {**found, "codes": array(fitted.transform(table.rows_counted(X)))}


def classified(table: GoldenTable, make: Callable[[], Any], X: Any) -> Any:
    """Learn weights, and predict the rows that were learned from."""
    fitted = make().fit(X, table.y, table.weights)
    X = table.rows_counted(X)
    return {
        "levels": scalars(fitted.levels_),
        "weights": scalars(fitted.weights_),
        "importances": array(fitted.feature_importances_),
        "probabilities": array(fitted.predict_proba(X)),
        "predictions": [str(label) for label in fitted.predict(X)[:N_SHOWN].tolist()],
        "contributions": array(fitted.explain(X).contributions),
        "shapley values": array(fitted.shapley_values(X).contributions),
    }


def columns_of(table: GoldenTable) -> Any:
    """Return the columns whose pairs are searched."""
    if isinstance(table.X, np.ndarray):
        return table.X[:, : len(table.paired)]
    return table.X[list(table.paired)]


def propagated(table: GoldenTable) -> Any:
    """Spread every fifth label over the other rows; trees, unlike brute force, need no BLAS."""
    y = np.asarray(table.y, dtype=object).copy()
    y[np.arange(len(y)) % 5 != 0] = None
    engine = "brute" if table.name == "many categories" else "kdtree"
    spread = modlearn.LabelDistributionPropagation(engine=engine, unlabeled=None)
    X = table.X if isinstance(table.X, np.ndarray) else table.X.iloc[:, :6]
    fitted = spread.fit(X, y)
    return {
        "distributions": array(fitted.label_distributions_),
        "log known mass": array(fitted.log_known_mass_),
        "order": array(fitted.order_),
        "probabilities": array(fitted.predict_proba(X)),
    }


# jobs


def analyzed(table: GoldenTable) -> Any:
    """Analyze the columns."""
    found = modlearn.analyze(table.X, table.y)
    levels = {name: partition.level for name, partition in found.partitions.items()}
    return {"levels": scalars(levels), **partitions(found.partitions)}


def job(table: GoldenTable) -> Any:
    """Fit and evaluate by default."""
    if isinstance(table.X, pd.DataFrame):
        result = modlearn.fit(table.X.assign(target=table.y), "target")
    else:
        result = modlearn.fit(table.X, table.y)
    found = {"weights": scalars(result.classifier.weights_), **partitions(result.partitions)}
    if table.evaluated:
        found["evaluation"] = evaluation(result.evaluation)
    return found


def evaluation(found: Any) -> Any:
    """Return the measures as plain numbers: sums over folds may be taken in another order."""
    best = found.best_variable
    return {
        "measures": {
            name: [measure.mean, measure.spread, *measure.folds]
            for name, measure in found.measures.items()
        },
        "rows": [found.n_train, found.n_test],
        "majority": found.majority.accuracy,
        "best variable": best and [best.name, best.accuracy],
        "confusion": array(found.confusion),
    }


# results as JSON


def partitions(found: dict[Any, Any]) -> dict[str, Any]:
    """Return the partitions of columns by name."""
    return {f"column {name}": partition(part) for name, part in found.items()}


def partition(part: Any) -> dict[str, Any]:
    """Return the parts of a column and what they cost.

    Unlabeled rows are counted by interval alone: a category that no labeled row has is in no
    group since values never seen are neutral, so that groups count fewer than the old code did.
    """
    costs = {"cost": part.cost.hex(), "null": part.null_cost.hex(), "level": part.level.hex()}
    if not hasattr(part, "cuts"):
        return {"parts": groups(part.groups), "counts": array(part.counts), **costs}
    return {
        "parts": array(part.cuts),
        "counts": array(part.counts),
        "unlabeled": array(part.unlabeled_counts),
        **costs,
    }


def groups(found: tuple[tuple[Any, ...], ...]) -> dict[str, Any]:
    """Return groups of values as a digest, and their sizes."""
    text = repr([[repr(value) for value in group] for group in found])
    sizes = [len(group) for group in found]
    return {"sha": hashlib.sha256(text.encode()).hexdigest()[:16], "sizes": sizes[:N_SHOWN]}


def grids(found: dict[Any, Any]) -> dict[str, Any]:
    """Return the grids of pairs by name."""
    return {
        str(pair): {
            "axes": [partition(axis) for axis in grid.axes],
            "counts": array(grid.counts),
            "cost": grid.cost.hex(),
            "null": grid.null_cost.hex(),
        }
        for pair, grid in found.items()
    }


def scalars(found: dict[Any, float]) -> dict[str, str]:
    """Return numbers by name, in their order."""
    return {str(name): float(value).hex() for name, value in found.items()}


def array(values: Any) -> dict[str, Any]:
    """Return the digest of an array, its shape and its first values."""
    numbers = np.ascontiguousarray(values)
    shown = numbers.ravel()[:N_SHOWN].tolist()
    first = [value.hex() if isinstance(value, float) else value for value in shown]
    return {"sha": digest(numbers), "shape": list(numbers.shape), "first": first}


def digest(numbers: np.ndarray) -> str:
    """Return a digest of an array; whole numbers of any width and both zeros are alike."""
    wide = numbers.astype(np.float64 if numbers.dtype.kind == "f" else np.int64)
    return hashlib.sha256((wide + 0).tobytes()).hexdigest()[:16]


# comparison


def unequal(found: Any, golden: Any, exact: bool, path: str = "") -> Iterator[str]:
    """Yield where results differ, with both values.

    Measures, which are plain floats, may differ by rounding. Where the arithmetic of the machine
    is not that of the golden file (``exact`` is False), so may all floats, those that follow from
    weights by more, as the search for them ends close to its optimum; and digests of arrays of
    floats are not compared.
    """
    if isinstance(golden, dict) and isinstance(found, dict):
        if list(found) != list(golden):
            yield f"{path}: {list(found)} rather than {list(golden)}"
        inexact = not exact and any(isinstance(v, str) for v in golden.get("first", ()))
        for key in [key for key in golden if key in found and not (key == "sha" and inexact)]:
            yield from unequal(found[key], golden[key], exact, f"{path} > {key}")
    elif isinstance(golden, list) and isinstance(found, list) and len(found) == len(golden):
        for i, (now, then) in enumerate(zip(found, golden, strict=True)):
            yield from unequal(now, then, exact, f"{path} > {i}")
    elif not same(found, golden, tolerance_of(path, golden, exact)):
        yield f"{path}: {found!r} rather than {golden!r}"


def tolerance_of(path: str, golden: Any, exact: bool) -> float:
    """Return the share by which a number may differ."""
    if exact:
        return 1e-12 if isinstance(golden, float) else 0.0
    return 1e-9 if path.endswith(("> cost", "> null", "> level")) else 1e-7


def same(found: Any, golden: Any, tolerance: float) -> bool:
    """Whether two scalars are equal, up to a share of them if they are floats."""
    if tolerance and isinstance(golden, str) and "0x" in golden and isinstance(found, str):
        found, golden = float.fromhex(found), float.fromhex(golden)
    if isinstance(golden, float) and isinstance(found, float):
        return math.isclose(found, golden, rel_tol=tolerance, abs_tol=min(tolerance, 1e-9) / 1000)
    return bool(found == golden)


def main() -> None:
    """Write the results to the path given."""
    results = {table.name: results_of(table) for table in golden_tables()}
    content = {"arithmetic": arithmetic(), "results": results}
    Path(sys.argv[1]).write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
