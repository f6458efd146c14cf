"""A model as an ONNX graph of a dozen nodes, whatever its number of terms.

Numbers of all columns are compared with all bounds at once, and a product of matrices turns the
comparisons into parts; texts are looked up. A second product turns parts into lines of one table of
scores, which are added. Everything up to the scores is exact; they are added in double precision.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from modlearn._export.axes import (
    axes_of,
    cell_numbers,
    cell_scores,
    is_text,
    number_of_view,
    steps_of,
    strides_of,
    used_axes,
)
from modlearn._files import whole_file
from modlearn._model.additive import AdditiveModel
from modlearn._model.partitions import Groups, Partition
from modlearn.errors import ModelError
from modlearn.schema import Column, Kind

__all__ = ["write_model"]

OPSETS = {"": 18, "ai.onnx.ml": 2}
IR_VERSION = 8
"""Versions that runtimes of 2023 and later know."""

MISSING_INTEGER = np.iinfo(np.int64).min
"""A missing date, as NumPy has it."""


def write_model(model: AdditiveModel, path: str | PathLike[str], precision: str = "double") -> None:
    """Write the model; numbers and probabilities have a precision, double or float."""
    if precision not in ("double", "float"):
        raise ValueError(f"precision is {precision!r}: pass 'double' or 'float'.")
    if not model.used_terms:
        raise ModelError(
            "The model uses no column: it predicts the same for every row, and ONNX has no model "
            "without inputs."
        )
    _import_onnx()
    content = _Graph(model, precision).finished().SerializeToString()
    with whole_file(Path(path)) as temporary:
        temporary.write_bytes(content)


def _import_onnx() -> Any:
    try:
        import onnx
    except ImportError:
        raise ImportError(
            "ONNX files are written with onnx, which is not installed: pip install 'modlearn[onnx]'"
        ) from None
    return onnx


@dataclass
class _Graph:
    """Collects the nodes of a graph."""

    model: AdditiveModel
    precision: str
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def finished(self) -> Any:
        """The whole model."""
        onnx = _import_onnx()
        self._score()
        helper, type_ = onnx.helper, self._type_of_numbers()
        columns = [self.model.schema.sources[name] for name in self.model.used_columns]
        inputs = [
            helper.make_tensor_value_info(str(c.name), self._type_of(c), [None, 1]) for c in columns
        ]
        labels = self.constants[-1].data_type
        outputs = [
            helper.make_tensor_value_info("label", labels, [None]),
            helper.make_tensor_value_info("probabilities", type_, [None, len(self.model.classes)]),
        ]
        graph = helper.make_graph(self.nodes, "modlearn", inputs, outputs, self.constants)
        opsets = [helper.make_opsetid(domain, version) for domain, version in OPSETS.items()]
        found = helper.make_model(graph, opset_imports=opsets, producer_name="modlearn")
        found.ir_version = IR_VERSION
        helper.set_model_props(found, self._properties())
        onnx.checker.check_model(found)
        return found

    def _properties(self) -> dict[str, str]:
        """What a caller must know that the graph does not say."""
        missing = {
            str(axis.name): _missing_text(self.model, axis.name)
            for axis in used_axes(self.model)
            if is_text(self.model.schema.by_name[axis.name])
        }
        return {
            "classes": json.dumps(self.model.target.class_names),
            "missing_texts": json.dumps(missing),
        }

    def _type_of_numbers(self) -> int:
        onnx = _import_onnx()
        types = {"double": onnx.TensorProto.DOUBLE, "float": onnx.TensorProto.FLOAT}
        return int(types[self.precision])

    def _type_of(self, column: Column) -> int:
        onnx = _import_onnx()
        if column.kind in (Kind.DATETIME, Kind.DURATION):
            return int(onnx.TensorProto.INT64)
        return int(onnx.TensorProto.STRING) if is_text(column) else self._type_of_numbers()

    def add(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node, and return the name of its output."""
        name = f"modlearn/{kind} {len(self.nodes)}"
        self.nodes.append(
            _import_onnx().helper.make_node(kind, inputs, [name], domain=domain, **attributes)
        )
        return name

    def constant(self, values: Any) -> str:
        """Add an array, and return its name."""
        name = f"modlearn/constant {len(self.constants)}"
        self.constants.append(_import_onnx().numpy_helper.from_array(np.asarray(values), name))
        return name

    def cast(self, tensor: str, type_: str) -> str:
        return self.add("Cast", tensor, to=getattr(_import_onnx().TensorProto, type_))

    def _score(self) -> None:
        """Add everything between inputs and outputs."""
        model = self.model
        lines = self.cast(self._lines(), "INT64")
        added = self.add("Gather", self.constant(self._table()), lines, axis=0)
        total = self.add("ReduceSum", added, self.constant([1]), keepdims=0)
        scores = self.add("Add", total, self.constant(model.base))
        probabilities = self.add("Softmax", scores, axis=1)
        self._output(probabilities, "probabilities")
        labels = self._labels(scores, probabilities)
        self._output(self.add("Gather", self.constant(_plain(model.classes)), labels), "label")

    def _labels(self, scores: str, probabilities: str) -> str:
        """The number of the predicted class: the highest score, or the least expected cost."""
        decision = self.model.decision
        if decision is None:
            return self.add("ArgMax", scores, axis=1, keepdims=0)
        if decision.label is not None:
            label = decision.label
            one = self.add("Gather", probabilities, self.constant(np.int64(label)), axis=1)
            reached = self.add("GreaterOrEqual", one, self.constant(np.float64(decision.threshold)))
            own, other = (self.constant(np.int64(number)) for number in (label, 1 - label))
            return self.add("Where", reached, own, other)
        costs = -np.eye(len(self.model.classes))
        for one_cost in decision.costs:
            costs[one_cost.truth, one_cost.predicted] += one_cost.cost - 1.0
        expected = self.add("MatMul", probabilities, self.constant(costs))
        return self.add("ArgMin", expected, axis=1, keepdims=0)

    def _output(self, tensor: str, name: str) -> None:
        if name == "probabilities":
            kind, to = "Cast", {"to": self._type_of_numbers()}
        else:
            kind, to = "Identity", {}
        self.nodes.append(_import_onnx().helper.make_node(kind, [tensor], [name], **to))

    def _table(self) -> Any:
        """Scores of all terms, one below the other; what unseen values add is zero."""
        pieces = []
        for term, table in zip(self.model.used_terms, self.model.tables, strict=True):
            piece = np.zeros((_n_lines(axes_of(term)), table.shape[1]))
            piece[cell_numbers(term)] = cell_scores(term, table)
            pieces.append(piece)
        return np.concatenate(pieces)

    def _lines(self) -> str:
        """The line of the table for each row and term, as floating-point numbers."""
        axes = used_axes(self.model)
        columns = self.model.schema.by_name
        by_number = [axis for axis in axes if not is_text(columns[axis.name])]
        by_text = [axis for axis in axes if is_text(columns[axis.name])]
        parts = [self._parts(by_number)] if by_number else []
        parts += [self.cast(self._lookup(axis), "DOUBLE") for axis in by_text]
        joined = self.add("Concat", *parts, axis=1)
        order = [*by_number, *by_text]
        factors = np.zeros((len(order), len(self.model.used_terms)))
        offsets, first = [], 0
        for k, term in enumerate(self.model.used_terms):
            offsets.append(first)
            first += _n_lines(axes_of(term))
            for axis, stride in zip(axes_of(term), strides_of(term), strict=True):
                factors[order.index(axis), k] = stride
        products = self.add("MatMul", joined, self.constant(factors))
        return self.add("Add", products, self.constant(np.array(offsets, dtype=np.float64)))

    def _parts(self, axes: Sequence[Partition]) -> str:
        """The parts of numbers, from 1, shape (n, number of axes)."""
        columns = self.model.schema.by_name
        names = list(dict.fromkeys(axis.name for axis in axes))
        cells = self.add("Concat", *(self._numbers(columns[name]) for name in names), axis=1)
        steps = [steps_of(axis, columns[axis.name]) for axis in axes]
        starts = self.constant(np.array([one.start for one in steps], dtype=np.float64))
        bounds = [bound for one in steps for bound in one.bounds]
        which = [
            names.index(axis.name)
            for axis, one in zip(axes, steps, strict=True)
            for _ in one.bounds
        ]
        jumps = np.zeros((len(bounds), len(axes)))
        jumps[np.arange(len(bounds)), [i for i, one in enumerate(steps) for _ in one.bounds]] = [
            jump for one in steps for jump in one.jumps
        ]
        compared = self.add("Gather", cells, self.constant(np.array(which, dtype=np.int64)), axis=1)
        reached = self.add("GreaterOrEqual", compared, self.constant(np.array(bounds, dtype=float)))
        found = self.add("MatMul", self.cast(reached, "DOUBLE"), self.constant(jumps))
        return self.add("Add", found, starts)

    def _numbers(self, column: Column) -> str:
        """The cells of a column as doubles, NaN = missing, shape (n, 1)."""
        read = column.read
        whole = _Integers(self, str(read.name))
        if column.view is not None:
            found = number_of_view(column, whole, "ONNX")
        elif read.kind in (Kind.DATETIME, Kind.DURATION):
            found = whole
        else:
            return self.cast(str(read.name), "DOUBLE")
        is_missing = self.add("Equal", whole.name, self.constant(np.int64(MISSING_INTEGER)))
        nan = self.constant(np.float64(np.nan))
        return self.add("Where", is_missing, nan, self.cast(found.name, "DOUBLE"))

    def _lookup(self, axis: Partition) -> str:
        """The group of a text, from 1; 0 = unseen."""
        assert isinstance(axis, Groups)
        missing = _missing_text(self.model, axis.name)
        known = {
            missing if value is None else str(value): i + 1
            for i, group in enumerate(axis.groups)
            for value in group
        }
        return self.add(
            "LabelEncoder",
            str(axis.name),
            domain="ai.onnx.ml",
            keys_strings=list(known),
            values_int64s=list(known.values()),
            default_int64=0,
        )


def _n_lines(axes: Sequence[Partition]) -> int:
    """Number of lines of a table with one more part per axis, for unseen values."""
    return int(np.prod([axis.n_parts + 1 for axis in axes]))


def _missing_text(model: AdditiveModel, name: Hashable) -> str:
    """Return the text that stands for a missing one: empty, unless that is a category."""
    known = {
        value
        for axis in used_axes(model)
        if axis.name == name and isinstance(axis, Groups)
        for group in axis.groups
        for value in group
    }
    missing = ""
    while missing in known:
        missing += "\N{SYMBOL FOR NULL}"
    return missing


def _plain(classes: Any) -> Any:
    """Return classes of a type that runtimes know."""
    if classes.dtype.kind in "OU":
        return np.array([str(c) for c in classes.tolist()], dtype=object)
    wide = {"i": np.int64, "u": np.int64, "f": np.float64, "b": np.bool_}
    return classes.astype(wide[classes.dtype.kind])


@dataclass(frozen=True)
class _Integers:
    """A tensor of integers, which adds, multiplies and divides like Python's."""

    graph: _Graph
    name: str

    def _with(self, kind: str, other: int | _Integers) -> _Integers:
        named = other.name if isinstance(other, _Integers) else self.graph.constant(np.int64(other))
        return _Integers(self.graph, self.graph.add(kind, self.name, named))

    def __add__(self, other: int | _Integers) -> _Integers:
        return self._with("Add", other)

    def __sub__(self, other: int | _Integers) -> _Integers:
        return self._with("Sub", other)

    def __mul__(self, other: int) -> _Integers:
        return self._with("Mul", other)

    def __mod__(self, other: int) -> _Integers:
        return self._with("Mod", other)

    def __floordiv__(self, other: int) -> _Integers:
        # ONNX divides towards zero.
        return (self - self % other)._with("Div", other)
