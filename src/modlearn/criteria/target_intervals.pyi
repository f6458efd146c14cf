from numpy.typing import ArrayLike

from modlearn.criteria.class_cost import ClassCost

class TargetCost(ClassCost):
    @property
    def joins_pure_runs(self) -> bool: ...
    def __init__(self, part_sizes: ArrayLike) -> None: ...

def rank_regression_cost(counts: ArrayLike, n_values: int | None = None) -> float: ...
