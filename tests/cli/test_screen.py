"""What commands print and which files they name."""

import pytest

from modlearn.cli.screen import file_for, progress_text


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ("wine.csv", "wine.y.json"),
        ("events/*.parquet", "events.y.json"),
        ("events/part-*.parquet", "part.y.json"),
        ("*.csv", "table.y.json"),
        ("shop.duckdb::orders", "orders.y.json"),
        ("postgresql://localhost/shop::orders", "orders.y.json"),
        ("postgresql://ada:s3cret@[::1]/shop::sales.orders", "sales_orders.y.json"),
        ('postgresql://localhost/shop::"Orders 2026"', "Orders 2026.y.json"),
        ("postgresql://ada:s3cret@[::1]/shop", "table.y.json"),
    ],
)
def test_files_are_named_after_the_table_and_never_after_its_address(table, name):
    assert str(file_for(table, "y", ".json")) == name


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (("counting", 4_000_000, 10_000_000), "counting 4,000,000 of 10,000,000 rows"),
        (("writing", 1000, 2000), "writing 1,000 of 2,000 rows"),
        (("columns", 3, 1100), "columns 3/1,100"),
        (("evaluating 3/10", 2500, 10_000), "evaluating 3/10 25%"),
    ],
)
def test_progress_is_shown_in_the_unit_of_its_stage(report, text):
    assert progress_text(*report) == text
