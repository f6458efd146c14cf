"""The report as one page that needs nothing else: no network and no other files."""

from __future__ import annotations

import base64
import hashlib
import html
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modlearn._files import whole_file, write_whole
from modlearn._show.packing import as_json, pack
from modlearn._show.phrases import head
from modlearn._show.tables import COLORS, DARK
from modlearn._show.words import Spelling, listed

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["page", "replacing_model", "write_report"]

HERE = Path(__file__).parent

MANY_CLASSES = 12
"""Classes beyond which the confusion matrix takes the whole width."""


def write_report(
    summary: Mapping[str, Any], path: str | PathLike[str], spelling: Spelling = "python"
) -> None:
    """Write the page of a summary; it appears whole, or an old one stays.

    Parameters
    ----------
    summary : mapping
        As ``summarize`` gives it.
    path : path
        The file, such as ``"wine.report.html"``.
    spelling : {"python", "command"}, default="python"
        Whether remedies are spelled as in Python or as on the command line.
    """
    write_whole(Path(path), page(summary, spelling))


@contextmanager
def replacing_model(model: Path, report: Path) -> Iterator[None]:
    """Let an old report say that its model is being replaced; it comes back if that fails.

    A command that is killed before it has written the new report leaves this page rather than
    the report on another model.
    """
    old = report.read_bytes() if report.is_file() else None
    if old is not None:
        write_whole(report, REPLACING.format(html.escape(shlex.quote(str(model)))))
    try:
        yield
    except BaseException:
        if old is not None:
            with whole_file(report) as temporary:
                temporary.write_bytes(old)
        raise


REPLACING = """<!DOCTYPE html>
<meta charset="utf-8">
<title>modlearn report</title>
<p>The model of this report is being replaced, and the new report follows. If this page stays, the
command was interrupted; write the report with <code>modlearn report {}</code></p>
"""


def page(summary: Mapping[str, Any], spelling: Spelling = "python") -> str:
    """Return a summary as HTML with its data, script and style inside."""
    style, script = _style_of_classes() + _source("page.css"), _source("page.js")
    text = _template().render(
        **head(summary),
        listed=listed(summary, spelling),
        evaluation=summary["evaluation"],
        many_classes=len(summary["classes"]) > MANY_CLASSES,
        has_pairs=bool(summary["pairs"]),
        has_trees=bool(summary["trees"]),
        pairs_searched=summary["pairs_searched"],
        pairs_complete=summary["pairs_complete"],
        has_weights=any(v["weight"] is not None for v in summary["variables"]),
        has_curves=summary["has_curves"],
        has_examples=bool((summary["evaluation"] or {}).get("examples")),
        id=summary["id"],
        created=summary["created"],
        version=summary["modlearn"],
        style=style,
        script=script,
        policy=_policy(style, script),
        json=as_json(pack(summary)),
    )
    # Half a surrogate pair is not a character, and no file could hold it.
    return str(text).encode("utf-8", "replace").decode("utf-8")


@cache
def _style_of_classes() -> str:
    """CSS: the colors as variables ``--c0`` to ``--c7``, and a class ``c0`` ... for each."""
    light, dark = (
        f":root {{ {' '.join(f'--c{i}: {color};' for i, color in enumerate(colors))} }}"
        for colors in (COLORS, DARK)
    )
    classes = " ".join(f".c{i} {{ --c: var(--c{i}); }}" for i in range(len(COLORS)))
    return f"{light}\n@media screen and (prefers-color-scheme: dark) {{ {dark} }}\n{classes}\n"


def _policy(style: str, script: str) -> str:
    """What the page may do: run its own script, use its own style, and load nothing."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _source(name: str) -> str:
    """A script or style without indentation and comments, which are for us."""
    lines = [line.strip() for line in (HERE / name).read_text(encoding="utf-8").splitlines()]
    return "\n".join(line for line in lines if line and not line.startswith(("//", "/*")))


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("template.html")
