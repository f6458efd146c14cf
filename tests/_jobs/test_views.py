"""Dates take part by what comes back in them, in the model, its file and its predictions."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import modlearn
from modlearn.cli import main
from modlearn.errors import ColumnError

PARTS = ["when: hour", "when: weekday", "when: month", "when: day of year"]


def make_trips(n_rows=1_500, days=3 * 365, seed=0):
    """Trips are late on weekends and before six in the morning."""
    rng = np.random.default_rng(seed)
    minutes = pd.to_timedelta(rng.integers(0, days * 24 * 60, n_rows), unit="min")
    when = pd.Timestamp("2019-01-01") + minutes
    odds = 0.15 + 0.5 * (when.day_of_week >= 5) + 0.3 * (when.hour < 6)
    late = np.where(rng.random(n_rows) < odds, "yes", "no")
    return pd.DataFrame({"when": when, "km": rng.random(n_rows), "late": late})


@pytest.fixture(scope="module")
def trips():
    return make_trips()


@pytest.fixture(scope="module")
def result(trips):
    return modlearn.fit(trips, "late", test=0.3)


def columns_of(result):
    return list(result.model.schema.names)


def test_a_date_is_replaced_by_what_comes_back_in_it(result):
    assert columns_of(result) == [*PARTS, "km"]
    assert {term.name for term in result.model.used_terms} == set(PARTS[:2])
    (left_out,) = result.facts.left_out
    assert (left_out.name, left_out.reason) == ("when", "date")
    assert result.facts.n_columns == 5


@pytest.mark.parametrize(
    ("days", "expected"), [(1, []), (5, PARTS[:1]), (300, PARTS[:2]), (800, PARTS)]
)
def test_parts_of_the_calendar_must_have_come_around_twice(days, expected):
    trips = make_trips(200, days)
    assert columns_of(modlearn.fit(trips, "late", test=0.3)) == [*expected, "km"]
    assert list(modlearn.analyze(trips, "late").partitions) == [*expected, "km"]


def test_each_part_of_the_calendar_has_its_own_facts(result):
    facts = {one.name: (one.n_missing, one.n_distinct) for one in result.diagnostics.columns}
    assert [facts[name] for name in PARTS[:3]] == [(0, 24), (0, 7), (0, 12)]


def test_a_trend_uses_the_date_itself_too(trips):
    result = modlearn.fit(trips, "late", test=0.3, trend="when")
    assert columns_of(result) == ["when", *PARTS, "km"]
    assert result.facts.left_out == ()


def test_a_name_that_is_taken_gets_a_number(trips):
    taken = trips.rename(columns={"km": "when: Hour"})
    result = modlearn.fit(taken, "late", test=0.3)
    assert columns_of(result) == ["when: hour_1", *PARTS[1:], "when: Hour"]
    np.testing.assert_array_equal(
        result.predict_proba(taken), modlearn.fit(trips, "late", test=0.3).predict_proba(trips)
    )


def test_a_missing_date_is_missing_in_all_parts(trips):
    gaps = trips.copy()
    gaps.loc[::10, "when"] = None
    result = modlearn.fit(gaps, "late", test=0.3)
    assert {one.n_missing for one in result.diagnostics.columns[:4]} == {150}
    assert np.isfinite(result.predict_proba(gaps)).all()


def test_frames_and_files_are_predicted_alike(result, tmp_path):
    new = make_trips(100, seed=1)
    new.to_csv(tmp_path / "new.csv", index=False)
    new.to_parquet(tmp_path / "new.parquet")
    expected = result.predict_proba(new)
    dates_alone = new[["when"]]
    for table in (pl.from_pandas(new), dates_alone, *tmp_path.glob("new.*")):
        np.testing.assert_array_equal(result.predict_proba(table), expected)
    assert len(set(result.predict(new))) == 2


def test_dates_in_another_format_are_predicted_as_in_training(trips, tmp_path):
    text = trips.assign(when=trips["when"].dt.strftime("%d/%m/%Y %H:%M"))
    text.to_csv(tmp_path / "trips.csv", index=False)
    from_file = modlearn.fit(tmp_path / "trips.csv", "late", test=0.3)
    assert from_file.model.schema.by_name["when: hour"].format is not None
    expected = modlearn.fit(trips, "late", test=0.3).predict_proba(trips)
    np.testing.assert_array_equal(from_file.predict_proba(tmp_path / "trips.csv"), expected)
    np.testing.assert_array_equal(from_file.predict_proba(text), expected)


def test_a_loaded_model_predicts_the_same(result, tmp_path):
    new = make_trips(100, seed=1)
    result.save(tmp_path / "model.json")
    loaded = modlearn.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict_proba(new), result.predict_proba(new))
    assert columns_of(loaded) == columns_of(result)
    assert loaded.summary() == result.summary()


def test_the_command_predicts_what_python_does(result, tmp_path):
    new = make_trips(100, seed=1)
    new.to_csv(tmp_path / "new.csv", index=False)
    result.save(tmp_path / "model.json")
    out = tmp_path / "out.parquet"
    with pytest.raises(SystemExit, match="0"):
        main(["predict", str(tmp_path / "model.json"), str(tmp_path / "new.csv"), "-o", str(out)])
    scored = pd.read_parquet(out)
    assert scored["predicted late"].tolist() == result.predict(new).tolist()
    np.testing.assert_array_equal(scored[["P(no)", "P(yes)"]], result.predict_proba(new))


def test_importances_have_one_entry_per_column_of_the_table(result):
    assert result.classifier.feature_names_in_.tolist() == ["when", "km"]
    assert result.classifier.feature_importances_.tolist() == [1.0, 0.0]


def test_explanations_name_the_parts_of_the_calendar(result, trips):
    explained = result.explain(trips.head(2)).to_frame()
    assert {"when: weekday", "when: hour"} <= set(explained.columns)


def test_a_table_of_one_date_that_does_not_repeat_is_refused(trips):
    trips = make_trips(50, days=1)[["when", "late"]]
    with pytest.raises(
        ColumnError, match=r"^No column is left to learn from \('when': replaced by "
    ):
        modlearn.fit(trips, "late")
    with pytest.raises(ColumnError, match=r"pass trend=\['when'\]\): add columns that differ"):
        modlearn.fit(trips, "late")


@pytest.mark.parametrize("job", [modlearn.fit, modlearn.analyze])
def test_a_trend_must_be_a_column_of_dates(trips, job):
    with pytest.raises(ColumnError, match=r"column 'when_', .* did you mean 'when'"):
        job(trips, "late", trend=["when_"])
    with pytest.raises(ColumnError, match="trend names the column 'km', which does not hold dates"):
        job(trips, "late", trend="km")
