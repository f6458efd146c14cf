"""Rows as points: the representation in which neighbors are looked for."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from modlearn._tables.cells import Kind
from modlearn._tables.memory.column import CategoricalColumn, NumericColumn
from modlearn._tables.memory.table import Table, read_table
from modlearn.errors import ColumnError

__all__ = ["Embedding", "Points", "RawPoints", "learn_embedding"]

Points: TypeAlias = Any  # an ndarray or a sparse csr_array of shape (n, d)

DENSE_COORDINATES = 256
"""With more coordinates than this, most of them 0 for a row, points are sparse."""


@dataclass(frozen=True)
class RawPoints:
    """Numbers as they are."""

    def points(self, X: Any) -> Points:
        """Points of shape (n, n_columns); text and missing values are refused."""
        if sp.issparse(X):
            return sp.csr_array(check_array(X, accept_sparse="csr", dtype=FLOATS, input_name="X"))
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub":
            try:
                return check_array(X, dtype=FLOATS, order="C", input_name="X")
            except ValueError:
                # Not before: looking at each column takes longer than at all of them.
                for i in range(X.shape[1]):
                    _refuse_gaps(f"x{i}", X[:, i])
                raise
        table = read_table(X)
        columns = [table.numeric(i) for i in range(len(table.names))]
        for column in columns:
            _refuse_gaps(column.name, column.values)
        return np.column_stack([column.values for column in columns])


FLOATS = (np.float64, np.float32)


def _refuse_gaps(name: Hashable, values: np.ndarray) -> None:
    """Raise when a value is missing or infinite."""
    bad = ~np.isfinite(values)
    if bad.any():
        row = int(np.argmax(bad))
        what, place = ("NaN", "a neutral place")
        if np.isinf(values[row]):
            what, place = ("infinity", "the place farthest out")
        raise ColumnError(
            f"Column {name!r} contains {what}, first in row {row}: fill it, or use "
            f'representation="auto", which gives it {place}.'
        )


@dataclass(frozen=True)
class ScaledColumn:
    """A numeric column as one coordinate, (value - center) / scale, no farther out than farthest.

    A missing value lies in the middle.
    """

    name: Hashable
    kind: Kind
    center: float
    scale: float
    farthest: float

    def coordinate(self, values: np.ndarray) -> np.ndarray:
        """Coordinate (n,) of values (n,), NaN = missing."""
        with np.errstate(invalid="ignore", over="ignore"):
            scaled = (values - self.center) / self.scale
        return np.where(np.isnan(values), 0.0, np.clip(scaled, -self.farthest, self.farthest))


@dataclass(frozen=True)
class OverlapColumn:
    """A categorical column as one coordinate per category, 1 in its own and 0 in the others.

    Two categories lie as far apart as, typically, two numbers of a scaled column. A missing or
    unseen one is 0 in all, nearer to each than they are to each other.
    """

    name: Hashable
    categories: tuple[Hashable, ...]

    def codes(self, categories: tuple[Hashable, ...]) -> np.ndarray:
        """Coordinate of each of the given categories, -1 = never seen."""
        places = {category: i for i, category in enumerate(self.categories)}
        return np.array([places.get(category, -1) for category in categories], dtype=np.int64)


@dataclass(frozen=True)
class Embedding:
    """Columns of a table as coordinates of points."""

    columns: tuple[ScaledColumn | OverlapColumn | None, ...]

    @property
    def width(self) -> int:
        """Number of coordinates."""
        return sum(_width(column) for column in self.columns)

    def points(self, X: Any) -> Points:
        """Points of shape (n, width) of a table with the columns that were learned from."""
        table = read_table(X)
        if self.width > DENSE_COORDINATES and self._has_categories():
            return self._sparse_points(table)
        points = np.zeros((table.n_rows, max(1, self.width)))
        at = 0
        for i, column in enumerate(self.columns):
            if isinstance(column, ScaledColumn):
                points[:, at] = column.coordinate(_numbers(table, i, column))
            elif column is not None:
                codes = _category_codes(table, i, column)
                rows = np.flatnonzero(codes >= 0)
                points[rows, at + codes[rows]] = 1.0
            at += _width(column)
        return points

    def _has_categories(self) -> bool:
        return any(isinstance(column, OverlapColumn) for column in self.columns)

    def _sparse_points(self, table: Table) -> sp.csr_array:
        """Points as a sparse matrix: a block per column, side by side."""
        blocks = []
        for i, column in enumerate(self.columns):
            if isinstance(column, ScaledColumn):
                blocks.append(sp.csr_array(column.coordinate(_numbers(table, i, column))[:, None]))
            elif column is not None:
                blocks.append(_indicators(_category_codes(table, i, column), _width(column)))
        return sp.csr_array(sp.hstack(blocks, format="csr"))


def _width(column: ScaledColumn | OverlapColumn | None) -> int:
    """Coordinates of a column; a constant one has none."""
    if column is None:
        return 0
    return len(column.categories) if isinstance(column, OverlapColumn) else 1


def _numbers(table: Table, i: int, column: ScaledColumn) -> np.ndarray:
    """Values (n,) of a column that was numeric when the embedding was learned."""
    now = table.numeric(i)
    if now.kind != column.kind and not np.isnan(now.values).all():
        raise ColumnError(
            f"Column {now.name!r} held {column.kind} values in fit and holds {now.kind} ones now: "
            "convert it to the type it had."
        )
    return now.values


def _category_codes(table: Table, i: int, column: OverlapColumn) -> np.ndarray:
    """Category (n,) of a row among those learned, -1 = missing or unseen."""
    now = table.categorical(i)
    return np.append(column.codes(now.categories), -1)[now.codes]


def _indicators(codes: np.ndarray, width: int) -> sp.csr_array:
    """One entry per row that has a category, shape (n, width)."""
    has = codes >= 0
    pointer = np.concatenate(([0], np.cumsum(has)))
    return sp.csr_array((np.ones(pointer[-1]), codes[has], pointer), shape=(len(codes), width))


def learn_embedding(X: Any) -> Embedding | RawPoints:
    """Learn where the middle and the spread of every column lie, and which categories there are.

    Numbers that share one range, such as the pixels of images, are in one unit already and keep
    it. Sparse matrices are left as they are.
    """
    if sp.issparse(X):
        return RawPoints()
    table = read_table(X)
    kinds = table.kinds()
    spreads = {
        i: _spread_of(table.numeric(i)) for i, kind in enumerate(kinds) if kind != "categorical"
    }
    unit = _shared_unit(list(spreads.values()))
    return Embedding(
        tuple(
            _scaled(spreads[i], unit) if i in spreads else _overlapping(table.categorical(i))
            for i in range(len(kinds))
        )
    )


@dataclass(frozen=True)
class _Spread:
    """What the finite values of a column say about its scale."""

    column: NumericColumn
    least: float
    most: float
    middle: float
    bulk: float
    """How far apart the 5 % and the 95 % quantile lie."""
    deviation: float
    """Standard deviation; 0 if all values are equal."""
    is_binary: bool


def _spread_of(column: NumericColumn) -> _Spread:
    finite = column.values[np.isfinite(column.values)]
    if not len(finite):
        return _Spread(column, 0.0, 0.0, 0.0, 0.0, 0.0, is_binary=True)
    least, low, middle, high, most = np.quantile(finite, [0.0, 0.05, 0.5, 0.95, 1.0]).tolist()
    deviation = _deviation(finite) if least < most else 0.0
    is_binary = not bool(((finite > least) & (finite < most)).any())
    return _Spread(column, least, most, middle, high - low, deviation, is_binary)


def _deviation(values: np.ndarray) -> float:
    """Standard deviation, taken of numbers about 1: squares neither overflow nor vanish."""
    exponent = np.frexp(np.abs(values).max())[1]
    return float(np.ldexp(np.std(np.ldexp(values, -exponent)), exponent))


FARTHEST = 3.0
"""So many spreads from the middle values stop to matter."""

NORMAL_BULK = 3.29
"""Standard deviations between the 5 % and the 95 % quantile of a normal distribution."""

ALMOST_ALL = 0.95
"""So much of the range of all columns together the median one spans if they share it."""


def _shared_unit(spreads: list[_Spread]) -> float | None:
    """Scale of all columns, if those with more than two values mostly have the same range."""
    several = [spread for spread in spreads if not spread.is_binary]
    if len(several) < 2:
        return None
    whole = max(s.most for s in several) - min(s.least for s in several)
    if np.median([s.most - s.least for s in several]) < ALMOST_ALL * whole:
        return None
    deviations = np.array([s.deviation for s in spreads if s.deviation > 0])
    exponent = np.frexp(deviations.max())[1]
    return float(np.ldexp(np.sqrt(np.mean(np.ldexp(deviations, -exponent) ** 2)), exponent))


def _scaled(spread: _Spread, unit: float | None) -> ScaledColumn | None:
    """A numeric column as a coordinate, None if it is constant."""
    if spread.deviation == 0.0:
        return None
    column = spread.column
    if unit is not None:
        return ScaledColumn(column.name, column.kind, spread.middle, unit, BEYOND)
    # Nine rows in ten may be equal: then only the others tell of a spread.
    scale = spread.bulk / NORMAL_BULK or spread.deviation
    return ScaledColumn(column.name, column.kind, spread.middle, scale, FARTHEST)


BEYOND = 1e6
"""Where infinite values lie among columns in one unit."""


def _overlapping(column: CategoricalColumn) -> OverlapColumn | None:
    """A categorical column as coordinates, None if it is constant."""
    if len(column.categories) < 2:
        return None
    return OverlapColumn(column.name, column.categories)
