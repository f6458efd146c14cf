"""Splits, measures, warnings and drift, as facts with numbers."""
