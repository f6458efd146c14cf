import numpy as np
import pandas as pd
import pytest

from modlearn import LabelDistributionPropagation
from modlearn._jobs.propagation import propagate_file
from modlearn._jobs.source import ColumnRequest
from modlearn._tables.files.formats import open_source


@pytest.fixture
def spread(tmp_path):
    """Writes a table, spreads its labels, and reads what was written."""

    def spread(frame, drop=(), **options):
        frame.to_parquet(tmp_path / "few.parquet", index=False)
        with open_source(tmp_path / "few.parquet") as source:
            wanted = ColumnRequest("kind", drop=drop)
            done = propagate_file(source, wanted, str(tmp_path / "all.parquet"), **options)
        return done, pd.read_parquet(tmp_path / "all.parquet")

    return spread


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    kind = np.repeat(np.array(["tea", "milk"], dtype=object), 60)
    points = rng.normal(size=(120, 2)) + 6 * (kind == "tea")[:, None]
    frame = pd.DataFrame(points, columns=["x", "z"]).assign(kind=kind)
    frame.loc[frame.index % 20 != 0, "kind"] = None
    return frame


def test_labels_and_probabilities_are_those_of_the_estimator(spread, blobs):
    done, found = spread(blobs)
    ldp = LabelDistributionPropagation().fit(blobs[["x", "z"]], blobs["kind"])
    assert found["predicted kind"].tolist() == ldp.transduction_.tolist()
    np.testing.assert_array_equal(found[["P(milk)", "P(tea)"]], ldp.label_distributions_)
    np.testing.assert_array_equal(found["unknown"], ldp.unknown_mass_)
    assert (done.n_rows, done.n_labeled, done.n_decided, done.n_undecided) == (120, 6, 114, 0)
    assert done.rows == {"milk": 60, "tea": 60}
    (note,) = done.notes
    assert str(note) == (
        "Held out in turn, 6 of 6 labels were predicted correctly from the others (100%). Always "
        "predicting 'milk' would be correct for 50%."
    )
    assert (done.held_out["n_rows"], done.held_out["n_right"]) == (6, 6)


def test_rows_that_no_label_reaches_stay_undecided(spread):
    far = pd.DataFrame({"x": [0.0, 1, 2, 3, 1000, 1001, 1002], "z": 0.0})
    far["z"] = far["x"] * 2
    far["kind"] = ["a", None, None, "b", None, None, None]
    done, found = spread(far, n_neighbors=2)
    assert done.n_undecided == 3
    assert [note.kind for note in done.notes] == ["labels_not_tested", "apart_from_labels"]
    assert str(done.notes[1]) == (
        "3 rows remain undecided in 1 group apart from all labels: no chain of neighbors leads to "
        "a labeled row. Label a row of each group, such as row 5 of the table, or pass more "
        "--neighbors than 2."
    )
    assert found["predicted kind"].isna().tolist() == [False] * 4 + [True] * 3
    assert found["P(a)"].isna().tolist() == [False] * 4 + [True] * 3
    assert found["unknown"][4:].tolist() == [1.0] * 3


def test_labels_that_the_others_do_not_reach_are_counted(spread):
    far = pd.DataFrame({"x": [0.0, 1, 2, 3, 1000, 1001, 1002]})
    far["kind"] = ["a", None, "b", "a", None, "b", None]
    done, _ = spread(far, n_neighbors=2)
    assert done.held_out["n_undecided"] == 1
    assert "and 1 was not reached by them" in str(done.notes[0])


def test_classes_that_are_numbers_stay_numbers(spread, blobs):
    numbered = blobs.assign(kind=blobs["kind"].map({"tea": 7, "milk": 3}).astype("Int64"))
    _, found = spread(numbered)
    assert set(found["predicted kind"]) == {3, 7}


def test_columns_are_left_out_and_the_reason_is_given(spread, blobs):
    named = blobs.assign(id=[f"row {i}" for i in range(120)], far=np.arange(120.0) ** 3)
    done, found = spread(named, drop=["far"], keep=["id"])
    assert {column["name"] for column in done.left_out} == {"id", "far"}
    assert list(found.columns) == ["id", "predicted kind", "P(milk)", "P(tea)", "unknown"]
    ldp = LabelDistributionPropagation().fit(blobs[["x", "z"]], blobs["kind"])
    assert found["predicted kind"].tolist() == ldp.transduction_.tolist()


def test_notes_are_those_on_the_columns_as_they_are_read(blobs, tmp_path):
    table = blobs.assign(kind=blobs["kind"].map({"tea": "45%", "milk": "50%"}))
    table.assign(share="7%").to_csv(tmp_path / "few.csv", index=False)
    with open_source(tmp_path / "few.csv") as source:
        done = propagate_file(source, ColumnRequest("kind"), str(tmp_path / "all.csv"))
    columns = [note.numbers["column"] for note in done.notes if note.kind == "amounts"]
    assert (columns, list(done.rows)) == (["share"], ["45%", "50%"])
    assert all(note.kind != "unlabeled" for note in done.notes)
