"""Small tables whose labels are spread, and what two equal fits agree in."""

import numpy as np

from modlearn import LabelDistributionPropagation

# a small world: two groups on a line, a label in each, and a third group without any

X = np.array([0.0, 1.0, 2.2, 3.6, 100.0, 101.0, 102.2, 103.6, 900.0, 901.0, 902.2])[:, None]
LABELED = {0: 0, 7: 1}
GROUPS = [0] * 4 + [1] * 4 + [None] * 3


def labels(first, second, none=None):
    """A label at one end of each of two groups."""
    y = [none] * len(X)
    y[0], y[7] = first, second
    return y


def ldp(**parameters):
    published = {"n_neighbors": 2, "sweeps": 0, "representation": "raw"}
    return LabelDistributionPropagation(**{**published, **parameters})


def facts_of(fitted):
    """All that two equal fits agree in."""
    return [
        fitted.label_distributions_.tolist(),
        fitted.unknown_mass_.tolist(),
        fitted.log_known_mass_.tolist(),
        fitted.order_.tolist(),
        fitted.transduction_.tolist(),
        fitted.classes_.tolist(),
    ]


def blobs(n=400, d=3, n_labeled=12, seed=0):
    """Three clouds without ties, and a label here and there."""
    rng = np.random.default_rng(seed)
    classes = np.arange(n) % 3
    points = rng.normal(size=(n, d)) + 4 * np.eye(3, d)[classes]
    y = np.where(np.arange(n) < n_labeled, classes, -1)
    return points, y, classes
