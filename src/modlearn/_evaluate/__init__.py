"""Stage 6: splits, measures, warnings and drift, as facts with numbers."""
