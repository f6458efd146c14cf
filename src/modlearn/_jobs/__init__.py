"""Stage 8: one call per job: fit, analyze, predict, propagate."""
