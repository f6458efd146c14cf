"""An additive model in its slowest form: a dense one-hot design, and one row after another."""

import numpy as np
from scipy.optimize import minimize


def design(codes: np.ndarray, sizes: list[int]) -> np.ndarray:
    """One-hot parts of all terms, shape (n, P), from codes (K, n); code -1 has no 1."""
    found = np.zeros((codes.shape[1], sum(sizes)))
    for n in range(codes.shape[1]):
        for k, size in enumerate(sizes):
            if codes[k, n] >= 0:
                assert codes[k, n] < size
                found[n, sum(sizes[:k]) + codes[k, n]] = 1.0
    return found


def log_probabilities(scores: np.ndarray) -> np.ndarray:
    """Of the classes, given their scores (J,)."""
    return scores - scores.max() - np.log(np.exp(scores - scores.max()).sum())


def loss_and_gradient(
    X: np.ndarray, classes: np.ndarray, rows: np.ndarray, base: np.ndarray, tables: np.ndarray
) -> tuple[float, np.ndarray]:
    """Minus the log-likelihood of the classes, and its derivatives by the tables (P, J)."""
    loss, gradient = 0.0, np.zeros(tables.shape)
    for x, label, count in zip(X, classes, rows, strict=True):
        logs = log_probabilities(base + x @ tables)
        loss -= count * logs[label]
        gradient += count * np.outer(x, np.exp(logs) - np.eye(len(base))[label])
    return float(loss), gradient


def price(tables: list[np.ndarray], covariances: list[np.ndarray]) -> float:
    """1/2 sum_kj f_kj' C_k^-1 f_kj; scores must lie where a singular C_k allows them."""
    total = 0.0
    for table, covariance in zip(tables, covariances, strict=True):
        inverse = np.linalg.pinv(covariance, rcond=1e-10, hermitian=True)
        assert np.allclose(covariance @ (inverse @ table), table, atol=1e-6)
        for scores in table.T:
            total += scores @ inverse @ scores / 2
    return float(total)


def curve_covariance(rows: list[int], variance: float) -> np.ndarray:
    """A line plus a random walk over ranks, each centered and scaled over rows written out."""
    bins = [i for i, count in enumerate(rows) for _ in range(count)]
    N = len(bins)
    p = [(sum(b < i for b in bins) + sum(b <= i for b in bins)) / 2 / N for i in bins]
    total = np.zeros((N, N))
    for kernel in (lambda a, b: a * b, min):
        found = np.array([[kernel(a, b) for b in p] for a in p])
        found = found - found.mean(axis=0)
        found = found - found.mean(axis=1, keepdims=True)
        total += found / np.mean([found[n, n] for n in range(N)])
    first = [bins.index(i) for i in range(len(rows))]
    return variance * total[np.ix_(first, first)]


def solve(
    codes: np.ndarray,
    classes: np.ndarray,
    rows: np.ndarray,
    base: np.ndarray,
    covariances: list[np.ndarray],
    penalty: float,
) -> tuple[float, list[np.ndarray], np.ndarray]:
    """The least cost, its tables and its intercept, by BFGS over f = C^(1/2) z."""
    sizes = [len(covariance) for covariance in covariances]
    ends = np.cumsum(sizes)[:-1]
    X = np.column_stack((design(codes, sizes), np.ones(codes.shape[1])))
    roots = [_symmetric_root(covariance) for covariance in covariances]
    shape = sum(sizes) + 1, len(base)

    def tables(flat: np.ndarray) -> np.ndarray:
        parts = np.split(flat.reshape(shape)[:-1], ends)
        found = [root @ z for root, z in zip(roots, parts, strict=True)]
        return np.concatenate([*found, flat.reshape(shape)[-1:]])

    def cost(flat: np.ndarray) -> tuple[float, np.ndarray]:
        loss, by_tables = loss_and_gradient(X, classes, rows, base, tables(flat))
        z, parts = flat.reshape(shape)[:-1], np.split(by_tables[:-1], ends)
        gradient = [root @ part for root, part in zip(roots, parts, strict=True)]
        gradient = np.concatenate(gradient) + penalty * z
        flat_gradient = np.concatenate((gradient, by_tables[-1:])).ravel()
        return loss + penalty / 2 * float((z**2).sum()), flat_gradient

    found = minimize(
        cost, np.zeros(shape[0] * shape[1]), jac=True, method="BFGS", options={"gtol": 1e-7}
    )
    *terms, intercept = np.split(tables(found.x), [*ends, sum(sizes)])
    return float(found.fun), terms, intercept[0]


def _symmetric_root(covariance: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(covariance)
    return vectors @ np.diag(np.sqrt(np.maximum(values, 0.0))) @ vectors.T
