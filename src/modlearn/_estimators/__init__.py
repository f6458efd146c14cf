"""scikit-learn estimators: thin classes over recipes and models."""
