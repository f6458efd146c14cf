"""The covariance of tables of scores in its slowest form: all second derivatives, one by one."""

import numpy as np


def table_covariance(
    lines: np.ndarray,
    rows: np.ndarray,
    curvatures: np.ndarray,
    roots: list[np.ndarray],
    penalty: float,
    intercept_penalty: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Covariance of all centered scores and of the base, and the mean variance of each row.

    The posterior has a coordinate for each class, although adding the same to all classes changes
    nothing; the mean over the classes is taken out at the end. Shapes (P, J, P, J), (J, J), (n,).
    """
    n, J = curvatures.shape[:2]
    sizes = [root.shape[1] for root in roots]
    R = sum(sizes) + 1
    # What a row finds: its line of each root, and 1 for the intercept.
    found = np.ones((n, R))
    for i in range(n):
        at = 0
        for k, root in enumerate(roots):
            line = root[lines[k, i]] if lines[k, i] >= 0 else np.zeros(sizes[k])
            found[i, at : at + sizes[k]] = line
            at += sizes[k]
    precision = np.zeros((R, J, R, J))
    for i in range(n):
        precision += rows[i] * np.einsum("a,b,jl->ajbl", found[i], found[i], curvatures[i])
    for a in range(R):
        for j in range(J):
            precision[a, j, a, j] += penalty if a < R - 1 else intercept_penalty
    inverse = np.linalg.inv(precision.reshape(R * J, R * J))
    covariance = inverse.reshape(R, J, R, J)
    apart = np.eye(J) - 1 / J
    covariance = np.einsum("jp,apbq,lq->ajbl", apart, covariance, apart)
    variances = np.einsum("na,ajbj,nb->n", found, covariance, found) / (J - 1)
    tables, mean = [], np.zeros(R)
    mean[-1] = 1.0
    at = 0
    for k, root in enumerate(roots):
        share = np.array([rows[lines[k] == i].sum() for i in range(len(root))]) / rows.sum()
        table = np.zeros((len(root), R))
        table[:, at : at + sizes[k]] = root - share @ root
        mean[at : at + sizes[k]] = share @ root
        tables.append(table)
        at += sizes[k]
    every = np.concatenate(tables)
    return (
        np.einsum("ia,ajbl,kb->ijkl", every, covariance, every),
        np.einsum("a,ajbl,b->jl", mean, covariance, mean),
        variances,
    )


def curvatures(scores: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Second derivatives of -log P(y) of each row, where scores are less extreme."""
    found = []
    for s, v in zip(scores, variances, strict=True):
        k = 1 / np.sqrt(1 + np.pi * v / 4)
        p = np.exp(k * s) / np.exp(k * s).sum()
        found.append(k * (np.diag(p) - np.outer(p, p)))
    return np.array(found)
