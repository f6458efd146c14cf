"""Stage 8: thin scikit-learn classes over recipes and models."""
