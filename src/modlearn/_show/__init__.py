"""Facts become sentences, pages, terminal output and plots."""
