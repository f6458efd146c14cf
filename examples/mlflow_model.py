"""Save a model with MLflow, load it again and predict: python examples/mlflow_model.py"""

import tempfile
from pathlib import Path

import mlflow
import pandas as pd
from sklearn.datasets import load_wine

import modlearn


class ModlearnModel(mlflow.pyfunc.PythonModel):
    """Reads the model file among the artifacts, and returns class probabilities."""

    def load_context(self, context: mlflow.pyfunc.PythonModelContext) -> None:
        """Read the model."""
        self.result = modlearn.load(context.artifacts["model"])

    def predict(self, context, model_input: pd.DataFrame, params=None) -> pd.DataFrame:
        """Return a column per class."""
        probabilities = self.result.predict_proba(model_input)
        return pd.DataFrame(probabilities, columns=self.result.model.target.class_names)


def main() -> None:
    """Save, load and predict in a temporary folder."""
    wine = load_wine(as_frame=True).frame
    with tempfile.TemporaryDirectory() as folder:
        mlflow.set_tracking_uri(f"sqlite:///{folder}/runs.db")
        path = Path(folder) / "wine.modlearn.json"
        modlearn.fit(wine, "target").save(path)
        saved = Path(folder) / "logged"
        artifacts = {"model": str(path)}
        mlflow.pyfunc.save_model(saved, python_model=ModlearnModel(), artifacts=artifacts)
        print(mlflow.pyfunc.load_model(str(saved)).predict(wine.drop(columns="target")).head(3))


if __name__ == "__main__":
    main()
