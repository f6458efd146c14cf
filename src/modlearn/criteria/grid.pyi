from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

def axis_prior(n_rows: int, n_values: int | None, I: ArrayLike) -> Any: ...
def cell_costs(counts: NDArray[np.int64]) -> float: ...
def grid_cost(
    counts: ArrayLike, n_values: tuple[int | None, int | None] = (None, None)
) -> float: ...
