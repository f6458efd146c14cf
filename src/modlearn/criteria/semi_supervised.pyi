from collections.abc import Callable
from typing import Any

from modlearn.criteria.part_cost import PartCost

class MapCost(PartCost):
    @property
    def n_alike(self) -> int: ...
    def __init__(self, n_classes: int, prior: Callable[[Any], Any]) -> None: ...
