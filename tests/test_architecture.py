"""The borders between the stages, and what every public name owes its reader."""

import ast
import dataclasses
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import GenericAlias

import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from tools.contracts import check_contracts, copy_source
from tools.private_names import private_uses

import modlearn

ROOT = Path(__file__).parents[1]
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
CONTRACTS = TOOLS["importlinter"]["contracts"]

HEAVY = [
    "pandas",
    "polars",
    "pyarrow",
    "matplotlib",
    "duckdb",
    "IPython",
    "click",
    "rich",
    "jinja2",
]


def run(code):
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)


def test_the_contracts_between_the_stages_are_kept(tmp_path):
    copy_source(tmp_path)
    result = check_contracts(tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"Contracts: {len(CONTRACTS)} kept, 0 broken." in result.stdout


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"_tables/memory/new.py": "from modlearn._show import page"},
            "modlearn._tables is not allowed to import modlearn._show",
        ),
        (
            {"_statistics/new.pyx": "from modlearn.criteria.combinatorics cimport log_factorial"},
            "modlearn._statistics is not allowed to import modlearn.criteria",
        ),
        ({"_search/new.pxd": "import pandas"}, "modlearn._search is not allowed to import pandas"),
        (
            {
                "_statistics/new.py": "from modlearn._statistics import newer",
                "_statistics/newer.py": "def late():\n    from modlearn._statistics import new",
            },
            "No cycles are allowed in modlearn._statistics.",
        ),
        (
            {
                "criteria/new.pyx": "from modlearn.criteria.newer cimport Cost",
                "criteria/newer.pxd": "from modlearn.criteria cimport new",
            },
            "No cycles are allowed in modlearn.criteria.",
        ),
    ],
    ids=["layer", "kernel", "forbidden", "cycle", "cycle of kernels"],
)
def test_an_import_across_a_border_would_be_found(tmp_path, files, message):
    copy_source(tmp_path)
    for file, source in files.items():
        (tmp_path / "src" / "modlearn" / file).write_text(f"{source}\n")
    result = check_contracts(tmp_path)
    assert result.returncode == 1
    assert message in result.stdout


def test_no_module_reads_private_names_of_another():
    assert [str(use) for use in private_uses()] == []


def test_every_stage_is_named_by_the_contract():
    stages = {f"modlearn.{module.name}" for module in pkgutil.iter_modules(modlearn.__path__)}
    named = {name for layer in CONTRACTS[0]["layers"] for name in layer.split(" | ")}
    assert stages == named


PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md")


def files_named_in(page):
    """Return the files and folders that a page names in quotes, without commands and patterns."""
    quoted = re.findall(r"`([^`\n]+)`", (ROOT / page).read_text())
    file = r"[\w./]+(\.(py|pyx|pxd|build|md|toml)|/)"
    return [name for name in quoted if re.fullmatch(file, name)]


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_is_named_exists(page):
    package = ROOT / "src" / "modlearn"
    known = {path.name for path in package.rglob("*.py")}  # where the folder was named before
    named = [name for name in files_named_in(page) if name not in known]
    assert named
    assert [n for n in named if not (ROOT / n).exists() and not (package / n).exists()] == []


def test_the_picture_has_every_stage_in_the_order_of_the_contract():
    picture = (ROOT / "ARCHITECTURE.md").read_text().split("```")[1]
    shown = re.findall(r"^  (\w+)(?:\.py|/) +(\d+) ", picture, re.MULTILINE)
    numbers = {f"modlearn.{name}": int(number) for name, number in shown}
    _, *layers = (layer.split(" | ") for layer in CONTRACTS[0]["layers"])
    assert set(numbers) == {name for layer in layers for name in layer}
    *above, _ = ({numbers[name] for name in layer} for layer in layers)  # errors are below schema
    assert above == [{number} for number in range(len(above) - 1, -1, -1)]


# A module that is None in sys.modules cannot be imported: as if it were not installed.
WITHOUT_FRAMES = f"import sys; sys.modules.update(dict.fromkeys({HEAVY}))\n"


def test_the_command_line_starts_without_the_libraries_that_take_long():
    code = "import sys, modlearn.cli; print({'numpy', 'scipy', 'sklearn'} & set(sys.modules))"
    assert run(code).stdout == "set()\n"


def test_importing_modlearn_imports_no_frames_and_no_plots():
    # scikit-learn imports pandas where it is installed, and does without it where it is not.
    result = run(f"{WITHOUT_FRAMES}from modlearn import *")
    assert (result.returncode, result.stderr) == (0, "")


def test_importing_modlearn_tries_to_import_none_of_them():
    result = run(
        f"import sys, sklearn.base; before = set(sys.modules); import modlearn\n"
        f"print(set({HEAVY}) & (set(sys.modules) - before))"
    )
    assert (result.stdout.strip(), result.stderr) == ("set()", "")


def test_an_array_is_encoded_where_no_frame_library_is_installed():
    result = run(
        f"{WITHOUT_FRAMES}from modlearn import Encoder\n"
        "print(Encoder().fit_transform([[1, 'a'], [2, 'b']] * 20, [0, 1] * 20)[:2].tolist())"
    )
    assert (result.stdout.strip(), result.stderr) == ("[[0, 0], [1, 1]]", "")


# documentation


PUBLIC = [getattr(modlearn, name) for name in modlearn.__all__]
CLASSES = [public for public in PUBLIC if inspect.isclass(public)]
ESTIMATORS = [public for public in CLASSES if issubclass(public, BaseEstimator)]
RESULTS = [public for public in CLASSES if public not in ESTIMATORS]
FORMULAS = [
    getattr(modlearn.criteria, name)
    for name in modlearn.criteria.__all__
    # Tables of criteria have no name, and names of types have no docstring.
    if hasattr(getattr(modlearn.criteria, name), "__name__")
    and not isinstance(getattr(modlearn.criteria, name), GenericAlias)
]


def sections(docstring):
    """Titles of a numpydoc docstring."""
    return re.findall(r"^(\w[\w ]*)\n-{3,}$", inspect.cleandoc(docstring), re.MULTILINE)


@pytest.mark.parametrize("public", [*PUBLIC, *FORMULAS], ids=lambda public: public.__name__)
def test_every_public_name_begins_with_a_one_line_summary(public):
    first, *rest = public.__doc__.splitlines()
    assert first.endswith(".")
    assert not rest or not rest[0].strip()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: estimator.__name__)
def test_every_estimator_has_an_example(estimator):
    expected = ["Parameters", "Attributes", "See Also", "Examples"]
    assert sections(estimator.__doc__) == expected
    assert ">>> " in estimator.__doc__.partition("Examples")[2]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.__name__)
def test_every_result_has_its_fields_documented_and_an_example(result):
    assert sections(result.__doc__) == ["Parameters", "See Also", "Examples"]
    documented = inspect.cleandoc(result.__doc__).partition("See Also\n")[0]
    lines = re.findall(r"^(\w+(?:, \w+)*) : ", documented, re.MULTILINE)
    names = {name for line in lines for name in line.split(", ")}
    assert names == {field.name for field in dataclasses.fields(result)}
    assert ">>> " in result.__doc__.partition("Examples")[2]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: estimator.__name__)
def test_every_parameter_is_documented_with_its_true_default(estimator):
    documented = inspect.cleandoc(estimator.__doc__).partition("Attributes\n")[0]
    found = dict(re.findall(r"^(\w+) : .*default=(\S+)$", documented, re.MULTILINE))
    defaults = {name: p.default for name, p in inspect.signature(estimator).parameters.items()}
    assert {name: ast.literal_eval(text) for name, text in found.items()} == defaults


METHODS = [
    pytest.param(estimator, name, id=f"{estimator.__name__}.{name}")
    for estimator in ESTIMATORS
    for name, method in inspect.getmembers(estimator, inspect.isfunction)
    if not name.startswith("_") and method.__module__.startswith("modlearn.")
]


@pytest.mark.parametrize(("estimator", "method"), METHODS)
def test_every_method_says_what_it_takes_and_returns(estimator, method):
    assert sections(getattr(estimator, method).__doc__) == ["Parameters", "Returns"]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: estimator.__name__)
def test_every_estimator_has_the_methods_of_its_kind(estimator):
    kinds = {
        TransformerMixin: {"fit", "transform", "get_feature_names_out"},
        ClassifierMixin: {"fit", "predict", "predict_proba", "score"},
    }
    (expected,) = [methods for kind, methods in kinds.items() if issubclass(estimator, kind)]
    assert expected <= set(dir(estimator))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: estimator.__name__)
def test_every_attribute_of_fit_is_documented(estimator):
    documented = inspect.cleandoc(estimator.__doc__).partition("Attributes\n")[2]
    options = {"held_out_score": True} if hasattr(estimator(), "held_out_score") else {}
    fitted = estimator(**options).fit(pd.DataFrame({"a": [1, 2], "b": [2, 1]}), [0, 1])
    attributes = {name for name in vars(fitted) if re.fullmatch(r"[a-z]\w*_", name)}
    assert attributes == set(re.findall(r"^(\w+_) : ", documented, re.MULTILINE))
