import numpy as np
from numpy.typing import NDArray

class Likelihood:
    def __init__(
        self,
        codes: NDArray[np.int32],
        classes: NDArray[np.int32],
        rows: NDArray[np.float64],
        tables: NDArray[np.float64],
        own: NDArray[np.float64],
        offsets: NDArray[np.int64],
        log_prior: NDArray[np.float64],
    ) -> None: ...
    def loss_and_gradient(
        self,
        used: NDArray[np.int32],
        weights: NDArray[np.float64],
        wanted: NDArray[np.int32],
        first: int,
        last: int,
    ) -> tuple[float, NDArray[np.float64]]: ...
    def curvature_factor(
        self, used: NDArray[np.int32], weights: NDArray[np.float64], first: int, last: int
    ) -> NDArray[np.float32]: ...

class TableLikelihood:
    def __init__(
        self,
        lines: NDArray[np.int32],
        classes: NDArray[np.int32],
        rows: NDArray[np.float64],
        base: NDArray[np.float64],
    ) -> None: ...
    def loss_and_gradient(
        self, tables: NDArray[np.float64], first: int, last: int
    ) -> tuple[float, NDArray[np.float64]]: ...

def add_to_scores(
    codes: NDArray[np.int32],
    table: NDArray[np.float64],
    scores: NDArray[np.float64],
    first: int,
    last: int,
) -> None: ...
def to_probabilities(scores: NDArray[np.float64]) -> NDArray[np.float64]: ...
def box_quadratic(
    H: NDArray[np.float64], gradient: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]: ...
