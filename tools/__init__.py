"""Tools for those who work on modlearn."""
