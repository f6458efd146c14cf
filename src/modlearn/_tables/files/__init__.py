"""Files, read by DuckDB."""
