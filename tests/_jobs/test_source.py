"""What a job asks of whatever holds a table, and nothing else."""

import pytest
from sklearn.datasets import load_wine

import modlearn
from modlearn._jobs.prepare import open_data, prepare
from modlearn._jobs.source import ColumnRequest, OpenSource, RequestedRows
from modlearn._parallel import no_progress
from modlearn._statistics.rows import Division, Fold, Rows
from modlearn.errors import ColumnError


class Engine(OpenSource):
    """Answers what a job asks of a table, and nothing else: as rows that stay elsewhere would."""

    ROWS = frozenset(name for name in vars(Rows) if not name.startswith("_"))

    def __init__(self, opened):
        self.opened = opened
        self.label, self.names, self.named = "engine", opened.names, opened.named
        self.notes, self.nested, self.closing = opened.notes, opened.nested, opened.closing

    def rows(self, *request):
        read = self.opened.rows(*request)
        return RequestedRows(self.OnlyRows(read.rows), read.nested)

    class OnlyRows:
        def __init__(self, rows):
            self._rows = rows

        def __getattr__(self, name):
            assert name in Engine.ROWS, f"a job asked a table for {name}"
            found = getattr(self._rows, name)
            if name == "divide":
                return lambda split: self.divided(found(split))
            if name in ("select", "sample"):
                return lambda *some, **options: type(self)(found(*some, **options))
            return found

        def divided(self, division):
            only = type(self)
            folds = tuple(Fold(only(fold.train), only(fold.test)) for fold in division.folds)
            return Division(only(division.whole), folds, division.n_groups)


@pytest.mark.parametrize("pairs", ["none", "all"])
def test_a_job_asks_a_table_only_what_the_protocol_of_rows_offers(pairs):
    wine = load_wine(as_frame=True).frame.iloc[:, [0, 6, 9, -1]]
    here = modlearn.fit(wine, "target", pairs=pairs, n_jobs=1)
    there = modlearn.fit(Engine(open_data(wine)), "target", pairs=pairs, n_jobs=1)
    assert there.classifier.weights_ == here.classifier.weights_
    assert there.evaluation.to_dict() == here.evaluation.to_dict()
    assert there.warnings == here.warnings
    assert there.facts.source == "engine"
    found = modlearn.analyze(Engine(open_data(wine)), "target", pairs=pairs, n_jobs=1)
    assert list(found.partitions) == list(here.partitions)


def test_rows_that_stay_in_an_engine_are_not_to_be_had_in_memory():
    wine = load_wine(as_frame=True).frame
    request = ColumnRequest("target")
    prepared = prepare(Engine(open_data(wine)), request, 1, no_progress)
    with pytest.raises(ColumnError, match="splitters and propagation need its rows in memory"):
        prepared.in_memory()


def test_formats_of_dates_are_passed_with_their_columns():
    request = ColumnRequest("y", as_date="a", date_format={"b": "%Y%m%d"})
    assert request.dates() == {"a": None, "b": "%Y%m%d"}
    with pytest.raises(ValueError, match=r"date_format is '%d/%m/%Y': pass a dict of columns"):
        ColumnRequest("y", date_format="%d/%m/%Y").dates()
