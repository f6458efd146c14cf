"""Stage 6: recipes that turn statistics into a model."""
