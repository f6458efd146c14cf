"""Stage 7: what a model says, written where it is needed."""
