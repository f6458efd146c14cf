"""Naive Bayes by plain loops, the cost of every subset, and what the best weights must satisfy."""

from fractions import Fraction
from itertools import combinations
from math import comb, exp, inf, log

Table = list[list[int]]


def likelihood(counts: Table, part: int, j: int, left_out: bool = False) -> Fraction:
    """P(part | class): one more row in each part, shared out over the classes as all rows are."""
    in_class = sum(line[j] for line in counts)
    share = Fraction(in_class, sum(map(sum, counts)))
    here = counts[part][j]
    if left_out:
        here, in_class = max(here - 1, 0), max(in_class - 1, 0)
    return (here + share) / (in_class + len(counts) * share)


def odds(counts: Table, part: int, j: int) -> Fraction:
    """P(part | class) / P(part | other classes), which are mixed as in all rows."""
    in_classes = [sum(line[k] for line in counts) for k in range(len(counts[0]))]
    others = [k for k in range(len(counts[0])) if k != j]
    mixed = sum(likelihood(counts, part, k) * in_classes[k] for k in others)
    return likelihood(counts, part, j) * sum(in_classes[k] for k in others) / mixed


def scores(
    tables: list[Table],
    weights: list[float],
    prior: list[float],
    row: list[int],
    own: int | None = None,
) -> list[float]:
    """log P(j) + sum of w_k log P(part of k | j); with `own`, that class without this row."""
    return [
        log(prior[j])
        + sum(
            w * log(likelihood(table, part, j, left_out=j == own))
            for table, w, part in zip(tables, weights, row, strict=True)
        )
        for j in range(len(prior))
    ]


def log_probability(values: list[float], j: int) -> float:
    """Of class j, given the scores of all."""
    largest = max(values)
    return values[j] - largest - log(sum(exp(value - largest) for value in values))


def counts_of(codes: list[list[int]], classes: list[int], n_classes: int) -> list[Table]:
    """Rows per part and class of each variable; codes has a list per row."""
    tables = []
    for column in zip(*codes, strict=True):
        table = [[0] * n_classes for _ in range(max(column) + 1)]
        for part, j in zip(column, classes, strict=True):
            table[part][j] += 1
        tables.append(table)
    return tables


def shares(classes: list[int], n_classes: int) -> list[float]:
    return [classes.count(j) / len(classes) for j in range(n_classes)]


def subset_cost(
    codes: list[list[int]], classes: list[int], n_classes: int, subset: tuple[int, ...]
) -> float:
    """log(K+1) + log C(K+K_s-1, K_s) - sum of log P(y | selected variables)."""
    tables, prior = counts_of(codes, classes, n_classes), shares(classes, n_classes)
    K = len(tables)
    weights = [float(k in subset) for k in range(K)]
    prior_cost = log(K + 1) + log(comb(K + len(subset) - 1, len(subset)))
    return prior_cost - sum(
        log_probability(scores(tables, weights, prior, row), j)
        for row, j in zip(codes, classes, strict=True)
    )


def all_subset_costs(
    codes: list[list[int]], classes: list[int], n_classes: int
) -> dict[tuple[int, ...], float]:
    """Cost of each of the 2^K subsets."""
    K = len(codes[0])
    return {
        subset: subset_cost(codes, classes, n_classes, subset)
        for size in range(K + 1)
        for subset in combinations(range(K), size)
    }


def averaged_weights(
    codes: list[list[int]],
    classes: list[int],
    n_classes: int,
    orders: list[list[int]],
    most_rounds: int,
) -> list[float]:
    """The search over given orders, every subset that is tried kept in a list."""
    costs = all_subset_costs(codes, classes, n_classes)
    tried = []

    def improved(subset: tuple[int, ...], changed: set[int]) -> tuple[int, ...]:
        other = tuple(sorted(changed))
        tried.append(other)
        return other if costs[other] < costs[subset] - 1e-8 * costs[()] else subset

    for order in orders:
        subset: tuple[int, ...] = ()
        for _ in range(most_rounds):
            before = subset
            for k in order:
                if k not in subset:
                    subset = improved(subset, {*subset, k})
            between = subset
            for k in order:
                if k in subset:
                    subset = improved(subset, {*subset} - {k})
            if before == between == subset:
                break
    compressions = [max(0.0, 1 - costs[subset] / costs[()]) for subset in tried]
    total = sum(compressions)
    return [
        sum(c for c, subset in zip(compressions, tried, strict=True) if k in subset) / total
        if total
        else 0.0
        for k in range(len(codes[0]))
    ]


def weighted_cost(
    codes: list[list[int]],
    classes: list[int],
    n_classes: int,
    weights: list[float],
    own_prices: list[float] | None = None,
) -> float:
    """Prices of the weights, and minus the log-likelihood of each row given the others."""
    tables, prior = counts_of(codes, classes, n_classes), shares(classes, n_classes)
    K = len(tables)
    own = own_prices or [0.0] * K
    prices = sum((log(comb(2 * K - 1, K)) / K + p) * w for p, w in zip(own, weights, strict=True))
    return prices - sum(
        log_probability(scores(tables, weights, prior, row, own=j), j)
        for row, j in zip(codes, classes, strict=True)
    )


def worst_move(
    codes: list[list[int]],
    classes: list[int],
    n_classes: int,
    weights: list[float],
    own_prices: list[float] | None = None,
) -> float:
    """The most that the cost falls when one weight moves a little: 0 where it is least."""
    cost = weighted_cost(codes, classes, n_classes, weights, own_prices)
    fall = -inf
    for k in range(len(weights)):
        for step in (-1e-3, 1e-3, -1e-2, 1e-2):
            moved = list(weights)
            moved[k] = min(max(moved[k] + step, 0.0), 1.0)
            other = weighted_cost(codes, classes, n_classes, moved, own_prices)
            fall = max(fall, cost - other)
    return fall
