from collections.abc import Callable
from typing import Any, final

from modlearn.criteria.part_cost import PartCost

@final
class AxisCost(PartCost):
    def __init__(self, n_cells: int, n_classes: int, prior: Callable[[Any], Any]) -> None: ...

def axis_cost(n_cells: int, n_classes: int, prior: Callable[[Any], Any]) -> PartCost: ...
