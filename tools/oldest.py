"""The lowest versions that pyproject.toml allows: ``python -m tools.oldest`` prints them.

They are requirements for pip, also of the optional libraries. The tools of the tests, which users
do not need, are left out.
"""

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

__all__ = ["floors"]

ROOT = Path(__file__).parents[1]
REQUIREMENT = re.compile(r"([\w-]+)(\[[\w,-]+\])?>=([\d.]+(?:\.post\d+)?)")
OF_TESTS = {"codespell", "hypothesis", "import-linter", "mypy", "playwright", "pytest"}
OF_TESTS |= {"pytest-cov", "pytest-xdist", "ruff"}
OF_TESTS |= {"jpmml-evaluator", "onnxruntime", "psycopg", "psycopg-binary"}


def floors(requirements: Iterable[str]) -> list[str]:
    """Return each requirement with exactly its lowest version."""
    found = []
    for requirement in requirements:
        match = REQUIREMENT.fullmatch(requirement)
        if match is None:
            raise ValueError(f"{requirement!r} has no lowest version: write it as name>=version.")
        name, extras, version = match.groups(default="")
        if name not in OF_TESTS:
            found.append(f"{name}{extras}=={version}")
    return found


def main() -> None:
    """Print the requirements, one per line."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    print("\n".join(sorted({*floors(project["dependencies"]), *floors(extras["test"])})))


if __name__ == "__main__":
    sys.exit(main())
