"""Forms of single values: what is written, and that nothing is trusted when it is read."""

import json

import numpy as np
import pytest

from modlearn._model import forms
from modlearn._model.forms import RecordPosition
from modlearn._model.limits import MOST_COUNT
from modlearn._model.record import as_json
from modlearn.errors import ModelError

AT = RecordPosition(("here", "field"), np.array(["no", "yes"], dtype=object))


def refused(form, value, wanted):
    with pytest.raises(ModelError, match=f"^here: 'field.*' is not {wanted}"):
        form.read(value, AT)


def there_and_back(form, value):
    return form.read(json.loads(json.dumps(as_json(form.write(value)), allow_nan=False)), AT)


@pytest.mark.parametrize(
    ("form", "value"),
    [
        (forms.Text(), "a"),
        (forms.Text(("a", "b")), "b"),
        (forms.Flag(), True),
        (forms.Number(), 0.1),
        (forms.Number(0, 1), 1.0),
        (forms.WholeNumber(), 3),
        (forms.ClassIndex(), 1),
        (forms.ClassName(), "yes"),
        (forms.ColumnName(), 7),
        (forms.Variable(), ("a", "b")),
        (forms.Variable(), ("a", "b", "c")),
        (forms.Optional(forms.WholeNumber()), None),
        (forms.Items(forms.Text()), ("a", "b")),
        (forms.Pair(forms.Number()), (1.0, 2.0)),
        (forms.Dictionary(forms.Number()), {"a": 1.0}),
        (forms.Categories(), ("a", 1, None, True, 0.5)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_comes_back_as_it_was(form, value):
    assert there_and_back(form, value) == value


@pytest.mark.parametrize(
    "value", [[0.1, -0.0, 5e-324], [np.inf, -np.inf, 1.0]], ids=["finite", "infinite"]
)
def test_numbers_come_back_to_the_last_bit(value):
    table = np.array(value)
    again = there_and_back(forms.Floats(infinite=True), table)
    assert again.tobytes() == table.tobytes()


def test_an_empty_table_keeps_its_shape():
    assert there_and_back(forms.Floats((None, 2), empty=True), np.empty((0, 2))).shape == (0, 2)


@pytest.mark.parametrize(
    ("form", "value", "wanted"),
    [
        (forms.Text(), 1, "a text"),
        (forms.Text(pattern=r"\d+", wanted="digits"), "x1", "digits"),
        (forms.Flag(), 1, "true or false"),
        (forms.Number(), True, "a number"),
        (forms.Number(), 10**400, "a number"),
        (forms.Number(), "1", "a number"),
        (forms.Number(0, 1), -1e-9, "a number from 0 to 1"),
        (forms.Number(low=0), -1, "a number of at least 0"),
        (forms.WholeNumber(), 1.0, "a whole number of at least 0"),
        (forms.WholeNumber(), True, "a whole number"),
        (forms.WholeNumber(), MOST_COUNT, "a whole number"),
        (forms.ClassIndex(), 2, "the index of a class, less than 2"),
        (forms.ClassName(), "maybe", "one of no, yes"),
        (forms.ColumnName(), 1.5, "a text or a whole number"),
        (forms.Variable(), ["a"], "a name or a list of names"),
        (forms.Items(forms.Text(), at_most=1), ["a", "b"], "a list of at most 1"),
        (forms.Items(forms.Text()), {}, "a list"),
        (forms.Pair(forms.Number()), [1.0], "a pair"),
        (forms.Dictionary(forms.Number(), ("a",)), {"b": 1}, "an object with a"),
        (forms.Dictionary(forms.Number()), [], "an object"),
        (forms.Counts(), [], "a table of any counts"),
        (forms.Counts((None, "classes")), [[1, 2, 3]], "a table of any × 2 counts"),
        (forms.Counts(), [MOST_COUNT - 1, 1], "a table of any counts"),
        (forms.Counts(), [True], "a table of any counts"),
        (forms.Floats(), ["inf"], "a table of any numbers"),
        (forms.Floats(below=10), [10.0], "a table of any numbers"),
        (forms.Categories(), [], "a list of values"),
        (forms.Categories(), [[1]], "a list of values"),
        (forms.Categories(), ["\ud800"], "a list of values"),
        (forms.Text(), "a\udfff", "a text"),
        (forms.ColumnName(), "\ud800", "a text or a whole number"),
        (forms.Variable(), ["a", "\ud800"], "a name or a list of names"),
        (forms.Scalar(), "\ud800", "a number or a text"),
        (forms.Dictionary(forms.Number()), {"\ud800": 1}, "an object whose keys are text"),
    ],
)
def test_another_value_is_refused_with_what_is_wanted(form, value, wanted):
    refused(form, value, wanted)


def test_classes_that_no_file_can_hold_are_refused():
    with pytest.raises(ModelError, match="'values' is not a list of different classes of type te"):
        forms.Classes().read({"type": "text", "values": ["a", "\ud800"]}, AT)


def test_an_item_is_named_by_its_number():
    with pytest.raises(ModelError, match=r"^here: 'field 1' is not a text"):
        forms.Items(forms.Text()).read(["a", 2], AT)


@pytest.mark.parametrize(
    ("form", "value", "remedy"),
    [
        (forms.ColumnName(), ("a", "b"), "use text as column names"),
        (forms.Categories(), (np.inf,), "convert the column to text"),
        (forms.Categories(), (("a",),), "convert the column to text"),
    ],
)
def test_what_json_cannot_hold_is_not_written(form, value, remedy):
    with pytest.raises(ModelError, match=remedy):
        form.write(value)


def test_the_file_itself_is_named_where_it_is_wrong():
    with pytest.raises(ModelError, match=r"^'The file' is not an object"):
        raise RecordPosition().refuse("an object")
    with pytest.raises(ModelError, match=r"^The file has no 'model'"):
        raise RecordPosition().lacks("model")
