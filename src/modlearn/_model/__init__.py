"""Partitions, grids and the additive model, frozen: what is applied, shown and kept."""
