"""Tables in memory and in files; all answer the same protocol."""
