"""Check the contracts of pyproject.toml between the modules: layers, cycles, forbidden libraries.

``python -m tools.contracts`` runs import-linter on a copy of the source, in which every kernel is a
Python module with the same imports: import-linter reads only Python, and kernels import too.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["check_contracts", "copy_source"]

ROOT = Path(__file__).parents[1]
IMPORT = re.compile(
    r"^\s*(?:from|c?import)\s+(\w[\w.]*)(?:\s+c?import\s+\(?([\w, ]+))?", re.MULTILINE
)

# The finder of an editable install shows no folder to import-linter, so it is left out.
LINT = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in type(f).__module__]
sys.path.insert(0, "src")
from importlinter.cli import lint_imports
sys.exit(lint_imports(config_filename="pyproject.toml", no_cache=True, no_logo=True))
"""


def copy_source(folder: Path) -> None:
    """Copy what import-linter reads."""
    shutil.copytree(ROOT / "src" / "modlearn", folder / "src" / "modlearn")
    shutil.copy(ROOT / "pyproject.toml", folder)


def check_contracts(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter in a copy of the source; returns what it printed and its exit code."""
    package = folder / "src" / "modlearn"
    for kernel in [*package.rglob("*.pyx"), *package.rglob("*.pxd")]:
        module = kernel.with_suffix(".py")
        # A .pyx and its .pxd are one module.
        parts = filter(Path.exists, (kernel.with_suffix(".pyx"), kernel.with_suffix(".pxd")))
        imports = {imported for part in parts for imported in imports_of(part.read_text(), package)}
        own = "modlearn." + ".".join(module.relative_to(package).with_suffix("").parts)
        module.write_text("".join(f"import {name}\n" for name in sorted(imports - {own})))
    code = [sys.executable, "-c", LINT]
    return subprocess.run(code, cwd=folder, capture_output=True, text=True, check=False)


def imports_of(source: str, package: Path) -> set[str]:
    """Return the modules that a kernel imports; ``from package cimport module`` is the module."""
    found = set()
    for module, names in IMPORT.findall(source):
        inside = [f"{module}.{name.strip()}" for name in names.split(",") if name.strip()]
        modules = [name for name in inside if is_module(name, package)]
        found |= set(modules or [module])
    return found


def is_module(name: str, package: Path) -> bool:
    """Whether a dotted name is a module of the package."""
    path = package.parent.joinpath(*name.split("."))
    return any(path.with_suffix(suffix).exists() for suffix in (".py", ".pyx", ".pxd"))


def main() -> None:
    """Check the contracts of the source as it is."""
    with tempfile.TemporaryDirectory() as folder:
        copy_source(Path(folder))
        result = check_contracts(Path(folder))
    print(result.stdout, result.stderr, sep="", end="")
    sys.exit(result.returncode)


if __name__ == "__main__":
    main()
