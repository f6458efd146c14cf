"""Reports of real models, with evaluations in the shape that the report is given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, log_loss, roc_curve
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import modlearn
from modlearn import (
    BestUnivariateClassifier,
    Encoder,
    FitResult,
    NaiveBayesClassifier,
    PairEncoder,
    SelectiveNaiveBayesClassifier,
)
from modlearn._show.summary import summarize

HOSTILE = [
    "<script>window.injected = 1</script>",
    "</script><script>window.injected = 1</script>",
    '"><img src=x onerror="window.injected = 1">',
    'it\'s "quoted" & <b>bold</b> {{ 7 * 7 }} ${7 * 7}',
    "emoji 🍷🧀 \u202e right to left \u2028 line",
    "__proto__",
    "x: level 0.5, y",
    "(a, b]",
    "missing or (1, 2] × {3}",
    "constructor",
    "x" * 10_000,
]


# evaluations


def evaluation_of(model: Any, X: pd.DataFrame, y: np.ndarray, n_folds: int = 5) -> dict[str, Any]:
    """An evaluation by cross-validation, from scikit-learn's own parts."""
    y = np.asarray(y)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    classes = np.unique(y)
    codes = np.searchsorted(classes, y)
    shares = cross_val_predict(clone(model), X, y, cv=folds, method="predict_proba")
    said = shares.argmax(axis=1)
    parts = [test for _, test in folds.split(X, y)]
    best = cross_val_predict(BestUnivariateClassifier(), X, y, cv=folds)
    fitted = model.fit(X, y)
    rows = np.bincount(codes)
    return {
        "how": "cross-validation",
        "n_folds": n_folds,
        "n_train": len(y) - len(parts[0]),
        "n_test": len(y),
        "measures": _measures(codes, shares, parts),
        "majority": {"class": str(classes[rows.argmax()]), "accuracy": rows.max() / len(y)},
        "best_variable": {
            "name": str(next(n for n in fitted.levels_ if not isinstance(n, tuple))),
            "accuracy": float((best == y).mean()),
        },
        "confusion": confusion_matrix(codes, said).tolist(),
        "curves": _curves(codes, shares),
        "calibration": _calibration(codes, shares),
        "examples": _examples(fitted, X, codes, shares),
    }


def _measures(codes: np.ndarray, shares: np.ndarray, parts: list[np.ndarray]) -> dict[str, Any]:
    labels = np.arange(shares.shape[1])

    def auc(truth: np.ndarray, p: np.ndarray) -> float:
        return float(np.mean([_auc(*roc_curve(truth == j, p[:, j])[:2]) for j in np.unique(truth)]))

    measures = {
        "accuracy": lambda truth, p: float((p.argmax(axis=1) == truth).mean()),
        "balanced_accuracy": lambda t, p: float(balanced_accuracy_score(t, p.argmax(axis=1))),
        "auc": auc,
        "log_loss": lambda truth, p: float(log_loss(truth, p, labels=labels)),
    }
    found = {k: [measure(codes[f], shares[f]) for f in parts] for k, measure in measures.items()}
    return {
        k: {"mean": float(np.mean(v)), "spread": float(np.std(v)), "folds": v}
        for k, v in found.items()
    }


def _auc(fpr: np.ndarray, tpr: np.ndarray) -> float:
    return float(np.trapezoid(tpr, fpr))


def _curves(codes: np.ndarray, shares: np.ndarray) -> list[dict[str, Any]]:
    every = [1] if shares.shape[1] == 2 else range(min(30, shares.shape[1]))
    return [_curve(codes == j, shares[:, j], j) for j in every]


def _curve(truth: np.ndarray, share: np.ndarray, j: int) -> dict[str, Any]:
    fpr, tpr, _ = roc_curve(truth, share)
    at = np.unique(np.linspace(0, len(fpr) - 1, 100).round().astype(int))
    found = np.concatenate(([0], np.cumsum(truth[np.argsort(-share, kind="stable")]))) / truth.sum()
    looked = np.linspace(0, 1, len(found))
    few = np.unique(np.linspace(0, len(found) - 1, 100).round().astype(int))
    return {
        "class": j,
        "auc": _auc(fpr, tpr),
        "roc": np.column_stack((fpr, tpr))[at].tolist(),
        "lift": np.column_stack((looked, found))[few].tolist(),
    }


def _calibration(codes: np.ndarray, shares: np.ndarray) -> list[dict[str, Any]]:
    two = shares.shape[1] == 2
    said = shares[:, 1] if two else shares.max(axis=1)
    true = codes == 1 if two else shares.argmax(axis=1) == codes
    bins = np.minimum((said * 10).astype(int), 9)
    return [
        {
            "predicted": float(said[bins == b].mean()),
            "observed": float(true[bins == b].mean()),
            "rows": int((bins == b).sum()),
        }
        for b in np.unique(bins)
    ]


def _examples(
    model: Any, X: pd.DataFrame, codes: np.ndarray, shares: np.ndarray
) -> list[dict[str, Any]]:
    """Two right rows, two wrong ones, one unsure."""
    said = shares.argmax(axis=1)
    sure = np.argsort(-shares.max(axis=1), kind="stable")
    wrong, right = sure[said[sure] != codes[sure]], sure[said[sure] == codes[sure]]
    rows = [*right[:2], *wrong[:2], sure[-1]]
    explanation = model.explain(X.iloc[rows])
    encoded = Encoder(output="label").fit(X, codes).transform(X.iloc[rows])
    return [
        {
            "row": int(row),
            "truth": int(codes[row]),
            "predicted": int(said[row]),
            "probabilities": shares[row].tolist(),
            "reasons": _reasons(explanation.names, explanation.contributions[i], encoded.iloc[i]),
        }
        for i, row in enumerate(rows)
    ]


def _reasons(names: Any, added: np.ndarray, labels: pd.Series) -> list[dict[str, Any]]:
    spread = added.max(axis=1) - added.min(axis=1)
    return [
        {
            "variable": list(names[k]) if isinstance(names[k], tuple) else str(names[k]),
            "part": " × ".join(
                str(labels[n]) for n in (names[k] if isinstance(names[k], tuple) else (names[k],))
            ),
            "towards": int(added[k].argmax()),
            "against": int(added[k].argmin()),
            "weight_of_evidence": float(spread[k]),
            "low": None,
            "high": None,
        }
        for k in np.argsort(-spread, kind="stable")[:6]
    ]


def warning(kind: str, columns: list[str], **numbers: Any) -> dict[str, Any]:
    """A warning as a summary holds it."""
    return {"kind": kind, "columns": columns, "numbers": numbers}


def facts(X: pd.DataFrame, source: str | None, target: str = "class") -> dict[str, Any]:
    """The facts that a report gets about a table."""
    return {
        "source": source,
        "target": target,
        "n_rows": len(X),
        "n_labeled": len(X),
        "n_unlabeled": 0,
        "n_columns": X.shape[1],
        "left_out": [],
        "notes": [],
    }


def report_of(
    X: pd.DataFrame, y: np.ndarray, source: str | None = None, pairs: Any = False, **more: Any
) -> dict[str, Any]:
    """The summary of a classifier, evaluated."""
    model = SelectiveNaiveBayesClassifier(pairs=pairs)
    evaluation = evaluation_of(model, X, y)
    data = facts(X, source) | more.pop("data", {})
    positive = 1 if len(np.unique(y)) == 2 else None
    return summarize(model.model_, data, evaluation, positive=positive, **more)


# tables


def iris() -> dict[str, Any]:
    X, y = load_iris(return_X_y=True, as_frame=True)
    return report_of(X, np.array(["setosa", "versicolor", "virginica"])[y], "iris.csv")


def wine() -> dict[str, Any]:
    X, y = load_wine(return_X_y=True, as_frame=True)
    warnings = [warning("rare_class", [], **{"class": "grower 3", "rows": 48})]
    growers = np.array(["grower 1", "grower 2", "grower 3"])[y]
    left_out = [{"name": "id", "reason": "all_different"}]
    data = {"target": "grower", "left_out": left_out, "n_columns": 14}
    return report_of(X, growers, "wine.csv", pairs=True, warnings=warnings, data=data)


def cancer() -> dict[str, Any]:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return report_of(X, np.array(["malignant", "benign"])[y], "breast_cancer.csv", pairs=20)


def mushrooms() -> dict[str, Any]:
    """Text only, as in the Mushroom data: odors and colors, poisonous or edible."""
    rng = np.random.default_rng(0)
    n_rows = 2_000
    odour = rng.choice(["almond", "anise", "creosote", "fishy", "foul", "musty", "none"], n_rows)
    poisonous = np.isin(odour, ["creosote", "fishy", "foul", "musty"])
    poisonous |= (odour == "none") & (rng.random(n_rows) < 0.1)
    ring = np.where(poisonous ^ (rng.random(n_rows) < 0.2), "large", "pendant").astype(object)
    ring[rng.random(n_rows) < 0.2] = None
    forests = np.array([f"forest {k}" for k in range(120)])
    forest = np.where(poisonous, rng.integers(0, 80, n_rows), rng.integers(40, 120, n_rows))
    X = pd.DataFrame(
        {
            "odour": odour,
            "ring-type": ring,
            "cap-color": rng.choice(["brown", "gray", "red", "white", "yellow"], n_rows),
            "found in": forests[forest],
            "veil-type": "partial",
        }
    )
    warnings = [
        warning("leak", ["odour"], accuracy=0.985),
        warning("constant", ["veil-type"], value="partial", share=1.0),
    ]
    y = np.where(poisonous, "poisonous", "edible")
    return report_of(X, y, "mushrooms.parquet", pairs=True, warnings=warnings)


def letters() -> dict[str, Any]:
    """26 classes that overlap."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 26, 5_000)
    centers = rng.normal(size=(26, 16)) * 0.7
    X = pd.DataFrame((centers[y] + rng.normal(size=(5_000, 16))).round(1))
    X.columns = [f"moment {k}" for k in range(16)]
    return report_of(X, np.array([chr(65 + k) for k in range(26)])[y], "letters.tsv", pairs=3)


def wide(n_columns: int) -> dict[str, Any]:
    """Many variables; every fourth is informative."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 500)
    X = rng.normal(size=(500, n_columns))
    X[:, ::4] += y[:, None] * rng.uniform(0.1, 1.5, n_columns)[::4]
    frame = pd.DataFrame(X, columns=[f"sensor {k:04d}" for k in range(n_columns)])
    labels = np.array(["low", "middle", "high"])[y]
    # Weights of thousands of variables take a while: of the page they are all 1.
    model = NaiveBayesClassifier().fit(frame, labels)
    few = frame.iloc[:, :40]
    evaluation = evaluation_of(SelectiveNaiveBayesClassifier(), few, labels)
    return summarize(model.model_, facts(frame, "sensors.parquet"), evaluation)


def buyers() -> dict[str, Any]:
    """Few rows are buyers; they come and go with a date, so that it has many parts."""
    rng = np.random.default_rng(7)
    n_rows = 12_000
    risk, day = rng.normal(size=n_rows), np.sort(rng.integers(0, 3_000, n_rows))
    odds = np.exp(1.2 * risk - 4.2 + 1.8 * np.sin(day / 50))
    X = pd.DataFrame({f"share {k}": (2 * (risk + rng.normal(size=n_rows))).round() for k in "abc"})
    X["since"] = pd.Timestamp("2012-01-01 06:30") + pd.to_timedelta(day, unit="D")
    X["buys"] = np.where(rng.random(n_rows) < odds / (1 + odds), "yes", "no")
    return modlearn.fit(X, "buys", positive="yes", trend=["since"]).summary()


def held_out() -> dict[str, Any]:
    """An evaluation by rows held out: no folds, and no curves, bins or examples."""
    summary = iris()
    evaluation = summary["evaluation"]
    evaluation |= {"how": "held-out part", "n_folds": None, "best_variable": None}
    evaluation |= {"curves": [], "calibration": [], "examples": []}
    for measure in evaluation["measures"].values():
        measure |= {"folds": [measure["mean"]]}
    return summary


def one_class_tested() -> dict[str, Any]:
    """Test rows of one class only: nothing can be ranked, so there are no AUC and no curves."""
    summary = iris()
    evaluation = summary["evaluation"]
    evaluation |= {"how": "test file", "n_folds": None, "n_test": 50, "curves": []}
    evaluation |= {"confusion": [[50, 0, 0], [0, 0, 0], [0, 0, 0]]}
    evaluation["measures"]["accuracy"] = {"mean": 1.0, "spread": None, "folds": None}
    evaluation["measures"]["auc"] = {"mean": None, "spread": None, "folds": [None]}
    return summary


def thousand() -> dict[str, Any]:
    """A thousand classes."""
    rng = np.random.default_rng(5)
    y = np.concatenate((np.arange(1_000), rng.integers(0, 1_000, 5_000)))
    X = pd.DataFrame({"near": y + rng.normal(size=6_000) * 50, "far": rng.normal(size=6_000)})
    confusion = np.zeros((1_000, 1_000), dtype=int)
    np.add.at(confusion, (y, np.clip(y + rng.integers(-2, 3, 6_000), 0, 999)), 1)
    evaluation = iris()["evaluation"] | {"confusion": confusion.tolist(), "examples": []}
    found = FitResult.of(Encoder().fit(X, [f"article {k}" for k in y]))
    return summarize(found, facts(X, None), evaluation)


def holes() -> dict[str, Any]:
    """A table full of missing values, one column entirely, analyzed without a classifier."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 600)
    X = pd.DataFrame(rng.normal(size=(600, 6)) + y[:, None], columns=list("abcdef"))
    X[rng.random((600, 6)) < 0.8] = np.nan
    X["g"] = np.nan
    X["when it is missing"] = np.where(y == 1, np.nan, 1.0)
    text = np.array(["yes", "no", None], dtype=object)[rng.integers(0, 3, 600)]
    X["text"] = np.where(rng.random(600) < 0.7, None, text)
    labels = np.where(rng.random(600) < 0.2, None, np.array(["stays", "leaves"], object)[y])
    return summarize(
        FitResult.of(PairEncoder().fit(X, labels)),
        facts(X, None, "churn") | {"n_unlabeled": int(pd.isna(labels).sum())},
    )


def hostile() -> dict[str, Any]:
    """Names, values, classes and facts that try to be markup."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 300)
    X = pd.DataFrame({name: rng.normal(size=300) + y * (k % 3) for k, name in enumerate(HOSTILE)})
    X["text"] = np.array(HOSTILE, dtype=object)[np.where(rng.random(300) < 0.8, y, 6)]
    classes = np.array(HOSTILE[:3], dtype=object)
    warnings = [
        warning(HOSTILE[0], [HOSTILE[1]], text=HOSTILE[2]),
        warning("constant", [HOSTILE[2]], value=HOSTILE[0], share=1.0),
        *(warning("identifier", [name]) for name in HOSTILE),
    ]
    data = {
        "source": HOSTILE[0],
        "target": HOSTILE[1],
        "notes": [{"kind": "reading", "numbers": {"text": text}, "names": []} for text in HOSTILE],
        "left_out": [{"name": HOSTILE[3], "reason": HOSTILE[1]}],
    }
    return report_of(X, classes[y], None, pairs=True, warnings=warnings, data=data)


REPORTS = {
    "iris": iris,
    "wine": wine,
    "cancer": cancer,
    "mushrooms": mushrooms,
    "letters": letters,
    "sensors": lambda: wide(2_000),
    "buyers": buyers,
    "held out": held_out,
    "one class tested": one_class_tested,
    "thousand": thousand,
    "holes": holes,
    "hostile": hostile,
}
