"""Two ways to the same result: in every library, as text or as numbers, fast or by brute force."""

import decimal
import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from tests.oracles import discretization, grouping

import modlearn
from tools.fuzz.command import FaultError
from tools.fuzz.tables import PLAIN, table

__all__ = ["attack_exact", "attack_libraries", "attack_optimum"]

CARRIERS: dict[str, Any] = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}


def attack_libraries(seed: int, folder: Path) -> str:
    """Fit a table in every library that can hold it; all results must be equal to the bit."""
    rng = random.Random(seed)
    frame, target = table(rng, PLAIN)
    pairs = rng.choice(["none", "all"])
    found = {name: _result(carry, frame, target, pairs) for name, carry in CARRIERS.items()}
    known = {name: result for name, result in found.items() if result is not None}
    first = next(iter(known.values()))
    for name, result in known.items():
        if result != first:
            raise FaultError(
                f"{name} differs from {next(iter(known))}: {result!r:.120} {first!r:.120}"
            )
    return first[0]


def _result(carry: Any, frame: pd.DataFrame, target: str, pairs: str) -> Any:
    try:
        data = carry(frame)
    except Exception:
        return None  # the library cannot hold it
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = modlearn.fit(data, target, pairs=pairs, n_jobs=1)
        except (ValueError, TypeError):
            return ("refused",)
        levels = [(name, part.level) for name, part in result.partitions.items()]
        return "result", levels, list(result.grids), result.predict_proba(data).tobytes()


def attack_exact(seed: int, folder: Path) -> str:
    """Identifiers that no float holds must stay apart, as categories and as classes."""
    rng = random.Random(seed)
    start = rng.choice([2**53, 2**62, 2**63, 10**25, 10**37])
    kinds: dict[str, Any] = {
        "text": str,
        "decimal": decimal.Decimal,
        "integer": int,
        "time": lambda i: pd.Timestamp(1_577_836_800_000_000_000 + i - start),
    }
    kind, name = rng.choice(list(kinds)), rng.choice(list(CARRIERS))
    identifiers = [kinds[kind](start + i) for i in rng.sample(range(1_000), 40)]
    frame = pd.DataFrame({"id": pd.Series(identifiers * 4, dtype=object)})
    if kind == "time":
        frame["id"] = frame["id"].astype("datetime64[ns]")
    frame["y"], frame["x"] = ["no", "yes"] * 80, [float(i % 40) for i in range(160)]
    try:
        data = CARRIERS[name](frame)
    except Exception:
        return "refused"  # the library cannot hold it
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = modlearn.analyze(data, "y", as_categorical="id", n_jobs=1).partitions["id"]
        n_values = sum(map(len, found.groups))
        n_classes = len(modlearn.fit(data, "id", as_categorical="id", n_jobs=1).model.classes)
    if (n_values, n_classes) != (40, 40):
        raise FaultError(f"{kind} of {name}: {n_values} categories and {n_classes} classes of 40")
    return "result"


def attack_optimum(seed: int, folder: Path) -> str:
    """The cost of a small column is that of the best of all its partitions."""
    rng = random.Random(seed)
    n, n_classes = rng.randrange(4, 40), rng.choice([2, 2, 3])
    values = [rng.randrange(rng.choice([3, 8])) for _ in range(n)]
    labels = [rng.randrange(n_classes) if rng.random() < 0.4 else v % n_classes for v in values]
    if len(set(labels)) < 2:
        return "refused"
    codes = {label: i for i, label in enumerate(sorted(set(labels)))}
    classes = [codes[label] for label in labels]
    if rng.random() < 0.5:
        best = discretization.brute_force(values, classes, len(codes)).cost
        column, kind = np.array(values, dtype=float).reshape(-1, 1), modlearn.Discretizer()
    else:
        distinct = sorted(set(values))
        counts = [
            tuple(sum(v == d and c == k for v, c in zip(values, classes, strict=True))
                  for k in range(len(codes))) for d in distinct
        ]  # fmt: skip
        best = grouping.brute_force(counts).cost
        column = np.array([[f"v{v}"] for v in values], dtype=object)
        kind = modlearn.Encoder()
    found = next(iter(kind.fit(column, labels).partitions_.values()))
    if abs(found.cost - best) > 1e-9 * best:
        raise FaultError(f"cost {found.cost!r} where {best!r} is possible")
    return "result"
