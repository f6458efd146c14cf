"""Stage 4: a count table and a criterion to a partition and its cost; arrays in, arrays out."""
