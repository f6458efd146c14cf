"""Writing tables with predictions to files and databases."""
