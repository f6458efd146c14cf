"""ONNX files that predict what Python predicts."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests._export.random_models import random_case

from modlearn._model.additive import AdditiveModel
from modlearn.errors import ColumnError, ModelError
from modlearn.schema import Kind

pytest.importorskip("onnx", reason="onnx is not installed: modlearn[onnx]")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

TIES = 1e-9
"""Scores that differ by less may be added in another order, so that another class is first."""


def fed(case, session, type_):
    """Return the rows as the file takes them."""
    properties = session.get_modelmeta().custom_metadata_map
    missing = json.loads(properties["missing_texts"])
    found = {}
    for name in case.model.used_columns:
        column, cells = case.model.schema.sources[name], case.frame[name]
        if column.kind in (Kind.DATETIME, Kind.DURATION):
            unit = "M8[us]" if column.kind is Kind.DATETIME else "m8[us]"
            values = cells.to_numpy(unit).astype(np.int64)
        elif name in missing:
            texts = [missing[name] if cell is None or cell != cell else cell for cell in cells]
            if missing[name] == "":  # an empty text that is not a category is missing
                texts = ["never seen" if cell == "" else text
                         for cell, text in zip(cells, texts, strict=True)]  # fmt: skip
            values = np.array(texts, dtype=object)
        else:
            values = np.array([np.nan if cell is None else cell for cell in cells], dtype=type_)
        found[str(name)] = values[:, None]
    return found


def session_of(model, path, precision="double"):
    model.to_onnx(path, precision)
    return runtime.InferenceSession(path, providers=["CPUExecutionProvider"])


def compared(case, path, precision, tolerance):
    session = session_of(case.model, path, precision)
    type_ = np.float64 if precision == "double" else np.float32
    labels, probabilities = session.run(None, fed(case, session, type_))
    assert probabilities.dtype == type_
    np.testing.assert_allclose(probabilities, case.probabilities, rtol=0, atol=tolerance)
    ordered = np.sort(case.model.scores(case.batch), axis=1)
    is_clear = np.ones(len(labels), dtype=bool)
    if ordered.shape[1] > 1:
        is_clear = ordered[:, -1] - ordered[:, -2] > TIES
    assert labels[is_clear].tolist() == case.labels[is_clear].tolist()


# A seed cannot be made simpler.
GENERATED = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@GENERATED
@given(seed=st.integers(0, 2**32 - 1))
def test_onnx_predicts_what_python_predicts(tmp_path, seed):
    compared(random_case(seed), tmp_path / "model.onnx", "double", 1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_onnx_decides_as_python_does(tmp_path, seed):
    case = random_case(seed, decides=True)
    session = session_of(case.model, tmp_path / "model.onnx")
    labels, _ = session.run(None, fed(case, session, np.float64))
    agrees = labels == case.labels
    probabilities = case.probabilities
    if case.model.decision is None or agrees.all():
        return
    # Expected costs that differ by rounding only.
    costs = 1 - np.eye(probabilities.shape[1])
    for one in case.model.decision.costs:
        costs[one.truth, one.predicted] = one.cost
    expected = np.sort(probabilities @ costs, axis=1)
    assert (expected[~agrees, 1] - expected[~agrees, 0]).max() < 1e-9


@GENERATED
@given(seed=st.integers(0, 2**32 - 1))
def test_onnx_in_single_precision_rounds_probabilities_only(tmp_path, seed):
    # Numbers that single precision rounds may fall left of a cut that they are right of.
    exact = ["integers", "texts", "booleans", "dates", "date groups", "calendar", "durations"]
    compared(random_case(seed, kinds=exact), tmp_path / "model.onnx", "float", 2e-6)


def test_a_missing_text_has_a_name_of_its_own_if_the_empty_text_is_a_category(tmp_path):
    case = next(
        case
        for case in (random_case(seed, kinds=["texts"], texts=["", "a"]) for seed in range(100))
        if "" in case.model.used_terms[0].parts.groups[0]
    )
    session = session_of(case.model, tmp_path / "model.onnx")
    missing = json.loads(session.get_modelmeta().custom_metadata_map["missing_texts"])
    assert missing[case.model.used_columns[0]] == "\N{SYMBOL FOR NULL}"


def test_a_model_without_terms_has_no_inputs(tmp_path):
    model = random_case(0).model
    fields = {"schema": model.schema, "target": model.target, "base": model.base}
    constant = AdditiveModel(**fields, terms=())
    with pytest.raises(ModelError, match="predicts the same for every row"):
        constant.to_onnx(tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_precision_is_double_or_float(tmp_path):
    with pytest.raises(ValueError, match="precision is 'half': pass 'double' or 'float'"):
        random_case(0).model.to_onnx(tmp_path / "model.onnx", "half")


def test_categories_that_doubles_round_are_refused(tmp_path):
    from tests._export.test_sql import model_of_groups

    with pytest.raises(ColumnError, match="which a double rounds: convert the column to text"):
        model_of_groups(Kind.NUMERIC, ((2**60,), (3,))).to_onnx(tmp_path / "model.onnx")
