"""A tree for display: a line per path, with the rows of its leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modlearn._show.partition import MOST_PARTS, shown_classes, title
from modlearn._show.tables import aligned

if TYPE_CHECKING:
    from modlearn._model.tree import Tree

__all__ = ["tree_as_text", "tree_headline"]


def tree_headline(tree: Tree) -> str:
    """Return names, level, leaves, cost, and what the tree adds to its columns and pairs."""
    return (
        f"{title(tree)}, {tree.n_parts} leaves, cost {tree.cost:.2f} against "
        f"{tree.null_cost:.2f} for one leaf; synergy {tree.synergy:.2f} nats"
    )


def tree_as_text(tree: Tree) -> str:
    """Return the headline and a line per path; the first of each leaf has its rows per class."""
    names, counts = shown_classes(tree.class_names, tree.counts)
    lines = [["", *names, "rows"]]
    for paths, own in zip(tree.paths[:MOST_PARTS], counts, strict=False):
        first, *others = paths
        lines.append([first, *(f"{n:,}" for n in (*own, own.sum()))])
        lines += [[f"  or {path}", *([""] * (len(names) + 1))] for path in others]
    more = tree.n_parts - MOST_PARTS
    return "\n".join(
        [tree_headline(tree), *aligned(lines), *([f"... {more} more leaves"] if more > 0 else [])]
    )
