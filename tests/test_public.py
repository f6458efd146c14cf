"""What a user imports, and the example that says what it does."""

import ast
import importlib.metadata
from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_iris

import modlearn


def test_the_public_names_are_the_estimators_their_results_and_the_criteria():
    transformers = {"Discretizer", "Encoder", "Grouper", "PairEncoder"}
    classifiers = {
        "AdditiveClassifier",
        "BestBivariateClassifier",
        "BestUnivariateClassifier",
        "LabelDistributionPropagation",
        "NaiveBayesClassifier",
        "SelectiveNaiveBayesClassifier",
    }
    results = {
        "AdditiveModel",
        "DataWarning",
        "Evaluation",
        "Explanation",
        "FitResult",
        "Grid",
        "Groups",
        "Intervals",
        "TableOverview",
        "Term",
        "Tree",
        "UnlabeledRows",
    }
    assert set(modlearn.__all__) == transformers | classifiers | results | {
        "analyze",
        "criteria",
        "fit",
        "load",
    }


@pytest.mark.parametrize("name", modlearn.__all__)
def test_every_public_name_can_be_imported(name):
    assert getattr(modlearn, name).__name__ in {name, f"modlearn.{name}"}


def test_type_checkers_get_the_same_names():
    stub = ast.parse(Path(modlearn.__file__).with_suffix(".pyi").read_text())
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    declared = {
        name.asname: f"{node.module}.{name.name}" for node in imports for name in node.names
    }
    modules = {n: f"modlearn.{module}.{n}" for n, module in modlearn._MODULES.items()}
    assert declared == {**modules, "criteria": "modlearn.criteria"}
    assert (
        sorted(declared) == sorted(modlearn.__all__) == sorted(set(dir(modlearn)) - {"__version__"})
    )


def test_a_name_that_is_not_there_is_reported():
    with pytest.raises(AttributeError, match="module 'modlearn' has no attribute 'Forest'"):
        modlearn.Forest  # noqa: B018


def test_the_version_is_that_of_the_package():
    assert modlearn.__version__ == importlib.metadata.version("modlearn")


@pytest.fixture(scope="module")
def iris():
    table, y = load_iris(as_frame=True, return_X_y=True)
    return table.rename(columns=lambda name: name.removesuffix(" (cm)")), y


@pytest.fixture(scope="module")
def encoder(iris):
    return modlearn.Encoder().fit(*iris)


def test_levels_say_which_columns_are_most_informative(encoder):
    levels = {name: round(level, 2) for name, level in encoder.levels_.items()}
    order = ["petal width", "petal length", "sepal length", "sepal width"]
    assert list(levels) == order
    assert list(levels.values()) == [0.69, 0.67, 0.3, 0.14]


def test_a_partition_holds_all_that_was_found(encoder):
    partition = encoder.partitions_["petal width"]
    assert partition.cuts.tolist() == [0.8, 1.75]
    assert partition.counts.tolist() == [[50, 0, 0], [0, 49, 5], [0, 1, 45]]
    assert partition.cost == pytest.approx(54.711827739966566, rel=1e-12)
    assert partition.level == 1 - partition.cost / partition.null_cost
    assert partition.proven_optimal


def test_transform_gives_codes_in_the_same_kind_of_frame(encoder, iris):
    codes = encoder.transform(iris[0])
    assert isinstance(codes, pd.DataFrame)
    assert codes["petal width"].value_counts().to_dict() == {0: 50, 1: 54, 2: 46}


def test_a_printed_partition_is_a_readable_table(encoder, capsys):
    print(encoder.partitions_["petal width"])
    headline, header, *rows = capsys.readouterr().out.splitlines()
    assert headline.startswith("petal width: level 0.685, 3 parts, cost 54.71")
    assert header.split() == ["0", "1", "2", "rows"]
    assert [row.split("  ")[0] for row in rows] == ["(-inf, 0.8]", "(0.8, 1.75]", "(1.75, inf)"]


def test_a_notebook_shows_a_bar_per_interval(encoder):
    assert encoder.partitions_["petal width"]._repr_html_().count("<svg ") == 3


def test_a_few_labels_are_spread_over_the_rows_like_them(iris):
    table, y = iris
    few = y.where(y.index % 10 == 0)
    spread = modlearn.LabelDistributionPropagation().fit(table, few)
    assert (spread.transduction_ == y).mean() > 0.85
    assert spread.unknown_mass_[y.index % 10 == 0].max() == 0.0
