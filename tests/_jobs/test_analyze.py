"""An analysis finds the partitions and grids of the encoders, without a model."""

from tests._jobs.conftest import COLUMNS

import modlearn
from modlearn import PairEncoder


def test_an_analysis_finds_what_the_encoders_find(orders):
    result = modlearn.analyze(orders, "paid", pairs="all")
    encoder = PairEncoder().fit(orders[COLUMNS], orders["paid"])
    assert result.model is None
    assert result.evaluation is None
    assert {n: p.cost for n, p in result.partitions.items()} == {
        n: p.cost for n, p in encoder.partitions_.items()
    }
    assert {n: g.cost for n, g in result.grids.items()} == {
        n: g.cost for n, g in encoder.grids_.items()
    }


def test_an_analysis_reports_its_progress(orders):
    reported = []
    modlearn.analyze(orders, "paid", pairs=2, progress=lambda *stage: reported.append(stage[0]))
    assert list(dict.fromkeys(reported)) == ["reading", "columns", "pairs"]
