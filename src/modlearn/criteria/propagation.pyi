import numpy as np
from numpy.typing import ArrayLike, NDArray

MASS: np.dtype

def known_mass(distributions: ArrayLike) -> NDArray[np.float64]: ...
def average_distribution(
    neighbors: ArrayLike, weights: ArrayLike | None = None
) -> NDArray[np.float64]: ...
def with_prior(known: ArrayLike, labeled: ArrayLike, prior: ArrayLike) -> NDArray[np.float64]: ...
