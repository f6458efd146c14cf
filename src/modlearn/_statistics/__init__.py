"""Counts that add, subtract and split by fold: everything that is learned passes through them."""
