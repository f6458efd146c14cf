"""The papers' figures, recomputed: ``python -m reproduce`` or ``python -m reproduce.NAME``."""
