"""One call per job: fit, analyze, predict, propagate."""
