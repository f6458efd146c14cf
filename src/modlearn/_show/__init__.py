"""Stage 7: facts become sentences, pages, terminal output and plots."""
