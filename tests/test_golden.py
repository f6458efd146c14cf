"""Results on 20 tables are those of the code before it was rebuilt, to the last bit.

On a processor whose logarithms or products of matrices are rounded differently, floats may differ
by that.
"""

import json
from pathlib import Path

import pytest
from tools.golden import arithmetic, results_of, unequal
from tools.golden_tables import golden_tables

GOLDEN = json.loads(Path(__file__).with_name("golden").joinpath("results.json").read_text())
EXACT = arithmetic() == GOLDEN["arithmetic"]
TABLES = {table.name: table for table in golden_tables()}


def test_there_are_twenty_tables():
    assert list(GOLDEN["results"]) == list(TABLES)
    assert len(TABLES) == 20


@pytest.mark.parametrize("name", TABLES)
def test_results_are_those_of_the_golden_file(name):
    found = json.loads(json.dumps(results_of(TABLES[name])))
    differences = list(unequal(found, GOLDEN["results"][name], EXACT, name))
    assert not differences, "\n".join([f"{len(differences)} differences:", *differences[:20]])


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("name", ["cost", "counts", "weights", "probabilities"])
def test_one_changed_number_would_be_found(name, exact):
    golden = GOLDEN["results"]["unlabeled rows"]
    changed = json.loads(json.dumps(golden), object_hook=lambda found: _changed(found, name))
    assert any(name in difference for difference in unequal(changed, golden, exact))
    assert list(unequal(golden, golden, exact)) == []


def _changed(found, name):
    """Change the first number called so by little."""
    if name not in found:
        return found
    value = found[name]
    if isinstance(value, str):
        return {**found, name: (float.fromhex(value) * (1 + 1e-8)).hex()}
    if "sha" in value:
        first = [
            v + 1 if isinstance(v, int) else (float.fromhex(v) + 1).hex() for v in value["first"]
        ]
        return {**found, name: {**value, "sha": "0" * 16, "first": first}}
    return {**found, name: {k: (float.fromhex(v) + 1e-6).hex() for k, v in value.items()}}


def test_measures_may_differ_by_rounding_alone():
    measures = GOLDEN["results"]["iris"]["fit"]["evaluation"]["measures"]
    mean, *others = measures["accuracy"]
    rounded = {**measures, "accuracy": [mean * (1 + 1e-15), *others]}
    wrong = {**measures, "accuracy": [mean * (1 + 1e-9), *others]}
    assert list(unequal(rounded, measures, True)) == []
    assert len(list(unequal(wrong, measures, True))) == 1
