"""Diagnostics as a job makes them, small."""

import numpy as np

from modlearn._model.evaluation import (
    CalibrationBin,
    ColumnFacts,
    Curve,
    DataWarning,
    Diagnostics,
    Evaluation,
    ExplainedRow,
    MajorityClass,
    Measure,
    Note,
    OmittedColumn,
    Reason,
    Redundancy,
    SingleVariable,
    TableFacts,
)


def make_evaluation() -> Evaluation:
    """Of two classes and four test rows."""
    measure = Measure(0.75, 0.1, (0.5, 1.0))
    reasons = (
        Reason("age", "(-inf, 3]", 1, 0, 0.5),
        Reason(("age", "city"), "(-inf, 3] × {Rome}", 0, 1, 0.25),
    )
    return Evaluation(
        how="cross-validation",
        n_folds=2,
        n_train=2,
        n_test=4,
        measures={
            "accuracy": measure,
            "balanced_accuracy": measure,
            "auc": Measure(None, None, (None, None)),
            "log_loss": Measure(0.3, None, (0.3,)),
        },
        majority=MajorityClass("no", 0.5),
        best_variable=SingleVariable("age", 0.75),
        confusion=np.array([[2, 0], [1, 1]]),
        curves=(Curve(1, 0.75, ((0.0, 0.0), (1.0, 1.0)), ((0.0, 0.0), (1.0, 1.0))),),
        calibration=(CalibrationBin(0.25, 0.5, 2), CalibrationBin(0.75, 1.0, 2)),
        examples=(ExplainedRow(3, 1, 0, (0.75, 0.25), reasons),),
    )


def make_diagnostics() -> Diagnostics:
    """Of a table with the target 'bought' and the classes 'no' and 'yes'."""
    return Diagnostics(
        id="0123456789abcdef",
        created="2026-11-16T07:00:00Z",
        data=TableFacts(
            source="people.csv",
            target="bought",
            n_rows=5,
            n_labeled=4,
            n_unlabeled=1,
            n_columns=2,
            left_out=(OmittedColumn("id", "all_different"),),
            notes=(Note("unlabeled", {"rows": 1}),),
        ),
        positive=1,
        evaluation=make_evaluation(),
        pairs_complete=True,
        warnings=(
            DataWarning("few_rows", (), {"rows": 20}),
            DataWarning("leak", ("age",), {"accuracy": 1.0}),
        ),
        columns=(ColumnFacts("age", 1, 3), ColumnFacts("city", 0, None)),
        redundancies=(Redundancy("city", "age", 0.5),),
    )
