"""Frames and arrays."""
