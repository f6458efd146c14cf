"""Thin scikit-learn classes over recipes and models."""
