import numpy as np
from numpy.typing import NDArray

RUNS_OF_COLUMN: int
"""Runs of each column that the promise of a pair is judged by."""

def screening_scores(
    runs: NDArray[np.uint8],
    classes: NDArray[np.int32],
    rows: NDArray[np.int64] | None,
    n_classes: int,
    pairs: NDArray[np.int64],
    grid_priors: NDArray[np.float64],
    side_priors: NDArray[np.float64],
) -> NDArray[np.float64]: ...
