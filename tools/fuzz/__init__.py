"""Attacks: generated tables, damaged files, damaged models, growth and kills. See `make fuzz`."""
