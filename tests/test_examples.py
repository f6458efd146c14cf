"""Examples that need libraries which the tests do not install: they run where these are."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

from modlearn import SelectiveNaiveBayesClassifier

EXAMPLES = Path(__file__).parents[1] / "examples"

if find_spec("mlflow"):

    def test_mlflow_predicts_class_probabilities():
        script = [sys.executable, str(EXAMPLES / "mlflow_model.py")]
        done = subprocess.run(script, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[1].startswith("0  0.9")


if find_spec("skops"):

    def test_skops_keeps_predictions(tmp_path):
        import skops.io

        X, y = load_iris(return_X_y=True, as_frame=True)
        pipeline = make_pipeline(SelectiveNaiveBayesClassifier()).fit(X, y)
        skops.io.dump(pipeline, tmp_path / "pipeline.skops")
        types = skops.io.get_untrusted_types(file=tmp_path / "pipeline.skops")
        assert all(name.startswith("modlearn.") for name in types)
        again = skops.io.load(tmp_path / "pipeline.skops", trusted=types)
        assert (again.predict_proba(X) == pipeline.predict_proba(X)).all()
