"""A format of files that is only listed is what the command writes."""

from pathlib import Path

import pandas as pd
import pytest

import modlearn
from modlearn._model.printing import EXPORT_FORMATS, FileFormat
from modlearn.cli import main


def write_model(model, path):
    """Write the names of the columns of a model."""
    Path(path).write_text("\n".join(map(str, model.used_columns)))


def test_a_listed_format_is_written_by_the_command(tmp_path, monkeypatch):
    monkeypatch.setitem(EXPORT_FORMATS, ".names", FileFormat(__name__))
    table = pd.DataFrame({"x": range(100), "y": ["a"] * 50 + ["b"] * 50})
    modlearn.fit(table, "y", test=0.3).save(tmp_path / "model.json")
    arguments = ["export", str(tmp_path / "model.json"), "-o", str(tmp_path / "model.names")]
    with pytest.raises(SystemExit, match=r"^0$"):
        main(arguments)
    assert (tmp_path / "model.names").read_text() == "x"
