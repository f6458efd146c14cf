import numpy as np
from numpy.typing import NDArray

class SubsetSearch:
    def __init__(
        self,
        codes: NDArray[np.int32],
        classes: NDArray[np.int32],
        rows: NDArray[np.float64],
        tables: NDArray[np.float64],
        offsets: NDArray[np.int64],
        log_prior: NDArray[np.float64],
        priors: NDArray[np.float64],
    ) -> None: ...
    def search(self, order: NDArray[np.int32], most_rounds: int) -> float: ...
    def weights(self) -> NDArray[np.float64]: ...
