"""Examples that need a library which the tests do not install: they run where it is."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"

if find_spec("mlflow"):

    def test_mlflow_predicts_class_probabilities():
        script = [sys.executable, str(EXAMPLES / "mlflow_model.py")]
        done = subprocess.run(script, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[1].startswith("0  0.9")
