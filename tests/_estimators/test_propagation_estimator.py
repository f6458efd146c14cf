import os
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import kneighbors_graph
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from tests._estimators.propagation_samples import X, blobs, facts_of, labels, ldp

from modlearn import LabelDistributionPropagation
from modlearn._neighbors.labels import Decision

# scikit-learn

VARIANTS = [
    LabelDistributionPropagation(),
    LabelDistributionPropagation(unlabeled=None, engine="brute"),
    LabelDistributionPropagation(representation="raw", sweeps=0, class_prior="uniform", n_jobs=1),
]


def expected_failures(estimator):
    """Checks that ask for what the method is not."""
    votes = "weights are how much a row's vote counts, not how often it is repeated"
    failures = {
        "check_sample_weight_equivalence_on_dense_data": votes,
        "check_sample_weight_equivalence_on_sparse_data": votes,
    }
    if estimator.unlabeled == -1:
        failures["check_classifiers_classes"] = "a class is called -1, which means unlabeled"
    return failures


@parametrize_with_checks(VARIANTS, expected_failed_checks=expected_failures)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


def test_scikit_learn_skips_no_check_that_could_be_run():
    estimator = LabelDistributionPropagation()
    results = check_estimator(
        estimator, on_skip=None, expected_failed_checks=expected_failures(estimator)
    )
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    # It needs SCIPY_ARRAY_API=1 in the environment, which `make test` sets.
    assert skipped <= ({"check_array_api_input"} if "SCIPY_ARRAY_API" not in os.environ else set())


@pytest.fixture
def fitted():
    return ldp().fit(X, labels("left", "right"))


# progress and interruption


def test_progress_is_reported_stage_by_stage():
    calls = []
    points, y, _ = blobs()
    ldp(sweeps=3, progress=lambda *call: calls.append(call)).fit(points, y)
    stages = list(dict.fromkeys(stage for stage, _, _ in calls))
    assert stages == ["neighbors", "rows", "sweeps"]
    for stage in stages:
        counts = [(done, total) for name, done, total in calls if name == stage]
        done = [count for count, _ in counts]
        assert done == sorted(done)
        assert done[-1] == counts[-1][1]
        assert len({total for _, total in counts}) == 1


@pytest.fixture(params=["neighbors", "rows", "sweeps"])
def interrupting(request):
    """Progress that is interrupted at a stage."""

    def progress(stage, done, total):
        if stage == request.param:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("engine", ["kdtree", "brute"])
def test_an_interrupted_fit_leaves_nothing_behind(interrupting, engine):
    points, y, _ = blobs()
    unfitted = ldp(sweeps=1, engine=engine, progress=interrupting)
    with pytest.raises(KeyboardInterrupt):
        unfitted.fit(points, y)
    assert set(vars(unfitted)) == set(unfitted.get_params())
    with pytest.raises(NotFittedError, match="is not fitted"):
        unfitted.predict(points)


def test_an_interrupted_fit_leaves_an_earlier_one_as_it_was(interrupting):
    points, y, _ = blobs()
    fitted = ldp(sweeps=1).fit(pd.DataFrame({"a": X[:, 0]}), labels("left", "right"))
    before = facts_of(fitted), fitted.predict(pd.DataFrame({"a": [1.6, 102.0]})).tolist()
    with pytest.raises(KeyboardInterrupt):
        fitted.set_params(progress=interrupting).fit(points, y)
    assert (facts_of(fitted), fitted.predict(pd.DataFrame({"a": [1.6, 102.0]})).tolist()) == before
    assert fitted.feature_names_in_.tolist() == ["a"]


def test_a_fit_interrupted_at_its_decisions_leaves_an_earlier_one_as_it_was(fitted, monkeypatch):
    def interrupted(self, rows):
        raise KeyboardInterrupt

    before = dict(vars(fitted))
    monkeypatch.setattr(Decision, "labels", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(*blobs()[:2])
    assert vars(fitted) == before


@pytest.mark.parametrize(
    ("bad_x", "bad_y"),
    [(X, [0, 1]), (X, [-1] * 11), (pd.DataFrame({0: X[:, 0], "a": X[:, 0]}), labels(0, 1))],
    ids=["length", "unlabeled", "names"],
)
def test_a_fit_that_fails_leaves_an_earlier_one_as_it_was(fitted, bad_x, bad_y):
    before = facts_of(fitted), dict(vars(fitted))
    with pytest.raises((ValueError, TypeError), match=r"inconsistent|unlabeled|string names"):
        fitted.fit(bad_x, bad_y)
    assert facts_of(fitted) == before[0]
    assert vars(fitted) == before[1]


# among other estimators


def test_a_clone_has_the_parameters_and_no_fitted_state(fitted):
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert set(vars(copy)) == set(copy.get_params())


@pytest.mark.parametrize("engine", ["kdtree", "brute"])
def test_a_pickle_predicts_as_its_original(engine):
    points, y, _ = blobs()
    new = blobs(n=60, seed=1)[0]
    spread = LabelDistributionPropagation(engine=engine).fit(points, y, sample_weight=1 + y % 3)
    again = pickle.loads(pickle.dumps(spread))
    assert facts_of(again) == facts_of(spread)
    for method in ("predict", "predict_proba", "predict_unknown"):
        np.testing.assert_array_equal(getattr(again, method)(new), getattr(spread, method)(new))


def test_a_pickle_of_a_graph_predicts_as_its_original():
    points, y, _ = blobs()
    graph = kneighbors_graph(points, 4, mode="distance")
    spread = ldp(representation="precomputed").fit(graph, y)
    again = pickle.loads(pickle.dumps(spread))
    np.testing.assert_array_equal(again.predict_proba(graph), spread.predict_proba(graph))


def test_it_is_the_last_step_of_a_pipeline():
    points, y, classes = blobs()
    pipeline = make_pipeline(StandardScaler(), ldp(n_neighbors=8))
    assert pipeline.fit(points, y).score(points, classes) > 0.9


def test_a_grid_search_tries_numbers_of_neighbors():
    points, _, classes = blobs()
    search = GridSearchCV(LabelDistributionPropagation(), {"n_neighbors": [1, 5], "sweeps": [0, 1]})
    search.fit(points, classes)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > 0.9


def test_classes_of_text_are_cross_validated():
    points, _, classes = blobs()
    scores = cross_val_score(LabelDistributionPropagation(), points, np.array(list("abc"))[classes])
    assert scores.mean() > 0.9


# parameters


@pytest.mark.parametrize(
    ("parameters", "allowed"),
    [
        ({"n_neighbors": 0}, r"an int in the range \[1, inf\)\. Got 0 instead"),
        ({"n_neighbors": 2.5}, r"an int in the range \[1, inf\)\. Got 2\.5 instead"),
        ({"sweeps": -1}, r"an int in the range \[0, inf\)\. Got -1 instead"),
        ({"representation": "scaled"}, r"a str among \{.*\}\. Got 'scaled' instead"),
        ({"engine": "ball_tree"}, r"a str among \{.*'kdtree'.*\}\. Got 'ball_tree' instead"),
        ({"class_prior": "balanced"}, r"a str among \{.*\} or an array-like\. Got 'balanced'"),
        ({"unlabeled": [-1]}, r"an instance of 'collections.abc.Hashable'\. Got \[-1\] instead"),
        ({"abstain": [1]}, r"an instance of 'collections.abc.Hashable'\. Got \[1\] instead"),
        ({"n_jobs": 0}, r"an int .* or None\. Got 0 instead"),
        ({"progress": 5}, r"a callable or None\. Got 5 instead"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_answered_by_scikit_learns_sentence(parameters, allowed):
    (name,) = parameters
    message = f"The '{name}' parameter of LabelDistributionPropagation must be {allowed}"
    with pytest.raises(ValueError, match=message):
        ldp(**parameters).fit(X, labels(0, 1))


def test_more_neighbors_than_rows_are_all_rows():
    spread = ldp(n_neighbors=10**9).fit(X, labels("a", "b"))
    np.testing.assert_allclose(spread.label_distributions_[2], [0.5, 0.5], rtol=1e-12)
    assert not (spread.unknown_mass_ == 1).any()


def test_fit_does_not_change_the_parameters():
    parameters = {"n_neighbors": 3, "sweeps": 1, "class_prior": [0.5, 0.5], "abstain": "?"}
    spread = LabelDistributionPropagation(**parameters).fit(X, labels("a", "b"))
    assert parameters.items() <= spread.get_params().items()
