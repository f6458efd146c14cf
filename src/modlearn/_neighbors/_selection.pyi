import numpy as np
from numpy.typing import NDArray

def keep_best(
    scores: np.ndarray,
    first_row: int,
    best: np.ndarray,
    rows: NDArray[np.int32],
    least: np.ndarray,
) -> None: ...
def keep_best_pairs(
    scores: np.ndarray,
    first: int,
    other: int,
    best: np.ndarray,
    rows: NDArray[np.int32],
    least: np.ndarray,
) -> None: ...
