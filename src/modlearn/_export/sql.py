"""A model as one SQL statement: label, probabilities and reasons of every row of a table.

The statement is a chain of subqueries. Each adds columns to the one before: the columns
that are kept (``k0``, ...), the cells that the model reads (``c0``), the parts that they fall in
(``g0``), scores (``s0``), their exponentials (``e0``), and from these what is selected in the end.
Parts are counted from 1; part 0 is a value that was never seen in the training data. Scores are
added in the order in which the model adds them, so that ties are ties in a database, too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import floor, inf
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from modlearn._export.axes import (
    axes_of,
    cell_numbers,
    cell_scores,
    number_of_category,
    strides_of,
    used_axes,
)
from modlearn._export.dialects import DIALECTS, view_sql
from modlearn._export.sql_writer import Writer, double
from modlearn._files import write_whole
from modlearn._model.additive import AdditiveModel, Term
from modlearn._model.decision import Decision
from modlearn._model.partitions import Groups, Intervals, Partition
from modlearn._tables.cells import EXACT_INTEGERS
from modlearn._tables.spelling import LAST_SERIAL, SERIAL_OF_1970, amounts_sql, dates_sql
from modlearn.errors import ColumnError
from modlearn.schema import EXCEL, Column, Kind, free_names, listed, prediction_names

__all__ = ["Statement", "scoring_sql", "write_model"]

LEAST_EXPONENT = -730
"""Classes whose score is lower than the highest by more have probability 0, because PostgreSQL
refuses exp(-750)."""

MOST_IN_LIST = 1000
"""Most values in one list of Oracle, and in one that DuckDB searches value by value."""

TEMPLATE = "source_of_template"
"""Name of the table while the statement is written, where it is a template of dbt."""

LARGEST = np.finfo(np.float64).max


def write_model(model: AdditiveModel, path: str | PathLike[str], **options: Any) -> None:
    """Write the statement to a file; the options are those of ``to_sql``."""
    write_whole(Path(path), model.to_sql(**options) + "\n")


def scoring_sql(
    model: AdditiveModel,
    dialect: str,
    table: str | None,
    keep: Sequence[Hashable] | None,
    reasons: Sequence[str],
    n_reasons: int,
) -> str:
    """Return the statement; `reasons` has a sentence per used term, part and class."""
    known = DIALECTS.get(dialect)
    if known is None:
        raise ValueError(f"There is no dialect {dialect!r}: pass one of {', '.join(DIALECTS)}.")
    sqlglot = _import_sqlglot()
    written = Writer(dialect, known)
    source = "table_to_score" if table is None else table
    is_template = source.startswith("{{") and source.endswith("}}")
    kept = [str(name) for name in (model.used_columns if keep is None else keep)]
    statement = Statement(model, written, TEMPLATE if is_template else source, kept)
    text = statement.text(n_reasons, reasons)
    found = sqlglot.parse_one(text, read=dialect).sql(dialect, pretty=True, comments=False)
    return _filled_in(found, written.name(TEMPLATE), source) if is_template else str(found)


def _filled_in(statement: str, name: str, template: str) -> str:
    """Return a statement with a template for the name of its table, which dbt fills in."""
    before, _, after = statement.partition(f"FROM {name}")
    if any(mark in statement for mark in ("{{", "{%", "{#")):  # in names or values
        before, after = (f"{{% raw %}}{text}{{% endraw %}}" for text in (before, after))
    return f"{before}FROM {template}{after}"


def _import_sqlglot() -> Any:
    try:
        import sqlglot
    except ImportError:
        raise ImportError(
            "SQL is written with SQLGlot, which is not installed: pip install 'modlearn[sql]'"
        ) from None
    return sqlglot


@dataclass
class Statement:
    """The chain of subqueries.

    Parameters
    ----------
    model : AdditiveModel
        The model.
    write : Writer
        Writes in a dialect.
    table : str
        Name of the table to score.
    kept : list of str
        Columns of the table that are selected, too.
    stages : list of list of str
        The columns that each subquery adds.
    """

    model: AdditiveModel
    write: Writer
    table: str
    kept: list[str]
    stages: list[list[str]] = field(default_factory=list)

    @cached_property
    def axes(self) -> list[Partition]:
        """The partitions that rows are located in."""
        return used_axes(self.model)

    def text(self, n_reasons: int, reasons: Sequence[str]) -> str:
        """The whole statement."""
        self.add_scores()
        selected = [f"k{i} AS {self.write.name(name)}" for i, name in enumerate(self.kept)]
        J = len(self.model.classes)
        classes = [self.write.value(label) for label in self.model.classes.tolist()]
        values = [self.label(classes), *(f"e{j} / total" for j in range(J))]
        if n_reasons:
            values += self._reasons(n_reasons, reasons)
        names = map(self.write.name, self._new_names(n_reasons))
        selected += [f"{value} AS {name}" for value, name in zip(values, names, strict=True)]
        return self.chained([(selected, "")])

    @property
    def source(self) -> str:
        """What follows the FROM of the first subquery."""
        return f"{self.write.table(self.table)} AS input"

    def chained(self, queries: Sequence[tuple[Sequence[str], str]]) -> str:
        """Write the subqueries one after the other, under names that the table does not have.

        The queries of the last one, each with what it selects and what follows it, are united.
        """
        steps = [f"step_{i + 1}" for i in range(len(self.stages))]
        names = free_names(steps, [self.table.split(".")[-1]])
        fence, subqueries, before = self.write.dialect.fence, [], self.source
        for i, (name, columns) in enumerate(zip(names, self.stages, strict=True)):
            all_before = [f"{names[i - 1]}.*"] if i else []
            subqueries.append(
                f"{name} AS (SELECT {', '.join([*all_before, *columns])} FROM {before} {fence})"
            )
            before = name
        united = " UNION ALL ".join(
            f"SELECT {', '.join(selected)} FROM {before} {rest}".rstrip()
            for selected, rest in queries
        )
        return f"WITH {', '.join(subqueries)} {united}"

    def _new_names(self, n_reasons: int) -> list[str]:
        """Names of the new columns, which differ from those kept and are not too long."""
        names = prediction_names(self.model.target, n_reasons)
        most = self.write.dialect.longest_name
        short = [name if len(name.encode()) <= most else _cut(name, most - 8) for name in names]
        return free_names(short, self.kept)

    def columns(self) -> list[str]:
        """The columns that are kept, from the table."""
        return [f"input.{self.write.name(name)} AS k{i}" for i, name in enumerate(self.kept)]

    def add_scores(self) -> None:
        """Add the steps from the table to exponentials of scores, and to costs if they decide."""
        write, model = self.write, self.model
        J = range(len(model.classes))
        cells = list(dict.fromkeys(axis.name for axis in self.axes))
        schema = model.schema.by_name
        read = [f"{self.cell(schema[name])} AS c{i}" for i, name in enumerate(cells)]
        self.stages.append([*self.columns(), *read] or ["1 AS k"])
        if self.axes:
            self.stages.append(
                [
                    f"{self._part(axis, f'c{cells.index(axis.name)}')} AS g{i}"
                    for i, axis in enumerate(self.axes)
                ]
            )
        self.stages.append([f"{self._score(j)} AS s{j}" for j in J])
        self.stages.append([f"{write.greatest([f's{j}' for j in J])} AS best"])
        low = LEAST_EXPONENT
        self.stages.append(
            [f"CASE WHEN s{j} - best < {low} THEN 0e0 ELSE EXP(s{j} - best) END AS e{j}" for j in J]
        )
        self.stages.append([f"{' + '.join(f'e{j}' for j in J)} AS total"])
        if model.decision is not None and model.decision.label is None:
            self._add_costs(model.decision)

    def cell(self, column: Column) -> str:
        """What the model reads of a column: a number, a text or a truth value; NULL = missing."""
        read = column.read
        x = f"input.{self.write.name(read.name)}"
        cell = self._source(x, read)
        if column.view is None:
            return cell
        if read.format is not None and "{x}" in column.view.sql.get(self.write.key, ""):
            raise self._unread(read)
        return view_sql(column, self.write.key, cell, x)

    def _source(self, x: str, read: Column) -> str:
        """A column of the table as the model or a view reads it."""
        dialect = self.write.dialect
        if read.kind is Kind.DURATION and dialect.duration is None:
            raise ColumnError(
                f"Column {read.name!r} holds durations, which {dialect.title} has no type for: "
                "train the model on a number, such as its seconds."
            )
        if read.kind is Kind.DATETIME:
            return self._instant(x, read)
        if read.kind is Kind.DURATION:
            return str(dialect.duration).format(x=x)
        if read.kind is Kind.NUMERIC:
            return self._number(x, read)
        return dialect.text.format(x=x) if read.kind is Kind.TEXT else x

    def _instant(self, x: str, column: Column) -> str:
        """Microseconds since 1970 of a date, or of a text in the format of the column."""
        dialect = self.write.dialect
        if column.format is None:
            return dialect.instant.format(x=x)
        if column.format == EXCEL:
            days = dialect.number.format(x=x)
            us = f"ROUND(({days} - {SERIAL_OF_1970}) * 86400000) * 1000"
            return f"(CASE WHEN {days} BETWEEN 1 AND {LAST_SERIAL} THEN {us} END)"
        if not dialect.reads_formats:
            raise self._unread(column)
        return f"({dates_sql(dialect.text.format(x=x), column.format)})"

    def _number(self, x: str, column: Column) -> str:
        """A number, or that of a text in the format of the column."""
        if column.format is not None:
            if not self.write.dialect.reads_formats:
                raise self._unread(column)
            x = f"({amounts_sql(self.write.dialect.text.format(x=x), column.format)})"
        partition = self.model.partitions.get(column.name)
        if isinstance(partition, Groups) and _needs_integers(partition):
            return x
        return self.write.dialect.number.format(x=x)

    def _unread(self, column: Column) -> ColumnError:
        """The error for a format that the dialect cannot read."""
        what = "dates" if column.kind is Kind.DATETIME else "numbers"
        return ColumnError(
            f"Column {column.name!r} holds {what} in the format {column.format!r}, which cannot be "
            f"read in {self.write.dialect.title}: convert the column in the training table, and "
            "train the model again."
        )

    def _part(self, axis: Partition, cell: str) -> str:
        """The part of a cell, from 1; 0 = unseen."""
        if isinstance(axis, Intervals):
            return self._interval(axis, cell)
        assert isinstance(axis, Groups)
        return self._group(axis, cell)

    def _interval(self, axis: Intervals, cell: str) -> str:
        first = 1 + axis.missing_alone
        if axis.n_parts == 1:
            return "1"
        whole = axis.kind != Kind.NUMERIC
        cases = [f"WHEN {cell} IS NULL THEN 1"]
        cases += [
            f"WHEN {_at_most(cell, cut, whole)} THEN {first + i}"
            for i, cut in enumerate(axis.cuts.tolist())
        ]
        return f"CASE {' '.join(cases)} ELSE {axis.n_parts} END"

    def _group(self, axis: Groups, cell: str) -> str:
        _refuse_mixed(axis)
        groups = [self._categories(group, axis) for group in axis.groups]
        n_values = sum(map(len, groups))
        cases = [f"WHEN {cell} IS NULL THEN {i}" for i, g in enumerate(axis.groups, 1) if None in g]
        other = "0"
        if self.write.dialect.position is not None and len(groups) < n_values <= MOST_IN_LIST:
            other = self._group_by_position(groups, cell)
        else:
            cases += [
                f"WHEN {' OR '.join(_one_of(cell, values))} THEN {i}"
                for i, values in enumerate(groups, 1)
                if values
            ]
        return f"CASE {' '.join(cases)} ELSE {other} END" if cases else other

    def _categories(self, group: Iterable[Hashable], axis: Groups) -> list[str]:
        """The values of a group as they are compared with cells, without the missing value."""
        column = self.model.schema.by_name[axis.name]
        values = [self._category(value, column) for value in group if value is not None]
        return [value for value in values if value is not None]

    def _group_by_position(self, groups: list[list[str]], cell: str) -> str:
        """The group of a cell, by its position in the list of all values; 0 = unseen."""
        all_values = ", ".join(value for values in groups for value in values)
        found = str(self.write.dialect.position).format(values=all_values, x=cell)
        numbers = [str(i) for i, values in enumerate(groups, 1) for _ in values]
        return self.write.lookup(dict(enumerate(numbers, 1)), f"COALESCE({found}, 0)", "0")

    def _category(self, value: Hashable, column: Column) -> str | None:
        """A value as it is compared with cells; None if no cell can equal it."""
        if column.view is not None or column.kind in (Kind.DATETIME, Kind.DURATION):
            number = number_of_category(value, column)
            return None if number is None else str(number)
        return self.write.value(value) if self.write.can_hold(value) else None

    def _index(self, term: Term) -> str:
        """The number of the cell that a row falls in; one with a 0 on any axis is unseen."""
        parts = [f"g{self.axes.index(axis)}" for axis in axes_of(term)]
        if len(parts) == 1:
            return parts[0]
        *others, last = zip(parts, strides_of(term), strict=True)
        return f"({' + '.join(f'{part} * {stride}' for part, stride in others)} + {last[0]})"

    def _score(self, j: int) -> str:
        """Base plus what each term adds, in their order."""
        write = self.write
        added = [write.score(self.model.base[j])]
        for term, table in zip(self.model.used_terms, self.model.tables, strict=True):
            scores = map(write.score, cell_scores(term, table)[:, j].tolist())
            lines = dict(zip(cell_numbers(term), scores, strict=True))
            added.append(write.lookup(lines, self._index(term), write.score(0.0)))
        return " + ".join(added)

    def label(self, names: Sequence[str]) -> str:
        """The name of the predicted class: the first one with the highest score, or as decided."""
        decision = self.model.decision
        if decision is not None and decision.label is not None:
            one, other = names[decision.label], names[1 - decision.label]
            is_label = f"e{decision.label} / total >= {double(decision.threshold or 0)}"
            return f"CASE WHEN {is_label} THEN {one} ELSE {other} END"
        score, highest = ("s", "best") if decision is None else ("v", "cheapest")
        cases = " ".join(
            f"WHEN {score}{j} = {highest} THEN {name}" for j, name in enumerate(names[:-1])
        )
        return f"CASE {cases} ELSE {names[-1]} END" if cases else names[-1]

    def _add_costs(self, decision: Decision) -> None:
        """Add the steps that find the class of least expected cost, the highest with a minus."""
        J = range(len(self.model.classes))
        expected = [f"1e0 - e{j} / total" for j in J]
        for one in decision.costs:
            expected[one.predicted] += f" + {double(one.cost - 1.0)} * (e{one.truth} / total)"
        self.stages.append([f"-({expected[j]}) AS v{j}" for j in J])
        self.stages.append([f"{self.write.greatest([f'v{j}' for j in J])} AS cheapest"])

    def _reasons(self, n_reasons: int, sentences: Sequence[str]) -> list[str]:
        """Add the steps that find the strongest terms, and return their sentences."""
        write, terms = self.write, self.model.used_terms
        J, K = len(self.model.classes), len(terms)
        missing = f"CAST(NULL AS {write.dialect.cast_text})"
        if J == 1 or K == 0:
            return [missing] * n_reasons
        self.stages.append(
            [
                f"{self.label([str(j) for j in range(J)])} AS own",
                *(f"e{j} / total AS p{j}" for j in range(J)),
            ]
        )
        others = [f"CASE WHEN own = {j} THEN -1e0 ELSE p{j} END" for j in range(J)]
        self.stages.append([f"{others[j]} AS q{j}" for j in range(J)])
        self.stages.append([f"{write.greatest([f'q{j}' for j in range(J)])} AS next_best"])
        cases = " ".join(f"WHEN q{j} = next_best THEN {j}" for j in range(J - 1))
        self.stages.append([f"CASE {cases} ELSE {J - 1} END AS rival"])
        self.stages.append([f"{self._evidence(k)} AS d{k}" for k in range(K)])
        found = []
        for n in range(min(n_reasons, K)):
            found.append(self._strongest(n, sentences))
        return found + [missing] * (n_reasons - len(found))

    def _evidence(self, k: int) -> str:
        """What a term adds to the score of the label minus what it adds to that of the rival."""
        term, table, write = self.model.used_terms[k], self.model.tables[k], self.write
        own, rival = (
            write.lookup(
                self._cells(term, map(write.score, cell_scores(term, table).ravel().tolist())),
                f"({self._index(term)} * {len(self.model.classes)} + {name})",
                write.score(0.0),
            )
            for name in ("own", "rival")
        )
        return f"{own} - {rival}"

    def _cells(self, term: Term, values: Iterable[str]) -> dict[int, str]:
        """Values of a term by cell and class, under the numbers of both."""
        J = len(self.model.classes)
        keys = (number * J + j for number in cell_numbers(term) for j in range(J))
        return dict(zip(keys, values, strict=True))

    def _strongest(self, n: int, sentences: Sequence[str]) -> str:
        """Add the steps that find the term of rank n, and return its sentence."""
        terms, J = self.model.used_terms, len(self.model.classes)
        ranked = " OR ".join(f"r{i} = {{k}}" for i in range(n))
        strengths = [
            f"CASE WHEN {ranked.format(k=k)} THEN -1e0 ELSE ABS(d{k}) END" if n else f"ABS(d{k})"
            for k in range(len(terms))
        ]
        self.stages.append([f"{self.write.greatest(strengths)} AS m{n}"])
        cases = " ".join(f"WHEN {s} = m{n} THEN {k}" for k, s in enumerate(strengths))
        self.stages.append([f"CASE {cases} END AS r{n}"])
        chosen, first = [], 0
        for k, term in enumerate(terms):
            texts = sentences[first : (first := first + term.scored.n_parts * J)]
            texts = [texts[part * J + j] for part in term.scored.part_of_cell for j in range(J)]
            index = f"({self._index(term)} * {J} + CASE WHEN d{k} > 0 THEN own ELSE rival END)"
            cells = self._cells(term, map(self.write.text, texts))
            chosen.append(f"WHEN {k} THEN {self.write.lookup(cells, index, 'NULL')}")
        return f"CASE WHEN m{n} > 0 THEN CASE r{n} {' '.join(chosen)} END END"


def _at_most(cell: str, cut: float, whole: bool) -> str:
    """Whether a cell is left of a cut."""
    if cut == inf:
        return f"{cell} IS NOT NULL"
    if cut == -inf:
        return f"{cell} < {double(-LARGEST)}"
    return f"{cell} <= {floor(cut) if whole else double(cut)}"


def _one_of(cell: str, values: list[str]) -> list[str]:
    """Conditions, one for each list, that the cell is one of the values."""
    if len(values) == 1:
        return [f"{cell} = {values[0]}"]
    pieces = [values[i : i + MOST_IN_LIST] for i in range(0, len(values), MOST_IN_LIST)]
    return [f"{cell} IN ({', '.join(piece)})" for piece in pieces]


def _refuse_mixed(axis: Groups) -> None:
    """Raise if categories are numbers and texts, which no column of a database holds."""
    values = [value for group in axis.groups for value in group if value is not None]
    texts = [value for value in values if isinstance(value, str)]
    if texts and len(texts) < len(values):
        others = [value for value in values if not isinstance(value, str)]
        raise ColumnError(
            f"Column {axis.name!r} holds both texts, such as {listed(texts[:1], 1)}, and "
            f"numbers, such as {others[0]}, which a column of a database cannot: convert it to "
            "text, and train the model again."
        )


def _needs_integers(axis: Groups) -> bool:
    """Whether categories are integers that doubles do not distinguish."""
    return any(
        isinstance(v, int) and abs(v) > EXACT_INTEGERS for group in axis.groups for v in group
    )


def _cut(name: str, most: int) -> str:
    """A name cut to a number of bytes."""
    return name.encode()[:most].decode(errors="ignore")
