"""Slow, obvious twins of the fast code: exact integers, exhaustive search, no modlearn inside."""
