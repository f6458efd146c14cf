import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST_ROWS: int

def as_counts(counts: ArrayLike) -> NDArray[np.int64]: ...
def level(cost: float, null_cost: float) -> float: ...
