"""Searches: from statistics and a part cost to a partition, a grid or weights."""
