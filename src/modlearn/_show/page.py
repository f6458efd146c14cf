"""The report as one page that needs nothing else: no network and no other files."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modlearn._model.files import write_whole
from modlearn._show import words
from modlearn._show.packing import as_json, pack, shortened
from modlearn._show.palette import style_of_classes
from modlearn._show.sentences import (
    LONGEST_TITLE,
    Spelling,
    left_out_sentence,
    note_sentence,
    warning_label,
)

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["page", "write_report"]

HERE = Path(__file__).parent

MANY_CLASSES = 12
"""Classes beyond which the confusion matrix takes the whole width."""

LONGEST_HEADING = 80
"""Characters of a name in a heading or a list; a longer one would fill a phone."""

LONGEST_LIST = 200
"""Warnings, notes or columns left out that are listed; the rest is counted."""


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


def page(summary: Mapping[str, Any], spelling: Spelling = "python") -> str:
    """Return a summary as HTML with its data, script and style inside."""
    style, script = style_of_classes() + _source("page.css"), _source("page.js")
    text = _template().render(
        target=_target(summary),
        listed=_listed(summary, spelling),
        verb=_verb(summary),
        line=words.data_line(summary),
        verdict=words.verdict(summary),
        measures=words.measures(summary),
        evaluation=summary["evaluation"],
        many_classes=len(summary["classes"]) > MANY_CLASSES,
        has_pairs=bool(summary["pairs"]),
        pairs_searched=summary["pairs_searched"],
        pairs_complete=summary["pairs_complete"],
        has_weights=any(v["weight"] is not None for v in summary["variables"]),
        explained_by=words.explained_by(summary),
        has_examples=bool((summary["evaluation"] or {}).get("examples")),
        created=summary["created"],
        version=summary["modlearn"],
        style=style,
        script=script,
        policy=_policy(style, script),
        json=as_json(pack(summary)),
    )
    # Half a surrogate pair is not a character, and no file could hold it.
    return str(text).encode("utf-8", "replace").decode("utf-8")


def _verb(summary: Mapping[str, Any]) -> str:
    return "Predicting" if summary["evaluation"] else "What is informative about"


def _target(summary: Mapping[str, Any]) -> str:
    return str(summary["data"].get("target") or "the target")


def _listed(
    summary: Mapping[str, Any], spelling: Spelling
) -> dict[str, tuple[list[dict[str, str]], int]]:
    """Warnings, notes and columns left out, in words; each list with the number of further ones."""
    data = summary["data"]
    lists: dict[str, tuple[Sequence[Mapping[str, Any]], Callable[..., dict[str, str]]]] = {
        "warnings": (summary["warnings"], warning_label),
        "notes": (data.get("notes") or [], lambda fact, s: {"text": note_sentence(fact, s)}),
        "left_out": (
            data.get("left_out") or [],
            lambda fact, s: {"name": fact["name"], "text": left_out_sentence(fact, s)},
        ),
    }
    return {
        key: ([write(one, spelling) for one in facts[:LONGEST_LIST]], len(facts[LONGEST_LIST:]))
        for key, (facts, write) in lists.items()
    }


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
    environment.filters["short"] = lambda value: shortened(str(value))
    environment.filters["brief"] = lambda value: words.visible(str(value), LONGEST_HEADING)
    environment.filters["whole"] = lambda value: words.visible(str(value), LONGEST_TITLE)
    environment.globals["longest_heading"] = LONGEST_HEADING
    return environment.get_template("template.html")
