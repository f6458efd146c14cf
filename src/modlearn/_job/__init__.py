"""The main job: from a table to a model, its evaluation, warnings and a report."""
