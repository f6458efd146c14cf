"""Test rows that an engine scores: the model as SQL, and one GROUP BY over what it predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from modlearn._evaluate.measures import SMALLEST
from modlearn._export.sql import Statement
from modlearn._export.sql_writer import Writer, double
from modlearn._model.additive import AdditiveModel
from modlearn._model.limits import CALIBRATION_BINS
from modlearn._statistics.scores import FINEST, LEAST_SHARE, RankCounts, ScoredRows
from modlearn._tables.memory.rows import MemoryRows
from modlearn.errors import ColumnError, EngineError, ModelError
from modlearn.schema import Column, TargetSpec

if TYPE_CHECKING:
    from modlearn._engines.engine import Engine
    from modlearn._engines.table import EngineTable

__all__ = ["EngineScorer"]

FEWEST_SCORED = 200_000
"""Fewer test rows are read: they take little memory, and their curves are exact."""

MOST_GROUPS = 1_000_000
"""Most groups of scored rows that are read."""

STEPS = {False: (FINEST, FINEST // 10), True: (FINEST // 10, FINEST // 100)}
"""Steps of log-odds that are tried if rows are ranked by one class, and by several."""

MOST_RANKED = 100
"""Most classes by whose probabilities rows are ranked in one query."""


@dataclass(eq=False)
class EngineScorer:
    """Scores the labeled rows of some folds.

    Parameters
    ----------
    table : EngineTable
        The table.
    target : TargetSpec
        The classes of the rows; those of classes without rows are left out.
    condition : str
        SQL that is true for the rows.
    sample_rows : MemoryRows
        A sample of them.
    n_scored : int, default=0
        Number of rows that were scored; filled in by scoring.
    steps : int
        Curves and AUC use log-odds rounded to 1/steps; filled in by scoring.
    failure : str, default=""
        Why the rows could not be scored, in the words of the engine; filled in by scoring.
    """

    table: EngineTable
    target: TargetSpec
    condition: str
    sample_rows: MemoryRows
    n_scored: int = 0
    steps: int = FINEST
    failure: str = ""

    @property
    def engine(self) -> str:
        """Name of the engine."""
        return self.table.dialect.title

    @property
    def sample(self) -> MemoryRows:
        """The rows of the sample that are among them."""
        rows, known = self.sample_rows, np.flatnonzero(self.target.counts)
        return rows.at(np.flatnonzero(np.isin(rows.batch.labels, known)))

    def scored(
        self, model: AdditiveModel, positive: int | None, ranked: Sequence[int]
    ) -> ScoredRows | None:
        """Score the rows; None if they are few, if the sample has none, or if the engine fails."""
        n_rows = int(self.target.counts.sum())
        few = n_rows < FEWEST_SCORED or self.table.is_whole(self.sample_rows)
        if few or len(ranked) > MOST_RANKED or not self.sample.n_rows:
            return None
        for steps in STEPS[len(ranked) > 1]:
            try:
                statement = self.statement(model, positive, ranked, steps)
                found = self.table.ask(statement)
            except (ColumnError, EngineError, ModelError) as error:
                self.failure = str(error)  # reading the rows raises what is wrong with the table
                return None
            if len(found[0]) <= MOST_GROUPS:
                self.n_scored, self.steps = n_rows, steps
                return _as_scored(found, len(model.classes), ranked, FINEST // steps)
        return None

    def statement(
        self, model: AdditiveModel, positive: int | None, ranked: Sequence[int], steps: int
    ) -> str:
        """Return the SQL that scores the rows and counts them, with log-odds in steps."""
        known = ", ".join(map(str, np.flatnonzero(self.target.counts).tolist()))
        wanted = f"({self.table.class_sql}) IN ({known}) AND ({self.condition})"
        engine = self.table.engine
        write = _EngineWriter(engine.key, self.table.dialect, engine)
        source = f"{self.table.relation} WHERE {wanted}"
        return _CountedScores(model, write, source, [], engine_table=self.table).counted(
            positive, ranked, steps
        )


def _as_scored(
    groups: Sequence[NDArray[Any]], n_classes: int, ranked: Sequence[int], width: int
) -> ScoredRows:
    """Return what the query found; a step of its log-odds is `width` of the finest ones."""
    which, keys, rows = (one.astype(np.int64) for one in groups[:3])
    losses, chances = (one.astype(np.float64) for one in groups[3:])
    shape = (n_classes, n_classes, CALIBRATION_BINS)
    in_cells = which < 0
    cells = np.zeros(shape, dtype=np.int64)
    cells.reshape(-1)[keys[in_cells]] = rows[in_cells]
    of_bins = np.zeros(CALIBRATION_BINS)
    np.add.at(of_bins, keys[in_cells] % CALIBRATION_BINS, chances[in_cells])
    rankings = {}
    for k, label in enumerate(ranked):
        some = which == k
        scores, is_class = np.divmod(keys[some], 2)
        rankings[label] = RankCounts.of(scores * width, is_class == 1, rows[some])
    return ScoredRows(cells, of_bins, float(losses[in_cells].sum()), rankings)


@dataclass(frozen=True)
class _EngineWriter(Writer):
    """Writes values as the engine does."""

    engine: Engine

    def text(self, value: str) -> str:
        """A text in quotes."""
        return self.engine.text(value)


@dataclass
class _CountedScores(Statement):
    """The statement that scores rows and counts them.

    It reads cells by the SQL that training counts them by.

    Parameters
    ----------
    engine_table : EngineTable
        The table; what follows FROM, with the condition, is passed as the name of the table.
    """

    engine_table: EngineTable = field(kw_only=True)

    @property
    def source(self) -> str:
        """The table, and which of its rows are scored."""
        return self.table

    def columns(self) -> list[str]:
        """The class of a row."""
        return [f"{self.engine_table.class_sql} AS truth"]

    def cell(self, column: Column) -> str:
        """The cell of a column or of a view, as it is counted."""
        return self.engine_table.column(column).value

    def counted(self, positive: int | None, ranked: Sequence[int], steps: int) -> str:
        """Return the statement, whose groups are cells and the ranks of each class."""
        J = len(self.model.classes)
        self.add_scores()
        of_class = " ".join(f"WHEN {j} THEN e{j}" for j in range(J))
        self.stages.append(
            [
                f"{self.label([str(j) for j in range(J)])} AS label",
                f"CASE truth {of_class} END / total AS own",
                *(f"{self._rank(j, steps)} AS r{k}" for k, j in enumerate(ranked)),
            ]
        )
        best = f"CASE label {of_class} END" if positive is None else f"e{positive}"
        self.stages.append([f"{best} / total AS chance"])
        bins = f"FLOOR(chance * {CALIBRATION_BINS})"
        bins = f"CASE WHEN chance < 1 THEN {bins} ELSE {CALIBRATION_BINS - 1} END"
        small = self.write.dialect.small_integer
        cell = f"(truth * {J} + label) * {CALIBRATION_BINS} + CAST({bins} AS {small})"
        self.stages.append([f"{cell} AS cell"])
        keys = ["cell", *(f"r{k}" for k in range(len(ranked)))]
        # As in memory, one row must not cost infinity.
        bounded = (
            f"CASE WHEN own < {double(SMALLEST)} THEN {double(SMALLEST)} "
            f"WHEN own > {double(1 - SMALLEST)} THEN {double(1 - SMALLEST)} ELSE own END"
        )
        sums = ["COUNT(*) AS n", f"SUM(-LN({bounded})) AS loss", "SUM(chance) AS chances"]
        return f"{self.chained(self._groups(keys, sums))} LIMIT {MOST_GROUPS + 1}"

    def _groups(self, keys: list[str], sums: list[str]) -> list[tuple[list[str], str]]:
        """Queries of sums by each key: one of all keys, where the dialect has it."""
        if not self.write.dialect.grouping_sets:
            return [
                ([f"{k - 1} AS which", f"{key} AS group_key", *sums], f"GROUP BY {key}")
                for k, key in enumerate(keys)
            ]
        which = " ".join(f"WHEN GROUPING({key}) = 0 THEN {k - 1}" for k, key in enumerate(keys))
        key = f"COALESCE({', '.join(keys)})" if len(keys) > 1 else "cell"
        sets = ", ".join(f"({key})" for key in keys)
        selected = [f"CASE {which} END AS which", f"{key} AS group_key", *sums]
        return [(selected, f"GROUP BY GROUPING SETS ({sets})")]

    def _rank(self, label: int, steps: int) -> str:
        """Twice the log-odds of a class in steps, and 1 more if it is the true one."""
        others = " + ".join(f"e{j}" for j in range(len(self.model.classes)) if j != label) or "0e0"
        least = double(LEAST_SHARE)
        own, rest = (
            f"LN(CASE WHEN ({one}) / total < {least} THEN {least} ELSE ({one}) / total END)"
            for one in (f"e{label}", others)
        )
        integer = self.write.dialect.integer
        score = f"CAST(FLOOR(({own} - {rest}) * {steps} + 0.5) AS {integer})"
        return f"{score} * 2 + CASE WHEN truth = {label} THEN 1 ELSE 0 END"
