"""Stage 5: a partition with its names, frozen: what is applied, shown and kept."""
