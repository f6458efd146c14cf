"""Find names with an underscore that are read outside the module, or the stage, they belong to.

``python -m tools.private_names`` prints each as ``file:line: name`` and fails if there are any.

- ``from modlearn.module import _name``: a module's private name is imported by no other module.
- ``from modlearn._stage._kernel import name``: a module with an underscore is imported only by its
  own stage. The folders of the stages themselves have one too: they are private to the package.
- ``thing._name``: an attribute is read where it is defined. What a class inherits it reads from
  ``self``, ``cls`` or ``super()``; a name that the module itself defines may be read from another
  object, as two objects of one class do.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ALLOWED", "PrivateUse", "private_uses"]

PACKAGE = Path(__file__).parents[1] / "src" / "modlearn"

ALLOWED = {
    "sklearn.base._fit_context": "scikit-learn's own estimators validate parameters by it",
    "sklearn.utils._set_output._get_output_config": "there is no public way to ask for set_output",
    "sklearn.utils.validation._check_feature_names_in": "what get_feature_names_out must do",
    "sklearn.utils.validation._check_feature_names": "what fit and predict must do",
    "sklearn.utils.validation._check_n_features": "what fit and predict must do",
    "os._exit": "there is no public way to end a program at once",
    "._asdict": "public in named tuples",
    "._replace": "public in named tuples",
    "._parameter_constraints": "scikit-learn's; a subclass adds to those of its base",
    "._get_param_names": "scikit-learn's; names of parameters of a class without an instance",
    "._validate_params": "scikit-learn's; there is no public name for it",
}
"""Names that may be read, with the reason."""

PRIVATE = re.compile(r"_(?!_)\w*(?<!__)")
READ = re.compile(r"\b(\w+(?:\(\))?)\.(_(?!_)\w+)")
DEFINED = re.compile(r"\b(?:self\.|def |cdef [\w \[\]:,*]*?\b)(_(?!_)\w+)")
OWN = {"self", "cls", "super()"}


@dataclass(frozen=True)
class PrivateUse:
    """A private name that is read where it does not belong."""

    path: str
    line: int
    name: str

    def __str__(self) -> str:
        """Return it as an editor can open it."""
        return f"{self.path}:{self.line}: {self.name}"


def private_uses(package: Path = PACKAGE) -> Iterator[PrivateUse]:
    """Yield the private names that the modules of a package read of one another."""
    for path in sorted([*package.rglob("*.py"), *package.rglob("*.pyx")]):
        source = path.read_text(encoding="utf-8")
        stage = path.relative_to(package).parts[0]
        find = uses_in_kernel if path.suffix == ".pyx" else uses_in_module
        for line, name in sorted(find(source, f"modlearn.{stage}")):
            if name not in ALLOWED and f".{name.rpartition('.')[2]}" not in ALLOWED:
                yield PrivateUse(path.relative_to(package).as_posix(), line, name)


def uses_in_module(source: str, stage: str) -> Iterator[tuple[int, str]]:
    """Yield lines and names of the private uses in a Python module."""
    tree = ast.parse(source)
    defined = names_defined(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if is_private_import(node.module, alias.name, stage):
                    yield node.lineno, f"{node.module}.{alias.name}"
        elif (
            isinstance(node, ast.Attribute)
            and PRIVATE.fullmatch(node.attr)
            and ast.unparse(node.value) not in OWN
            and node.attr not in defined
        ):
            yield node.lineno, ast.unparse(node)


def uses_in_kernel(source: str, stage: str) -> Iterator[tuple[int, str]]:
    """Yield the same for Cython, which only regular expressions read."""
    defined = set(DEFINED.findall(source))
    for number, line in enumerate(source.splitlines(), 1):
        code = line.partition("#")[0]
        imported = re.match(r"\s*from\s+(modlearn[\w.]*)\s+c?import\s+\(?(.*)", code)
        if imported:
            for name in re.findall(r"\w+", imported[2]):
                if is_private_import(imported[1], name, stage):
                    yield number, f"{imported[1]}.{name}"
            continue
        for thing, name in READ.findall(code):
            if thing not in OWN and name not in defined and "modlearn" not in code:
                yield number, f"{thing}.{name}"


def is_private_import(module: str, name: str, stage: str) -> bool:
    """Whether an import takes a private name of a module, or a private module of another stage."""
    if module.split(".")[0] not in ("modlearn", "sklearn", "scipy", "numpy", "pandas"):
        return False
    full = f"{module}.{name}"
    if full.startswith(f"{stage}.") and is_module(full):
        return False
    if PRIVATE.fullmatch(name) and not is_stage(full):
        return True
    inner = module.split(".")[2:] if module.startswith("modlearn") else []
    foreign = not f"{module}.".startswith(f"{stage}.")
    return foreign and any(PRIVATE.fullmatch(part) for part in inner)


def is_module(name: str) -> bool:
    """Whether a dotted name is a module of the package."""
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.is_dir() or any(path.with_suffix(suffix).exists() for suffix in (".py", ".pyx"))


def is_stage(name: str) -> bool:
    """Whether a dotted name is a stage: a folder or a module of the package itself."""
    return name.startswith("modlearn.") and name.count(".") == 1


def names_defined(tree: ast.AST) -> set[str]:
    """Return the private names that a module defines: functions, methods, attributes, fields."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and ast.unparse(node.value) in OWN
        ):
            found.add(node.attr)
    return found


def main() -> None:
    """Print the private names found, and fail if there are any."""
    found = list(private_uses())
    print(*found, f"{len(found)} private names are read outside their modules", sep="\n")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
