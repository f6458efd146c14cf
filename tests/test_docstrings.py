"""Every example in a docstring, of Python and of compiled modules, gives what it shows."""

import doctest
import importlib
import pkgutil

import pytest

import modlearn

MODULES = ["modlearn"] + [
    module.name for module in pkgutil.walk_packages(modlearn.__path__, "modlearn.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_show(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name), raise_on_error=False)
    assert results.failed == 0


def test_compiled_modules_have_examples_that_are_run() -> None:
    module = importlib.import_module("modlearn.criteria.discretization")
    assert doctest.testmod(module).attempted > 5
