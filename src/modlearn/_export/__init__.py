"""Stage 7: a model or its predictions, written where they are needed."""
