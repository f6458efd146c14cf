"""Turns facts into sentences, pages, terminal output and plots."""
