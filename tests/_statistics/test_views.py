import numpy as np

from modlearn._statistics.views import categories_of_view, numbers_of_view
from modlearn._views.calendar import HOUR, MONTH, MONTHS
from modlearn.schema import Column, Kind, View


class Batch:
    def __init__(self, cells):
        self.cells = cells

    def numeric(self, name):
        return self.cells[name]

    def categorical(self, name):
        return self.cells[name]


def column(view):
    return Column("v", view.kind, view.ordered, source="source", view=view)


def lengths(texts):
    return np.array([len(text) for text in texts], dtype=np.float64)


def test_categories_are_sorted_and_missing_dates_have_no_view():
    batch = Batch({"source": np.array([np.nan, 0.0, np.inf])})
    codes, names_of = categories_of_view(column(MONTH), batch)
    assert list(names_of) == sorted(MONTHS)
    assert codes.tolist() == [-1, names_of.index("January"), -1]
    hours = numbers_of_view(column(HOUR), Batch({"source": np.array([np.nan, 3.6e9])}))
    np.testing.assert_array_equal(hours, [np.nan, 1.0])


def test_views_of_texts_are_computed_once_for_each_text():
    batch = Batch({"source": (np.array([1, 0, -1, 1], dtype=np.int32), ("a", "ccc"))})
    length = View("length", Kind.TEXT, lengths, {})
    np.testing.assert_array_equal(numbers_of_view(column(length), batch), [3, 1, np.nan, 3])
    parity = View("kind", Kind.TEXT, lambda v: lengths(v) // 2, {}, categories=("short", "long"))
    codes, names = categories_of_view(column(parity), batch)
    assert [names[code] if code >= 0 else None for code in codes] == ["long", "short", None, "long"]
