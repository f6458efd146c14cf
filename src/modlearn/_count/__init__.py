"""Stage 2: columns to count tables, the narrow waist of the library."""
