"""A model as PMML: a regression model, with a softmax, on the parts that columns fall in."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from math import inf
from os import PathLike
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from modlearn._export.axes import (
    axes_of,
    cell_numbers,
    cell_scores,
    is_text,
    number_of_category,
    number_of_view,
    used_axes,
)
from modlearn._files import write_whole
from modlearn._model.additive import AdditiveModel
from modlearn._model.partitions import Groups, Intervals, Partition
from modlearn.errors import ModelError
from modlearn.schema import Column, free_names

__all__ = ["write_model"]

NAMESPACE = "http://www.dmg.org/PMML-4_4"
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
TYPES = {"b": "boolean", "i": "integer", "u": "integer", "f": "double"}
LARGEST = float(np.finfo(np.float64).max)


def write_model(model: AdditiveModel, path: str | PathLike[str]) -> None:
    """Write the model."""
    if len(model.classes) < 2:
        raise ModelError(
            f"The target has a single class, {model.target.class_names[0]!r}, and PMML classifies "
            "only into two or more: train a model on rows of other classes, too."
        )
    if model.decision is not None:
        raise ModelError(
            "The model decides by costs or a threshold, and PMML predicts the most probable class: "
            "export it as SQL or ONNX, or train it without costs and compare probabilities."
        )
    document = _Document(model).finished()
    indent(document)
    text = tostring(document, encoding="unicode", xml_declaration=False)
    write_whole(Path(path), f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')


def _add(parent: Element, tag: str, **attributes: object) -> Element:
    """Add an element; a name that is a keyword of Python ends in an underscore."""
    written = {name.rstrip("_"): _checked(str(value)) for name, value in attributes.items()}
    return SubElement(parent, tag, written)


def _checked(text: str) -> str:
    found = NOT_XML.search(text)
    if found:
        raise ModelError(
            f"The text {text!r} contains the character {found[0]!r}, which XML does not "
            "allow: correct it in the table, and train the model again."
        )
    return text


@dataclass
class _Document:
    """The elements of a document."""

    model: AdditiveModel
    derived: Element = field(default_factory=lambda: Element("LocalTransformations"))
    n_derived: int = 0

    def finished(self) -> Element:
        """The whole document."""
        root = Element("PMML", xmlns=NAMESPACE, version="4.4")
        header = _add(root, "Header")
        _add(header, "Application", name="modlearn")
        self._add_fields(_add(root, "DataDictionary"))
        regression = _add(
            root,
            "RegressionModel",
            functionName="classification",
            normalizationMethod="softmax",
            modelName="modlearn",
        )
        self._add_mining_fields(_add(regression, "MiningSchema"))
        self._add_outputs(_add(regression, "Output"))
        predictors = self._predictors()
        if len(self.derived):
            regression.append(self.derived)
        for j in range(len(self.model.classes)):
            self._add_table(regression, j, predictors)
        return root

    @property
    def target(self) -> str:
        """Name of the target; those of columns are taken."""
        name = self.model.target.name
        return free_names(["class" if name is None else str(name)], self._columns)[0]

    @property
    def _columns(self) -> list[str]:
        return [str(name) for name in self.model.used_columns]

    @property
    def _classes(self) -> list[str]:
        """The classes as they are written."""
        if self.model.classes.dtype.kind == "b":
            return [str(c).lower() for c in self.model.classes.tolist()]
        return self.model.target.class_names

    def _add_fields(self, fields: Element) -> None:
        for name in self.model.used_columns:
            text = is_text(self.model.schema.sources[name])
            optype, type_ = ("categorical", "string") if text else ("continuous", "double")
            _add(fields, "DataField", name=name, optype=optype, dataType=type_)
        kind = TYPES.get(self.model.classes.dtype.kind, "string")
        target = _add(fields, "DataField", name=self.target, optype="categorical", dataType=kind)
        for name in self._classes:
            _add(target, "Value", value=name)

    def _add_mining_fields(self, schema: Element) -> None:
        for name in self._columns:
            _add(schema, "MiningField", name=name, invalidValueTreatment="asIs")
        _add(schema, "MiningField", name=self.target, usageType="target")

    def _add_outputs(self, outputs: Element) -> None:
        names = free_names(
            [f"predicted {self.target}", *(f"P({name})" for name in self.model.target.class_names)],
            [*self._columns, self.target],
        )
        kind = TYPES.get(self.model.classes.dtype.kind, "string")
        label = {"optype": "categorical", "dataType": kind, "feature": "predictedValue"}
        _add(outputs, "OutputField", name=names[0], **label)
        for name, value in zip(names[1:], self._classes, strict=True):
            shown = {"optype": "continuous", "dataType": "double", "feature": "probability"}
            _add(outputs, "OutputField", name=name, value=value, **shown)

    def _add_table(self, regression: Element, j: int, predictors: list[str]) -> None:
        """Write the scores of a class."""
        table = _add(
            regression,
            "RegressionTable",
            intercept=_number(self.model.base[j]),
            targetCategory=self._classes[j],
        )
        used = zip(self.model.used_terms, self.model.tables, predictors, strict=True)
        for term, scores, name in used:
            of_cells = cell_scores(term, scores)[:, j].tolist()
            for number, score in zip(cell_numbers(term), of_cells, strict=True):
                _add(
                    table,
                    "CategoricalPredictor",
                    name=name,
                    value=number,
                    coefficient=_number(score),
                )

    def _predictors(self) -> list[str]:
        """Derive the part of each term, and return the names of the derived fields."""
        cells: dict[Hashable, str] = {}
        parts = {}
        for axis in used_axes(self.model):
            column = self.model.schema.by_name[axis.name]
            if axis.name not in cells:
                cells[axis.name] = self._cell(column)
            parts[axis] = self._part(axis, column, cells[axis.name])
        found = []
        for term in self.model.used_terms:
            axes = axes_of(term)
            found.append(parts[axes[-1]])
            if len(axes) > 1:
                cell = _Number(self, parts[axes[0]])
                for axis in axes[1:]:
                    cell = cell * (axis.n_parts + 1) + _Number(self, parts[axis])
                found[-1] = self.derive(cell.expression(), "categorical", "integer")
        return found

    def derive(self, expression: Element, optype: str, type_: str) -> str:
        """Add a derived field, and return its name."""
        (name,) = free_names([f"modlearn {self.n_derived}"], [*self._columns, self.target])
        self.n_derived += 1
        one = _add(self.derived, "DerivedField", name=name, optype=optype, dataType=type_)
        one.append(expression)
        return name

    def _cell(self, column: Column) -> str:
        """The name of the field that holds the cells of a column."""
        name = str(column.read.name)
        if column.view is None:
            return name
        return str(number_of_view(column, _Number(self, name), "PMML").name)

    def _part(self, axis: Partition, column: Column, cell: str) -> str:
        """Derive the part of a cell, from 1; unseen values have none."""
        if isinstance(axis, Intervals):
            expression = _intervals(axis, cell)
        else:
            assert isinstance(axis, Groups)
            expression = _texts(axis, cell) if is_text(column) else _numbers(axis, column, cell)
        return self.derive(expression, "categorical", "integer")


def _number(value: float) -> str:
    return repr(float(value))


def _missing(axis: Groups) -> dict[str, object]:
    """The part of missing values, if they have one."""
    parts = [i + 1 for i, group in enumerate(axis.groups) if None in group]
    return {"mapMissingTo": parts[0]} if parts else {}


def _discretize(
    cell: str, bins: Iterable[tuple[int, dict[str, str]]], **attributes: object
) -> Element:
    """Write which part holds which interval."""
    found = Element("Discretize", {"field": _checked(cell), "dataType": "integer"})
    found.attrib |= {name: str(value) for name, value in attributes.items()}
    for part, interval in bins:
        _add(_add(found, "DiscretizeBin", binValue=part), "Interval", **interval)
    return found


def _intervals(axis: Intervals, cell: str) -> Element:
    """The part of a number among intervals; missing ones are in the first."""
    cuts = [cut for cut in axis.cuts.tolist() if cut < inf]
    bins = []
    for i, (low, high) in enumerate(zip([None, *cuts], [*cuts, None], strict=True)):
        bins.append((i + 1 + axis.missing_alone, _interval(low, high)))
    return _discretize(cell, bins, mapMissingTo=1)


def _interval(low: float | None, high: float | None) -> dict[str, str]:
    """Numbers above one cut, up to another; an infinite cut is between numbers."""
    opened = "closed" if low == -inf else "open"
    closed = "Open" if high == -inf or high is None else "Closed"
    found = {"closure": opened + closed}
    if low is not None:
        found["leftMargin"] = _number(max(low, -LARGEST))
    if high is not None:
        found["rightMargin"] = _number(max(high, -LARGEST))
    return found


def _numbers(axis: Groups, column: Column, cell: str) -> Element:
    """The group of a number that is a category."""
    bins = []
    for i, group in enumerate(axis.groups):
        for value in group:
            number = None if value is None else number_of_category(value, column)
            if number is not None:
                margin = _number(number)
                interval = {"closure": "closedClosed", "leftMargin": margin, "rightMargin": margin}
                bins.append((i + 1, interval))
    return _discretize(cell, bins, **_missing(axis))


def _texts(axis: Groups, cell: str) -> Element:
    """The group of a text."""
    found = Element("MapValues", {"outputColumn": "part", "dataType": "integer"})
    found.attrib |= {name: str(value) for name, value in _missing(axis).items()}
    _add(found, "FieldColumnPair", field=cell, column="text")
    rows = _add(found, "InlineTable")
    for i, group in enumerate(axis.groups):
        for value in group:
            if value is not None:
                row = _add(rows, "row")
                _add(row, "text").text = _checked(str(value))
                _add(row, "part").text = str(i + 1)
    return found


@dataclass(frozen=True)
class _Number:
    """A field, which adds, multiplies and divides like whole numbers; each step is a field."""

    document: _Document
    name: str

    def expression(self) -> Element:
        return Element("FieldRef", field=_checked(self.name))

    def _with(self, function: str, other: int | _Number) -> _Number:
        found = Element("Apply", function=function)
        found.append(self.expression())
        if isinstance(other, _Number):
            found.append(other.expression())
        else:
            _add(found, "Constant", dataType="double").text = str(other)
        return self._kept(found)

    def _kept(self, applied: Element) -> _Number:
        return _Number(self.document, self.document.derive(applied, "continuous", "double"))

    def __add__(self, other: int | _Number) -> _Number:
        return self._with("+", other)

    def __sub__(self, other: int | _Number) -> _Number:
        return self._with("-", other)

    def __mul__(self, other: int) -> _Number:
        return self._with("*", other)

    def __floordiv__(self, other: int) -> _Number:
        quotient = self._with("/", other)
        # The floor of a missing value is an error.
        found = Element("Apply", function="if")
        for parent, function in ((found, "isNotMissing"), (found, "floor")):
            _add(parent, "Apply", function=function).append(quotient.expression())
        return self._kept(found)

    def __mod__(self, other: int) -> _Number:
        return self - (self // other) * other
