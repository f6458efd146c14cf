"""Partitions, grids and the additive model: the frozen results that are applied and shown."""
