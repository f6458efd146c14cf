"""The stub of every kernel says what the kernel has: names, parameters, defaults, attributes."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
KERNELS = sorted(SOURCE.rglob("*.pyx"))
NAMES = [".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in KERNELS]


def stub_of(name):
    """Definitions of the stub at its top level, by name."""
    tree = ast.parse((SOURCE / Path(*name.split("."))).with_suffix(".pyi").read_text())
    return definitions(tree.body)


def definitions(body):
    """Functions, classes and annotated names, without what is imported or private."""
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
    return {key: node for key, node in found.items() if not key.startswith("_")}


def public_names(module):
    """What a module defines itself; names that it imports do not count."""
    source = source_of(module.__name__)
    imported = set(
        re.findall(r"\w+", " ".join(re.findall(r"^from \S+ import (.*)$", source, re.M)))
    )
    names = {name for name in vars(module) if not name.startswith("_")} - imported
    return {name for name in names if not inspect.ismodule(vars(module)[name])}


def source_of(name):
    return (SOURCE / Path(*name.split("."))).with_suffix(".pyx").read_text()


def stub_parameters(function):
    """(name, default as source or None) of every parameter but self."""
    positional = [*function.args.posonlyargs, *function.args.args]
    assert function.args.vararg is function.args.kwarg is None
    assert not function.args.kwonlyargs
    defaults = [None] * (len(positional) - len(function.args.defaults)) + [
        ast.literal_eval(default) for default in function.args.defaults
    ]
    required = len(positional) - len(function.args.defaults)
    found = [
        (argument.arg, defaults[i] if i >= required else inspect.Parameter.empty)
        for i, argument in enumerate(positional)
    ]
    return [pair for pair in found if pair[0] not in ("self", "cls")]


def kernel_parameters(function):
    """The parameters of a compiled function."""
    parameters = inspect.signature(function).parameters.values()
    return [(p.name, p.default) for p in parameters if p.name not in ("self", "cls")]


def constructor_parameters(name, class_name):
    """Names of the parameters of __init__ or __cinit__, which only the source of a kernel tells."""
    body = source_of(name).split(f"cdef class {class_name}", 1)[1].split("\ncdef class ", 1)[0]
    given = re.search(r"def __c?init__\(\s*self,?(.*?)\):\n", body, re.DOTALL)
    if given is None:
        return []
    texts = re.split(r",(?![^\[]*\])", given[1])
    return [text.split("=")[0].split()[-1] for text in texts if text.strip()]


@pytest.mark.parametrize("name", NAMES)
def test_a_stub_has_the_public_names_of_its_kernel(name):
    stub, module = stub_of(name), importlib.import_module(name)
    # Classes that only other kernels use are not in a stub.
    hidden = {key for key, value in vars(module).items() if inspect.isclass(value)} - set(stub)
    assert set(stub) == public_names(module) - hidden
    assert set(getattr(module, "__all__", stub)) <= set(stub)


@pytest.mark.parametrize("name", NAMES)
def test_functions_take_what_their_stub_says(name):
    module = importlib.import_module(name)
    for key, node in stub_of(name).items():
        if isinstance(node, ast.FunctionDef):
            assert stub_parameters(node) == kernel_parameters(getattr(module, key)), key


CLASSES = [
    pytest.param(name, key, id=f"{name}.{key}")
    for name in NAMES
    for key, node in stub_of(name).items()
    if isinstance(node, ast.ClassDef)
]


@pytest.mark.parametrize(("name", "key"), CLASSES)
def test_classes_have_what_their_stub_says(name, key):
    kernel = getattr(importlib.import_module(name), key)
    stub = stub_of(name)[key]
    members = definitions(stub.body)
    assert set(members) == {m for m in vars(kernel) if not m.startswith("_")}
    for member, node in members.items():
        assert isinstance(node, ast.FunctionDef), f"{member} is read-only: make it a property"
        is_property = [ast.unparse(d) for d in node.decorator_list] == ["property"]
        assert is_property == inspect.isgetsetdescriptor(vars(kernel)[member])
        if not is_property:
            assert stub_parameters(node) == kernel_parameters(getattr(kernel, member))


@pytest.mark.parametrize(("name", "key"), CLASSES)
def test_classes_are_made_and_derived_as_their_stub_says(name, key):
    kernel, stub = getattr(importlib.import_module(name), key), stub_of(name)[key]
    bases = [ast.unparse(base) for base in stub.bases] or ["object"]
    assert bases == [base.__name__ for base in kernel.__bases__]
    made = [node for node in stub.body if getattr(node, "name", None) == "__init__"]
    expected = constructor_parameters(name, key)
    assert [p for p, _ in stub_parameters(made[0])] == expected if made else expected == []
