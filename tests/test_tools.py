"""The checks of `make lint` that are written here find what they are for."""

import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from tools.banned_phrases import hits_in
from tools.oldest import floors
from tools.private_names import uses_in_kernel, uses_in_module
from tools.walk import Step, changes_of, files_of, measures

ROOT = Path(__file__).parents[1]
FOLDERS = ("benchmarks", "examples", "reproduce", "tools")
SCRIPTS = sorted(
    path.relative_to(ROOT)
    for name in FOLDERS
    for path in (ROOT / name).rglob("*.py")
    if path.stem != "mlflow_model" or find_spec("mlflow")
)


def phrases(line):
    return [hit.phrase for hit in hits_in("docs/guide.md", line)]


@pytest.mark.parametrize(
    ("line", "phrase"),
    [
        ("The file is no UTF-8.", "is no"),
        ("so many rows", "so many"),
        ("Column 'x' tells nothing.", "tells nothing"),
        ("rows judged rightly", "judged"),
        ("columns of which nothing is known", "of which"),
        ('help="Of the folds."', 'help="Of the folds."'),
        ("        Of every column.", "Of every column."),
        ("def place_of_target():", "place"),
        ("beside_cuts = so_many_rows", "beside"),
        ("beside_cuts = so_many_rows", "so many"),
        ("class MyFindings(Rows):", "Findings"),
        ("def test_text_is_no_weight():", "is no"),
        ("notJudgedRows()", "Judged"),
        ("class Seen:", "class Seen"),
        ("class _Opened:", "class _Opened"),
        ("class CoarseBinned(Rows):", "class CoarseBinned"),
        ("n_labelled = 3", "labelled"),
        ("from 1,000 labeled rows on", "from 1,000 labeled rows on"),
        ("we minimise the cost", "minimise"),
    ],
)
def test_a_banned_phrase_is_found(line, phrase):
    assert phrase in phrases(line)


@pytest.mark.parametrize(
    "line",
    [
        "There is no file.",
        "The name is no longer used.",
        "besides, all is sorted in place",
        "the class chosen",
        "three analyses",
        "it was promising",
        "What to do. Of course it may fail.",
        "def test_values_are_in_place_and_told_apart():",
        "class BinnedRows(Rows):",
    ],
)
def test_plain_english_is_let_through(line):
    assert phrases(line) == []


def test_a_hit_says_where_it_is_and_what_to_write():
    (hit,) = hits_in("src/modlearn/_show/page.py", "fine\nlearnt\n")
    assert str(hit) == "src/modlearn/_show/page.py:2: 'learnt' -> learned"
    assert hit.folder == "src/modlearn/_show"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("from modlearn._model.grid import _cells", "modlearn._model.grid._cells"),
        ("from modlearn._neighbors._ranking import rank", "modlearn._neighbors._ranking.rank"),
        ("model._terms", "model._terms"),
        ("fit()._terms = 1", "fit()._terms"),
    ],
)
def test_a_private_name_of_another_module_is_found(line, name):
    assert [found for _, found in uses_in_module(line, "modlearn._show")] == [name]


@pytest.mark.parametrize(
    "source",
    [
        "from modlearn._show import page",
        "from modlearn import _show",
        "from modlearn._show._kernel import draw",
        "self._terms",
        "super()._terms",
        "thing.__dict__",
        "class A:\n    def _cost(self): ...\n    def __lt__(self, other): return other._cost()",
        "class A:\n    def __init__(self): self._n = 1\n    def same(self, other): return other._n",
    ],
)
def test_own_private_names_may_be_read(source):
    assert list(uses_in_module(source, "modlearn._show")) == []


def test_private_names_are_found_in_kernels():
    source = "cdef int _own\nfrom modlearn._tables._rank cimport rank\nx = other._counts\na._own"
    found = [name for _, name in uses_in_kernel(source, "modlearn._search")]
    assert found == ["modlearn._tables._rank.rank", "other._counts"]


def test_a_walk_counts_files_changes_and_questions():
    steps = [
        Step("cli/commands.py", "fit", ""),
        Step("_jobs/fit.py", "fit", "cli/commands.py"),
        Step("_tables/memory/table.py", "Table.numeric", "_jobs/fit.py"),
        Step("_tables/memory/view.py", "View.numeric", "_tables/memory/table.py"),
        Step("_jobs/result.py", "FitResult.summary", "cli/commands.py"),
        Step("_jobs/fit.py", "finish", "cli/commands.py"),
    ]
    assert measures(steps) == {
        "files": 5,
        "changes of file": 5,
        "changes of stage": 3,
        "column asked for": 1,
        "summaries": 1,
    }
    assert list(files_of(steps))[1:3] == [
        "2. `_jobs/fit.py`: `fit`",
        "3. `_tables/memory/table.py`: `Table.numeric`",
    ]
    assert len(list(changes_of(steps))) == 6


def test_a_column_goes_from_file_to_page_through_few_files():
    walk = [sys.executable, "-m", "tools.walk", "--list", "column in Python"]
    steps = [*walk[:3], "--steps", walk[-1]]
    listed, changes = (
        subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.splitlines()
        for command in (walk, steps)
    )
    assert len(listed) <= 40
    page = (ROOT / "ARCHITECTURE.md").read_text()
    files = [re.search(r"`(.*?)`", line).group(1) for line in listed]
    assert [file for file in files if file.rpartition("/")[2] not in page] == []
    assert len(changes) <= 200


def test_the_oldest_versions_are_the_floors_without_the_tools_of_the_tests():
    assert floors(["numpy>=2.0", "pytest>=8", "faiss-cpu>=1.8.0.post1"]) == [
        "numpy==2.0",
        "faiss-cpu==1.8.0.post1",
    ]


@pytest.mark.parametrize("requirement", ["numpy", "numpy==2.0", "numpy>=2.0,<3"])
def test_a_requirement_without_a_floor_is_refused(requirement):
    with pytest.raises(ValueError, match="has no lowest version: write it as name>=version"):
        floors([requirement])


@pytest.mark.parametrize("script", SCRIPTS, ids=str)
def test_every_script_imports_only_what_there_is(script):
    import_module(".".join(script.with_suffix("").parts))
