"""Why informative columns have no weight: which others carry the same information."""

from __future__ import annotations

from modlearn._evaluate.shared_information import share_covered_by_parts
from modlearn._model.additive import AdditiveModel, Term
from modlearn._model.evaluation import Redundancy
from modlearn._model.partition import Partition
from modlearn._statistics.rows import Rows

__all__ = ["redundancies"]

MOST_ROWS = 2_000
MOST_COMPARED = 500
"""Pairs of columns that are compared, the most informative first."""

MOST_OTHERS = 20
"""Columns with a weight that one without is compared with."""

LEAST_SHARE = 0.05


def redundancies(model: AdditiveModel, rows: Rows, seed: int) -> tuple[Redundancy, ...]:
    """Share of the information of columns without a weight that columns with one carry too."""
    alone = [term for term in model.terms if isinstance(term.parts, Partition)]
    used = sorted((t for t in alone if t.weight > 0), key=lambda t: -t.weight)[:MOST_OTHERS]
    unused = sorted((t for t in alone if t.weight == 0 and t.level > 0), key=lambda t: -t.level)
    pairs = [(term, other) for term in unused for other in used][:MOST_COMPARED]
    if not pairs:
        return ()
    compared = list({id(term): term for pair in pairs for term in pair}.values())
    sample = rows.sample(MOST_ROWS, seed, labeled=True)
    profiles = sample.profiles([term.parts for term in compared], None)
    codes = {id(term): column for term, column in zip(compared, profiles.codes, strict=True)}

    def share(term: Term, other: Term) -> float:
        return share_covered_by_parts(codes[id(term)], codes[id(other)], profiles)

    found = [Redundancy(str(t.name), str(other.name), share(t, other)) for t, other in pairs]
    return tuple(one for one in found if one.share >= LEAST_SHARE)
