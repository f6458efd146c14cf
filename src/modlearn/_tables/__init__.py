"""Stage 2: where rows are: in memory, in files, in an engine; each answers the same protocol."""
