"""Random models over every kind of column, and rows that are hard to score."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pandas as pd

from modlearn._jobs.predict import read_rows
from modlearn._model.additive import AdditiveModel, terms_of
from modlearn._model.decision import Decision, ErrorCost
from modlearn._model.grid import Grid
from modlearn._model.partitions import Groups, Intervals
from modlearn._model.tree import Branch, Tree
from modlearn._views.calendar import DAY_OF_YEAR, HOUR, MONTH, WEEKDAY
from modlearn.schema import Column, Kind, Schema, TargetSpec

TEXTS = [
    *("red", "Red", "red ", " red", "", "NULL", "null", "'; DROP TABLE rows; --", 'say "no"'),
    *("it's", "a\\b", "\\", "`x`", "[y]", "{{ z }}", "%s", "two\nlines", "tab\there", "cr\rlf\r\n"),
    *("\N{RIGHT-TO-LEFT OVERRIDE}abc", "שלום", "مرحبا", "é", "e\N{COMBINING ACUTE ACCENT}"),
    *("😀", "-- comment", "/* comment */", "$$", "&amp;<b>", "NaN", "1", "true", "   "),
]
CONTROL = ["\x01", "\x1b[0m", "\x7f", "nul\0inside", "\0"]
CLASSES = ["a", "b'; DROP TABLE rows; --", 'say "no"', "\\", "שלום", "x\ny", "NULL", ""]
NAMES = ["x", "select", 'quo"te', "semi;colon", "a'b", "שם", "with space", "UPPER", "new\nline"]
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = pd.date_range("2020-01-01", periods=12, freq="MS").month_name().tolist()

NUMBERS = [0.0, -0.0, 1.0, 1.5, -2.25, 0.1, 1e-300, 5e-324, 1e300, -1e300, 2.0**53, 3.0]
SPECIAL = [np.nan, np.inf, -np.inf, np.finfo(float).max, -np.finfo(float).max]
FIRST, LAST = -2_000_000_000_000_000, 4_000_000_000_000_000  # 1906 to 2096, in microseconds


@dataclass
class ScoringCase:
    """A model, rows as a frame, and what Python predicts for them."""

    model: AdditiveModel
    frame: pd.DataFrame

    @property
    def batch(self):
        return read_rows(self.model, self.frame, named=True, left_out=set())

    @property
    def probabilities(self):
        return self.model.probabilities(self.batch)

    @property
    def labels(self):
        return self.model.classes[self.model.labels(self.batch)]


def random_case(seed, *, n_rows=60, kinds=None, texts=(*TEXTS, *CONTROL), decides=False):
    """Return a random model and rows for it."""
    rng = np.random.default_rng(seed)
    classes = _classes(rng)
    names = rng.permutation(NAMES).tolist()
    kinds = list(MAKERS) if kinds is None else kinds
    columns, parts, cells = [], [], {}
    for name in names[: rng.integers(1, 6)]:
        kind = kinds[rng.integers(len(kinds))]
        made, values = MAKERS[kind](rng, name, n_rows, classes, list(texts))
        columns += [column for column, _ in made]
        parts += [part for _, part in made]
        cells[name] = values
    parts += _grids(rng, parts, classes)
    bins = _bins(np.random.default_rng([seed, 1]), parts, classes)
    scored = [one if b is None else b for one, b in zip(parts, bins, strict=True)]
    tables = [_scores(rng, one.n_parts, len(classes)) for one in scored]
    weights = rng.choice([0.0, 0.25, 1.0], len(parts), p=[0.2, 0.3, 0.5])
    weights[0] = 1.0
    target = TargetSpec("y", classes, np.ones(len(classes), dtype=np.int64), 0)
    base = np.round(rng.normal(size=len(classes)), rng.integers(0, 3))
    terms = tuple(
        replace(term, bins=b)
        for term, b in zip(terms_of(parts, weights.tolist(), tables), bins, strict=True)
    )
    terms += _trees(np.random.default_rng([seed, 2]), columns, parts, classes)
    decision = _decision(rng, len(classes)) if decides else None
    model = AdditiveModel(
        schema=Schema(tuple(columns)), target=target, base=base, terms=terms, decision=decision
    )
    return ScoringCase(model, pd.DataFrame(cells))


def _classes(rng):
    n = int(rng.integers(1, 6))
    if rng.random() < 0.6:
        return np.array(sorted(rng.permutation(CLASSES)[:n].tolist()), dtype=object)
    if rng.random() < 0.2:
        return np.array([False, True])
    return np.sort(rng.choice([-3, 0, 1, 2, 10], n, replace=False)) * rng.choice([1, 0.5])


def _decision(rng, n_classes):
    """Return a threshold of two classes, or costs of more; None for one class."""
    if n_classes == 1:
        return None
    label = int(rng.integers(2)) if n_classes == 2 else None
    costs = (ErrorCost(0, 1, float(rng.integers(2, 30))), ErrorCost(n_classes - 1, 0, 0.5))
    return Decision.of_costs(costs, label)


def _scores(rng, n_parts, n_classes):
    """Few distinct scores, so that rows tie; some that only exp(-1000) and less is left of."""
    scale = rng.choice([1.0, 10.0, 1000.0], p=[0.6, 0.3, 0.1])
    return np.round(rng.normal(size=(n_parts, n_classes)) * scale, int(rng.integers(0, 2)))


def _common(name, n_parts, classes):
    counts = np.ones((n_parts, len(classes)), dtype=np.int64)
    return {
        "name": name,
        "classes": classes,
        "counts": counts,
        "unlabeled_counts": np.zeros(n_parts, dtype=np.int64),
        "cost": 1.0,
        "null_cost": 2.0,
        "level": 0.5,
        "proven_optimal": True,
    }


def _intervals(rng, name, cuts, classes, kind="numeric"):
    cuts = np.unique(np.asarray(cuts, dtype=np.float64)) + 0.0
    alone = bool(rng.random() < 0.5)
    return Intervals(
        **_common(name, len(cuts) + 1 + alone, classes),
        cuts=cuts,
        sides=np.stack([cuts, cuts], axis=1),
        missing_alone=alone,
        n_missing=int(alone),
        kind=kind,
    )


def _groups(rng, name, values, classes):
    values = list(dict.fromkeys(values))
    if rng.random() < 0.6:
        values.append(None)
    n_groups = int(rng.integers(1, min(4, len(values)) + 1))
    ends = [0, *sorted(rng.choice(np.arange(1, len(values)), n_groups - 1, replace=False)), None]
    groups = tuple(tuple(values[a:b]) for a, b in pairwise(ends))
    return Groups(**_common(name, len(groups), classes), groups=groups)


def _some(rng, values, least=1):
    return [values[i] for i in rng.permutation(len(values))[: rng.integers(least, len(values) + 1)]]


def _numeric(rng, name, n, classes, _):
    cuts = _some(rng, [*NUMBERS, *rng.normal(size=5)], 0)
    cuts += rng.choice([-np.inf, np.finfo(float).max, 0.5], 1).tolist()
    with np.errstate(over="ignore"):
        near = [*cuts, *np.nextafter(cuts, np.inf), *np.nextafter(cuts, -np.inf)]
    cells = rng.choice([*near, *NUMBERS, *SPECIAL], n)
    return [(Column(name, Kind.NUMERIC, True), _intervals(rng, name, cuts, classes))], cells


def _integers(rng, name, n, classes, _):
    cuts = rng.integers(-5, 5, 3) + 0.5
    column = Column(name, Kind.NUMERIC, True)
    return [(column, _intervals(rng, name, cuts, classes))], rng.integers(-6, 6, n)


def _number_groups(rng, name, n, classes, _):
    values = _some(rng, [0.0, 1.0, 1.5, -2.25, 0.1, 1e300, 7.0])
    if rng.random() < 0.5:
        values = [int(v) for v in rng.permutation(8)]
    cells = rng.choice([*values, -0.0, 0.1, np.nan, 3.5, np.inf], n)
    column = Column(name, Kind.NUMERIC, ordered=False)
    return [(column, _groups(rng, name, values, classes))], cells


def _texts(rng, name, n, classes, texts):
    values = _some(rng, texts)
    cells = [*texts, None, "never seen"]
    found = np.array([cells[i] for i in rng.integers(0, len(cells), n)], dtype=object)
    column = Column(name, Kind.TEXT, ordered=False)
    return [(column, _groups(rng, name, values, classes))], found


def _booleans(rng, name, n, classes, _):
    values = _some(rng, [True, False])
    cells = np.array([[True, False, None][i] for i in rng.integers(0, 3, n)], dtype=object)
    column = Column(name, Kind.BOOLEAN, ordered=False)
    return [(column, _groups(rng, name, values, classes))], cells


def _instants(rng, n):
    found = rng.integers(FIRST, LAST, n)
    day, hour = 86_400_000_000, 3_600_000_000
    found[::3] -= found[::3] % day
    found[1::6] -= found[1::6] % hour + 1
    dates = found.astype("M8[us]")
    dates[rng.random(n) < 0.1] = np.datetime64("NaT")
    return dates


def _dates(rng, name, n, classes, _):
    dates = _instants(rng, n)
    present = dates[~np.isnat(dates)].astype(np.int64).astype(float)
    cuts = np.unique(rng.choice(present, 3)) + rng.choice([0.0, 0.5])
    axis = _intervals(rng, name, cuts, classes, "datetime")
    return [(Column(name, Kind.DATETIME, True), axis)], dates


def _date_groups(rng, name, n, classes, _):
    dates = _instants(rng, n)
    present = np.unique(dates[~np.isnat(dates)])
    texts = [
        str(d).removesuffix(".000000").removesuffix("T00:00:00")
        for d in present[: len(present) // 2]
    ]
    return [(Column(name, Kind.DATETIME, False), _groups(rng, name, texts, classes))], dates


def _calendar(rng, name, n, classes, _):
    hour, day, weekday, month = (
        Column(f"{name}: {view.name}", view.kind, view.ordered, source=name, view=view)
        for view in (HOUR, DAY_OF_YEAR, WEEKDAY, MONTH)
    )
    made = [
        (hour, _intervals(rng, hour.name, rng.integers(0, 23, 4) + 0.5, classes)),
        (day, _intervals(rng, day.name, rng.integers(1, 366, 9) + 0.5, classes)),
        (weekday, _groups(rng, weekday.name, _some(rng, WEEKDAYS, 2), classes)),
        (month, _groups(rng, month.name, _some(rng, MONTHS, 2), classes)),
    ]
    return made, _instants(rng, n)


def _durations(rng, name, n, classes, _):
    cells = rng.integers(-(10**12), 10**12, n).astype("m8[us]")
    cells[::9] = np.timedelta64("NaT")
    present = cells[~np.isnat(cells)].astype(np.int64).astype(float)
    axis = _intervals(rng, name, rng.choice(present, 3), classes, "duration")
    return [(Column(name, Kind.DURATION, True), axis)], cells


MAKERS = {
    "numeric": _numeric,
    "integers": _integers,
    "number groups": _number_groups,
    "texts": _texts,
    "booleans": _booleans,
    "dates": _dates,
    "date groups": _date_groups,
    "calendar": _calendar,
    "durations": _durations,
}


def _grids(rng, parts, classes):
    """Return pairs of the columns, with the parts of each."""
    found, pairs = [], set()
    for _ in range(3 if len(parts) > 1 else 0):
        pairs.add(tuple(sorted(rng.choice(len(parts), 2, replace=False).tolist())))
    for i, j in sorted(pairs):
        axes = parts[i], parts[j]
        shape = axes[0].n_parts, axes[1].n_parts, len(classes)
        found.append(
            Grid(
                axes=axes,
                counts=np.ones(shape, dtype=np.int64),
                cost=1.0,
                null_cost=2.0,
                level=0.5,
                gain=0.1,
                synergy=0.1,
                proven_optimal=True,
            )
        )
    return found


def _trees(rng, columns, parts, classes):
    """Return a term of a tree on three or four columns, in every other model that has them."""
    axes = [parts[k] for k in rng.permutation(len(columns))[:4]]
    if len(axes) < 3 or rng.random() < 0.5:
        return ()
    n_branches, chosen = len(axes), []
    for number, axis in enumerate(axes):
        following = n_branches + rng.integers(0, 6, axis.n_parts)
        if number + 1 < n_branches:
            following[rng.integers(axis.n_parts)] = number + 1
        chosen.append(following)
    leaves = np.unique(np.concatenate(chosen))
    leaves = leaves[leaves >= n_branches]
    branches = [
        np.where(one < n_branches, one, n_branches + np.searchsorted(leaves, one)) for one in chosen
    ]
    tree = Tree(
        axes=tuple(axes),
        branches=tuple(Branch(k, tuple(one.tolist())) for k, one in enumerate(branches)),
        counts=np.ones((len(leaves), len(classes)), dtype=np.int64),
        cost=1.0,
        null_cost=2.0,
        level=0.5,
        synergy=0.1,
    )
    return terms_of([tree], [0.5], [_scores(rng, len(leaves), len(classes))])


def _bins(rng, parts, classes):
    """Return finer parts of some columns of every other model, and None for the others."""
    if rng.random() < 0.5:
        return [None] * len(parts)
    return [
        None if isinstance(one, Grid) or rng.random() < 0.3 else _finer(rng, one, classes)
        for one in parts
    ]


def _finer(rng, part, classes):
    """Return intervals with cuts in between, or a group per value."""
    if isinstance(part, Groups):
        groups = tuple((value,) for group in part.groups for value in group)
        return Groups(**_common(part.name, len(groups), classes), groups=groups)
    cuts = part.cuts.tolist()
    between = [a / 2 + b / 2 for a, b in pairwise(cuts)]
    return _intervals(rng, part.name, [*cuts, *between], classes, part.kind)
