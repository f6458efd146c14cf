"""PairEncoder: what a pair says, which pairs are searched, and how a search goes on."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from modlearn import Encoder, PairEncoder


@parametrize_with_checks(
    [PairEncoder(), PairEncoder(3), PairEncoder(n_jobs=2), PairEncoder(output="onehot")]
)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


def exclusive_or(n_rows=400, seed=0):
    """Two columns that tell only together, a copy of the first, one that tells alone, and noise."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.random((n_rows, 3)), columns=["x", "z", "noise"])
    table["color"] = rng.choice(["red", "green", "blue", "gray"], n_rows)
    y = (table["x"] > 0.5) ^ table["color"].isin(["red", "green"])
    y = np.where(table["z"] > 0.8, "third", np.where(y, "yes", "no"))
    return table, y


@pytest.fixture(scope="module")
def fitted():
    return PairEncoder().fit(*exclusive_or())


def test_columns_that_are_informative_only_together_are_found(fitted):
    alone = {name: partition.level for name, partition in fitted.partitions_.items()}
    assert alone["x"] == alone["color"] == 0
    assert fitted.gains_["x", "color"] > 0.3
    assert fitted.synergy_["x", "color"] > 100
    assert fitted.grids_["x", "color"].counts.shape == (2, 2, 3)


def test_a_column_of_hundreds_of_intervals_has_grids_too():
    patient = np.repeat(np.arange(300), 10)
    noise = np.random.default_rng(0).random(3000)
    table = pd.DataFrame({"patient": patient, "copy": patient * 2.5, "noise": noise})
    pairs = PairEncoder().fit(table, patient % 2)
    assert pairs.grids_["patient", "copy"].counts.size == 300 * 2
    assert pairs.grids_["patient", "noise"].counts.shape == (300, 1, 2)


def test_independent_columns_add_nothing(fitted):
    assert fitted.levels_["x", "noise"] == 0
    assert fitted.synergy_["x", "noise"] == 0
    assert fitted.synergy_["z", "noise"] == 0
    assert abs(fitted.gains_["z", "noise"]) < 0.02


def test_a_copied_column_is_redundant():
    rng = np.random.default_rng(0)
    x = rng.random(300)
    y = rng.random(300) < np.where(x > 0.4, 0.9, 0.1)
    pairs = PairEncoder().fit(pd.DataFrame({"x": x, "copy": 2 * x}), y)
    saving = pairs.partitions_["x"].null_cost - pairs.partitions_["x"].cost
    assert pairs.synergy_["x", "copy"] == pytest.approx(-saving, abs=1e-6)
    assert pairs.gains_["x", "copy"] <= 0


def test_levels_are_ranked(fitted):
    assert list(fitted.levels_.values()) == sorted(fitted.levels_.values(), reverse=True)
    assert list(fitted.grids_) == list(fitted.levels_)
    assert len(fitted.grids_) == 6


def test_wine_gives_the_published_grid():
    data = load_wine(as_frame=True)
    pairs = PairEncoder([("alcohol", "flavanoids")]).fit(data.data, data.target)
    grid = pairs.grids_["alcohol", "flavanoids"]
    assert [axis.cuts.tolist() for axis in grid.axes] == [
        pytest.approx([12.78]),
        pytest.approx([1.235, 2.18]),
    ]
    assert grid.cost == pytest.approx(87.27371200280484, abs=1e-10)


def test_transform_gives_the_cell_of_every_row(fitted):
    table, y = exclusive_or()
    codes = fitted.transform(table)
    assert list(codes.columns) == [f"{a} × {b}" for a, b in fitted.grids_]
    for (a, b), grid in fitted.grids_.items():
        rows = np.zeros_like(grid.cells)
        classes = np.searchsorted(fitted.classes_.astype(str), y)
        np.add.at(rows, (codes[f"{a} × {b}"].to_numpy(), classes), 1)
        np.testing.assert_array_equal(rows, grid.cells)


def test_names_of_the_output_are_those_of_transform(fitted):
    assert fitted.get_feature_names_out().tolist() == list(
        fitted.transform(exclusive_or()[0]).columns
    )


def test_labels_say_both_parts():
    table, y = exclusive_or()
    labels = PairEncoder([("x", "color")], output="label").fit(table, y).transform(table)
    first, second = labels.iloc[0, 0].split(" × ")
    assert first.startswith("(")
    assert set(second.strip("{}").split(", ")) in ({"red", "green"}, {"blue", "gray"})


def test_cells_serve_a_pipeline():
    table, y = exclusive_or()
    model = make_pipeline(PairEncoder(output="onehot"), DecisionTreeClassifier(random_state=0))
    assert model.fit(table, y).score(*exclusive_or(seed=1)) > 0.95


def test_a_pickle_transforms_as_its_original(fitted):
    table = exclusive_or()[0]
    again = pickle.loads(pickle.dumps(fitted))
    pd.testing.assert_frame_equal(again.transform(table), fitted.transform(table))


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_threads_do_not_matter(fitted, n_jobs):
    again = PairEncoder(n_jobs=n_jobs).fit(*exclusive_or())
    assert again.levels_ == fitted.levels_


def test_monotone_transforms_and_class_names_do_not_matter(fitted):
    table, y = exclusive_or()
    names = {"yes": "a", "no": "b", "third": "c"}
    table = table.assign(x=np.exp(table["x"]), noise=table["noise"] ** 3)
    again = PairEncoder().fit(table, [names[label] for label in y])
    for pair, level in fitted.levels_.items():
        assert again.levels_[pair] == pytest.approx(level, abs=1e-12)


def test_weights_are_repeated_rows():
    table, y = exclusive_or(150)
    weights = np.random.default_rng(0).integers(0, 4, 150)
    weighted = PairEncoder().fit(table, y, sample_weight=weights)
    repeated = PairEncoder().fit(table.loc[table.index.repeat(weights)], np.repeat(y, weights))
    assert weighted.levels_ == pytest.approx(repeated.levels_)


def test_missing_values_are_parts_of_their_own():
    table, y = exclusive_or()
    table.loc[::7, "x"] = np.nan
    table.loc[::5, "color"] = None
    y = np.where(table["x"].isna(), "gone", np.where(table["color"].isna(), "gray", y))
    grid = PairEncoder([("x", "color")]).fit(table, y).grids_["x", "color"]
    assert grid.axes[0].labels[0] == "missing"
    assert "{missing}" in grid.axes[1].labels


def test_unlabeled_rows_move_the_cuts():
    rng = np.random.default_rng(0)
    x = np.concatenate((rng.random(100), 2 + rng.random(100), [1.1, 1.2, 1.3]))
    table = pd.DataFrame({"x": x, "w": rng.random(203)})
    y = np.array([0.0] * 100 + [1.0] * 100 + [np.nan] * 3)
    grid = PairEncoder().fit(table, y).grids_["x", "w"]
    assert grid.axes[0].cuts.tolist() == [1.2]
    assert grid.axes[0].unlabeled_counts.sum() == 3


# Which pairs


def test_the_most_promising_pairs_come_first():
    pairs = PairEncoder(1).fit(*exclusive_or())
    assert list(pairs.grids_) == [("x", "color")]
    assert pairs.complete_


def test_given_pairs_are_searched_once():
    table, y = exclusive_or()
    pairs = PairEncoder([("z", "noise"), ("noise", "z"), ("x", "z")]).fit(table, y)
    assert set(pairs.grids_) == {("z", "noise"), ("x", "z")}


@pytest.mark.parametrize("pairs", [np.int64(1), np.array([["x", "color"]])], ids=str)
def test_numbers_and_arrays_of_numpy_are_understood(pairs):
    assert list(PairEncoder(pairs).fit(*exclusive_or()).grids_) == [("x", "color")]


@pytest.mark.parametrize("pairs", [True, np.True_], ids=repr)
def test_true_means_all_pairs(fitted, pairs):
    assert PairEncoder(pairs).fit(*exclusive_or()).levels_ == fitted.levels_


@pytest.mark.parametrize("pairs", [False, np.False_], ids=repr)
def test_no_pairs_are_refused(pairs):
    with pytest.raises(ValueError, match="pairs is False, which leaves nothing to search: pass"):
        PairEncoder(pairs).fit(*exclusive_or())


def test_a_time_budget_ends_the_search_after_at_least_one_pair():
    pairs = PairEncoder(1e-9).fit(*exclusive_or())
    assert list(pairs.grids_) == [("x", "color")]
    assert not pairs.complete_


def test_a_large_time_budget_is_enough_for_all():
    pairs = PairEncoder(600.0).fit(*exclusive_or())
    assert len(pairs.grids_) == 6
    assert pairs.complete_


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("x", "nothing")], "names the column 'nothing', which the table does not have"),
        ([("x", "x")], "a pair needs two different columns"),
        (["xz"], "pass pairs of column names"),
        ([("x", "z", "noise")], "pass pairs of column names"),
    ],
)
def test_pairs_that_are_none_are_refused(pairs, message):
    with pytest.raises(ValueError, match=message):
        PairEncoder(pairs).fit(*exclusive_or())


def test_one_column_is_refused():
    with pytest.raises(ValueError, match="a pair needs two columns"):
        PairEncoder().fit(pd.DataFrame({"x": [1, 2]}), [0, 1])


# Going on


def test_progress_counts_the_pairs():
    reported = []
    PairEncoder(progress=lambda *report: reported.append(report)).fit(*exclusive_or())
    assert reported == [("pairs", i, 6) for i in range(7)]


def interrupt_after(n_pairs):
    """A progress callback that interrupts after this number of pairs."""

    def interrupt(stage, done, total):
        if done == n_pairs:
            raise KeyboardInterrupt

    return interrupt


@pytest.mark.parametrize("wanted", ["all", 5, 600.0], ids=str)
def test_an_interruption_keeps_what_is_done(wanted):
    message = "Interrupted after 2 pairs: the others are missing from levels_"
    with pytest.warns(UserWarning, match=message):
        pairs = PairEncoder(wanted, progress=interrupt_after(2)).fit(*exclusive_or())
    assert len(pairs.grids_) == 2
    assert not pairs.complete_
    assert pairs.transform(exclusive_or()[0]).shape[1] == len(pairs.grids_)


def test_an_interruption_before_the_first_pair_leaves_nothing(monkeypatch, fitted):
    def interrupt(counts, singles):
        raise KeyboardInterrupt

    monkeypatch.setattr("modlearn._fit.pairs.best_grid", interrupt)
    table, y = exclusive_or()
    for encoder in (PairEncoder(), pickle.loads(pickle.dumps(fitted))):
        with pytest.raises(KeyboardInterrupt):
            encoder.fit(table, y)
        with pytest.raises(NotFittedError, match="is not fitted yet"):
            encoder.transform(table)
        # Not those of the columns either, which are done by then.
        assert all(isinstance(pair, tuple) for pair in getattr(encoder, "levels_", {}))


def test_an_interruption_after_the_last_pair_loses_nothing(recwarn):
    assert PairEncoder(progress=interrupt_after(6)).fit(*exclusive_or()).complete_
    assert not recwarn


def test_a_search_is_resumed_from_its_checkpoint(tmp_path, fitted):
    path = tmp_path / "pairs.json"
    PairEncoder(3, checkpoint=path).fit(*exclusive_or())
    reported = []
    again = PairEncoder(checkpoint=path, progress=lambda *report: reported.append(report[1]))
    again.fit(*exclusive_or())
    assert reported == [3, 4, 5, 6]
    assert again.levels_ == fitted.levels_
    assert [p.name for p in tmp_path.iterdir()] == ["pairs.json"]


def test_a_checkpoint_without_a_folder_is_refused_before_the_search(tmp_path):
    reported = []
    search = PairEncoder(
        checkpoint=tmp_path / "no" / "p.json", progress=lambda *t: reported.append(t)
    )
    with pytest.raises(FileNotFoundError, match=r"There is no folder .* to write 'p\.json' to"):
        search.fit(*exclusive_or())
    assert not reported


def test_a_folder_as_checkpoint_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError, match=r"a folder: pass the name of a file in it"):
        PairEncoder(checkpoint=tmp_path).fit(*exclusive_or())


def test_a_checkpoint_of_other_data_is_refused(tmp_path):
    path = tmp_path / "pairs.json"
    PairEncoder(1, checkpoint=path).fit(*exclusive_or())
    with pytest.raises(ValueError, match=r"pairs\.json' was written for other data: delete it"):
        PairEncoder(checkpoint=path).fit(*exclusive_or(seed=1))


@pytest.mark.parametrize(
    "content", ["", "{}", "[1]", '{"format": "modlearn pairs", "version": 9}', "[" * 10_000]
)
def test_a_damaged_checkpoint_is_refused(tmp_path, content):
    path = tmp_path / "pairs.json"
    path.write_text(content)
    with pytest.raises(ValueError, match="is not a checkpoint of pairs, or it is damaged"):
        PairEncoder(checkpoint=path).fit(*exclusive_or())


def test_hostile_parts_in_a_checkpoint_are_refused(tmp_path):
    path = tmp_path / "pairs.json"
    PairEncoder(1, checkpoint=path).fit(*exclusive_or())
    path.write_text(path.read_text().replace("[0,", "[7,", 1).replace('"parts":[[', '"parts":[[9,'))
    with pytest.raises(ValueError, match="is not a checkpoint of pairs, or it is damaged"):
        PairEncoder(checkpoint=path).fit(*exclusive_or())


def test_columns_are_those_of_encoder(fitted):
    table, y = exclusive_or()
    alone = Encoder().fit(table, y)
    for name, partition in alone.partitions_.items():
        assert fitted.partitions_[name].cost == partition.cost


def test_a_constant_column_and_an_identifier_do_no_harm():
    table, y = exclusive_or(60)
    table["constant"], table["id"] = 1, [f"row {i}" for i in range(60)]
    pairs = PairEncoder().fit(table, y)
    assert pairs.grids_["constant", "id"].counts.shape == (1, 1, 3)
