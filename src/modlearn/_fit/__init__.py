"""Recipes that turn statistics into a model."""
