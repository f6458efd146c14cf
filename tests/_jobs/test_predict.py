import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import modlearn
from modlearn._jobs import predict as prediction
from modlearn._jobs.predict import predict_file
from modlearn._jobs.prepare import columns_in_training
from modlearn._jobs.result import FitResult
from modlearn._tables.files.formats import open_source
from modlearn._tables.files.options import ReadOptions, kinds_and_formats
from modlearn.errors import ColumnError

N = 400


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    y = rng.choice(np.array(["no", "yes"], dtype=object), N)
    sure = np.where(rng.random(N) < 0.9, y == "yes", rng.random(N) < 0.5)
    return pd.DataFrame(
        {
            "id": np.arange(N) * 7 % 401,
            "height": np.where(y == "yes", 1.0, 0.0) + rng.normal(0, 0.7, N),
            "color": np.where(sure, "red", np.where(rng.random(N) < 0.5, "blue", "green")),
            "member": (y == "yes") ^ (rng.random(N) < 0.2),
            "noise": rng.random(N),
            "answer": y,
        }
    )


@pytest.fixture(scope="module")
def model(frame):
    return modlearn.fit(frame, "answer", drop=["id"], test=0.3).classifier


@pytest.fixture
def predicted(model, tmp_path):
    """Writes a table, predicts it, and reads what was written."""

    def predict(table, name="new.parquet", **options):
        path = tmp_path / name
        table.to_csv(path, index=False) if name.endswith("csv") else table.to_parquet(path)
        with open_source(path, ReadOptions(types=kinds_of_fit(model))) as source:
            done = predict_file(model.model_, source, str(tmp_path / "scored.parquet"), **options)
        return done, pd.read_parquet(tmp_path / "scored.parquet")

    return predict


def kinds_of_fit(model):
    return {str(column.name): column.kind for column in model.model_.schema.columns}


def training_columns(model, frame):
    return frame[list(model.feature_names_in_)]


@pytest.mark.parametrize("name", ["new.parquet", "new.csv"])
def test_probabilities_are_those_of_the_model_to_the_last_bit(predicted, model, frame, name):
    done, scored = predicted(frame, name)
    expected = model.predict_proba(training_columns(model, frame))
    np.testing.assert_array_equal(scored[["P(no)", "P(yes)"]].to_numpy(), expected)
    labels = model.predict(training_columns(model, frame))
    assert scored["predicted answer"].tolist() == labels.tolist()
    assert done.n_rows == N
    assert done.rows == dict(zip(*np.unique(labels, return_counts=True), strict=True))


def test_labels_are_those_of_predict_where_probabilities_round_to_a_tie(frame, tmp_path):
    model = modlearn.fit(frame[["noise", "answer"]], "answer", test=0.3).classifier
    model.model_ = replace(model.model_, base=np.array([0.0, 1e-17]))
    frame.to_parquet(tmp_path / "new.parquet")
    with open_source(tmp_path / "new.parquet") as source:
        predict_file(model.model_, source, str(tmp_path / "scored.parquet"), n_reasons=1)
    scored = pd.read_parquet(tmp_path / "scored.parquet")
    assert (scored["P(no)"] == scored["P(yes)"]).all()
    assert set(scored["predicted answer"]) == set(model.predict(frame[["noise"]])) == {"yes"}


def test_batches_give_what_the_whole_gives(predicted, frame, monkeypatch):
    _, whole = predicted(frame)
    monkeypatch.setattr(prediction, "MOST_ROWS", 1)  # batches have 2,048 rows at least
    many = pd.concat([frame] * 12, ignore_index=True)
    _, parts = predicted(many)
    pd.testing.assert_frame_equal(parts, pd.concat([whole] * 12, ignore_index=True))


def test_order_of_columns_does_not_matter_and_others_are_carried_along(predicted, frame):
    _, scored = predicted(frame)
    turned = frame[frame.columns[::-1]].assign(comment="x")
    _, other = predicted(turned)
    assert list(other.columns[:7]) == [*frame.columns[::-1], "comment"]
    np.testing.assert_array_equal(other["P(yes)"], scored["P(yes)"])


def test_only_columns_to_keep_are_written(predicted, frame):
    _, scored = predicted(frame, keep=["id"])
    assert list(scored.columns) == ["id", "predicted answer", "P(no)", "P(yes)"]


def test_a_column_that_the_model_does_not_use_may_be_missing(predicted, model, frame):
    assert "noise" not in {name for name, weight in model.weights_.items() if weight}
    _, scored = predicted(frame.drop(columns=["noise", "answer"]))
    assert len(scored) == N


def test_a_column_to_keep_that_is_misspelled_is_corrected(predicted, frame):
    with pytest.raises(ColumnError, match=r"keep names the column 'noize'.*did you mean 'noise'"):
        predicted(frame, keep=["noize"])


def test_a_misspelled_column_of_the_table_is_named(predicted, frame):
    message = (
        r"has no column 'height', which the model uses: if 'Hieght' is this column, rename it to "
        r"'height'; otherwise add it \(its cells may be empty\), or fit a model without it\."
    )
    with pytest.raises(ColumnError, match=message):
        predicted(frame.rename(columns={"height": "Hieght"}))


def test_a_column_that_the_model_uses_must_be_there(predicted, frame):
    with pytest.raises(ColumnError, match="has no column 'height', which the model uses: add it"):
        predicted(frame.drop(columns="height"))


def test_several_columns_that_are_not_there_are_named_together(predicted, frame, model):
    missing = [str(name) for name in model.model_.used_columns][:2]
    names = ", ".join(map(repr, missing))
    message = (
        f"has no columns {names}, which the model uses: add them (their cells may be empty), or "
        "fit a model without them."
    )
    with pytest.raises(ColumnError, match=re.escape(message)):
        predicted(frame.drop(columns=missing))
    message = f"the model uses: if '{missing[0]}x' is '{missing[0]}', rename it; add them (their"
    with pytest.raises(ColumnError, match=re.escape(message)):
        predicted(frame.rename(columns={name: f"{name}x" for name in missing}))


def test_texts_that_are_numbers_are_read_as_numbers(predicted, frame):
    _, scored = predicted(frame)
    _, other = predicted(frame.assign(height=frame["height"].map(repr)))
    np.testing.assert_array_equal(other["P(yes)"], scored["P(yes)"])


def test_text_where_numbers_were_is_refused_with_the_cell(predicted, frame):
    with pytest.raises(ColumnError, match=r"Column 'height' holds text.*'tall'"):
        predicted(frame.assign(height="tall"))


def test_numbers_where_text_was_are_categories_never_seen_in_training(predicted, model, frame):
    _, scored = predicted(frame.assign(color=7))
    expected = model.predict_proba(training_columns(model, frame.assign(color="7")))
    np.testing.assert_array_equal(scored[["P(no)", "P(yes)"]].to_numpy(), expected)


def test_words_true_and_false_are_read_as_such(predicted, frame):
    _, scored = predicted(frame)
    _, other = predicted(frame.assign(member=frame["member"].map({True: "true", False: "false"})))
    np.testing.assert_array_equal(other["P(yes)"], scored["P(yes)"])


def test_unseen_categories_and_missing_cells_are_predicted(predicted, model, frame):
    odd = frame.assign(color="violet", height=np.nan)
    _, scored = predicted(odd)
    expected = model.predict_proba(training_columns(model, odd))
    np.testing.assert_array_equal(scored[["P(no)", "P(yes)"]].to_numpy(), expected)


def test_an_unseen_category_favors_no_class(predicted, frame):
    _, scored = predicted(frame.assign(color="violet"), n_reasons=3)
    reasons = scored[["reason 1", "reason 2", "reason 3"]].stack()
    assert not reasons.str.contains("color").any()
    assert reasons.str.contains("height").any()


def test_new_columns_do_not_take_the_names_of_old_ones(predicted, frame):
    done, scored = predicted(frame.rename(columns={"id": "p(YES)"}))
    assert done.columns == ["predicted answer", "P(no)", "P(yes)_1"]
    assert list(scored.columns[-3:]) == done.columns


def test_reasons_name_the_variables_that_decided_strongest_first(predicted, model, frame):
    _, scored = predicted(frame, n_reasons=2)
    table = training_columns(model, frame)
    probabilities = model.predict_proba(table)
    contributions = model.explain(table).contributions
    evidence = contributions[:, :, 1] - contributions[:, :, 0]
    label = probabilities.argmax(axis=1)
    strongest = np.abs(evidence).argmax(axis=1)
    for i in range(20):
        name, speaks = str(model.model_.used_terms[strongest[i]].name), evidence[i, strongest[i]]
        words = scored["reason 1"][i]
        assert words.startswith(f"{name} in ")
        assert words.endswith("favors yes" if speaks > 0 else "favors no")
    assert (scored["predicted answer"] == np.array(["no", "yes"])[label]).all()


def test_classes_that_are_numbers_stay_numbers(tmp_path):
    rng = np.random.default_rng(1)
    y = rng.integers(2, 5, 200)
    table = pd.DataFrame({"x": y + rng.normal(0, 0.1, 200), "grade": y})
    model = modlearn.fit(table, "grade", test=0.3).classifier
    table.to_csv(tmp_path / "new.csv", index=False)
    with open_source(tmp_path / "new.csv") as source:
        predict_file(model.model_, source, str(tmp_path / "scored.parquet"))
    scored = pd.read_parquet(tmp_path / "scored.parquet")
    assert scored["predicted grade"].dtype.kind == "i"
    assert (scored["predicted grade"] == y).all()


def test_a_model_of_no_variable_predicts_the_most_frequent_class(tmp_path):
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"x": rng.random(90), "y": ["a"] * 60 + ["b"] * 30})
    table["y"] = rng.permutation(table["y"])
    model = modlearn.fit(table, "y", test=0.3).classifier
    assert not model.model_.used_terms
    table.to_csv(tmp_path / "new.csv", index=False)
    with open_source(tmp_path / "new.csv") as source:
        done = predict_file(model.model_, source, str(tmp_path / "scored.csv"), n_reasons=1)
    assert done.rows == {"a": 90, "b": 0}
    assert pd.read_csv(tmp_path / "scored.csv")["reason 1"].isna().all()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.5, 2.5, 3.5], "numeric"),
        (["a", "b", "c"], "text"),
        ([True, False, True], "boolean"),
        (pd.to_datetime(["2020-01-01", "2020-02-01", "2020-03-01"]), "datetime"),
        (pd.to_timedelta([1, 2, 3], unit="h"), "duration"),
    ],
    ids=str,
)
def test_columns_are_to_be_read_as_what_they_were(values, expected):
    table = pd.DataFrame({"x": values})
    model = modlearn.BestUnivariateClassifier().fit(pd.concat([table] * 20), [0, 1, 0] * 20)
    assert kinds_of_fit(model) == {"x": expected}


def test_numbers_that_were_categories_are_numbers():
    table = pd.DataFrame({"x": [1, 2, 3] * 20, "y": ["a", "b", "a"] * 20})
    model = modlearn.fit(table, "y", as_categorical=["x"], test=0.3).classifier
    assert kinds_of_fit(model) == {"x": "numeric"}


def test_rows_whose_class_is_known_are_evaluated(predicted, model, frame):
    done, scored = predicted(frame.assign(answer=frame["answer"].where(frame.index >= 100)))
    found = done.evaluation
    assert found.n_test == 300
    accuracy = (scored["predicted answer"] == frame["answer"])[100:].mean()
    assert found.measures["accuracy"].mean == pytest.approx(accuracy)
    result = FitResult.of(model).evaluate(frame[100:], frame["answer"][100:])
    assert found.confusion.tolist() == result.confusion.tolist()


def test_without_known_classes_nothing_is_evaluated(predicted, frame):
    assert predicted(frame.drop(columns="answer"))[0].evaluation is None
    assert predicted(frame.assign(answer="perhaps"))[0].evaluation is None


def test_batches_are_evaluated_together_as_far_as_memory_allows(predicted, frame, monkeypatch):
    whole = predicted(frame)[0].evaluation.to_dict()
    monkeypatch.setattr(prediction, "_batch_rows", lambda model, used: 64)
    assert predicted(frame)[0].evaluation.to_dict() == whole
    monkeypatch.setattr(prediction, "MOST_KNOWN", 300)
    assert predicted(frame)[0].evaluation.n_test == 150


def test_a_file_is_predicted_by_the_decision_of_its_model(model, frame, tmp_path):
    path, out = tmp_path / "new.csv", tmp_path / "scored.parquet"
    frame.to_csv(path, index=False)
    decided = FitResult.of(model).deciding({("yes", "no"): 9})
    with open_source(path, ReadOptions(types=kinds_of_fit(model))) as source:
        done = predict_file(decided, source, str(out), n_reasons=1, positive=1)
    scored = pd.read_parquet(out)
    expected = np.where(scored["P(yes)"] >= 0.1, "yes", "no")
    assert scored["predicted answer"].tolist() == expected.tolist()
    assert done.rows == dict(scored["predicted answer"].value_counts().sort_index())
    missed = ((frame["answer"] == "yes") & (expected == "no")).sum()
    alarms = ((frame["answer"] == "no") & (expected == "yes")).sum()
    assert done.evaluation.cost.total == 9 * missed + alarms


LABELS = {
    "dates": (["2024-01-01", "2024-02-01"], {}),
    "times": (["2024-01-01 10:00", "2024-02-01 11:00"], {}),
    "codes": (["01", "02", "x"], {}),
    "percentages": (["45%", "50%", "x"], {}),
    "floats": (["1", "2", "x"], {"1": "1.0", "2": "2.0"}),
}


@pytest.mark.parametrize("way", ["predict", "evaluate", "evaluate by name", "test_file"])
@pytest.mark.parametrize("kind", LABELS)
def test_classes_that_look_like_dates_are_evaluated(kind, way, tmp_path):
    classes, others = LABELS[kind]
    labels = np.tile(classes, 60)
    frame = pd.DataFrame({"x": np.tile(np.arange(len(classes)), 60) + 0.0, "label": labels})
    train, new = tmp_path / "train.csv", tmp_path / "new.csv"
    frame.to_csv(train, index=False)
    frame[frame["x"] < 2].replace({"label": others}).to_csv(new, index=False)
    result = modlearn.fit(train, "label", test_file=new if way == "test_file" else None)
    if way == "predict":
        trained = columns_in_training(result.model.schema, result.model.target)
        with open_source(new, ReadOptions(**kinds_and_formats(trained))) as source:
            done = predict_file(result.model, source, str(tmp_path / "out.csv"))
        found = done.evaluation
    elif way == "test_file":
        found = result.evaluation
    else:
        found = result.evaluate(new, "label" if way == "evaluate by name" else None)
    assert (found.n_test, found.measures["accuracy"].mean) == (120, 1.0)
