"""Every example in the README and the docs produces the output shown, and every link works."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONSOLE_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LONG_NUMBER = re.compile(r"\d+\.\d{10,}(?:e[+-]?\d+)?")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
ANCHOR = re.compile(r"\]\(([^)#:]*\.md)?#([^)]*)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def examples_of(page: Path) -> doctest.DocTest:
    """Return the Python blocks of a page as one test, with the line numbers of the page."""
    text = page.read_text(encoding="utf-8")
    lines = [""] * (text.count("\n") + 1)
    for block in PYTHON_BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1))
        code = block[1].splitlines()
        lines[first : first + len(code)] = code
    return doctest.DocTestParser().get_doctest("\n".join(lines), {}, page.name, str(page), 0)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_give_what_they_show(page: Path) -> None:
    results = doctest.DocTestRunner().run(examples_of(page))
    assert results.failed == 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the tables that the console examples use."""
    folder = tmp_path_factory.mktemp("console")
    subprocess.run([sys.executable, ROOT / "examples" / "wine.py", folder / "wine.csv"], check=True)
    visits = [sys.executable, ROOT / "examples" / "visits.py", folder / "visits.csv"]
    subprocess.run(visits, check=True)
    header, *lines = (folder / "wine.csv").read_text().splitlines()
    new = [line.rpartition(",")[0] for line in (header, *lines[::60])]
    (folder / "new.csv").write_text("\n".join(new) + "\n")
    few = [line if i % 15 == 0 else line.rpartition(",")[0] + "," for i, line in enumerate(lines)]
    (folder / "few.csv").write_text("\n".join([header, *few]) + "\n")
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_print_what_is_shown(page: Path, folder: Path) -> None:
    scripts = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "COLUMNS": "80",
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
    }
    for block in CONSOLE_BLOCK.findall(page.read_text(encoding="utf-8")):
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            found = subprocess.run(
                command, shell=True, cwd=folder, env=environment, capture_output=True, text=True
            )
            assert readable(found.stdout + found.stderr) == readable(shown), command


def readable(text: str) -> list[str]:
    """Return lines without trailing spaces; numbers with ten or more decimals are rounded."""
    return [
        LONG_NUMBER.sub(lambda m: f"{float(m[0]):.9g}", line).rstrip() for line in text.splitlines()
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_are_examples(page: Path) -> None:
    blocks = PYTHON_BLOCK.findall(page.read_text(encoding="utf-8"))
    assert all(block.startswith(">>> ") for block in blocks)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_that_exist(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_anchors_lead_to_headings_that_exist(page: Path) -> None:
    anchors = ANCHOR.findall(page.read_text(encoding="utf-8"))
    assert [
        (file, anchor) for file, anchor in anchors if anchor not in headings_of(page, file)
    ] == []


def headings_of(page: Path, file: str) -> set[str]:
    """Return the anchors that GitHub makes of the headings of a page, or of a file next to it."""
    text = (page.parent / file if file else page).read_text(encoding="utf-8")
    words = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text))
    return {heading.replace(" ", "-") for heading in words}
