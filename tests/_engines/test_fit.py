"""One model, wherever the rows are: in memory, DuckDB, PostgreSQL and Spark."""

import numpy as np
import pandas as pd
import pytest
from tests._engines.tables import in_postgres, make_table

import modlearn
from modlearn._statistics.categories import POOLED
from modlearn.errors import ColumnError


def models_are_equal(one, other):
    """Compare every number of two models, to the last digit."""
    assert list(one.partitions) == list(other.partitions)
    for name, parts in one.partitions.items():
        found = other.partitions[name]
        assert found.labels == parts.labels
        assert found.cost == parts.cost
        assert found.null_cost == parts.null_cost
        assert found.proven_optimal == parts.proven_optimal
        assert np.array_equal(found.counts, parts.counts)
        assert np.array_equal(found.unlabeled_counts, parts.unlabeled_counts)
    assert [t.weight for t in other.model.terms] == [t.weight for t in one.model.terms]
    return True


def shuffled(frame):
    """Return the rows in another order."""
    return frame.sample(frac=1.0, random_state=2, ignore_index=True)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"as_categorical": ["code"], "drop": ["flag"]},
        {"time": "when"},
        {"group": "code", "positive": "yes"},
        {"test": 0.25, "method": "averaged"},
        {"test": 0.25, "method": "additive"},
    ],
)
def test_model_is_that_of_rows_in_memory(stored, options):
    frame = make_table()
    known = modlearn.fit(frame, "y", **options)
    found = modlearn.fit(stored(frame), "y", **options)
    assert models_are_equal(known, found)
    assert np.array_equal(found.predict_proba(frame), known.predict_proba(frame))
    kinds = [warning.kind for warning in known.warnings]
    assert [warning.kind for warning in found.warnings] == kinds


@pytest.mark.parametrize("options", [{}, {"test": 0.3}])
def test_evaluation_does_not_depend_on_the_engine_or_the_order_of_rows(stored, in_duckdb, options):
    frame = make_table(600, seed=1)
    found = modlearn.fit(stored(frame), "y", **options).evaluation
    known = modlearn.fit(in_duckdb(shuffled(frame)), "y", **options).evaluation
    assert np.array_equal(found.confusion, known.confusion)
    for name, measure in known.measures.items():
        assert found.measures[name].mean == pytest.approx(measure.mean, abs=1e-12)


def make_repeated(n_rows=2000):
    """Return rows with few different cells: in some columns of the key, or in all columns."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"n{i}": rng.integers(0, 3, n_rows) for i in range(5)})
    frame["n4"] = frame["n4"].where(rng.random(n_rows) < 0.7)
    frame["t"] = rng.choice(["a", "b", "é", None], n_rows, p=[0.5, 0.3, 0.1, 0.1])
    score = frame["n4"].fillna(1) + (frame["t"] == "a") + rng.normal(size=n_rows)
    return frame.assign(y=np.where(score > 1.5, "yes", "no").astype(object))


@pytest.mark.parametrize(("n_columns", "test"), [(2, None), (6, 0.3)])
def test_repeated_rows_are_divided_alike_in_every_engine_and_order(
    stored, in_duckdb, monkeypatch, n_columns, test
):
    frame = make_repeated().iloc[:, -n_columns - 1 :]
    monkeypatch.setattr("modlearn._engines.table.MOST_SAMPLED", 500)
    monkeypatch.setattr("modlearn._engines.table.FEW", 10)
    found = modlearn.fit(stored(frame), "y", test=test)
    known = modlearn.fit(in_duckdb(shuffled(frame)), "y", test=test)
    assert models_are_equal(known, found)
    assert known.evaluation.n_folds == (10 if test is None else None)
    assert np.array_equal(found.evaluation.confusion, known.evaluation.confusion)
    assert found.evaluation.measures == known.evaluation.measures


@pytest.mark.parametrize(("name", "test"), [("whole", None), ("cat", 0.3), ("when", 0.3)])
def test_whole_groups_are_held_out_as_in_memory(stored, name, test):
    frame = make_table(700, seed=4)
    frame = frame[frame["cat"].notna()].assign(when=frame["when"].dt.normalize())
    known = modlearn.fit(frame, "y", group=name, test=test).evaluation
    found = modlearn.fit(stored(frame), "y", group=name, test=test).evaluation
    assert np.array_equal(found.confusion, known.confusion)
    assert (found.n_test, found.n_train) == (known.n_test, known.n_train)


@pytest.mark.parametrize("gaps", [False, True])
def test_integers_that_doubles_do_not_tell_apart_are_other_classes_and_categories(stored, gaps):
    rng = np.random.default_rng(0)
    large = 2**53 + rng.integers(0, 3, 400)
    wrong = rng.random(400) < 0.1
    frame = pd.DataFrame({"id": large, "x": rng.normal(size=400)})
    frame["y"] = np.where((large == 2**53) ^ wrong, 2**60, 2**60 + 1)
    frame["group"] = 2**53 + np.arange(400) % 4
    if gaps:
        frame = frame.astype({"id": "Int64", "y": "Int64"})
        frame.loc[::50, "id"] = frame.loc[::40, "y"] = pd.NA
    options = {"as_categorical": ["id"], "group": "group"}
    known = modlearn.fit(frame, "y", **options)
    found = modlearn.fit(stored(frame), "y", **options)
    assert found.model.classes.tolist() == [2**60, 2**60 + 1]
    assert models_are_equal(known, found)
    assert 2 <= len(found.partitions["id"].groups) <= 3
    assert np.array_equal(found.evaluation.confusion, known.evaluation.confusion)


def make_pairs(n_rows=1500, seed=3):
    """Return columns with few values, the class depends on two of them together."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.integers(0, 12, n_rows),
            "b": np.where(rng.random(n_rows) < 0.1, np.nan, rng.integers(0, 9, n_rows)),
            "c": rng.choice(["x", "y's", "z", None], n_rows),
            "e": rng.choice(list("abcdefghijk"), n_rows),
            "d": rng.normal(size=n_rows).round(1),
        }
    )
    together = (frame["a"] > 5) ^ (frame["c"] == "x")
    noise = rng.random(n_rows) < 0.2
    frame["y"] = np.where(together ^ noise, "yes", "no").astype(object)
    return frame


@pytest.mark.parametrize(("test", "pairs"), [(0.3, "all"), (None, [("a", "c")])])
def test_grids_of_columns_with_few_values_are_those_of_rows_in_memory(
    stored, monkeypatch, test, pairs
):
    frame = make_pairs()
    known = modlearn.fit(frame, "y", pairs=pairs, test=test)
    monkeypatch.setattr("modlearn._engines.table.MOST_SAMPLED", 400)
    monkeypatch.setattr("modlearn._engines.table.FEW", 10)
    found = modlearn.fit(stored(frame), "y", pairs=pairs, test=test)
    assert known.model.grids
    assert list(found.model.grids) == list(known.model.grids)
    for pair, grid in known.model.grids.items():
        assert np.array_equal(found.model.grids[pair].counts, grid.counts)
        assert found.model.grids[pair].cost == grid.cost
        assert found.model.grids[pair].labels == grid.labels


def test_a_sample_stands_for_all_rows(stored, monkeypatch):
    frame = make_table(4000, seed=5).drop(columns=["when", "code"])
    known = modlearn.fit(frame, "y", test=0.3)
    monkeypatch.setattr("modlearn._engines.table.MOST_SAMPLED", 1500)
    monkeypatch.setattr("modlearn._engines.table.FEW", 10)
    found = modlearn.fit(stored(frame), "y", test=0.3)
    for name, parts in known.partitions.items():
        assert found.partitions[name].cost == parts.cost
        assert found.partitions[name].labels == parts.labels
    weights = {term.name: term.weight for term in known.model.terms}
    for term in found.model.terms:
        assert term.weight == pytest.approx(weights[term.name], abs=0.15)


def test_rows_with_equal_cells_are_divided(stored):
    rng = np.random.default_rng(0)
    # The name is that of the column of a subquery, if it is free.
    cells = {"number_of_equal": rng.integers(0, 2, 2000), "b": rng.choice(["u", "v"], 2000)}
    frame = pd.DataFrame(cells).rename(columns={"b": "number_of_equal_1"})
    likely = np.where(frame["number_of_equal"] == 1, 0.8, 0.3)
    frame["y"] = np.where(rng.random(2000) < likely, "yes", "no").astype(object)
    found = modlearn.fit(stored(frame), "y").evaluation
    known = modlearn.fit(frame, "y").evaluation
    # Without numbers, eight kinds of rows would be in eight folds as a whole.
    assert found.n_folds == 10
    assert found.measures["accuracy"].mean == pytest.approx(
        known.measures["accuracy"].mean, abs=0.01
    )


CATEGORIES = {
    "text": lambda numbers: np.array([f"name {i}" for i in numbers], dtype=object),
    "integer": lambda numbers: numbers,
    "date": lambda numbers: pd.Timestamp("2020-01-01") + pd.to_timedelta(numbers, unit="h"),
}
"""Columns of every kind that can be categories."""


@pytest.mark.parametrize("kind", CATEGORIES)
def test_rare_values_of_a_column_with_too_many_are_pooled(stored, monkeypatch, kind):
    rng = np.random.default_rng(0)
    numbers = np.where(
        rng.random(3000) < 0.6, rng.integers(0, 2, 3000), rng.integers(2, 2002, 3000)
    )
    likely = np.where(numbers == 0, 0.9, np.where(numbers == 1, 0.1, 0.5))
    frame = pd.DataFrame({"name": CATEGORIES[kind](numbers), "x": rng.normal(size=3000)})
    frame["y"] = np.where(rng.random(3000) < likely, "yes", "no").astype(object)
    monkeypatch.setattr("modlearn._engines.counts.MOST_VALUES", 50)
    found = modlearn.fit(stored(frame), "y", test=0.3, as_categorical=["name"])
    groups = found.partitions["name"]
    assert sum(map(len, groups.groups)) == 51
    assert int(groups.counts.sum()) == 3000
    assert "1 column has more values than fit in memory" in str(
        next(note for note in found.facts.notes if note.kind == "pooled_values")
    )
    rare = next(i for i in range(2, 2002) if np.count_nonzero(numbers == i) == 1)
    new = pd.DataFrame({"name": CATEGORIES[kind](np.array([0, 1, rare, 4000])), "x": 0.0})
    assert found.predict(new[:2]).tolist() == ["yes", "no"]
    # Rare values are neutral, like values that were never seen.
    seen = found.predict_proba(new)
    assert np.array_equal(seen[2], seen[3])


def test_dates_that_are_categories_are_those_of_rows_in_memory(stored):
    frame = make_table(600)[["when", "num", "y"]]
    frame["when"] = frame["when"].dt.floor("30D")
    known = modlearn.fit(frame, "y", as_categorical=["when"])
    assert models_are_equal(known, modlearn.fit(stored(frame), "y", as_categorical=["when"]))


def test_pooled_values_are_one_category_of_pairs(stored, monkeypatch):
    rng = np.random.default_rng(0)
    n_rows = 3000
    often = rng.random(n_rows) < 0.4
    unique = np.array([f"name {i}" for i in range(n_rows)], dtype=object)
    names = np.where(often, rng.choice(list("abcde"), n_rows).astype(object), unique)
    names[rng.random(n_rows) < 0.1] = None
    frame = pd.DataFrame({"name": names, "flag": rng.integers(0, 4, n_rows)})
    together = np.isin(frame["name"], ["a", "b"]) ^ (frame["flag"] > 1)
    frame["y"] = np.where(together ^ (rng.random(n_rows) < 0.2), "yes", "no").astype(object)
    frame.loc[rng.random(n_rows) < 0.05, "y"] = None
    monkeypatch.setattr("modlearn._engines.counts.MOST_VALUES", 6)  # and missing
    monkeypatch.setattr("modlearn._engines.table.MOST_SAMPLED", 400)
    monkeypatch.setattr("modlearn._engines.table.FEW", 10)
    found = modlearn.fit(stored(frame), "y", pairs="all", test=0.3)
    rare = frame["name"].notna() & ~frame["name"].isin(list("abcde"))
    pooled = frame.assign(name=frame["name"].mask(rare, POOLED))
    known = modlearn.fit(pooled, "y", pairs="all", test=0.3)
    (grid,) = found.model.grids.values()
    (twin,) = known.model.grids.values()
    assert grid.labels == twin.labels
    assert np.array_equal(grid.counts, twin.counts)
    # That no grouping of the values costs less is not known.
    assert not found.partitions["name"].proven_optimal
    assert not grid.proven_optimal


@pytest.fixture
def like_large(monkeypatch):
    """Let tables of some thousand rows be treated like large ones: bins, samples, scores by SQL."""
    monkeypatch.setattr("modlearn._engines.counts.MOST_VALUES", 100)
    monkeypatch.setattr("modlearn._engines.counts.MOST_IN_MEMORY", 100)
    monkeypatch.setattr("modlearn._engines.table.MOST_SAMPLED", 1000)
    monkeypatch.setattr("modlearn._engines.table.FEW", 10)
    monkeypatch.setattr("modlearn._engines.scores.FEWEST_SCORED", 10)
    return monkeypatch


@pytest.fixture
def in_duckdb(tmp_path, monkeypatch):
    """Store a frame in a file that does not fit in memory; what is found in it is known."""

    def stored(frame):
        monkeypatch.setattr("modlearn._jobs.source.Room.holds", lambda *_: False)
        frame.to_parquet(path := tmp_path / "other.parquet")
        return str(path)

    return stored


def test_intervals_from_bins_are_close_to_those_of_rows_in_memory(stored, like_large, in_duckdb):
    rng = np.random.default_rng(0)
    n_rows = 30_000
    waves, skewed, noise = (
        rng.random(n_rows),
        rng.lognormal(sigma=3, size=n_rows),
        rng.random(n_rows),
    )
    likely = 0.5 + 0.25 * np.sin(20 * waves) + 0.2 * np.sign(np.sin(np.log(skewed)))
    frame = pd.DataFrame({"waves": waves, "skewed": skewed, "noise": noise})
    frame["y"] = np.where(rng.random(n_rows) < likely, "yes", "no").astype(object)
    like_large.setattr("modlearn._engines.table.MOST_SAMPLED", 8_000)
    known = modlearn.analyze(frame, "y").partitions
    found = modlearn.analyze(stored(frame), "y").partitions
    twins = modlearn.analyze(in_duckdb(frame), "y").partitions
    for name, parts in known.items():
        assert found[name].cost == pytest.approx(parts.cost, rel=1e-4)
        assert found[name].counts.sum() == n_rows
        # Every engine draws the same sample, which makes the same bins.
        assert found[name].cuts.tolist() == twins[name].cuts.tolist()
        assert found[name].cost == twins[name].cost
    assert known["waves"].n_parts > 5
    assert not found["waves"].proven_optimal


def make_repeating():
    """Return columns whose values repeat: five times, thrice, and twice in most rows."""
    n_rows = 12_000
    rng = np.random.default_rng(0)
    y = rng.random(n_rows // 5 + 1) < 0.5
    y = np.repeat(y, 5)[:n_rows]
    by_class = rng.permutation(n_rows)
    by_class = by_class[np.argsort(y[by_class], kind="stable")]
    thrice, half = np.empty(n_rows), rng.random(n_rows)
    thrice[by_class] = np.repeat(rng.random(n_rows // 3), 3)
    half[by_class[:9_000:2]] = half[by_class[1:9_000:2]]
    thrice[rng.random(n_rows) < 0.01] = np.nan
    fives = np.repeat(rng.normal(size=n_rows // 5), 5)
    frame = pd.DataFrame({"fives": fives, "thrice": thrice, "twins": half})
    frame["y"] = np.where(y, "yes", "no").astype(object)
    frame.loc[rng.random(n_rows) < 0.003, "y"] = None
    return frame


def is_counted_by_range(frame, found, known):
    """Compare every column with that of rows in memory, to the last digit."""
    (note,) = [one for one in found.facts.notes if one.kind == "counted_by_range"]
    assert note.names == ("fives", "thrice", "twins")
    assert [one.names for one in found.facts.notes if one.kind == "merged_values"] == []
    for name, parts in known.partitions.items():
        assert found.partitions[name].cost == parts.cost
        assert found.partitions[name].cuts.tolist() == parts.cuts.tolist()
        assert np.array_equal(found.partitions[name].counts, parts.counts)
        assert np.array_equal(found.partitions[name].unlabeled_counts, parts.unlabeled_counts)
    return known.partitions["fives"].n_parts > 100


def test_repeated_values_that_do_not_fit_in_memory_are_counted_range_by_range(stored, like_large):
    frame = make_repeating()
    like_large.setattr("modlearn._jobs.options.LEAST_MEMORY", 0)
    found = modlearn.analyze(stored(frame), "y", memory="1.4MB")
    assert is_counted_by_range(frame, found, modlearn.analyze(frame, "y"))


def test_counts_by_range_are_divided_into_folds(in_duckdb, like_large):
    frame = make_repeating()
    like_large.setattr("modlearn._jobs.options.LEAST_MEMORY", 0)
    found = modlearn.fit(in_duckdb(frame), "y", memory="2.2MB", test=0.3)
    assert is_counted_by_range(frame, found, modlearn.fit(frame, "y", test=0.3))
    # Whatever is learned of a column that is noise, it does not predict.
    assert found.evaluation.measures["accuracy"].mean < 0.9


@pytest.mark.parametrize("train_in_engine", [False, True])
def test_another_table_is_scored_where_it_is(stored, like_large, in_duckdb, train_in_engine):
    frame, other = make_table(1500, seed=2), make_table(2500, seed=3)
    other["num"] += 0.3
    other.loc[:20, "y"] = "perhaps"
    known = modlearn.fit(frame, "y", test_file=other)
    like_large.setattr("modlearn._engines.table.MOST_SAMPLED", 1_600)
    like_large.setattr("modlearn._engines.counts.MOST_VALUES", 10_000)
    train = in_duckdb(frame) if train_in_engine else frame
    found = modlearn.fit(train, "y", test_file=stored(other))
    assert models_are_equal(known, found)
    evaluation, one = found.evaluation, known.evaluation
    assert (evaluation.how, evaluation.n_test) == ("test file", one.n_test)
    assert np.array_equal(evaluation.confusion, one.confusion)
    assert evaluation.measures["log_loss"].mean == pytest.approx(one.measures["log_loss"].mean)
    assert evaluation.measures["auc"].mean == pytest.approx(one.measures["auc"].mean, abs=1e-4)
    assert [w.kind for w in found.warnings] == [w.kind for w in known.warnings]
    (new,) = [w for w in found.warnings if w.kind == "new_class"]
    assert new.numbers == {"rows": 21, "class": "perhaps"}
    notes = {note.kind: note.numbers for note in found.facts.notes}
    assert notes["scored_in_engine"]["rows"] == evaluation.n_test > 2300
    assert notes["test_unlabeled"] == {"rows": int(other["y"].isna().sum())}


def test_another_table_without_a_column_is_refused(stored):
    frame = make_table(300)
    with pytest.raises(ColumnError, match="The test table has no column 'whole'"):
        modlearn.fit(frame, "y", test_file=stored(frame.drop(columns="whole")))


def test_another_table_whose_columns_have_other_types_is_refused(postgres_server):
    frame = make_table(300)
    other = in_postgres(frame.assign(whole=frame["whole"].astype(str)), postgres_server)
    message = "Column 'whole' of the test table is text, but that of the training table is numeric"
    with pytest.raises(ColumnError, match=message):
        modlearn.fit(frame, "y", test_file=other)


HOSTILE = {
    "num": 'n"; DROP TABLE rows; --',
    "whole": "it's\n50% {df} `b` \\",
    "gaps": "שלום \u202e right",
    "cat": "a.b[c]$1 ? \x07 ${HOME}",
    "when": "SELECT",
    "y": "y' OR '1'='1",
}
LABELS = {"it's no": '"\\n {0} %s', "yes": "'); DROP TABLE rows; -- \u202e"}
VALUES = {
    "a": "\x01\u202e b",
    "b": "'; DROP TABLE rows; --",
    "c'x": "/* ${spark.app.name} */",
    'd"é': "\\{rows}\n",
    "e;\t": "`{{ x }}` -- \x1b",
    "שלום": "שלום\u202e'",
}
"""In the order of what they replace: equal costs are resolved alike."""


def test_names_values_and_classes_that_are_sql_give_the_same_model(stored, in_duckdb, like_large):
    frame = make_table(2000, seed=9).drop(columns=["flag", "code"])
    hostile = frame.rename(columns=HOSTILE)
    for column, new in (("cat", VALUES), ("y", LABELS)):
        hostile[HOSTILE[column]] = frame[column].map(new, na_action="ignore")
    options = {"test": 0.3, "pairs": 3}
    known = modlearn.fit(in_duckdb(frame), "y", **options)
    found = modlearn.fit(stored(hostile), HOSTILE["y"], **options)
    assert found.model.classes.tolist() == list(LABELS.values())
    assert {note.kind for note in known.facts.notes} >= {"counted_both_ways", "scored_in_engine"}

    def renamed(name):
        view = name.removeprefix("when")
        return HOSTILE["when"] + view if view != name else HOSTILE[name]

    for name, parts in known.partitions.items():
        same = found.partitions[renamed(name)]
        assert same.cost == parts.cost
        assert np.array_equal(same.counts, parts.counts)
    values = [
        tuple(None if value is None else VALUES[value] for value in group)
        for group in known.partitions["cat"].groups
    ]
    assert list(map(set, found.partitions[HOSTILE["cat"]].groups)) == list(map(set, values))
    assert [tuple(map(renamed, pair)) for pair in known.model.grids] == list(found.model.grids)
    for grid, same in zip(known.model.grids.values(), found.model.grids.values(), strict=True):
        assert same.cost == grid.cost
        assert np.array_equal(same.counts, grid.counts)
    assert len(known.model.grids) > 1
    assert [t.weight for t in found.model.terms] == [t.weight for t in known.model.terms]
    assert np.array_equal(found.evaluation.confusion, known.evaluation.confusion)
