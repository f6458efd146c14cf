"""What DuckDB's sniffer would pass over in silence, and cells that come back as they were."""

import csv
import gzip
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modlearn._tables.files.formats import ReadOptions, open_source
from modlearn.errors import FileError
from modlearn.schema import Kind


@pytest.fixture
def opened(tmp_path):
    """Open a text as a file, whatever its bytes."""
    sources = []

    def make(content, name="x.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        sources.append(open_source(path, ReadOptions(**options)))
        return sources[-1]

    yield make
    for source in sources:
        source.close()


def cells(source, i=0):
    column = source.read().categorical(i)
    return [None if code < 0 else column.categories[code] for code in column.codes]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,c\n1,2,3\n1,2\n3\n4,5,6,7\n", "Line 3 of '.*x.csv' has 2 values .* has 3, '1,2'"),
        ("a,b\n1,2\n\n3,4,5,6,7\n", "Line 4 of '.*' has 5 values .* has 2, '3,4,5,6,7'"),
        ('a,b\n1,"x\n2,y\n3,z\n', "Line 2 of '.*' has a quote that is not closed"),
        ('a,b\n"x\ny\nz",1\n2\n', "Line 5 of '.*' has 1 value where the first line has 2"),
        ("My report\na,b\n1,2\n3,4\n", "Line 1 of '.*' has 1 value where most lines have 2"),
        ("", "is empty"),
        ("\n" * 1_500 + "a,b\n1,2\n", "is empty, or its first 1,000 lines are"),
        ("\n\n \n".replace(" ", ""), "is empty"),
        ("a,b\n" + "1,2\n" * 50_000 + "3\n", "Line 50002 of"),
    ],
)
def test_a_malformed_file_is_refused_by_its_line(opened, text, message):
    with pytest.raises(FileError, match=message):
        opened(text)


@pytest.mark.parametrize("name", ["unicode.csv", "not utf-8.csv", "invalid state.csv"])
def test_words_in_a_line_or_a_name_are_not_taken_for_the_reason(opened, name):
    message = "Line 2 of '.*' has 3 values where the first line has 2"
    with pytest.raises(FileError, match=message):
        opened("a,b\n1,unicode invalid state unterminated quote,3\n", name)


@pytest.mark.parametrize("n_before", [0, 2_000])
def test_a_line_that_is_too_long_is_reported_in_a_short_sentence(opened, n_before):
    message = f"Line {n_before + 2} of '.*' is longer than 10,000,000 bytes"
    with pytest.raises(FileError, match=message) as raised:
        opened("a,b\n" + "1,2\n" * n_before + "1," + "x" * 10_000_001 + "\n3,4\n")
    assert len(str(raised.value)) < 500


@pytest.mark.parametrize("blank", ["\n", "\r\n\r\n", "\ufeff\n"])
def test_empty_lines_before_the_header_are_skipped(opened, blank):
    end = blank.lstrip("\ufeff")[: 1 + ("\r" in blank)]
    source = opened(blank + end.join(["a,b", "1,x", "2,y", ""]))
    assert (source.names, source.n_rows, source.notes) == (["a", "b"], 2, [])
    assert cells(source) == [1, 2]


@pytest.mark.parametrize(
    ("text", "line"),
    [("\n\na,b\n1,2\n3\n", 5), ('\na,b\n"1\n2",2\n3\n', 5), ("\nReport\na,b\n1,2\n3,4\n", 2)],
)
def test_empty_lines_before_the_header_are_counted(opened, text, line):
    with pytest.raises(FileError, match=f"Line {line} of"):
        opened(text)


def half(packed):
    return packed[: len(packed) // 2]


def altered(packed):
    return packed[:2000] + b"garbage" * 9 + packed[2063:]


@pytest.mark.parametrize("harm", [half, altered, lambda packed: packed[:12]])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_a_damaged_file_is_reported(opened, harm, encoding):
    rng = np.random.default_rng(0)
    text = "é,b\n" + "".join(f"{i},é{x}\n" for i, x in enumerate(rng.random(5_000)))
    with pytest.raises(FileError, match=r"x.csv.gz' is damaged: it cannot be decompressed"):
        opened(harm(gzip.compress(text.encode(encoding))), "x.csv.gz")


def test_a_quote_that_means_nothing_can_be_specified(opened):
    assert cells(opened('a,b\n1,"x\n2,y\n3,z\n', quote=""), 1) == ['"x', "y", "z"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a;b\né;1\n".encode("latin-1"), ["é"]),
        ("a;b\n€;1\n".encode("cp1252"), ["€"]),
        ("a;b\né😀;1\n".encode("utf-16"), ["é😀"]),
        ("a;b\né😀;1\n".encode("utf-16-be").join([b"\xfe\xff", b""]), ["é😀"]),
        ("a;b\né;1\n".encode("utf-8-sig"), ["é"]),
        (b"a,b\r\n1,2\n3,4\r5,6\n", [1, 3, 5]),
        (b"a,b\r1,2\r", [1]),
    ],
)
def test_encodings_and_line_ends_are_understood(opened, content, expected):
    source = opened(content)
    assert source.names == ["a", "b"]
    assert cells(source) == expected


def test_an_encoding_that_was_guessed_is_noted(opened):
    notes = opened("a\né\n".encode("latin-1")).notes
    assert [note.kind for note in notes] == ["encoding_guessed"]
    assert str(notes[0].numbers["file"]).endswith("x.csv")
    late = ("a,b\n" + "x,1\n" * 50_000 + "é,2\n").encode("latin-1")
    assert cells(opened(late))[-1] == "é"


def test_an_encoding_can_be_specified(opened):
    assert cells(opened("a\nя\n".encode("koi8-r"), encoding="koi8-r")) == ["я"]


@pytest.mark.parametrize("encoding", ["klingon", "base64"])
def test_an_encoding_that_is_not_one_of_text_is_reported(opened, encoding):
    with pytest.raises(FileError, match=f"'{encoding}' is not known"):
        opened("a\n1\n", encoding=encoding)


@pytest.mark.parametrize("options", [{"delimiter": '"'}, {"delimiter": ",", "quote": ","}])
def test_one_character_cannot_be_delimiter_and_quote(opened, options):
    with pytest.raises(FileError, match="The delimiter and the quote are both"):
        opened("a,b\n1,2\n", **options)
    assert opened(",a,;,b,\n1;2\n", quote=",").names == ["a", "b"]


def test_an_empty_name_in_json_is_reported(opened):
    with pytest.raises(FileError, match="a value whose name is empty"):
        opened('{"": 1, "y": 2}\n{"": 2, "y": 3}\n', "x.jsonl")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\nx,y\n", ["a", "b"]),
        ("1,2\n3,4\n", ["column0", "column1"]),
        ("5.1,3.5,setosa\n4.9,3.0,virginica\n", ["column0", "column1", "column2"]),
        ("id,2019,2020\n1,5,6\n2,5,6\n", ["id", "2019", "2020"]),
        ("p,x,s\ne,x,s\np,x,y\n", ["column0", "column1", "column2"]),
        ("a,a,A,\n3,4,5,6\n", ["a", "a_1", "A_2", "column3"]),
        ("comment\nhello, world\nfoo\nbar, baz\n", ["comment"]),
    ],
)
def test_a_header_is_distinguished_from_values(opened, text, names):
    assert opened(text).names == names


def test_a_header_can_be_specified(opened):
    assert opened("1,2\n3,4\n", header=True).names == ["1", "2"]
    assert opened("a,b\n3,4\n", header=False).n_rows == 2


def test_a_missing_header_and_names_that_occur_twice_are_noted(opened):
    (note,) = opened("1,2\n3,4\n").notes
    assert (note.kind, note.numbers["n_columns"]) == ("no_header", 2)
    (note,) = opened("a,a\n3,4\n").notes
    assert (note.kind, note.numbers["column"]) == ("repeated_name", "a")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_delimiter_is_found_though_others_stand_in_the_cells(opened, delimiter):
    others = "".join({",", ";", "\t", "|"} - {delimiter})
    text = f"a{delimiter}b\n" + f"x{delimiter}y{others}\nx{delimiter}z\nx{delimiter}{others}\n" * 5
    assert opened(text).n_rows == 15


def test_a_delimiter_can_be_specified(opened):
    assert opened("a:b\n1:2\n", delimiter=":").names == ["a", "b"]
    assert opened("a\x1fb\n1\x1f2\n", delimiter="\x1f").names == ["a", "b"]


def test_a_cell_may_hold_any_control_character(opened):
    assert cells(opened("a,b\nx\x1fy,1\n\x1ez,2\n")) == ["x\x1fy", "\x1ez"]


def test_single_quotes_and_backslashes_are_understood(opened):
    assert cells(opened("a,b\n'x,y',1\n'z',2\n")) == ["x,y", "z"]
    assert cells(opened('a,b\n"x\\"y",1\n"z",2\n')) == ['x"y', "z"]


def test_a_value_may_end_in_a_backslash(opened):
    source = opened('a,b\n"C:\\data\\",1\n"\\",2\n3,"D:\\"\n')
    assert cells(source) == ["C:\\data\\", "\\", "3"]
    assert cells(source, 1) == ["1", "2", "D:\\"]
    assert cells(opened('a,b\n"5\\", wide",1\n"z",2\n')) == ['5", wide', "z"]


@pytest.mark.parametrize("name", ['"a,"', '"a\n"', '"a""b"', "'a,'"])
@pytest.mark.parametrize("encoding", [None, "utf-8"])
def test_a_byte_order_mark_may_stand_before_a_quote(opened, name, encoding):
    source = opened(f"{name},b\nx,1\ny,2\n".encode("utf-8-sig"), encoding=encoding)
    assert source.names == [name[1:-1].replace('""', '"'), "b"]
    assert cells(source) == ["x", "y"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_inside_of_cells_stay_as_they_are(opened, end):
    texts = ["x\ry", "x\ny", "x\r\ny", "z"]
    lines = ["a,b", *(f'"{text}",{i}' for i, text in enumerate(texts)), ""]
    assert cells(opened(end.join(lines))) == texts


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_line_ends_inside_of_cells_stay_as_they_are_in_every_encoding(opened, encoding, end):
    text = f'a,b\r\n"x\r\ny",é\r\n"z\ny",2{end}'
    assert cells(opened(text.encode(encoding))) == ["x\r\ny", "z\ny"]


def test_a_quote_inside_of_a_cell_does_not_hide_mixed_line_ends(opened):
    assert cells(opened('a,b\r\n5" disk,1\nx,2\r\ny,3\n')) == ['5" disk', "x", "y"]


@pytest.mark.parametrize("start", ['"a\n",b', "\na,b", '"a\n",'])
def test_a_line_end_of_another_kind_in_or_before_the_names_loses_no_row(opened, start):
    assert opened(f"{start}\r\nx,1\r\ny,2\r\n").n_rows == 2


def test_a_western_file_may_have_mixed_line_ends(opened):
    source = opened("a,b\nä,1\r\nß,2\n".encode("cp1252"))
    assert cells(source) == ["ä", "ß"]
    assert [note.kind for note in source.notes] == ["encoding_guessed"]


def test_empty_quoted_cells_are_not_doubled_quotes(opened):
    source = opened('a,b\n"x \\"y\\", z",""\n"",1\n"5\\"",2\n"\\"",\n')
    assert cells(source) == ['x "y", z', None, '5"', '"']
    assert cells(source, 1) == [None, 1, 2, None]
    doubled = opened('a,b\n"C:\\","in ""D:\\"" too"\n"",1\n')
    assert cells(doubled) == ["C:\\", None]
    assert cells(doubled, 1) == ['in "D:\\" too', "1"]


def test_cells_of_another_type_behind_the_first_lines_make_a_column_text(opened):
    source = opened("a,b,c,d\n" + "1,2020-01-01,1,1\n" * 5_000 + "x,y,1.5,z\n")
    assert list(source.types.values()) == [Kind.TEXT, Kind.TEXT, Kind.NUMERIC, Kind.TEXT]
    (note,) = [note for note in source.notes if note.numbers["column"] == "a"]
    assert (note.kind, note.numbers["n_numbers"]) == ("mostly_numbers", 5_000)


def test_a_file_of_thousands_of_columns_is_quick(opened):
    header = ",".join(f"c{i}" for i in range(5000))
    row = ",".join(str(i / 7) for i in range(5000))
    start = time.perf_counter()
    source = opened("\n".join([header, *[row] * 100]))
    assert source.read().numeric(4999).values[0] == 4999 / 7
    assert time.perf_counter() - start < 20  # a wide margin: the machine may be busy


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00\x1f"), max_size=8)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=st.lists(st.tuples(TEXT, st.floats(allow_nan=False, width=64)), min_size=1, max_size=8))
def test_cells_come_back_as_they_were_written(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("cells") / "x.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        writer.writerows([("text", "number"), *rows])
    options = ReadOptions(delimiter=",", quote='"', header=True, types={"text": "text"})
    with open_source(path, options) as source:
        assert cells(source) == [text or None for text, _ in rows]
        assert np.array_equal(source.read().numeric(1).values, [number for _, number in rows])
