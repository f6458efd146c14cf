"""The same columns in every kind of frame."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas-nullable": lambda data: pd.DataFrame(data).convert_dtypes(),
    "pandas-arrow": lambda data: pa.table(data).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "arrow": pa.table,
}


@pytest.fixture(params=FRAMES)
def frame(request: pytest.FixtureRequest) -> Callable[[dict[str, list[Any]]], Any]:
    """Maker of a frame, once per back end."""
    return FRAMES[request.param]
