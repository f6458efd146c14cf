"""Records of partitions and grids: back to the last bit, and nothing trusted."""

import copy
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import modlearn
from modlearn import PairEncoder
from modlearn._model.forms import Classes, RecordPosition
from modlearn._model.grid import PARTITION, Grid
from modlearn._model.partitions import Intervals
from modlearn.errors import ModelError


def fitted():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "x": np.where(rng.random(200) < 0.1, np.nan, rng.random(200)),
            "color": rng.choice(["red", "green", "blue", None], 200),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 99, 200), "D"),
        }
    )
    y = np.where(table["x"].isna(), 2, (table["x"] > 0.5) ^ (table["color"] == "red"))
    return PairEncoder().fit(table, y.astype(np.int64)), table


PAIRS, TABLE = fitted()
HERE = RecordPosition(("here",), PAIRS.classes_)


def partition_record(partition):
    return PARTITION.write(partition)


def read_partition(record):
    return PARTITION.read(record, HERE)


def through_json(record):
    return json.loads(json.dumps(record, allow_nan=False))


@pytest.mark.parametrize("name", list(PAIRS.partitions_))
def test_a_partition_comes_back_as_it_was(name):
    partition = PAIRS.partitions_[name]
    again = read_partition(through_json(partition_record(partition)))
    assert type(again) is type(partition)
    assert again.labels == partition.labels
    assert (again.cost, again.level, again.name) == (partition.cost, partition.level, name)
    np.testing.assert_array_equal(again.counts, partition.counts)
    if isinstance(partition, Intervals):
        assert again.cuts.tobytes() == partition.cuts.tobytes()


@pytest.mark.parametrize("pair", list(PAIRS.grids_), ids=str)
def test_a_grid_comes_back_as_it_was(pair):
    grid = PAIRS.grids_[pair]
    again = Grid.from_dict(through_json(grid.to_dict()), HERE)
    assert str(again) == str(grid)
    np.testing.assert_array_equal(again.counts, grid.counts)


@pytest.mark.parametrize(
    "classes",
    [
        np.array(["a", "b"], dtype=object),
        np.array(["a", "b"]),
        np.array([-1, 3]),
        np.array([0, 255], dtype=np.uint8),
        np.array([0.5, 1.0]),
        np.array([False, True]),
    ],
    ids=lambda classes: str(classes.dtype),
)
def test_classes_come_back_with_their_type(classes):
    again = Classes().read(through_json(Classes().write(classes)), HERE)
    assert again.tolist() == classes.tolist()
    assert again.dtype.kind == classes.dtype.kind or classes.dtype.kind == "U"


def test_classes_that_cannot_be_written_to_a_file_are_refused():
    with pytest.raises(ModelError, match=r"Classes of type datetime64.*make the target text"):
        Classes().write(np.array(["2020-01-01"], dtype="M8[D]"))


def test_cuts_next_to_infinity_come_back():
    partition = PAIRS.partitions_["x"]
    record = partition_record(partition)
    record["cuts"][-1] = "inf"
    again = read_partition(through_json(record))
    assert again.cuts[-1] == np.inf


CHANGES = [
    ("cost", None, "'cost' is not a number"),
    ("cost", 10**400, "'cost' is not a number"),
    ("cuts", [3.0, 1.0], "'cuts' is not a list of 1 increasing numbers"),
    ("cuts", ["nan"], "'cuts' is not a table of any numbers"),
    ("cuts", [True], "'cuts' is not a table of any numbers"),
    ("counts", [[1, 2], [3]], "'counts' is not a table of any × 3 counts"),
    ("counts", [[1, 2, -3]], "'counts' is not a table of any × 3 counts"),
    ("counts", [[1, 2, 2**60]], "'counts' is not a table of any × 3 counts"),
    ("missing_alone", 1, "'missing_alone' is not true or false"),
    ("type", "magic", "'type' is not one of numeric"),
    ("name", {}, "'name' is not a text or a whole number"),
]


@pytest.mark.parametrize(("field", "value", "message"), CHANGES)
def test_a_damaged_field_is_named(field, value, message):
    record = partition_record(PAIRS.partitions_["x"]) | {field: value}
    with pytest.raises(ModelError, match=f"here: {message}"):
        read_partition(record)


@pytest.mark.parametrize("cut", ["-inf", "inf", 1e300, -(2.0**63)])
def test_a_cut_that_is_not_a_date_is_refused(cut):
    record = partition_record(PAIRS.partitions_["x"]) | {"type": "datetime"}
    record |= {"cuts": [cut], "sides": [[0, 1]], "missing_alone": True}
    record["counts"] = record["counts"][:1] * 3
    record["unlabeled_counts"] = [0] * 3
    with pytest.raises(ModelError, match="'cuts' is not a list of microseconds in the range of"):
        read_partition(record)


def test_a_missing_field_is_named():
    record = partition_record(PAIRS.partitions_["x"])
    del record["cuts"]
    with pytest.raises(ModelError, match="here has no 'cuts'"):
        read_partition(record)


def test_a_value_in_two_groups_is_refused():
    record = partition_record(PAIRS.partitions_["color"])
    record["groups"][0] = [*record["groups"][0], record["groups"][0][0]]
    with pytest.raises(ModelError, match="lists of different values"):
        read_partition(record)


def test_a_grid_that_its_axes_contradict_is_refused():
    record = next(iter(PAIRS.grids_.values())).to_dict()
    record["counts"][0][0][0] += 1
    with pytest.raises(ModelError, match="'counts' is not the rows of its axes"):
        Grid.from_dict(record, HERE)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2),
)


def paths_in(record, path=()):
    """Paths to everything in a record."""
    yield path
    items = record.items() if isinstance(record, dict) else enumerate(record)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from paths_in(value, (*path, key))
        else:
            yield (*path, key)


@given(st.sampled_from(sorted(PAIRS.grids_, key=str)), st.data())
@settings(max_examples=300)
def test_a_changed_record_gives_a_grid_that_works_or_an_error_in_words(pair, data):
    record = copy.deepcopy(through_json(PAIRS.grids_[pair].to_dict()))
    path = data.draw(st.sampled_from(list(paths_in(record))))
    value = data.draw(anything)
    at = record
    for key in path[:-1]:
        at = at[key]
    if path:
        at[path[-1]] = value
    else:
        record = value
    try:
        grid = Grid.from_dict(record, HERE)
    except ModelError:
        return
    assert len(grid.labels) == grid.n_parts
    assert str(grid)


def test_the_column_of_a_category_that_no_file_can_hold_is_named(tmp_path):
    table = pd.DataFrame({"code": [1.5, -np.inf] * 30, "km": range(60)})
    result = modlearn.fit(table, ["no", "yes"] * 30, as_categorical="code", pairs="all")
    with pytest.raises(ModelError, match=r"^Column 'code' has the category -inf, which cannot be"):
        result.save(tmp_path / "m.json")
