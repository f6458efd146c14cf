"""Stage 7: a fitted model and its evaluation as a plain dict, and pages and plots from that."""
