from collections.abc import Callable
from typing import Any

from modlearn.criteria.part_cost import PartCost

class ClassCost(PartCost):
    @property
    def n_alike(self) -> int: ...
    @property
    def joins_pure_runs(self) -> bool: ...
    def __init__(self, n_classes: int, prior: Callable[[Any], Any]) -> None: ...
