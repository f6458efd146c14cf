from collections.abc import Callable
from typing import Any

from modlearn.criteria.part_cost import PartCost

class ClassCost(PartCost):
    def __init__(self, n_classes: int, prior: Callable[[Any], Any]) -> None: ...
