from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Carried = TypeVar("Carried", np.uint8, np.uint16, np.int32)

def sort_with_payload(
    values: NDArray[np.float64], payload: NDArray[Carried]
) -> tuple[NDArray[np.float64], NDArray[Carried]]: ...
