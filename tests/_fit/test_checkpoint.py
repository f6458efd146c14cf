"""The file of a search: what it keeps, how often it is written, and that it is not trusted."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from modlearn._fit import checkpoint as module
from modlearn._fit.checkpoint import Checkpoint


@dataclass(frozen=True)
class ColumnStub:
    """A column with nothing but a number of values."""

    name: str
    n_values: int
    ordered: bool


COLUMNS = [
    ColumnStub("a", 4, True),
    ColumnStub("b", 3, False),
    ColumnStub("c", 2, True),
]
PARTS = np.array([0, 0, 1, 2]), np.array([1, 0, 1])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "pairs.json"


class FingerprintedRows:
    """Rows that have nothing but a fingerprint."""

    def __init__(self, text="of the data"):
        self.text = text

    def fingerprint(self):
        return self.text


def opened(path, rows=None):
    return Checkpoint.at(path, COLUMNS, rows or FingerprintedRows())


@pytest.fixture
def written(path):
    search = opened(path)
    search.add(("a", "b"), PARTS, proven=True)
    search.save()
    return path


def as_lists(found):
    return [parts.tolist() for parts in found[0]], found[1]


def test_parts_are_read_as_they_were_written(written):
    assert as_lists(opened(written).found(("a", "b"))) == ([[0, 0, 1, 2], [1, 0, 1]], True)
    assert opened(written).found(("a", "c")) is None


def test_a_pair_serves_in_either_order(written):
    assert as_lists(opened(written).found(("b", "a"))) == ([[1, 0, 1], [0, 0, 1, 2]], True)


def test_of_ordered_values_only_the_bounds_are_written(written):
    assert json.loads(written.read_text())["pairs"][0]["parts"] == [[2, 3], [1, 0, 1]]


def test_an_axis_of_one_part_has_no_bounds(path):
    search = opened(path)
    search.add(("c", "a"), (np.zeros(2, dtype=np.intp), np.zeros(4, dtype=np.intp)), proven=False)
    search.save()
    assert as_lists(opened(path).found(("c", "a"))) == ([[0, 0], [0, 0, 0, 0]], False)


def test_nothing_is_kept_without_a_file():
    search = opened(None)
    search.add(("a", "b"), PARTS, proven=True)
    assert not search.entries


class Clock:
    """A clock on which a write takes some time."""

    def __init__(self, monkeypatch, seconds):
        self.now, self.writes = 0.0, []
        monkeypatch.setattr(module, "monotonic", lambda: self.now)

        def write(path, text):
            self.writes.append(self.now)
            self.now += seconds

        monkeypatch.setattr(module, "write_whole", write)


@pytest.mark.parametrize(("seconds", "pause"), [(0.0, module.SECONDS), (5.0, 45.0)])
def test_writes_that_take_long_are_seldom(monkeypatch, path, seconds, pause):
    clock = Clock(monkeypatch, seconds)
    search = opened(path)
    while len(clock.writes) < 3:
        clock.now += 0.5
        search.add(("a", "b"), PARTS, proven=True)
    between = np.diff(clock.writes) - seconds
    assert ((between >= pause) & (between <= pause + 1)).all()


@pytest.mark.parametrize(
    "damage",
    [
        {"parts": [[2, 10**30], [1, 0, 1]]},
        {"parts": [[3, 2], [1, 0, 1]]},
        {"parts": [[0], [1, 0, 1]]},
        {"parts": [[4], [1, 0, 1]]},
        {"parts": [[1.5], [1, 0, 1]]},
        {"parts": [[True], [1, 0, 1]]},
        {"parts": ["2", [1, 0, 1]]},
        {"parts": [[2], [1, 0]]},
        {"parts": [[2], [2, 0, 2]]},
        {"parts": [[2], [10**30, 0, 1]]},
        {"parts": [[2]]},
        {"columns": [0, 3]},
        {"columns": [0, -1]},
        {"columns": [0, 0]},
        {"columns": [0, 10**30]},
        {"columns": [0.0, 1]},
        {"proven": "no"},
    ],
    ids=str,
)
def test_a_damaged_pair_is_refused_in_one_sentence(written, damage):
    content = json.loads(written.read_text())
    content["pairs"][0] |= damage
    written.write_text(json.dumps(content))
    with pytest.raises(
        ValueError, match=r"pairs\.json' is not a checkpoint of pairs, or it is damaged"
    ):
        opened(written)


@pytest.mark.parametrize("changes", [{"version": 1}, {"format": "other"}, {"pairs": 7}], ids=str)
def test_a_file_of_another_kind_is_refused(written, changes):
    written.write_text(json.dumps(json.loads(written.read_text()) | changes))
    with pytest.raises(ValueError, match="is not a checkpoint of pairs, or it is damaged"):
        opened(written)


def test_a_file_of_other_rows_is_refused(written):
    with pytest.raises(ValueError, match=r"pairs\.json' was written for other data: delete it"):
        opened(written, FingerprintedRows("of other data"))
