import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from tests._estimators.samples import all_facts

from modlearn import Discretizer, Encoder, Grouper
from modlearn._model.partitions import Groups, Intervals


def test_each_column_is_treated_by_its_type(people, table):
    data, y = people
    partitions = Encoder().fit(table(data), y).partitions_.values()
    assert list(map(type, partitions)) == [Intervals, Groups, Groups, Intervals]


def test_the_columns_are_those_of_discretizer_and_grouper(people):
    data, y = people
    X = pd.DataFrame(data)
    numbers, categories = ["age", "joined"], ["city", "member"]
    encoder = Encoder().fit(X[numbers + categories], y)
    parts = all_facts(Discretizer().fit(X[numbers], y)) + all_facts(Grouper().fit(X[categories], y))
    assert all_facts(encoder) == parts


def test_an_identifier_of_text_is_not_informative(people):
    data, y = people
    X = pd.DataFrame(data).assign(key=[f"customer {i}" for i in range(len(y))])
    encoder = Encoder().fit(X, y)
    assert encoder.levels_["key"] == 0.0
    assert encoder.partitions_["key"].n_parts == 1


def test_the_output_can_be_changed_after_fit(people):
    data, y = people
    X = pd.DataFrame(data)
    encoder = Encoder().fit(X, y)
    changed = encoder.set_params(output="onehot").transform(X)
    pd.testing.assert_frame_equal(changed, Encoder(output="onehot").fit_transform(X, y))


def test_an_unknown_output_is_answered_with_the_known_ones():
    message = r"The 'output' parameter of Encoder must be a str among \{.*'onehot'.*Got 'binary'"
    with pytest.raises(ValueError, match=message):
        Encoder(output="binary").fit([[1], [2]], [0, 1])


def test_the_parameters_are_those_a_user_expects_and_no_others():
    expected = {"max_parts", "min_part_size", "n_jobs", "unlabeled", "method", "output"}
    assert set(Encoder().get_params()) == expected


# among other estimators


def test_a_column_transformer_joins_discretizer_and_grouper(people):
    data, y = people
    X = pd.DataFrame(data)
    both = ColumnTransformer(
        [("numbers", Discretizer(), ["age", "joined"]), ("words", Grouper(), ["city"])]
    ).set_output(transform="pandas")
    joined = both.fit_transform(X, y)
    assert joined.columns.tolist() == ["numbers__age", "numbers__joined", "words__city"]
    codes = Encoder().fit_transform(X[["age", "joined", "city"]], y)
    assert joined.to_numpy().tolist() == codes.to_numpy().tolist()


def test_a_linear_model_learns_from_log_odds_what_is_not_a_line():
    x = np.arange(300) % 100
    X, y = x[:, None], ((x >= 30) & (x < 70)).astype(int)
    assert LogisticRegression().fit(X, y).score(X, y) < 0.7
    pipeline = make_pipeline(Encoder(output="log_odds"), LogisticRegression())
    assert pipeline.fit(X, y).score(X, y) == 1.0


def test_a_pipeline_of_mixed_types_predicts_better_than_chance(people, frame):
    data, y = people
    pipeline = make_pipeline(Encoder(output="log_odds"), LogisticRegression())
    assert pipeline.fit(frame(data), y).score(frame(data), y) > 0.8


def test_a_pipeline_passes_weights_on(people):
    data, y = people
    weights = np.arange(len(y)) % 3
    pipeline = make_pipeline(Encoder())
    pipeline.fit(pd.DataFrame(data), y, encoder__sample_weight=weights)
    alone = Encoder().fit(pd.DataFrame(data), y, sample_weight=weights)
    assert all_facts(pipeline[0]) == all_facts(alone)


def test_a_grid_search_tries_numbers_of_parts(people):
    data, y = people
    pipeline = make_pipeline(Encoder(output="log_odds"), LogisticRegression())
    search = GridSearchCV(pipeline, {"encoder__max_parts": [1, 2, None]}, cv=3)
    search.fit(pd.DataFrame(data), y)
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert scores[1] > scores[0]
