import numpy as np
from numpy.typing import NDArray

RUNS_OF_COLUMN: int
"""Runs of each column from which a pair is scored."""

def screening_scores(
    cells: NDArray[np.int64],
    grid_priors: NDArray[np.float64],
    side_priors: NDArray[np.float64],
) -> NDArray[np.float64]: ...
