"""The stub of every kernel says what the kernel has: names, parameters, which have defaults."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
KERNELS = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts)
    for path in sorted(SOURCE.rglob("*.pyx"))
]


def stub_of(kernel):
    return SOURCE.joinpath(*kernel.split(".")).with_suffix(".pyi")


def functions_of_stub(source):
    """Parameters by function: their names, and whether they have a default."""
    return functions_in(ast.parse(source))


def functions_in(node):
    """Parameters by function or method that stands in a node."""
    return {
        member.name: [(parameter.arg, optional) for parameter, optional in parameters(member.args)]
        for member in node.body
        if isinstance(member, ast.FunctionDef) and not member.decorator_list  # a property
    }


def parameters(arguments):
    """Parameters with whether they have a default."""
    positional = [*arguments.posonlyargs, *arguments.args]
    n_required = len(positional) - len(arguments.defaults)
    yield from ((parameter, i >= n_required) for i, parameter in enumerate(positional))
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield parameter, default is not None


def signature_of(function):
    """Parameters of a compiled function."""
    return [
        (parameter.name, parameter.default is not parameter.empty)
        for parameter in inspect.signature(function).parameters.values()
    ]


def functions_of_kernel(module):
    """Parameters by function of those that a compiled module itself defines."""
    return {
        name: signature_of(value)
        for name, value in vars(module).items()
        if type(value).__name__ in ("cython_function_or_method", "fused_cython_function")
        and value.__module__ == module.__name__
        and not name.startswith("_")
    }


def classes_of_stub(source):
    """Public members by class; fields that are only annotated count too."""
    return {
        node.name: {
            member.name if isinstance(member, ast.FunctionDef) else member.target.id
            for member in node.body
            if isinstance(member, ast.FunctionDef | ast.AnnAssign)
        }
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef)
    }


def test_there_are_kernels():
    assert len(KERNELS) > 10


@pytest.mark.parametrize("kernel", KERNELS)
def test_functions_of_a_stub_are_those_of_the_kernel(kernel):
    found = functions_of_kernel(import_module(kernel))
    described = functions_of_stub(stub_of(kernel).read_text())
    # What only kernels call is not described; what Python calls and is not, mypy finds.
    assert described == {name: found.get(name) for name in described}


@pytest.mark.parametrize("kernel", KERNELS)
def test_classes_of_a_stub_are_those_of_the_kernel(kernel):
    module = import_module(kernel)
    described = classes_of_stub(stub_of(kernel).read_text())
    public = {
        name
        for name, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == kernel and not name.startswith("_")
    }
    # Classes that only kernels use have no stub: Python is not meant to make them.
    assert set(described) <= public
    missing = {
        f"{name}.{member}"
        for name, members in described.items()
        for member in members
        if not hasattr(getattr(module, name), member)
    }
    assert missing == set()


@pytest.mark.parametrize("kernel", KERNELS)
def test_methods_of_a_stub_are_those_of_the_kernel(kernel):
    module = import_module(kernel)
    source = stub_of(kernel).with_suffix(".pyx").read_text()
    for node in ast.parse(stub_of(kernel).read_text()).body:
        if isinstance(node, ast.ClassDef):
            described = functions_in(node)
            constructor = described.pop("__init__", None)
            compiled = getattr(module, node.name)
            found = {name: signature_of(getattr(compiled, name)) for name in described}
            assert described == found
            assert constructor is None or constructor == constructor_in(source, node.name)


def constructor_in(source, name):
    """Parameters of a class's ``__init__`` or ``__cinit__``, which is compiled without a signature.

    The type stands before the name of a parameter in Cython: it is left out.
    """
    after = source[re.search(rf"^(?:cdef )?class {name}\b", source, re.MULTILINE).end() :]
    text = re.search(r"def __c?init__\((.*?)\)(?: ->[^:]*)?:", after, re.DOTALL)[1]
    text = re.sub(r"\[[^\]]*\]|#.*", "", text)  # types of arrays have commas of their own
    written = [part.strip() for part in text.split(",") if part.strip()]
    return [(re.search(r"(\w+)\s*(?:=|$)", part)[1], "=" in part) for part in written]


def test_a_parameter_of_another_name_would_be_found():
    stub = "def merge(counts: int, size: int = ...) -> int: ...\n"
    assert functions_of_stub(stub) == {"merge": [("counts", False), ("size", True)]}
    assert functions_of_stub("def merge(counts, *, size): ...") != functions_of_stub(stub)
