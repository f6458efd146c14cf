"""Find phrases of the glossary that must not be used, and British spellings, also in identifiers.

``python -m tools.banned_phrases [path ...]`` prints each as ``file:line: phrase -> replacement``,
then counts per folder, and fails if there are any. A line that is right as it is goes to `ALLOWED`
with its reason.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

__all__ = ["ALLOWED", "BANNED", "Hit", "hits_in", "main"]

ROOT = Path(__file__).parents[1]
CHECKED = ("src", "tests", "docs", "benchmarks", "reproduce", "tools", "examples")
SUFFIXES = {".py", ".pyi", ".pyx", ".pxd", ".md", ".html", ".js", ".css", ".toml", ".build"}
SKIPPED = ("tools/banned_phrases.py", "tests/test_tools.py", "docs/figures/*")
"""This list itself, its test, and what is generated."""

BANNED = {
    # sentences
    r"(?<!there )\b(?:is|are|was|were) no "
    r"(?!(?:longer|more|less|better|worse|different|higher|wider)\b)": ("is not (valid, a ...)"),
    r"\bor no (?:JSON|UTF-8|number|file)\b": "or not ...",
    r"\bso many\b": "the number of",
    r"\bso much\b": "the amount of",
    r"\btells? (?:nothing|something|most|more|less|little|much|anything)\b": "is (not) informative",
    r"\btells? (?:about|of|who|which|the same|twice)\b": "carries information about, shows",
    r"\btell(?:s|ing)? (?:if|whether|how)\b": "pass --option if; reports",
    r"\btold\b(?! apart)": "reported",
    r"\bjudg(?:e|es|ed|ing|ement|ements)\b": "evaluate, classify",
    r"\brightly\b": "correctly",
    r"\bright when said\b": "precision",
    r"\bc[ao]me(?:s)? true\b": "observed",
    r"\bof which\b": "whose; write two sentences",
    r"\bbeside\b": "next to",
    r"\bthe same of\b": "likewise for",
    r"^[\s\"'#*-]*The same\b(?! (?:file|column|row|table|name|value|seed)\b)": (
        "say it here: a docstring stands alone"
    ),
    r"\bfrom [\d,.]+ [\w ]{0,20}\bon\b": "at least",
    r"\bin none of\b": "in no ...; never ... in the training data",
    r"\b(?:seen|was|were|rows?|columns?|table) (?:in|of) fit\b": "seen during fit, training rows",
    r"""(?:help=|^ +|"{3})"?Of (?!course\b)[\w ,'-]+\.?"?,?$""": "a sentence of its own",
    r"\bas is sensible\b": "by default",
    r"\bfound out\b": "detected",
    # words
    r"(?<!in )(?<!in-)(?<!to )(?<!take )(?<!takes )(?<!took )(?<!one )(?<!decimal )\bplaces?\b": (
        "column index, interval code, offset, path, position"
    ),
    r"\b_?[Cc]autions?\b|Caution\b": "DataWarning, warnings",
    r"\b_?[Ff]indings\b": "Diagnostics",
    r"\bstretch(?:es)?\b": "segments",
    r"\bcomplaints?\b": "parse errors, messages",
    r"\w*promise\w*": "screening (of pairs), guarantee",
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\bamid\w*": "median",
    r"\bmiles?\b": "stride",
    r"\bhear(?:s|d|ing)?\b": "accumulate",
    r"\b(?-i:class _?(?:[A-Z][a-z]*)*?(?:[A-Z][a-z]*ed|Unseen|Seen|Told|Found|Chosen|Shown|Drawn"
    r"|Known|Given|Kept|Left|Look|Looks|Opening|Missing))\b": (
        "a noun: ColumnSummary, ColumnRequest, SelectedColumns, PreparedData"
    ),
    # British spellings, also inside identifiers
    r"learnt": "learned",
    r"\bspelt\b": "spelled",
    r"(?:un)?labell(?:ed|ing)": "(un)labeled, labeling",
    r"neighbour": "neighbor",
    r"colour": "color",
    r"behaviour": "behavior",
    r"favour": "favor",
    r"(?<!acknowled)judgement": "judgment",
    r"grey": "gray",
    r"\bcentres?\b|_centre|centred": "center",
    r"artefact": "artifact",
    r"modelling|modelled": "modeling, modeled",
    r"cancelled|cancelling": "canceled",
    r"travelled": "traveled",
    r"\blicence": "license",
    r"whilst|amongst": "while, among",
    r"analys(?:ed?|ing)\b": "analyze",
    r"(?:optim|minim|maxim|normal|initial|summar|standard|organ|recogn|special|general|discret|penal|"
    r"random|parallel|serial|token|util|emphas|categor|factor|vector|local|character|priorit)is"
    r"(?:e[ds]?|ing|ation|er)\b": "-ize, -ization",
}
"""Regular expressions, in any case, with what to write instead."""

ALLOWED: dict[tuple[str, str], str] = {
    ("tests/_show/test_browser.py", "new Promise("): "a class of JavaScript",
}
"""(pattern of the path, text of the line) of lines that are right, with the reason."""

IDENTIFIER = re.compile(r"\b(?=\w*(?:[A-Za-z0-9]_+[A-Za-z]|[a-z][A-Z]))[A-Za-z_]\w*")
"""An identifier of several words, in snake case or camel case."""

BETWEEN_WORDS = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])")

PATTERNS = {re.compile(phrase, re.IGNORECASE): instead for phrase, instead in BANNED.items()}


@dataclass(frozen=True)
class Hit:
    """A banned phrase in a line of a file."""

    path: str
    line: int
    phrase: str
    instead: str

    def __str__(self) -> str:
        """Return the hit as an editor can open it."""
        return f"{self.path}:{self.line}: {self.phrase!r} -> {self.instead}"

    @property
    def folder(self) -> str:
        """The stage or the folder that it counts for."""
        parts = self.path.split("/")
        return "/".join(parts[:3] if parts[0] == "src" else parts[:2])


def hits_in(path: str, text: str) -> Iterator[Hit]:
    """Yield the banned phrases of a file, its name included as line 0."""
    for number, line in enumerate([path, *text.splitlines()]):
        if is_allowed(path, line):
            continue
        names = [BETWEEN_WORDS.sub(" ", name).strip() for name in IDENTIFIER.findall(line)]
        for pattern, instead in PATTERNS.items():
            # A phrase that crosses from one name to the next one is a hit of the line itself.
            matches = [*pattern.finditer(line)] or [
                m for name in names for m in pattern.finditer(name)
            ]
            for match in matches:
                yield Hit(path, number, match.group().strip(), instead)


def is_allowed(path: str, line: str) -> bool:
    """Whether a line is on the list of those that are right."""
    return any(fnmatch(path, where) and text in line for where, text in ALLOWED)


def checked_files() -> Iterator[Path]:
    """Yield the files of the repository that are written by hand."""
    found = [path for folder in CHECKED for path in (ROOT / folder).rglob("*")]
    for path in sorted([*found, *ROOT.glob("*.md")]):
        name = path.relative_to(ROOT).as_posix()
        written = path.suffix in SUFFIXES and path.is_file()
        if written and not any(fnmatch(name, skipped) for skipped in SKIPPED):
            yield path


def main() -> None:
    """Print the phrases found, in all files or in those given, and fail if there are any."""
    given = [Path(argument).resolve() for argument in sys.argv[1:]]
    files = [
        path
        for path in checked_files()
        if not given or any(path == chosen or chosen in path.parents for chosen in given)
    ]
    hits = [
        hit
        for path in files
        for hit in hits_in(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    ]
    print(*hits, sep="\n", end="\n" if hits else "")
    if hits:
        print()
        for folder, count in sorted(Counter(hit.folder for hit in hits).items()):
            print(f"{count:6,}  {folder}")
    print(f"{len(hits):6,}  banned phrases in {len(files):,} files")
    sys.exit(1 if hits else 0)


if __name__ == "__main__":
    main()
