"""Texts that begin like formulas."""

import csv

import pytest

from modlearn._export.tables import TableWriter
from modlearn._tables.cells import CodedCells
from modlearn._tables.files.formats import open_source
from modlearn.errors import FileError

TEXTS = ["=1+1", "+x", "-x", "@x", "\tx", "-", "\uff1dx", "x=1", "-5", "+1,5", "-1e5", "45%", "'=1"]


def written(tmp_path, **options):
    with (tmp_path / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["=a", "b"], *([text, -1] for text in TEXTS)])
    with (
        open_source(tmp_path / "in.csv") as source,
        TableWriter(tmp_path / "out.csv", like=source, **options) as writer,
    ):
        writer.add({"c": CodedCells([0] * len(TEXTS), ["=hidden"])})
    with (tmp_path / "out.csv").open(newline="") as file:
        return list(csv.reader(file))


def test_texts_and_names_that_begin_like_formulas_get_an_apostrophe(tmp_path):
    names, *rows = written(tmp_path, escapes_formulas=True)
    assert names == ["'=a", "b", "c"]
    assert [row[0] for row in rows] == [f"'{text}" for text in TEXTS[:7]] + TEXTS[7:]
    assert {(b, c) for _, b, c in rows} == {("-1", "'=hidden")}


def test_unless_it_is_asked_for_every_text_is_written_as_it_is(tmp_path):
    names, *rows = written(tmp_path)
    assert (names, [row[0] for row in rows]) == (["=a", "b", "c"], TEXTS)


def test_other_formats_have_no_formulas_to_escape(tmp_path):
    (tmp_path / "in.csv").write_text("a\n1\n")
    with (
        open_source(tmp_path / "in.csv") as source,
        pytest.raises(FileError, match=r"only, but '.*out.parquet' is written as parquet"),
    ):
        TableWriter(tmp_path / "out.parquet", like=source, escapes_formulas=True)
