"""PMML files that predict what Python predicts, evaluated by JPMML."""

import shutil

import numpy as np
import pandas as pd
import pytest
from tests._export.random_models import TEXTS, random_case
from tests._export.test_sql import model_of_groups
from tests.servers import refuse

from modlearn.errors import ModelError
from modlearn.schema import Kind


@pytest.fixture(scope="module")
def backend():
    """Start one Java process for all tests."""
    pytest.importorskip("jpmml_evaluator", reason="jpmml_evaluator is not installed")
    if shutil.which("java") is None:
        refuse("Java is not installed: apt-get install default-jre-headless")
    from jpmml_evaluator.py4j import Py4JBackend

    backend = Py4JBackend()
    yield backend
    backend.gateway.shutdown()


def fed(case):
    """Return the rows as the file takes them."""
    found = {}
    for name in case.model.used_columns:
        column, cells = case.model.schema.sources[name], case.frame[name]
        if column.kind in (Kind.DATETIME, Kind.DURATION):
            unit = "M8[us]" if column.kind is Kind.DATETIME else "m8[us]"
            whole = cells.to_numpy(unit)
            found[name] = [None if np.isnat(v) else float(v.astype(np.int64)) for v in whole]
        elif column.kind is Kind.TEXT:
            found[name] = [None if cell is None or cell != cell else cell for cell in cells]
        else:
            found[name] = [None if c is None or c != c else float(c) for c in cells]
    return pd.DataFrame({name: pd.Series(v, dtype=object) for name, v in found.items()})


CASES = [case for case in (random_case(seed, texts=TEXTS) for seed in range(40))
         if len(case.model.classes) > 1]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_pmml_predicts_what_python_predicts(tmp_path, backend, case):
    from jpmml_evaluator import make_evaluator

    case.model.to_pmml(tmp_path / "model.pmml")
    found = make_evaluator(str(tmp_path / "model.pmml"), backend).verify().evaluateAll(fed(case))
    assert "errors" not in found
    probabilities = found.iloc[:, -len(case.model.classes) :].to_numpy(float)
    np.testing.assert_allclose(probabilities, case.probabilities, rtol=0, atol=1e-12)
    ordered = np.sort(case.model.scores(case.batch), axis=1)
    is_clear = np.ones(len(found), dtype=bool)
    if ordered.shape[1] > 1:
        is_clear = ordered[:, -1] - ordered[:, -2] > 1e-9
    labels = found.iloc[:, -len(case.model.classes) - 1].to_numpy()
    assert labels[is_clear].tolist() == case.labels[is_clear].tolist()


def test_characters_that_xml_lacks_are_refused(tmp_path):
    model = model_of_groups(Kind.TEXT, (("a\x01b",), ("c",)))
    with pytest.raises(
        ModelError, match=r"contains the character '\\x01', which XML does not allow"
    ):
        model.to_pmml(tmp_path / "model.pmml")
    assert not list(tmp_path.iterdir())


def test_a_single_class_is_refused(tmp_path):
    model = next(
        case.model
        for case in (random_case(seed) for seed in range(100))
        if len(case.model.classes) == 1
    )
    with pytest.raises(ModelError, match="The target has a single class"):
        model.to_pmml(tmp_path / "model.pmml")


def test_costs_are_refused(tmp_path):
    model = next(
        case.model
        for case in (random_case(seed, decides=True) for seed in range(100))
        if case.model.decision
    )
    with pytest.raises(ModelError, match="decides by costs or a threshold"):
        model.to_pmml(tmp_path / "model.pmml")
