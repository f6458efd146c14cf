"""The figures of the papers, recomputed: ``python -m reproduce`` or ``python -m reproduce.NAME``."""
