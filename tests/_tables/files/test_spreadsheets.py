"""Sheets of workbooks."""

import builtins
import datetime as dt
import shutil

import pytest
from tests.workbooks import MAIN, Duration, Error, write_parts, write_workbook

from modlearn._tables.files import spreadsheets
from modlearn._tables.files.formats import ReadOptions, open_source
from modlearn.errors import ColumnError, FileError
from modlearn.schema import Kind

DAY, NEXT = dt.date(2012, 1, 31), dt.date(2012, 2, 1)
MOMENT = dt.datetime(2012, 1, 31, 10, 30)
SIX, HOUR = dt.time(6, 0), dt.timedelta(hours=1)
ROWS = [
    ["number", "text", "flag", "day", "moment", "time", "lasted", "mixed"],
    [1.5, "x", True, DAY, MOMENT, SIX, 30 * HOUR, 7],
    [Error("#DIV/0!"), "z", None, None, None, None, None, None],
    [None] * 8,
    [-2, " y ", False, NEXT, NEXT, SIX, 2 * HOUR, "seven"],
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "book.xlsx"


def cells_of(name, **options):
    """Kind and cells of each column, and the kinds of notes."""
    with open_source(name, ReadOptions(**options)) as source:
        table = source.read()
        columns = [table.categorical(i) for i in range(len(table.names))]
        cells = [[None if k < 0 else c.categories[k] for k in c.codes] for c in columns]
        found = zip(table.names, source.types.values(), cells, strict=True)
        return [[name, kind, *values] for name, kind, values in found], source.notes


def test_cells_keep_their_types_and_errors_are_missing(path):
    write_workbook(path, {"Sheet1": ROWS})
    found, notes = cells_of(path)
    assert notes == []
    assert found == [
        ["number", Kind.NUMERIC, 1.5, None, -2.0],
        ["text", Kind.TEXT, "x", "z", " y "],
        ["flag", Kind.BOOLEAN, True, None, False],
        ["day", Kind.DATETIME, "2012-01-31", None, "2012-02-01"],
        ["moment", Kind.DATETIME, "2012-01-31T10:30:00", None, "2012-02-01"],
        ["time", Kind.DURATION, "06:00:00", None, "06:00:00"],
        ["lasted", Kind.DURATION, "30:00:00", None, "02:00:00"],
        ["mixed", Kind.TEXT, "7", None, "seven"],
    ]


def test_texts_may_be_numbers_or_dates_as_in_delimited_text(path):
    rows = [["a", "b", "start date"], ["45%", "31/01/2012", 40939], ["n/a", "1/2/2012", 40940]]
    write_workbook(path, {"Sheet1": rows})
    found, notes = cells_of(path)
    assert found[0] == ["a", Kind.NUMERIC, 0.45, None]
    assert found[1][2:] == ["2012-01-31", "2012-02-01"]
    assert found[2][2:] == ["2012-01-31", "2012-02-01"]
    assert [note.kind for note in notes] == ["amounts", "missing_words", "dates_excel"]


def test_a_sheet_is_named_after_the_file(path):
    write_workbook(path, {"One": [["a"], [1]], "Two & 3": [["b"], ["x"]]})
    assert cells_of(f"{path}::Two & 3")[0] == [["b", Kind.TEXT, "x"]]
    with pytest.raises(FileError, match=r"There is no sheet 'two' in .* name one of 'One', 'Two"):
        open_source(f"{path}::two")


def test_the_first_sheet_that_is_visible_and_not_empty_is_read_and_noted(path):
    sheets = {"Empty": [], "Lists": [["z"], [0]], "Data": [["a"], [1]], "Rest": []}
    write_workbook(path, sheets, hidden=["Lists"])
    found, (note,) = cells_of(path)
    assert found == [["a", Kind.NUMERIC, 1]]
    assert note.kind == "other_sheets"
    example = f"{path}::Rest"
    assert note.numbers == {
        "file": str(path),
        "sheet": "Data",
        "n_sheets": 4,
        "example": example,
    }


def test_an_empty_sheet_or_workbook_is_refused(path):
    write_workbook(path, {"One": [], "Two": [[None]]})
    with pytest.raises(FileError, match=r"The workbook .* is empty: pass one with names"):
        open_source(path)
    with pytest.raises(FileError, match=r"The sheet 'Two' of .* is empty"):
        open_source(f"{path}::Two")


def test_rows_and_columns_before_and_between_the_table_are_skipped(path):
    rows = [[], [None, "a", None, "b"], [None, 1, None, "x"], [], [None, 2, None, "y"]]
    write_workbook(path, {"Sheet1": rows})
    assert cells_of(path)[0] == [["a", Kind.NUMERIC, 1, 2], ["b", Kind.TEXT, "x", "y"]]


def test_a_wrong_cell_is_named_by_its_row_in_the_sheet(path):
    write_workbook(path, {"Sheet1": [[], ["a", "b"], [1, 1], [], ["many", 2]]})
    with (
        open_source(path, ReadOptions(types={"a": Kind.NUMERIC})) as source,
        pytest.raises(ColumnError, match=r"'a' holds text \(line 5 is 'many'\), but numbers"),
    ):
        source.read()


def test_names_may_be_lacking_or_repeated(path):
    write_workbook(path, {"Sheet1": [[1, 2.5], [3, 4.5]]})
    found, (note,) = cells_of(path)
    assert [column[:3] for column in found] == [
        ["column0", Kind.NUMERIC, 1],
        ["column1", Kind.NUMERIC, 2.5],
    ]
    assert note.kind == "no_header"
    write_workbook(path, {"Sheet1": [["a", "A", None], [1, 2, 3]]})
    found, (note,) = cells_of(path)
    assert [column[0] for column in found] == ["a", "A_1", "column2"]
    assert note.kind == "repeated_name"


def test_a_title_above_the_table_is_refused(path):
    write_workbook(path, {"Sheet1": [["Report"], ["a", "b", "c"], [1, 2, 3]]})
    with pytest.raises(FileError, match=r"Row 1 of sheet 'Sheet1' in .* has 1 value where"):
        open_source(path)


def test_options_for_missing_values_and_the_header_hold_for_sheets(path):
    write_workbook(path, {"Sheet1": [["a"], [1], ["gone"]]})
    assert cells_of(path, missing=("gone",))[0] == [["a", Kind.NUMERIC, 1, None]]
    assert cells_of(path, header=False)[0] == [["column0", Kind.TEXT, "a", "1", "gone"]]


def test_a_sheet_may_have_names_only(path):
    write_workbook(path, {"Sheet1": [["a", "b"]]})
    with open_source(path) as source:
        assert (source.names, source.n_rows) == (["a", "b"], 0)


def write_ods(path, rows):
    urn, kinds = "urn:oasis:names:tc:opendocument:xmlns", ("office", "table", "text")
    spaces = " ".join(f'xmlns:{kind}="{urn}:{kind}:1.0"' for kind in kinds)
    content = (
        f"<office:document-content {spaces}><office:body><office:spreadsheet>"
        f'<table:table table:name="S">{rows}'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    entry = f'<m:file-entry m:full-path="/" m:media-type="{kind}"/>'
    manifest = f'<m:manifest xmlns:m="{urn}:manifest:1.0">{entry}</m:manifest>'
    parts = {"mimetype": kind, "META-INF/manifest.xml": manifest}
    write_parts(path, {**parts, "content.xml": content})


def ods_row(cell, repeats=1):
    return (
        f'<table:table-row table:number-rows-repeated="{repeats}">'
        f"<table:table-cell {cell}</table:table-cell></table:table-row>"
    )


NAME = ods_row('office:value-type="string"><text:p>day</text:p>')
NUMBER = 'office:value-type="float" office:value="1"'


def test_open_document_sheets_are_read(tmp_path):
    path = tmp_path / "book.ods"
    day = 'office:value-type="date" office:date-value="2012-01-31"><text:p>x</text:p>'
    write_ods(path, NAME + ods_row(day))
    assert cells_of(path)[0] == [["day", Kind.DATETIME, "2012-01-31"]]


def test_a_workbook_is_known_by_its_contents(path, tmp_path):
    write_workbook(path, {"Sheet1": [["a"], [1]]})
    shutil.copy(path, tmp_path / "table")
    assert cells_of(tmp_path / "table")[0] == [["a", Kind.NUMERIC, 1]]
    (tmp_path / "text.xls").write_text("a\tb\n1\tx\n")
    assert cells_of(tmp_path / "text.xls")[0] == [["a", Kind.NUMERIC, 1], ["b", Kind.TEXT, "x"]]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "x.xls",
            b"\xd0\xcf\x11\xe0" + bytes(600),
            r"in the old \.xls format, or protected by",
        ),
        (
            "x.xls",
            b"<html><table></table></html>",
            "is a page of HTML or XML, not a workbook",
        ),
        ("x.xlsx", b"", "is empty, not a workbook"),
        ("x.xlsx", b"PK\x03\x04" + bytes(100), "is not a valid workbook: File is not a zip file"),
    ],
)
def test_what_is_called_a_workbook_but_is_none_is_refused(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError, match=message):
        open_source(tmp_path / name)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"a.csv": "a\n1\n"}, "is a ZIP archive: extract the table"),
        ({"xl/workbook.bin": ""}, r"is a workbook in the \.xlsb format: save it as \.xlsx or CSV"),
        ({"xl/workbook.xml": "<workbook>"}, r"xl/workbook\.xml is not well-formed XML, no element"),
        ({"xl/workbook.xml": "<workbook/>"}, "is not a valid workbook"),
    ],
)
def test_other_archives_are_refused(path, parts, message):
    write_parts(path, parts)
    with pytest.raises(FileError, match=message):
        open_source(path)


def test_a_cell_far_from_the_others_is_refused_before_it_takes_all_memory(path, monkeypatch):
    rows = {1: "A1", 1_048_576: "XFD1048576"}
    cells = "".join(f'<row r="{i}"><c r="{r}"><v>1</v></c></row>' for i, r in rows.items())
    sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{cells}</sheetData></worksheet>'
    write_parts(path, {"xl/workbook.xml": "<workbook/>", "xl/worksheets/sheet1.xml": sheet})
    for chunk in (1 << 24, 50):
        monkeypatch.setattr(spreadsheets, "CHUNK", chunk)
        with pytest.raises(FileError, match="a cell in row 1,048,576 and one in column 16,384"):
            open_source(path)


@pytest.mark.parametrize("chunk", [1 << 24, 50])
def test_cells_that_stand_for_too_many_are_refused(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(spreadsheets, "CHUNK", chunk)
    path = tmp_path / "book.ods"
    write_ods(path, NAME + ods_row(f'{NUMBER} table:number-columns-repeated="16000">', 1_000_000))
    with pytest.raises(FileError, match="a cell in row 1,000,001 and one in column 16,000"):
        open_source(path)
    empty = ods_row('table:number-columns-repeated="16384">', 1_048_000)
    write_ods(path, NAME + ods_row(f"{NUMBER}>", 3) + empty)
    assert cells_of(path)[0] == [["day", Kind.NUMERIC, 1.0, 1.0, 1.0]]


def test_a_duration_beyond_python_is_refused(path):
    write_workbook(path, {"Sheet1": [["a"], [Duration(1e18)]]})
    with pytest.raises(FileError, match=r"is not a valid workbook: .* must have magnitude"):
        open_source(path)


def test_several_workbooks_are_refused(path, tmp_path):
    write_workbook(path, {"Sheet1": [["a"], [1]]})
    shutil.copy(path, tmp_path / "book2.xlsx")
    with pytest.raises(FileError, match=r"The pattern matches 2 workbooks, such as .* name one"):
        open_source(tmp_path / "*.xlsx")


def test_without_the_reader_an_error_says_how_to_install_it(path, monkeypatch):
    write_workbook(path, {"Sheet1": [["a"], [1]]})
    imported = builtins.__import__

    def without_calamine(name, *rest):
        if name == "python_calamine":
            raise ImportError(name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_calamine)
    with pytest.raises(FileError, match=r"need python-calamine: .*pip install 'modlearn\[excel\]'"):
        open_source(path)
