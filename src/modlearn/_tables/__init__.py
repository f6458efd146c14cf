"""Where rows are: in memory, in files; each answers the same protocol."""
