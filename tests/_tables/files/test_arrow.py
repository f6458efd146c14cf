"""Arrow files, whose every offset is checked before it is followed."""

import random

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pytest

from modlearn._tables.files.formats import open_source
from modlearn.errors import FileError, NestedColumnError


@pytest.fixture
def arrow_bytes():
    table = pa.table(
        {
            "number": [1, None],
            "text": ["x", "a text of more than twelve bytes"],
            "category": pa.array(["p", "q"]).dictionary_encode(),
            "list": [[1], [2, 3]],
            "view": pa.array(["x", "a text of more than twelve bytes"], pa.string_view()),
        }
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def test_an_offset_beyond_the_texts_is_refused(arrow_bytes, tmp_path):
    offsets = (0).to_bytes(4, "little") + (1).to_bytes(4, "little") + (33).to_bytes(4, "little")
    assert offsets in arrow_bytes
    damaged = arrow_bytes.replace(offsets, offsets[:-4] + (1 << 30).to_bytes(4, "little"))
    (tmp_path / "x.arrow").write_bytes(damaged)
    with pytest.raises(FileError, match=r"x.arrow' is not a valid Arrow file, or is damaged: \w"):
        open_source(tmp_path / "x.arrow")


def test_a_damaged_file_is_refused_or_read_but_never_followed(arrow_bytes, tmp_path):
    draw, path = random.Random(0), tmp_path / "x.arrow"
    n_refused = 0
    for _ in range(100):
        damaged = bytearray(arrow_bytes)
        for _ in range(draw.choice([1, 2, 8])):
            damaged[draw.randrange(8, len(damaged))] = draw.choice([0, 1, 127, 255])
        path.write_bytes(damaged)
        try:
            with open_source(path) as source:
                source.read()
        except FileError:
            n_refused += 1
        except NestedColumnError:
            pass
    assert n_refused > 50


def test_half_floats_are_numbers(tmp_path):
    table = pa.table({"x": np.array([0.5, 1.0, -2.0], np.float16), "y": [1, 2, 3]})
    with pa.ipc.new_file(tmp_path / "x.arrow", table.schema) as writer:
        writer.write_table(table)
    with open_source(tmp_path / "x.arrow") as source:
        cells = source.read(["x"]).numeric(0)
    assert cells.values.tolist() == [0.5, 1.0, -2.0]


@pytest.mark.parametrize("type", [pa.decimal256(50), pa.dense_union([pa.field("a", "int8")])])
def test_a_type_that_duckdb_does_not_know_is_named_with_its_column(tmp_path, type):
    with pa.ipc.new_file(tmp_path / "x.arrow", pa.schema({"odd": type})):
        pass
    with pytest.raises(FileError, match=r"Column 'odd' of .*x.arrow' has the Arrow type d"):
        open_source(tmp_path / "x.arrow")
