"""Test rows scored in DuckDB, PostgreSQL and Spark are measured as those that are read."""

from contextlib import contextmanager
from dataclasses import replace

import duckdb
import numpy as np
import pytest
from tests._engines.tables import make_table

import modlearn
from modlearn._engines import scores
from modlearn._engines.table import EngineTable
from modlearn._evaluate.evaluation import Evaluator
from modlearn._export.dialects import DIALECTS
from modlearn._tables.files.workspace import Workspace
from modlearn.errors import EngineError

HOSTILE = {"num": 'n"; DROP TABLE x; --', "cat": "it's `c`", "whole": "שלום\t1", "flag": "c0"}
"""Names that are SQL, quotes, or those of columns of the statement."""


def make_cities(n_rows=2000, seed=7):
    """Return a table in which some test rows have values that no training row has."""
    rng = np.random.default_rng(seed)
    frame = make_table(n_rows, seed)
    numbers = rng.integers(0, 40, n_rows)
    cities = np.array([f"city '{n}" for n in numbers], dtype=object)
    once = rng.random(n_rows) < 0.1
    cities[once] = [f"only {i}\\" for i in range(int(once.sum()))]
    frame["city"] = cities
    likely = (numbers % 2 == 0) & (rng.random(n_rows) < 0.7)
    frame.loc[likely & frame["y"].notna(), "y"] = "yes"
    return frame


def with_three_classes(frame):
    """Return the table with a third class, where the number is small."""
    few = (frame["num"] < -0.8) & frame["y"].notna()
    return frame.assign(y=frame["y"].mask(few, 'm"aybe'))


@pytest.fixture
def few(monkeypatch):
    """Take samples of few rows, and score as few."""
    monkeypatch.setattr("modlearn._engines.table.MOST_SAMPLED", 900)
    monkeypatch.setattr("modlearn._engines.table.FEW", 10)
    monkeypatch.setattr(scores, "FEWEST_SCORED", 10)


def fit_both(table, monkeypatch, **options):
    """Return a fit that scores test rows in the engine, and its evaluation with rows read."""
    test, read = Evaluator._test, []

    def test_both(self, model, rows):
        batches = tuple(rows.batches())
        read.append((self, self._read(model, batches, numbered=False)))
        return test(self, model, rows)

    monkeypatch.setattr(Evaluator, "_test", test_both)
    fitted = modlearn.fit(table, "y", **options)
    evaluation, n_folds = fitted.evaluation, fitted.evaluation.n_folds or 1
    folds = [fold for _, fold in read[:n_folds]]
    assert sum(len(fold.predicted.truth) for fold in folds) == evaluation.n_test
    (note,) = [one for one in fitted.diagnostics.data.notes if one.kind == "scored_in_engine"]
    assert note.numbers["rows"] == evaluation.n_test
    return fitted, read[0][0]._summed_up(folds, evaluation.how, evaluation.n_train)


def are_equal(scored, read):
    """Compare evaluations: curves and AUC within the rounding, everything else exactly."""
    assert np.array_equal(scored.confusion, read.confusion)
    assert (scored.n_test, scored.n_train) == (read.n_test, read.n_train)
    assert scored.majority == read.majority
    assert scored.cost == read.cost
    assert scored.best_variable == read.best_variable
    for name, measure in read.measures.items():
        within = 2e-5 if name == "auc" else 1e-9
        assert scored.measures[name].folds == pytest.approx(measure.folds, abs=within)
        assert scored.measures[name].mean == pytest.approx(measure.mean, abs=within)
    for found, known in zip(scored.calibration, read.calibration, strict=True):
        assert found.rows == known.rows
        assert found.predicted == pytest.approx(known.predicted, abs=1e-9)
        assert found.observed == pytest.approx(known.observed, abs=1e-9)
    for found, known in zip(scored.curves, read.curves, strict=True):
        assert found.label == known.label
        assert found.auc == pytest.approx(known.auc, abs=2e-5)
        x = np.linspace(0, 1, 101)
        for points, others in ((found.roc, known.roc), (found.lift, known.lift)):
            one, other = (np.interp(x, *np.transpose(some)) for some in (points, others))
            assert np.abs(one - other).max() < 0.02
    return True


@pytest.mark.parametrize(
    "options",
    [
        {"test": 0.3, "threshold": 0.35, "positive": "yes", "drop": ["when", "code"]},
        {"test": 0.3, "cost": {("yes", "it's no"): 4}, "as_categorical": ["code", "when"]},
        {"time": "when", "drop": ["city", "code", "gaps"]},
    ],
)
def test_two_classes_are_measured_as_rows_that_are_read(stored, few, monkeypatch, options):
    table = stored(make_cities().rename(columns=HOSTILE))
    fitted, read = fit_both(table, monkeypatch, **options)
    assert are_equal(fitted.evaluation, read)


@pytest.mark.parametrize("cost", [None, {('m"aybe', "yes"): 3.5}])
def test_three_classes_are_measured_as_rows_that_are_read(stored, few, monkeypatch, cost):
    table = stored(with_three_classes(make_cities()))
    fitted, read = fit_both(table, monkeypatch, test=0.3, cost=cost)
    assert len(fitted.evaluation.curves) == 3
    assert are_equal(fitted.evaluation, read)


@pytest.fixture
def in_duckdb(few, tmp_path, monkeypatch):
    """Store a frame in a file that is not read into memory; return its path."""
    monkeypatch.setattr("modlearn._jobs.source.Room.holds", lambda *_: False)
    path = tmp_path / "rows.parquet"
    make_cities().to_parquet(path)
    return str(path)


def note_of(fitted):
    """Return the sentence on scored rows, if there is one."""
    notes = [one for one in fitted.diagnostics.data.notes if one.kind == "scored_in_engine"]
    return str(notes[0]) if notes else None


def test_dialects_without_grouping_sets_unite_queries(in_duckdb, monkeypatch):
    expected = modlearn.fit(in_duckdb, "y", test=0.3).evaluation
    plain = replace(DIALECTS["duckdb"], grouping_sets=False)
    monkeypatch.setitem(DIALECTS, "duckdb", plain)
    asked, ask = [], EngineTable.ask

    def listening(self, statement):
        asked.append(statement)
        return ask(self, statement)

    monkeypatch.setattr(EngineTable, "ask", listening)
    found = modlearn.fit(in_duckdb, "y", test=0.3).evaluation
    assert are_equal(found, expected)
    assert any("UNION ALL" in one for one in asked)
    assert not any("GROUPING SETS" in one for one in asked)


def test_the_rounding_is_stated(in_duckdb):
    found = modlearn.fit(in_duckdb, "y", test=0.3)
    assert note_of(found) == (
        f"{found.evaluation.n_test} test rows were scored in DuckDB. Curves and AUC use "
        "log-odds rounded to 1/10,000, which moves a probability by at most 1/80,000; the other "
        "measures are not rounded."
    )


def test_rows_are_ranked_in_wider_steps_if_groups_are_many(in_duckdb, monkeypatch):
    known = modlearn.fit(in_duckdb, "y", test=0.3)
    monkeypatch.setattr(scores, "MOST_GROUPS", 80)
    monkeypatch.setattr(scores, "STEPS", {False: (10_000, 4)})
    found = modlearn.fit(in_duckdb, "y", test=0.3)
    assert "rounded to 1/4, " in note_of(found)
    assert found.evaluation.auc == pytest.approx(known.evaluation.auc, abs=0.01)
    assert found.evaluation.log_loss == pytest.approx(known.evaluation.log_loss, abs=1e-9)


def refuse_statements(self, *_):
    raise EngineError("The expression is too deep.")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FEWEST_SCORED", 10**9),
        ("MOST_GROUPS", 3),
        ("MOST_RANKED", 0),
        ("EngineScorer.statement", refuse_statements),
    ],
)
def test_rows_that_cannot_be_scored_are_read(in_duckdb, monkeypatch, name, value):
    known = modlearn.fit(in_duckdb, "y", test=0.3)
    monkeypatch.setattr(f"modlearn._engines.scores.{name}", value)
    found = modlearn.fit(in_duckdb, "y", test=0.3)
    assert note_of(found) is None
    assert are_equal(known.evaluation, found.evaluation)


def failing(monkeypatch, n_times):
    """Let DuckDB fail to score rows a number of times; return what it said by then."""
    raised, cursor = [], Workspace.cursor

    class Failing:
        def __init__(self, found):
            self._found = found
            self.interrupt = found.interrupt

        def sql(self, statement):
            if "GROUPING SETS" in statement and len(raised) < n_times:
                raised.append("disk on fire")
                raise duckdb.IOException(raised[0])
            return self._found.sql(statement)

    @contextmanager
    def failing_cursor(self):
        with cursor(self) as found:
            yield Failing(found)

    monkeypatch.setattr(Workspace, "cursor", failing_cursor)
    return raised


def test_scoring_that_fails_is_repeated_once(in_duckdb, monkeypatch):
    known = modlearn.fit(in_duckdb, "y", test=0.3)
    raised = failing(monkeypatch, 1)
    found = modlearn.fit(in_duckdb, "y", test=0.3)
    assert raised
    assert found.facts.notes == known.facts.notes
    assert found.evaluation.auc == known.evaluation.auc


def test_scoring_that_fails_twice_is_noted_and_the_rows_are_read(in_duckdb, monkeypatch):
    known = modlearn.fit(in_duckdb, "y", test=0.3)
    failing(monkeypatch, 2)
    found = modlearn.fit(in_duckdb, "y", test=0.3)
    (note,) = [note for note in found.facts.notes if note.kind == "not_scored"]
    assert str(note) == (
        f"{known.evaluation.n_test} test rows were read instead of scored in DuckDB, as that "
        f"failed: The file {in_duckdb!r} cannot be read: disk on fire. If the file is damaged, "
        "restore it."
    )
    assert are_equal(known.evaluation, found.evaluation)


def test_a_fold_that_is_read_is_counted_with_those_that_are_scored(in_duckdb, monkeypatch):
    known = modlearn.fit(in_duckdb, "y")
    scored, n_asked = scores.EngineScorer.scored, 0

    def score_every_second(self, *args):
        nonlocal n_asked
        n_asked += 1
        return scored(self, *args) if n_asked % 2 else None

    monkeypatch.setattr(scores.EngineScorer, "scored", score_every_second)
    assert are_equal(modlearn.fit(in_duckdb, "y").evaluation, known.evaluation)


def test_standard_errors_and_examples_come_from_the_sample(in_duckdb, monkeypatch):
    found, read = fit_both(in_duckdb, monkeypatch, test=0.5)
    for name, measure in read.measures.items():
        assert found.evaluation.measures[name].spread == pytest.approx(measure.spread, rel=0.5)
    assert len(found.evaluation.examples) == len(read.examples)
