"""Views of texts in engines, from their SQL alone."""

import pytest
from tests._views.words import WORDS, messages

import modlearn
from modlearn import _views
from modlearn._engines import table as engine_table


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setattr(engine_table, "MOST_SAMPLED", 600)
    _views.VIEW_FAMILIES.append(WORDS)
    yield
    _views.VIEW_FAMILIES.remove(WORDS)


def test_engines_count_views_of_texts(stored):
    frame = messages()
    in_memory = modlearn.analyze(frame, "left")
    found = modlearn.analyze(stored(frame), "left")
    assert list(found.partitions) == list(in_memory.partitions)
    for name, partition in in_memory.partitions.items():
        assert found.partitions[name].n_parts == partition.n_parts
        assert (found.partitions[name].counts == partition.counts).all()
