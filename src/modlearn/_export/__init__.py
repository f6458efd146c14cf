"""A model or its predictions, written where they are needed."""
