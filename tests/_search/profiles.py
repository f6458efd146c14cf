"""Rows by their codes, at random: what the searches for weights work on."""

import numpy as np
from tests.oracles import naive_bayes as twin

from modlearn._statistics.profiles import Profiles, count_profiles
from modlearn.criteria import part_log_likelihoods


def make_rows(
    seed: int, n: int, K: int, J: int, copied: bool = True
) -> tuple[list[list[int]], list[int]]:
    """Codes (a list per row) and classes; some variables are very informative, some hardly."""
    rng = np.random.default_rng(seed)
    classes = np.concatenate((np.arange(J), rng.integers(0, J, n - J)))
    columns = []
    for k in range(K):
        noise = rng.integers(0, J + 1, n)
        columns.append(np.where(rng.random(n) < 0.7 * (K - k) / K, classes, noise))
    if copied:
        columns[-1] = columns[0]
    return np.array(columns).T.tolist(), classes.tolist()


def as_profiles(
    codes: list[list[int]], classes: list[int]
) -> tuple[Profiles, list[np.ndarray], list[np.ndarray]]:
    """The rows counted, and log P(part | class) of each variable with all rows and without one."""
    J = max(classes) + 1
    counts = [np.array(table) for table in twin.counts_of(codes, classes, J)]
    columns = np.ascontiguousarray(np.array(codes, dtype=np.int32).T)
    profiles = count_profiles(columns, np.array(classes, dtype=np.int32), None, J)
    tables, left_out = ([part_log_likelihoods(c, out) for c in counts] for out in (False, True))
    return profiles, tables, left_out


def log_prior(classes: list[int]) -> np.ndarray:
    return np.log(np.bincount(classes) / len(classes))
