"""Rows as points: how the columns of a table become coordinates, between which distances are."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from modlearn._neighbors.points import Array, Points
from modlearn._tables.memory.table import CategoricalColumn, NumericColumn, Table, read_table
from modlearn.errors import ColumnError, TextColumnError
from modlearn.schema import Kind

__all__ = ["Embedding", "RawPoints", "learn_embedding", "learn_raw"]

DENSE_COORDINATES = 256
"""With more coordinates than this, most of them 0 in a row, points are sparse."""

FARTHEST = 3.0
"""Values farther than this number of spreads from the median are clipped."""

NORMAL_BULK = 3.29
"""Standard deviations between the 5 % and the 95 % quantile of a normal distribution."""

ALMOST_ALL = 0.95
"""Columns share one range if the median column spans this share of the range of all together."""

BEYOND = 1e6
"""Coordinate of infinite values in columns that share one unit."""

FLOATS = (np.float64, np.float32)


@dataclass(frozen=True)
class RawPoints:
    """Numbers as they are."""

    def points(self, X: Any) -> Points:
        """Return points of shape (n, n_columns); text and missing values are refused."""
        if sp.issparse(X):
            return sp.csr_array(check_array(X, accept_sparse="csr", dtype=FLOATS, input_name="X"))
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub":
            try:
                return check_array(X, dtype=FLOATS, order="C", input_name="X")
            except ValueError:
                # Find the column only after a failure: checking all at once is faster.
                for i in range(X.shape[1]):
                    _refuse_non_finite(f"x{i}", X[:, i])
                raise
        table = read_table(X)
        try:
            columns = [table.numeric(i) for i in range(len(table.names))]
        except TextColumnError as error:
            raise error.advising('use representation="auto"') from None
        for column in columns:
            _refuse_non_finite(column.name, column.values)
        return np.column_stack([column.values for column in columns])


def _refuse_non_finite(name: Hashable, values: Array) -> None:
    """Raise if a value is missing or infinite."""
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    row = int(np.argmax(bad))
    if np.isinf(values[row]):
        found, remedy = "infinity", "puts it farthest out"
    else:
        found, remedy = "NaN", "puts it in a neutral position"
    raise ColumnError(
        f"Column {name!r} contains {found}, first in row {row}: replace it, or use "
        f'representation="auto", which {remedy}.'
    )


@dataclass(frozen=True)
class ScaledColumn:
    """A numeric column as one coordinate, (value - center) / scale, clipped at ±farthest.

    A missing value is put at the center.
    """

    name: Hashable
    kind: Kind
    center: float
    scale: float
    farthest: float

    @property
    def width(self) -> int:
        """Number of coordinates."""
        return 1

    def read(self, table: Table, i: int) -> NDArray[np.float64]:
        """Return the values (n,) of a column, which must be what it was in the training data."""
        now = table.numeric(i)
        if now.kind != self.kind and not np.isnan(now.values).all():
            raise ColumnError(
                f"Column {now.name!r} held {self.kind} values in the training data but holds "
                f"{now.kind} values now: convert it to the type it had in the training data."
            )
        return now.values

    def fill(self, values: NDArray[np.float64], points: NDArray[np.float64]) -> None:
        """Write the coordinate of values (n,), NaN = missing, to points (n, 1)."""
        with np.errstate(invalid="ignore", over="ignore"):
            scaled = (values - self.center) / self.scale
        clipped = np.clip(scaled, -self.farthest, self.farthest)
        points[:, 0] = np.where(np.isnan(values), 0.0, clipped)

    def block(self, values: NDArray[np.float64]) -> sp.csr_array:
        """Return the coordinate as a sparse matrix (n, 1)."""
        points = np.empty((len(values), 1))
        self.fill(values, points)
        return sp.csr_array(points)


@dataclass(frozen=True)
class OverlapColumn:
    """A categorical column as one coordinate per category, 1 in its own and 0 in the others.

    Two categories are as far apart as two numbers of a scaled column typically are. A missing or
    unseen category is 0 in all coordinates: nearer to each category than they are to each other.
    """

    name: Hashable
    categories: tuple[Hashable, ...]

    @property
    def width(self) -> int:
        """Number of coordinates."""
        return len(self.categories)

    def read(self, table: Table, i: int) -> NDArray[np.int64]:
        """Return the category (n,) of each row in the training data, -1 = missing or unseen."""
        now = table.categorical(i)
        index = {category: i for i, category in enumerate(self.categories)}
        known = [index.get(category, -1) for category in now.categories]
        return np.asarray(np.array([*known, -1], dtype=np.int64)[now.codes])

    def fill(self, codes: NDArray[np.int64], points: NDArray[np.float64]) -> None:
        """Write 1 to the coordinate of each row's category, in points (n, width) of zeros."""
        rows = np.flatnonzero(codes >= 0)
        points[rows, codes[rows]] = 1.0

    def block(self, codes: NDArray[np.int64]) -> sp.csr_array:
        """Return a sparse matrix (n, width) with one entry per row that has a known category."""
        has = codes >= 0
        pointer = np.concatenate(([0], np.cumsum(has)))
        shape = (len(codes), self.width)
        return sp.csr_array((np.ones(pointer[-1]), codes[has], pointer), shape=shape)


@dataclass(frozen=True)
class Embedding:
    """Columns of a table as coordinates of points."""

    columns: tuple[ScaledColumn | OverlapColumn | None, ...]

    def points(self, X: Any) -> Points:
        """Return points of shape (n, width) for a table with the columns of the training data."""
        table = read_table(X)
        read = [c.read(table, i) if c else None for i, c in enumerate(self.columns)]
        return self.points_of(table.n_rows, read)

    def points_of(self, n_rows: int, read: Sequence[Array | None]) -> Points:
        """Return points of shape (n, width) of what was read of each column."""
        used: list[tuple[Any, Any]] = [
            (column, now) for column, now in zip(self.columns, read, strict=True) if column
        ]
        widths = [column.width for column, _ in used]
        # Without categories, points are dense, however many coordinates they have.
        if sum(widths) > max(DENSE_COORDINATES, len(used)):
            return sp.csr_array(sp.hstack([column.block(now) for column, now in used], "csr"))
        points = np.zeros((n_rows, max(1, sum(widths))))
        ends = np.cumsum(widths)
        for (column, now), last in zip(used, ends, strict=True):
            column.fill(now, points[:, last - column.width : last])
        return points


def learn_raw(X: Any) -> tuple[RawPoints, Points]:
    """Take numbers as they are; return how, and the points."""
    return RawPoints(), RawPoints().points(X)


def learn_embedding(X: Any) -> tuple[Embedding | RawPoints, Points]:
    """Learn the center and the spread of every numeric column, and the categories of the others.

    Numbers that share one range, such as the pixels of images, are already in one unit and keep
    it. Sparse matrices are left as they are. The points of X are returned too, so that every
    column is read once.
    """
    if sp.issparse(X):
        return learn_raw(X)
    table = read_table(X)
    read = [
        table.numeric(i) if column.ordered else table.categorical(i)
        for i, column in enumerate(table.columns())
    ]
    spreads = {i: _spread_of(now) for i, now in enumerate(read) if isinstance(now, NumericColumn)}
    unit = _shared_unit(list(spreads.values()))
    embedding = Embedding(
        tuple(
            _overlapping(now) if isinstance(now, CategoricalColumn) else _scaled(spreads[i], unit)
            for i, now in enumerate(read)
        )
    )
    values = [now.values if isinstance(now, NumericColumn) else now.codes for now in read]
    return embedding, embedding.points_of(table.n_rows, values)


@dataclass(frozen=True)
class _Spread:
    """Location and scale of the finite values of a column."""

    column: NumericColumn
    least: float
    most: float
    median: float
    bulk: float
    """Distance between the 5 % and the 95 % quantile."""
    deviation: float
    """Standard deviation; 0 if all values are equal."""
    is_binary: bool


def _spread_of(column: NumericColumn) -> _Spread:
    """Return range, median and spread of the finite values of a column."""
    finite = column.values[np.isfinite(column.values)]
    if not len(finite):
        return _Spread(column, 0.0, 0.0, 0.0, 0.0, 0.0, is_binary=True)
    if float(finite.max()) - float(finite.min()) == np.inf:
        raise ColumnError(
            f"Column {column.name!r} holds values from {finite.min():g} to {finite.max():g}, whose "
            "distance is beyond the range of floats: divide the column by a constant, or drop it."
        )
    least, low, median, high, most = np.quantile(finite, [0.0, 0.05, 0.5, 0.95, 1.0]).tolist()
    deviation = _deviation(finite) if least < most else 0.0
    is_binary = not bool(((finite > least) & (finite < most)).any())
    return _Spread(column, least, most, median, high - low, deviation, is_binary)


def _deviation(values: NDArray[np.float64]) -> float:
    """Return the standard deviation, from numbers scaled to about 1: no overflow."""
    exponent = np.frexp(np.abs(values).max())[1]
    return float(np.ldexp(np.std(np.ldexp(values, -exponent)), exponent))


def _shared_unit(spreads: list[_Spread]) -> float | None:
    """Return a common scale, if the columns with more than two values mostly share one range."""
    several = [spread for spread in spreads if not spread.is_binary]
    if len(several) < 2:
        return None
    # Quarters: the sum of two ranges could overflow.
    whole = max(s.most for s in several) / 4 - min(s.least for s in several) / 4
    if np.median([s.most / 4 - s.least / 4 for s in several]) < ALMOST_ALL * whole:
        return None
    deviations = np.array([s.deviation for s in spreads if s.deviation > 0])
    exponent = np.frexp(deviations.max())[1]
    return float(np.ldexp(np.sqrt(np.mean(np.ldexp(deviations, -exponent) ** 2)), exponent))


def _scaled(spread: _Spread, unit: float | None) -> ScaledColumn | None:
    """Return a numeric column as a coordinate, None if it is constant."""
    if spread.deviation == 0.0:
        return None
    column = spread.column
    if unit is not None:
        return ScaledColumn(column.name, Kind(column.kind), spread.median, unit, BEYOND)
    # If nine values in ten are equal, the quantiles coincide, but the deviation is not 0.
    scale = spread.bulk / NORMAL_BULK or spread.deviation
    return ScaledColumn(column.name, Kind(column.kind), spread.median, scale, FARTHEST)


def _overlapping(column: CategoricalColumn) -> OverlapColumn | None:
    """Return a categorical column as coordinates, None if it is constant."""
    if len(column.categories) < 2:
        return None
    return OverlapColumn(column.name, column.categories)
