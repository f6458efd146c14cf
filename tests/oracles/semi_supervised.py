"""Semi-supervised discretization: seed 000 Eq. 3 to 8. A table has J + 1 columns, U is the last."""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from . import discretization
from .discretization import prior_weight
from .intervals import Partition, Row, count_by_value, interval_of, log_weight, midpoint, optima

Labels = Sequence[int | None]
Apportionment = Callable[[Row, int], Row]


def likelihood(labeled: Row, parameters: Row) -> Fraction:
    """Eq. 6: Π_j N_ij! / N_i! · N_i^u! / Π_j N_ij^u!, where n! / (n-k)! is perm(n, k)."""
    draws = math.prod(map(math.perm, parameters, labeled))
    return Fraction(draws, math.perm(sum(parameters), sum(labeled)))


def distributions(n_rows: int, n_classes: int) -> int:
    """C(N_i+J-1, J-1), upside down in the printed Eq. 3."""
    return math.comb(n_rows + n_classes - 1, n_classes - 1)


def part_weight(labeled: Row, parameters: Row) -> Fraction:
    """C(N_i+J-1, J-1) · N_i! / Π_j N_ij! · Π_j N_ij^u! / N_i^u!."""
    return distributions(sum(parameters), len(labeled)) / likelihood(labeled, parameters)


def cost(labeled: Sequence[Row], parameters: Sequence[Row]) -> float:
    """Eq. 8 for explicit N_ij (parameters), with Π_j N_ij! where it prints Σ_j N_ij!."""
    prior = prior_weight(sum(map(sum, parameters)), len(parameters))
    return log_weight(prior * math.prod(map(part_weight, labeled, parameters)))


def every_parameters(labeled: Row, n_unlabeled: int) -> Iterator[Row]:
    """All {N_ij} with N_ij >= N_ij^l and Σ_j N_ij = N_i."""
    if len(labeled) == 1:
        yield (labeled[0] + n_unlabeled,)
        return
    for share in range(n_unlabeled + 1):
        for rest in every_parameters(labeled[1:], n_unlabeled - share):
            yield (labeled[0] + share, *rest)


def enumerated(labeled: Row, n_unlabeled: int) -> Row:
    """The best {N_ij} of all."""
    return max(every_parameters(labeled, n_unlabeled), key=lambda n: likelihood(labeled, n))


def d_hondt(labeled: Row, n_unlabeled: int) -> Row:
    """From N_ij = N_ij^l, each unit to the largest N_ij^l / (N_ij + 1); ties to the first class.

    One unit more for class j multiplies the likelihood by 1 / (1 - N_ij^l / (N_ij + 1)).
    """
    return completed(labeled, labeled, n_unlabeled)


def completed(labeled: Row, parameters: Row, n_units: int) -> Row:
    """n_units more given by the rule of D'Hondt."""
    units = list(parameters)
    for _ in range(n_units):
        quotients = [Fraction(n_l, n + 1) for n_l, n in zip(labeled, units, strict=True)]
        units[quotients.index(max(quotients))] += 1
    return tuple(units)


def lemma_b(labeled: Row, n_unlabeled: int) -> Row:
    """Lemma B as printed: ceil((N_i + 1) · N_ij^l / N_i^l - 1), which is -1 where N_ij^l = 0."""
    n_labeled = sum(labeled)
    n_rows = n_labeled + n_unlabeled
    return tuple(math.ceil(Fraction((n_rows + 1) * n, n_labeled) - 1) for n in labeled)


def map_part_weight(row: Row, apportionment: Apportionment = d_hondt) -> Fraction:
    """part_weight at the best {N_ij}; row = (N_i1^l, ..., N_iJ^l, N_i^u)."""
    labeled, n_unlabeled = row[:-1], row[-1]
    return part_weight(labeled, apportionment(labeled, n_unlabeled))


def map_part_cost(row: Row, apportionment: Apportionment = d_hondt) -> float:
    """log of map_part_weight, by d_hondt or by enumeration."""
    return log_weight(map_part_weight(row, apportionment))


def averaged_part_weight(row: Row) -> Fraction:
    """1 / Σ_{N_ij} likelihood / C(N_i+J-1, J-1): seed 000 section 5.1.3, term by term."""
    labeled, n_unlabeled = row[:-1], row[-1]
    draws = sum(
        math.prod(map(math.perm, parameters, labeled))
        for parameters in every_parameters(labeled, n_unlabeled)
    )
    n_rows = sum(row)
    weight = distributions(n_rows, len(labeled)) * math.perm(n_rows, sum(labeled))
    return Fraction(weight, draws)


def averaged_part_cost(row: Row) -> float:
    """log of averaged_part_weight."""
    return log_weight(averaged_part_weight(row))


def partition_cost(table: Sequence[Row], weight: Callable[[Row], Fraction]) -> float:
    """log N + log C(N+I-1, I-1) + Σ_i log weight(row i), for map_ or averaged_part_weight."""
    prior = prior_weight(sum(map(sum, table)), len(table))
    return log_weight(prior * math.prod(map(weight, table)))


def all_optima(
    values: Sequence[float],
    labels: Labels,
    n_classes: int,
    weight: Callable[[Row], Fraction],
    min_part_size: int = 1,
    max_parts: int | None = None,
) -> list[Partition]:
    """Every partition within 1e-9 of the least cost; cuts between values of L and U together."""
    columns = [n_classes if label is None else label for label in labels]
    distinct, table = count_by_value(values, columns, n_classes + 1)
    return optima(distinct, table, weight, prior_weight, min_part_size, max_parts)


def brute_force_map(
    values: Sequence[float],
    labels: Labels,
    n_classes: int,
    min_part_size: int = 1,
    max_parts: int | None = None,
) -> Partition:
    """Estimator 1: Eq. 8 minimized over cuts and {N_ij}; counts have U as last column."""
    return all_optima(values, labels, n_classes, map_part_weight, min_part_size, max_parts)[0]


def brute_force_averaged(
    values: Sequence[float],
    labels: Labels,
    n_classes: int,
    min_part_size: int = 1,
    max_parts: int | None = None,
) -> Partition:
    """Estimator 2: Eq. 8 summed over {N_ij}; of its many ties the leftmost cuts."""
    return all_optima(values, labels, n_classes, averaged_part_weight, min_part_size, max_parts)[0]


def median(values: Sequence[float]) -> float:
    """The middle value, midway between the two middle ones if there is none."""
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else midpoint(ordered[half - 1], ordered[half])


def post_optimized_cuts(
    values: Sequence[float], labels: Labels, n_classes: int, max_parts: int | None = None
) -> tuple[float, ...]:
    """Estimator 3: supervised cuts, each moved to the middle of its unlabeled area.

    That is the median of the unlabeled values strictly between the last labeled value on the
    left and the first on the right; with none there, midway.
    """
    pairs = [(float(v), y) for v, y in zip(values, labels, strict=True) if y is not None]
    if not pairs:
        return ()
    labeled = [value for value, _ in pairs]
    cuts = discretization.brute_force(
        labeled, [label for _, label in pairs], n_classes, max_parts=max_parts
    ).cuts
    unlabeled = [float(v) for v, y in zip(values, labels, strict=True) if y is None]
    return tuple(moved_cut(cut, labeled, unlabeled) for cut in cuts)


def moved_cut(cut: float, labeled: Sequence[float], unlabeled: Sequence[float]) -> float:
    """One cut of post_optimized_cuts; a missing value is below every other one."""
    right = min(value for value in labeled if interval_of(value, [cut]))
    known_left = [value for value in labeled if value < cut]
    # Only missing values on the left: every number below `right` lies between.
    between = [
        value
        for value in unlabeled
        if value < right and (not known_left or value > max(known_left))
    ]
    return median(between) if between else cut
