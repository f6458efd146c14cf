"""Examples that need a library which the tests do not install: they run where it is."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from sklearn.datasets import load_iris

import modlearn

EXAMPLES = Path(__file__).parents[1] / "examples"

if find_spec("mlflow"):

    def test_mlflow_predicts_class_probabilities():
        script = [sys.executable, str(EXAMPLES / "mlflow_model.py")]
        done = subprocess.run(script, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[1].startswith("0  0.9")


if find_spec("skops"):

    def test_skops_refuses_a_classifier_as_the_docs_say():
        import skops.io

        X, y = load_iris(return_X_y=True)
        with pytest.raises(RecursionError):
            skops.io.dumps(modlearn.SelectiveNaiveBayesClassifier().fit(X, y))
